//! From the browser's picture to the one that is kept: decoded, secrets blacked out, encoded small.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use js_sys::{Array, Promise, Uint8Array};
use tracerule::trace::{Capture, PictureFormat, Rect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, ImageBitmap, ImageEncodeOptions, OffscreenCanvas, OffscreenCanvasRenderingContext2d,
};

use crate::browser::words;

#[wasm_bindgen]
extern "C" {
    // In workers and windows alike, which web-sys tells apart.
    #[wasm_bindgen(js_name = createImageBitmap, catch)]
    fn create_image_bitmap(blob: &Blob) -> Result<Promise, JsValue>;
}

/// A finished picture.
pub struct Picture {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its name's ending.
    pub extension: &'static str,
    /// Device pixels.
    pub width: u32,
    /// Device pixels.
    pub height: u32,
}

/// Wider than the box by so much, CSS px: outlines and rounding.
const MARGIN: f64 = 2.0;

/// Decodes a base64 JPEG, paints the boxes (CSS px of a viewport so wide) black and encodes the rest.
pub async fn redact(
    base64: &str,
    viewport_width: Option<f64>,
    black: &[Rect],
    how: &Capture,
) -> Result<Picture, String> {
    let bytes = STANDARD.decode(base64).map_err(|e| format!("the browser's picture cannot be read: {e}"))?;
    paint(&bytes, viewport_width, black, how).await.map_err(|thrown| format!("no picture: {}", words(&thrown)))
}

async fn paint(jpeg: &[u8], viewport_width: Option<f64>, black: &[Rect], how: &Capture) -> Result<Picture, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("image/jpeg");
    let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(jpeg)), &options)?;
    let bitmap: ImageBitmap = JsFuture::from(create_image_bitmap(&blob)?).await?.dyn_into()?;
    let (width, height) = (bitmap.width(), bitmap.height());
    let canvas = OffscreenCanvas::new(width, height)?;
    let context: OffscreenCanvasRenderingContext2d =
        canvas.get_context("2d")?.ok_or("the browser gives no canvas")?.dyn_into()?;
    context.draw_image_with_image_bitmap(&bitmap, 0.0, 0.0)?;
    bitmap.close();
    if !black.is_empty() {
        let scale = match viewport_width {
            Some(css) if css > 0.0 => f64::from(width) / css,
            _ => return Err("the page's width is not known, so its secret fields cannot be blacked out".into()),
        };
        context.set_fill_style_str("#000");
        for rect in black {
            context.fill_rect(
                ((rect.x - MARGIN) * scale).floor(),
                ((rect.y - MARGIN) * scale).floor(),
                ((rect.width + 2.0 * MARGIN) * scale).ceil(),
                ((rect.height + 2.0 * MARGIN) * scale).ceil(),
            );
        }
    }
    let encoding = ImageEncodeOptions::new();
    encoding.set_type(match how.picture {
        PictureFormat::Webp => "image/webp",
        PictureFormat::Jpeg => "image/jpeg",
    });
    encoding.set_quality(f64::from(how.quality()) / 100.0);
    let encoded: Blob = JsFuture::from(canvas.convert_to_blob_with_options(&encoding)?).await?.dyn_into()?;
    // A browser that cannot write WebP answers with PNG.
    let extension = match encoded.type_().as_str() {
        "image/webp" => "webp",
        "image/jpeg" => "jpg",
        _ => "png",
    };
    let buffer = JsFuture::from(encoded.array_buffer()).await?;
    Ok(Picture { bytes: Uint8Array::new(&buffer).to_vec(), extension, width, height })
}

/// Base64 of a file.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The media type of a picture by its name.
pub fn mime(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "webp")) => "image/webp",
        Some((_, "jpg")) => "image/jpeg",
        _ => "image/png",
    }
}
