//! Derives a browser's manifest from `manifest.json`: the block `x-chromium` or `x-firefox` is laid over
//! the common part (objects merge, lists append, the rest is replaced), `x-` blocks are dropped.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use crate::tools;

/// The browsers that have a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {
    /// Chromium, Chrome, Edge.
    Chromium,
    /// Firefox.
    Firefox,
}

impl Browser {
    /// Both.
    pub const ALL: [Browser; 2] = [Browser::Chromium, Browser::Firefox];

    /// Its folder in `dist/`.
    pub fn name(self) -> &'static str {
        match self {
            Browser::Chromium => "chromium",
            Browser::Firefox => "firefox",
        }
    }
}

/// The one source.
///
/// # Errors
/// When it is not there or is not a JSON object.
pub fn source() -> Result<Map<String, Value>> {
    let text = tools::read(&tools::root().join("manifest.json"))?;
    serde_json::from_str(&text).context("manifest.json is not a JSON object")
}

/// The manifest of one browser.
///
/// # Errors
/// When the overlay is missing or a permission has no reason in `x-why`.
pub fn derive(source: &Map<String, Value>, browser: Browser) -> Result<Value> {
    let overlay = format!("x-{}", browser.name());
    let Some(Value::Object(overlay)) = source.get(&overlay) else { bail!("manifest.json has no block `{overlay}`") };
    let mut manifest = source.clone();
    manifest.retain(|key, _| !key.starts_with("x-"));
    lay(&mut manifest, overlay);
    for key in ["permissions", "host_permissions"] {
        for permission in manifest.get(key).and_then(Value::as_array).into_iter().flatten() {
            let name = permission.as_str().unwrap_or_default();
            if source.get("x-why").and_then(|why| why.get(name)).is_none() {
                bail!("manifest.json asks for the permission `{name}` and gives no reason in `x-why`");
            }
        }
    }
    Ok(manifest.into())
}

fn lay(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(base)), Value::Object(over)) => lay(base, over),
            (Some(Value::Array(base)), Value::Array(over)) => base.extend(over.iter().cloned()),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_manifests_are_whole_and_private() {
        let source = source().unwrap();
        for browser in Browser::ALL {
            let manifest = derive(&source, browser).unwrap();
            assert_eq!(manifest["manifest_version"], 3);
            assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
            assert!(manifest.get("web_accessible_resources").is_none());
            assert!(manifest.get("content_scripts").is_none(), "nothing is injected until a session is armed");
            assert!(manifest.as_object().unwrap().keys().all(|key| !key.starts_with("x-")));
            let has = |name: &str| manifest["permissions"].as_array().unwrap().iter().any(|p| p == name);
            assert!(has("scripting"));
            assert_eq!(has("debugger"), browser == Browser::Chromium);
            for icon in manifest["icons"].as_object().unwrap().values() {
                let file = icon.as_str().unwrap().replacen("ui/", "ui/static/", 1);
                assert!(tools::root().join(&file).exists(), "{file}");
            }
        }
    }

    #[test]
    fn a_permission_without_a_reason_is_refused() {
        let mut source = source().unwrap();
        source["permissions"].as_array_mut().unwrap().push("bookmarks".into());
        let error = derive(&source, Browser::Firefox).unwrap_err().to_string();
        assert!(error.contains("bookmarks"), "{error}");
    }
}
