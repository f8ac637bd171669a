//! SHA-256 of a text, in hex: what tells one document from another.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

pub(crate) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
