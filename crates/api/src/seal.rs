//! What is sealed with the store's keys: page tokens, and hashes of bodies that may hold secrets.
//!
//! All of this crate's use of [`Keys`] is here.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use hangar_store::keys::Keys;
use serde_json::Value;

/// Seals and opens.
#[derive(Clone)]
pub(crate) struct Seal(Arc<Keys>);

impl Seal {
    pub(crate) fn new(keys: Arc<Keys>) -> Self {
        Self(keys)
    }

    /// A token that tells nothing, and that nobody else can make.
    pub(crate) fn page_token(&self, list: &str, position: &[u8]) -> String {
        let mut text = String::new();
        for byte in position {
            let _ = write!(text, "{byte:02x}");
        }
        format!("{text}.{}", self.hash(list, Some(&Value::String(text.clone()))))
    }

    /// What a token says, if it was made here for this list.
    pub(crate) fn open_page_token(&self, list: &str, token: &str) -> Option<Vec<u8>> {
        let (text, _) = token.split_once('.')?;
        let bytes = text.as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> = bytes
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let bytes = bytes?;
        (self.page_token(list, &bytes) == token).then_some(bytes)
    }

    /// A keyed hash of a request, which may be kept where the request itself may not: its body can
    /// hold secrets.
    pub(crate) fn hash(&self, request: &str, body: Option<&Value>) -> String {
        self.0.mac("request", request, body.unwrap_or(&Value::Null))
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal")
    }
}
