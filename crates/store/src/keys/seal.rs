//! Sealing: AES-256-GCM with a random nonce, the key's id in front, and the place it is for as
//! associated data, so that an envelope opens nowhere else.
//!
//! Random nonces of 96 bits are good for some 2^32 seals under one root key.

use aes_gcm::aead::{Aead as _, KeyInit as _, Payload};
use aes_gcm::{Aes256Gcm, Nonce};

use super::root::{ID_LENGTH, KeyBytes, RootKey};
use super::{Keys, Secret};
use crate::hex;

/// The first byte of everything sealed: how the rest is to be read.
const FORMAT: u8 = 1;
const HEADER: usize = 1 + ID_LENGTH;
const NONCE: usize = 12;

/// Why something sealed does not open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It was sealed with a root key that is not in the ring.
    #[error("it was encrypted with key {0}")]
    OtherKey(String),
    /// It is not as it was sealed, or not where it was sealed for.
    #[error("it was changed after it was encrypted")]
    Damaged,
}

impl Keys {
    /// Seals a document for the place that `associated` names: the id of its row.
    pub fn seal(&self, associated: &[u8], plaintext: &[u8]) -> Vec<u8> {
        let key = &self.current;
        seal_with(key, &key.seal, associated, plaintext)
    }

    /// Opens what was sealed for that place.
    pub fn open(&self, associated: &[u8], sealed: &[u8]) -> Result<Secret<Vec<u8>>, OpenError> {
        self.open_with(|key| &key.seal, associated, sealed)
    }

    /// A page token: text for a URL that only we can make and read, and only for `purpose`.
    pub fn page_token(&self, purpose: &str, plaintext: &[u8]) -> String {
        let key = &self.current;
        hex::encode(&seal_with(key, &key.page, purpose.as_bytes(), plaintext))
    }

    /// What is in a page token that was made for `purpose`.
    pub fn open_page_token(&self, purpose: &str, token: &str) -> Result<Vec<u8>, OpenError> {
        let sealed = hex::decode(token).ok_or(OpenError::Damaged)?;
        let opened = self.open_with(|key| &key.page, purpose.as_bytes(), &sealed)?;
        Ok(opened.expose().clone())
    }

    /// Opens with the key that the header names; `purpose` picks what is derived of it.
    fn open_with(
        &self,
        purpose: impl Fn(&RootKey) -> &KeyBytes,
        associated: &[u8],
        sealed: &[u8],
    ) -> Result<Secret<Vec<u8>>, OpenError> {
        let (header, rest) = sealed.split_at_checked(HEADER).ok_or(OpenError::Damaged)?;
        let (nonce, ciphertext) = rest.split_first_chunk::<NONCE>().ok_or(OpenError::Damaged)?;
        if header[0] != FORMAT {
            return Err(OpenError::Damaged);
        }
        let id = hex::encode(&header[1..]);
        let Some(key) = self.by_id(&id) else { return Err(OpenError::OtherKey(id)) };
        let aad = [header, associated].concat();
        let payload = Payload { msg: ciphertext, aad: &aad };
        let plaintext = cipher(purpose(key)).decrypt(&Nonce::from(*nonce), payload);
        plaintext.map(Secret::new).map_err(|_| OpenError::Damaged)
    }
}

fn seal_with(root: &RootKey, key: &KeyBytes, associated: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).expect("the operating system has randomness once it is up");
    let mut sealed = vec![FORMAT];
    sealed.extend(hex::decode(&root.id).unwrap_or_default());
    let aad = [sealed.as_slice(), associated].concat();
    let payload = Payload { msg: plaintext, aad: &aad };
    let ciphertext = cipher(key)
        .encrypt(&Nonce::from(nonce), payload)
        .expect("a document is shorter than the 64 GiB that AES-GCM takes");
    sealed.extend(nonce);
    sealed.extend(ciphertext);
    sealed
}

fn cipher(key: &KeyBytes) -> Aes256Gcm {
    Aes256Gcm::new_from_slice(key.as_ref()).expect("the key has the cipher's length")
}
