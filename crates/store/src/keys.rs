//! The root key and what is derived from it: sealed envelopes, keyed hashes, page tokens, the API
//! token.
//!
//! Every purpose has a key of its own, derived by HKDF, so that what is made for one is worth nothing
//! for another. Whatever is stored carries the id of its key. No key is ever printed.

mod canonical;
mod file;
mod mac;
mod seal;
mod secret;
mod unlock;

pub use mac::StoredSecrets;
pub use seal::OpenError;
pub use secret::Secret;

use std::fmt;
use std::path::{Path, PathBuf};

use hkdf::Hkdf;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::{Store, StoreError, hex};

/// A key's bytes; wiped when they are dropped.
type KeyBytes = Zeroizing<[u8; 32]>;

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is no key.
    #[error("a key is 64 hexadecimal digits")]
    Malformed,
    /// The file holds no key.
    #[error("{path} does not hold a key: 64 hexadecimal digits", path = .0.display())]
    MalformedFile(PathBuf),
    /// The file cannot be read.
    #[error("cannot read the key in {path}", path = path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be made.
    #[error("cannot write a new key to {path}", path = path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no file, and the store has a key already.
    #[error("the store has a key, and {path} is not there: bring back the store's key", path = .0.display())]
    Missing(PathBuf),
    /// The store failed, or has another key.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The root key, and the keys for every purpose.
pub struct Keys {
    root: KeyBytes,
    id: String,
    mac: KeyBytes,
    seal: KeyBytes,
    page: KeyBytes,
}

impl Keys {
    /// New keys from the operating system's randomness.
    pub fn generate() -> Self {
        let mut root = KeyBytes::default();
        getrandom::fill(root.as_mut()).expect("the operating system has randomness once it is up");
        Self::derive(root)
    }

    /// The keys of a root key in hexadecimal text; white space around it does not count.
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let bytes = hex::decode(text.trim()).map(Zeroizing::new).ok_or(KeyError::Malformed)?;
        let mut root = KeyBytes::default();
        if bytes.len() != root.len() {
            return Err(KeyError::Malformed);
        }
        root.copy_from_slice(&bytes);
        Ok(Self::derive(root))
    }

    /// The keys of the root key in a file.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        file::find(path)?.ok_or_else(|| KeyError::Read {
            path: path.to_owned(),
            source: std::io::ErrorKind::NotFound.into(),
        })
    }

    /// The keys of a store: those in `path`, which are made if the store has none yet. A store that
    /// has some refuses any other with [`StoreError::WrongKey`].
    pub async fn unlock(store: &dyn Store, path: &Path) -> Result<Self, KeyError> {
        unlock::unlock(store, path).await
    }

    /// Names the root key and tells nothing about it: eight hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What proves the root key, for a store to keep.
    pub fn check(&self) -> String {
        let proof = subkey(&self.root, "check");
        format!("{}:{}", self.id, hex::encode(proof.as_ref()))
    }

    /// Whether `check` was made with this root key.
    pub fn proves(&self, check: &str) -> bool {
        self.check().as_bytes().ct_eq(check.as_bytes()).into()
    }

    /// The first API token: the same for everyone who has the root key.
    pub fn api_token(&self) -> Secret<String> {
        Secret::new(hex::encode(subkey(&self.root, "token").as_ref()))
    }

    fn derive(root: KeyBytes) -> Self {
        let [mac, seal, page] = ["mac", "seal", "page"].map(|purpose| subkey(&root, purpose));
        let id = hex::encode(&subkey(&root, "id")[..ID_LENGTH]);
        Self { root, id, mac, seal, page }
    }

    fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(self.root.as_ref()))
    }
}

/// Bytes of a key's id.
const ID_LENGTH: usize = 4;

fn subkey(root: &KeyBytes, purpose: &str) -> KeyBytes {
    let mut key = KeyBytes::default();
    let info = format!("hangar/1/{purpose}");
    Hkdf::<Sha256>::new(None, root.as_ref())
        .expand(info.as_bytes(), key.as_mut())
        .expect("32 bytes are within what HKDF-SHA256 gives");
    key
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({}, «secret»)", self.id)
    }
}

#[cfg(test)]
mod tests;
