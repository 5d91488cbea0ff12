//! The forms that entries of a log lie in: JSON, packed, and many of them packed and compressed.

use js_sys::{Promise, Uint8Array};
use tracerule::wire::log::Entry;
use tracerule::wire::pack;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::error::{StoreError, failed, words};

#[wasm_bindgen]
extern "C" {
    /// web-sys keeps these behind an unstable flag.
    type CompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;
    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
    /// A response made of bytes or of a stream, whose body is a stream of its bytes.
    type Response;
    #[wasm_bindgen(constructor, catch)]
    fn new(body: &JsValue) -> Result<Response, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn body(this: &Response) -> Stream;
    #[wasm_bindgen(method, js_name = arrayBuffer)]
    fn array_buffer(this: &Response) -> Promise;
    type Stream;
    #[wasm_bindgen(method, catch, js_name = pipeThrough)]
    fn pipe_through(this: &Stream, through: &JsValue) -> Result<Stream, JsValue>;
}

/// What a compressed chunk begins with; the number of its entries follows, as 8 bytes with the least first, then a
/// pack in raw DEFLATE.
const MAGIC: &[u8; 4] = b"TRZ1";
const HEAD: usize = MAGIC.len() + 8;

/// An entry to be stored.
#[derive(Clone, Debug)]
pub enum Record {
    /// Its JSON.
    Text(String),
    /// A pack of it alone.
    Packed(Vec<u8>),
}

impl Record {
    /// The form that is shorter for its kind.
    ///
    /// # Errors
    /// When it cannot become JSON.
    pub fn of(entry: &Entry) -> Result<Record, serde_json::Error> {
        match entry {
            Entry::Batch(_) => Ok(Record::Packed(pack::pack(std::slice::from_ref(entry)))),
            _ => serde_json::to_string(entry).map(Record::Text),
        }
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        match self {
            Record::Text(text) => text.len(),
            Record::Packed(bytes) => bytes.len(),
        }
    }

    pub(crate) fn value(&self) -> JsValue {
        match self {
            Record::Text(text) => text.as_str().into(),
            Record::Packed(bytes) => Uint8Array::from(bytes.as_slice()).into(),
        }
    }
}

/// What lies under one number.
pub(crate) enum Value {
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    pub fn of(value: &JsValue) -> Option<Value> {
        let bytes = || value.dyn_ref::<Uint8Array>().map(|bytes| Value::Bytes(bytes.to_vec()));
        value.as_string().map(Value::Text).or_else(bytes)
    }

    /// How many entries it is.
    pub fn count(&self) -> u64 {
        match self {
            Value::Bytes(bytes) if bytes.starts_with(MAGIC) => {
                let count = bytes.get(MAGIC.len()..HEAD).and_then(|count| count.try_into().ok());
                count.map_or(1, u64::from_le_bytes)
            }
            _ => 1,
        }
    }

    /// They, or why they cannot be read.
    pub async fn entries(&self) -> Result<Vec<Entry>, String> {
        match self {
            Value::Text(text) => Ok(vec![serde_json::from_str(text).map_err(|e| e.to_string())?]),
            Value::Bytes(bytes) if bytes.starts_with(MAGIC) => {
                let inflater = DecompressionStream::new("deflate-raw").map_err(|e| words(&e))?;
                let packed = through(bytes.get(HEAD..).unwrap_or_default(), &inflater).await.map_err(|e| words(&e))?;
                pack::unpack(&packed).map_err(|e| e.to_string())
            }
            Value::Bytes(bytes) => pack::unpack(bytes).map_err(|e| e.to_string()),
        }
    }
}

/// Many entries as one value.
pub(crate) async fn compressed(entries: &[Entry]) -> Result<JsValue, StoreError> {
    let wrong = |e: JsValue| failed("compressing the log", &e);
    let deflater = CompressionStream::new("deflate-raw").map_err(wrong)?;
    let packed = through(&pack::pack(entries), &deflater).await.map_err(wrong)?;
    let mut chunk = MAGIC.to_vec();
    chunk.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    chunk.extend_from_slice(&packed);
    Ok(Uint8Array::from(chunk.as_slice()).into())
}

async fn through(bytes: &[u8], transform: &JsValue) -> Result<Vec<u8>, JsValue> {
    let stream = Response::new(&Uint8Array::from(bytes).into())?.body().pipe_through(transform)?;
    let all = JsFuture::from(Response::new(&stream)?.array_buffer()).await?;
    Ok(Uint8Array::new(&all).to_vec())
}
