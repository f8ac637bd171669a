//! The root key and what is derived from it: sealed envelopes, keyed hashes, page tokens, the API token.

use std::collections::BTreeMap;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use hangar_schema::{Recorded, SecretRecord};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

/// Keys.
pub struct Keys([u8; 32]);

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("«secret»")
    }
}

impl Keys {
    /// New.
    pub fn generate() -> Self {
        let mut root = [0; 32];
        getrandom::fill(&mut root).expect("random");
        Self(root)
    }

    /// Seals.
    pub fn seal(&self, aad: &[u8], plaintext: &[u8]) -> Vec<u8> {
        let cipher = Aes256Gcm::new(&self.0.into());
        let mut nonce = [0; 12];
        getrandom::fill(&mut nonce).expect("random");
        let sealed =
            cipher.encrypt(&Nonce::from(nonce), Payload { msg: plaintext, aad }).expect("sealed");
        [&nonce[..], &sealed].concat()
    }

    /// Opens.
    pub fn open(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, ()> {
        let cipher = Aes256Gcm::new(&self.0.into());
        let (nonce, rest) = sealed.split_at_checked(12).ok_or(())?;
        let nonce: [u8; 12] = nonce.try_into().map_err(|_| ())?;
        cipher.decrypt(&Nonce::from(nonce), Payload { msg: rest, aad }).map_err(|_| ())
    }

    /// Hashes.
    pub fn mac(&self, resource: &str, path: &str, value: &Value) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any length");
        mac.update(format!("{resource}\0{path}\0{value}").as_bytes());
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Secrets.
pub struct StoredSecrets<'a> {
    keys: &'a Keys,
    resource: &'a str,
    macs: &'a BTreeMap<String, String>,
}

impl<'a> StoredSecrets<'a> {
    /// New.
    pub fn new(keys: &'a Keys, resource: &'a str, macs: &'a BTreeMap<String, String>) -> Self {
        Self { keys, resource, macs }
    }
}

impl SecretRecord for StoredSecrets<'_> {
    fn compare(&self, path: &str, value: &Value) -> Recorded {
        match self.macs.get(path) {
            None => Recorded::Never,
            Some(mac) if *mac == self.keys.mac(self.resource, path, value) => Recorded::Same,
            Some(_) => Recorded::Different,
        }
    }
}
