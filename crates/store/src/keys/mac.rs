//! Keyed hashes of secrets: what was applied can be compared, and never read back.

use std::collections::BTreeMap;

use hangar_schema::{Recorded, SecretRecord};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use super::root::{KeyBytes, RootKey};
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

    /// A keyed hash of what a plan rests on, or of a part of it, as `keyid:hex`: with a key of its own, so that no
    /// hash of another purpose is one of these. Made with the key that `like` was made with, where that is in the ring,
    /// so that the two can be compared.
    pub fn plan_mac(&self, like: Option<&str>, about: &str, part: &str, value: &Value) -> String {
        let key = like.and_then(|mac| mac.split_once(':')).and_then(|(id, _)| self.by_id(id));
        key.unwrap_or(&self.current).plan_mac_of(about, part, value)
    }

    /// Whether a keyed hash is of that part of a plan; one whose key is not in the ring is of none.
    pub fn is_plan_mac_of(&self, mac: &str, about: &str, part: &str, value: &Value) -> bool {
        let expected = self.plan_mac(Some(mac), about, part, value);
        expected.as_bytes().ct_eq(mac.as_bytes()).into()
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
        self.keyed(&self.mac, resource, path, value)
    }

    fn plan_mac_of(&self, about: &str, part: &str, value: &Value) -> String {
        self.keyed(&self.plan, about, part, value)
    }

    fn keyed(&self, key: &KeyBytes, resource: &str, path: &str, value: &Value) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(key.as_ref()).expect("HMAC takes a key of any length");
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
