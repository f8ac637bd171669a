//! SHA-256 of a text, in hex: what tells one document from another.

use hangar_store::hex;
use sha2::{Digest, Sha256};

pub(crate) fn sha256(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes()))
}

pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}
