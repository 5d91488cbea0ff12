//! Throw-away profiles. A profile holds what was recorded until it is saved, so it is deleted only after that.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Kind, distribution};
use crate::error::CliError;
use crate::relay::Relay;

const SAVED: &str = "tracerule.json";

/// What is needed to start a profile again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// The family.
    pub browser: Kind,
    /// The session recorded, once it began.
    #[serde(default)]
    pub session: Option<String>,
    /// Where the trace was to go.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// The extension's UUID in Firefox; its store hangs on it.
    #[serde(default)]
    pub uuid: String,
}

/// A directory with the browser's profile, a copy of the extension, and what is needed to start again.
#[derive(Debug)]
pub struct Profile {
    dir: PathBuf,
    /// Deletes the directory when dropped.
    temporary: Option<tempfile::TempDir>,
    saved: Saved,
    manifest: Value,
}

impl Profile {
    /// A new one, of mode 0700.
    ///
    /// # Errors
    /// The extension is not built, or the disk refuses.
    pub fn create(kind: Kind) -> Result<Profile, CliError> {
        let source = distribution(kind)?;
        let temporary = tempfile::Builder::new()
            .prefix("tracerule-")
            .tempdir()
            .map_err(|e| CliError::environment(format!("cannot make a temporary directory: {e}")))?;
        // Chromium names an unpacked extension by its path; a link in it would make another name.
        let dir = temporary.path().canonicalize().unwrap_or_else(|_| temporary.path().to_path_buf());
        copy(&source, &dir.join("extension"))?;
        fs::create_dir(dir.join("profile")).map_err(|e| failed(&dir, &e))?;
        let saved = Saved { browser: kind, session: None, out: None, uuid: random_uuid()? };
        let manifest = manifest(&dir)?;
        let profile = Profile { dir, temporary: Some(temporary), saved, manifest };
        profile.save()?;
        Ok(profile)
    }

    /// One that was kept.
    ///
    /// # Errors
    /// It is none.
    pub fn open(dir: &Path) -> Result<Profile, CliError> {
        let no = |why: &str| CliError::usage(format!("{} is not a profile kept by Tracerule: {why}", dir.display()));
        let text = fs::read_to_string(dir.join(SAVED)).map_err(|e| no(&format!("{SAVED}: {e}")))?;
        let saved: Saved = serde_json::from_str(&text).map_err(|e| no(&format!("{SAVED}: {e}")))?;
        if !dir.join("profile").is_dir() {
            return Err(no("it has no directory 'profile'"));
        }
        let dir = dir.canonicalize().map_err(|e| failed(dir, &e))?;
        let manifest = manifest(&dir)?;
        Ok(Profile { dir, temporary: None, saved, manifest })
    }

    /// The family it belongs to.
    pub fn kind(&self) -> Kind {
        self.saved.browser
    }

    /// The directory of all.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The browser's own directory.
    pub fn browser_dir(&self) -> PathBuf {
        self.dir.join("profile")
    }

    /// The extension's copy.
    pub fn extension_dir(&self) -> PathBuf {
        self.dir.join("extension")
    }

    /// What is needed to start again.
    pub fn saved(&self) -> &Saved {
        &self.saved
    }

    /// Remembers the session and where its trace goes.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn remember(&mut self, session: &str, out: Option<&Path>) -> Result<(), CliError> {
        self.saved.session = Some(session.to_owned());
        self.saved.out = out.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
        self.save()
    }

    fn save(&self) -> Result<(), CliError> {
        let path = self.dir.join(SAVED);
        let text = serde_json::to_string_pretty(&self.saved).map_err(|e| CliError::failed(e.to_string()))?;
        fs::write(&path, text).map_err(|e| failed(&path, &e))
    }

    /// Tells the extension which relay to connect to when it starts, and whether that relay can perform trusted
    /// input (`bidi`).
    ///
    /// # Errors
    /// The disk refuses.
    pub fn pair(&self, relay: &Relay, bidi: bool) -> Result<(), CliError> {
        let path = self.extension_dir().join("companion.json");
        let companion = json!({
            "relay": relay.extension_url(),
            "token": relay.pairing_token(),
            "control": true,
            "bidi": bidi,
            // Launched so that the debugger shows no bar (see `chromium.rs`).
            "silent": self.kind() == Kind::Chromium,
        });
        fs::write(&path, companion.to_string()).map_err(|e| failed(&path, &e))
    }

    /// The origin that the extension has in this profile.
    pub fn extension_origin(&self) -> String {
        match self.kind() {
            Kind::Chromium => format!("chrome-extension://{}", chromium_id(&self.manifest, &self.extension_dir())),
            Kind::Firefox => format!("moz-extension://{}", self.saved.uuid),
        }
    }

    /// The extension's id in Firefox, as its manifest says.
    pub fn gecko_id(&self) -> Option<&str> {
        self.manifest.pointer("/browser_specific_settings/gecko/id").and_then(Value::as_str)
    }

    /// Keeps the directory: what it holds is saved nowhere else.
    pub fn keep(&mut self) -> PathBuf {
        if let Some(temporary) = self.temporary.take() {
            let _ = temporary.keep();
        }
        self.dir.clone()
    }

    /// Deletes the directory, kept or not; nobody needs it any more.
    pub fn delete(self) {
        match self.temporary {
            Some(temporary) => drop(temporary),
            None => {
                let _ = fs::remove_dir_all(&self.dir);
            }
        }
    }
}

fn failed(path: &Path, e: &std::io::Error) -> CliError {
    CliError::environment(format!("{}: {e}", path.display()))
}

fn manifest(dir: &Path) -> Result<Value, CliError> {
    let path = dir.join("extension/manifest.json");
    let text = fs::read_to_string(&path).map_err(|e| failed(&path, &e))?;
    serde_json::from_str(&text).map_err(|e| CliError::environment(format!("{}: {e}", path.display())))
}

fn copy(from: &Path, to: &Path) -> Result<(), CliError> {
    fs::create_dir_all(to).map_err(|e| failed(to, &e))?;
    for entry in fs::read_dir(from).map_err(|e| failed(from, &e))? {
        let entry = entry.map_err(|e| failed(from, &e))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(|e| failed(&target, &e))?;
        }
    }
    Ok(())
}

fn random_uuid() -> Result<String, CliError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| CliError::environment(format!("the system gives no random bytes: {e}")))?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}

/// The first half of the SHA-256 of the manifest's key, or of the directory's path, in letters a to p.
fn chromium_id(manifest: &Value, dir: &Path) -> String {
    let key = manifest.get("key").and_then(Value::as_str);
    let key = key.and_then(|key| base64::engine::general_purpose::STANDARD.decode(key).ok());
    let digest = match key {
        Some(key) => Sha256::digest(key),
        None => Sha256::digest(dir.as_os_str().as_encoded_bytes()),
    };
    digest[..16].iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|nibble| char::from(b'a' + nibble)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chromium_ids_are_those_chromium_gives() {
        // The empty key's digest is e3b0c442 98fc1c14 9afbf4c8 996fb924.
        let id = chromium_id(&json!({"key": ""}), Path::new("/x"));
        assert_eq!(id, "odlameecjipmbmbejkplpemijjgpljce");
        assert_eq!(chromium_id(&json!({}), Path::new("")), id);
    }

    #[test]
    fn uuids_are_of_version_4() {
        let uuid = random_uuid().unwrap();
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
    }

    #[test]
    fn a_directory_that_is_no_profile_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let error = Profile::open(dir.path()).unwrap_err();
        assert_eq!(error.code, 2);
        assert!(error.message.contains("tracerule.json"), "{}", error.message);
    }
}
