//! Keyed hashes of secrets: what was applied can be compared, and never read back.

use std::collections::BTreeMap;

use hangar_schema::{Recorded, SecretRecord};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use super::root::RootKey;
use super::{Keys, canonical};
use crate::hex;

impl Keys {
    /// A keyed hash of the value at a path of a resource, as `keyid:hex`. The same value elsewhere
    /// has another.
    pub fn mac(&self, resource: &str, path: &str, value: &Value) -> String {
        self.current.mac_of(resource, path, value)
    }

    /// A keyed hash of a request, which a rotation leaves as it is: the same request is known again after
    /// it. Made with the oldest key of the ring, as the first API token is.
    pub fn request_mac(&self, request: &str, body: &Value) -> String {
        self.older.last().unwrap_or(&self.current).mac_of("request", request, body)
    }

    /// Whether a keyed hash is of the value at a path of a resource; nobody knows where its key is not
    /// in the ring.
    pub fn is_mac_of(&self, mac: &str, resource: &str, path: &str, value: &Value) -> Option<bool> {
        let (key_id, _) = mac.split_once(':')?;
        let expected = self.by_id(key_id)?.mac_of(resource, path, value);
        Some(expected.as_bytes().ct_eq(mac.as_bytes()).into())
    }
}

impl RootKey {
    fn mac_of(&self, resource: &str, path: &str, value: &Value) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.mac.as_ref())
            .expect("HMAC takes a key of any length");
        let value = Zeroizing::new(canonical::encode(value));
        // Each part with its length, so that no two parts can be cut differently.
        for part in [resource.as_bytes(), path.as_bytes(), value.as_slice()] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        format!("{}:{}", self.id, hex::encode(&mac.finalize().into_bytes()))
    }
}

/// The secrets of one resource as a store keeps them.
#[derive(Debug, Clone, Copy)]
pub struct StoredSecrets<'a> {
    /// The keys to compare with.
    pub keys: &'a Keys,
    /// The resource, as it was named when the hashes were made.
    pub resource: &'a str,
    /// A keyed hash for each path.
    pub macs: &'a BTreeMap<String, String>,
}

impl SecretRecord for StoredSecrets<'_> {
    fn compare(&self, path: &str, value: &Value) -> Recorded {
        let Some(recorded) = self.macs.get(path) else { return Recorded::Never };
        match self.keys.is_mac_of(recorded, self.resource, path, value) {
            Some(true) => Recorded::Same,
            Some(false) => Recorded::Different,
            None => Recorded::Incomparable,
        }
    }
}
