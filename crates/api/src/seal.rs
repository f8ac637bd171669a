//! What is sealed with the store's keys: page tokens, and hashes of requests that may hold secrets.
//!
//! All of this crate's use of [`Keys`] is here.

use std::sync::Arc;

use hangar_engine::seal_secret;
use hangar_plan::record::GroupName;
use hangar_store::keys::Keys;
use serde_json::Value;

/// Seals and opens.
#[derive(Debug, Clone)]
pub(crate) struct Seal(Arc<Keys>);

impl Seal {
    pub(crate) fn new(keys: Arc<Keys>) -> Self {
        Self(keys)
    }

    /// A token that tells nothing, that nobody else can make, and that is good for this list only.
    pub(crate) fn page_token(&self, list: &str, position: &[u8]) -> String {
        self.0.page_token(list, position)
    }

    /// What a token says, if it was made here for this list.
    pub(crate) fn open_page_token(&self, list: &str, token: &str) -> Option<Vec<u8>> {
        self.0.open_page_token(list, token).ok()
    }

    /// A secret of a group's recipes, as it is kept.
    pub(crate) fn recipe_secret(&self, group: &GroupName, name: &str, text: &str) -> String {
        seal_secret(&self.0, group, name, text)
    }

    /// A keyed hash of a request, which may be kept where the request itself may not.
    pub(crate) fn hash(&self, request: &str, body: Option<&Value>) -> String {
        self.0.request_mac(request, body.unwrap_or(&Value::Null))
    }
}
