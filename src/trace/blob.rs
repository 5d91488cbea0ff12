//! Blobs are named by what they hold, so that what did not change is stored once.

use sha2::{Digest, Sha256};

/// The name of a blob: `blobs/<sha256 in hex>.<ext>`. `ext` has no dot.
pub fn blob_name(bytes: &[u8], ext: &str) -> String {
    format!("blobs/{}.{ext}", sha256_hex(bytes))
}

/// Whether a name is one that [`blob_name`] makes; others (`../x`, `C:\x`, folders) are nobody's blob.
pub fn is_blob_name(name: &str) -> bool {
    let Some((hash, ext)) = name.strip_prefix("blobs/").and_then(|rest| rest.split_once('.')) else { return false };
    hash.len() == 64
        && hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && !ext.is_empty()
        && ext.len() <= 8
        && ext.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Whether the bytes are those that the name promises.
pub fn blob_matches(name: &str, bytes: &[u8]) -> bool {
    name.strip_prefix("blobs/").and_then(|rest| rest.split_once('.')).is_some_and(|(hash, _)| hash == sha256_hex(bytes))
}

fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing into a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_refusals() {
        let name = blob_name(b"abc", "webp");
        assert_eq!(name, "blobs/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.webp");
        assert!(is_blob_name(&name) && blob_matches(&name, b"abc") && !blob_matches(&name, b"abd"));
        let hash = &name[6..70];
        for bad in [
            "trace.jsonl".to_owned(),
            "blobs/".to_owned(),
            format!("blobs/{hash}"),
            format!("blobs/../{hash}.png"),
            format!("blobs/{hash}./../x"),
            format!("/blobs/{hash}.png"),
            format!("blobs/{}.png", hash.to_uppercase()),
        ] {
            assert!(!is_blob_name(&bad), "{bad}");
        }
    }
}
