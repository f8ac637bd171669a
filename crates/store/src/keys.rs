//! The ring of root keys and what is derived from them: sealed envelopes, keyed hashes, page tokens, the
//! API token.
//!
//! What is new is made with the first key of the ring; whatever is stored carries the id of its key, and
//! is read with that one, so that nothing is lost when another becomes the first (`rotate`). Every
//! purpose has a key of its own, derived by HKDF, so that what is made for one is worth nothing for
//! another. No key is ever printed.

mod canonical;
mod file;
mod mac;
mod root;
mod rotate;
mod seal;
mod secret;
mod unlock;

pub use mac::StoredSecrets;
pub use rotate::Rotated;
pub use seal::OpenError;
pub use secret::Secret;

use std::fmt;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::{Store, StoreError};
use root::RootKey;

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is no key.
    #[error("a key must be 64 hexadecimal digits")]
    Malformed,
    /// The file holds no key.
    #[error("{path} does not contain a key of 64 hexadecimal digits", path = .0.display())]
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
    #[error("the store has a key, but {path} does not exist: restore the key of the store", path = .0.display())]
    Missing(PathBuf),
    /// Somebody else rotates the key in the file just now.
    #[error("the key in {path} is already being rotated", path = .0.display())]
    Rotating(PathBuf),
    /// A credential does not open, so it cannot be sealed with another key.
    #[error("cannot decrypt {credential}")]
    Sealed {
        /// Its id.
        credential: String,
        /// Why.
        source: OpenError,
    },
    /// The store failed, or has another key.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A ring of root keys, with the keys for every purpose of each.
pub struct Keys {
    /// What seals and hashes from now on.
    current: RootKey,
    /// What did before it, newest first.
    older: Vec<RootKey>,
}

impl Keys {
    /// A new key from the operating system's randomness, alone in its ring.
    pub fn generate() -> Self {
        Self { current: RootKey::generate(), older: Vec::new() }
    }

    /// The same ring with a new key before all others.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut current = RootKey::generate();
        // Values name their key by its id, so no two keys of a ring may share one.
        while self.by_id(&current.id).is_some() {
            current = RootKey::generate();
        }
        Self { current, older: self.ring().cloned().collect() }
    }

    /// The keys of root keys in hexadecimal text, one a line, the current one first; white space around
    /// them does not count.
    pub fn from_hex(text: &str) -> Result<Self, KeyError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let current = RootKey::from_hex(lines.next().unwrap_or_default())?;
        let mut keys = Self { current, older: Vec::new() };
        for line in lines {
            let key = RootKey::from_hex(line)?;
            if keys.by_id(&key.id).is_some() {
                return Err(KeyError::Malformed);
            }
            keys.older.push(key);
        }
        Ok(keys)
    }

    /// The keys of the root keys in a file.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        file::find(path)?.ok_or_else(|| KeyError::Read {
            path: path.to_owned(),
            source: std::io::ErrorKind::NotFound.into(),
        })
    }

    /// The keys of a store: those in `path`, which are made if the store has none yet. A store that was
    /// last used with none of them refuses them with [`StoreError::WrongKey`].
    pub async fn unlock(store: &dyn Store, path: &Path) -> Result<Self, KeyError> {
        unlock::unlock(store, path).await
    }

    /// Puts a new key before those in `path`, then seals every credential with it and keeps its proof, in
    /// one transaction of the store. Whatever stops it in between leaves a file that opens the store;
    /// the next call goes on with the key that it finds there.
    ///
    /// Envelopes of running operations, recipes with their Terraform state, and keyed hashes are not made anew:
    /// their key stays in the ring.
    /// Whoever holds the keys of before goes on with them, and cannot open what is sealed from now on.
    pub async fn rotate(store: &dyn Store, path: &Path) -> Result<Rotated, KeyError> {
        rotate::rotate(store, path).await
    }

    /// Names the current root key and tells nothing about it: eight hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.current.id
    }

    /// What proves the current root key, for a store to keep.
    pub fn check(&self) -> String {
        self.current.check()
    }

    /// Whether `check` was made with any key of the ring.
    pub fn proves(&self, check: &str) -> bool {
        self.ring().any(|key| key.proves(check))
    }

    /// The first API token: the same for everyone who has the ring. It is the oldest key's, so that another
    /// key before it changes nothing.
    pub fn api_token(&self) -> Secret<String> {
        Secret::new(self.older.last().unwrap_or(&self.current).api_token())
    }

    /// Every key, the current one first.
    fn ring(&self) -> impl Iterator<Item = &RootKey> {
        std::iter::once(&self.current).chain(&self.older)
    }

    fn by_id(&self, id: &str) -> Option<&RootKey> {
        self.ring().find(|key| key.id == id)
    }

    /// The text of a file that holds the ring.
    fn to_text(&self) -> Zeroizing<String> {
        let lines: Vec<Zeroizing<String>> = self.ring().map(RootKey::to_hex).collect();
        // Of its full length from the start: growing would leave copies behind.
        let length = lines.iter().map(|line| line.len() + 1).sum();
        let mut text = Zeroizing::new(String::with_capacity(length));
        for line in &lines {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.ring().map(|key| key.id.as_str()).collect();
        write!(f, "Keys({}, «secret»)", ids.join(", "))
    }
}

#[cfg(test)]
mod tests;
