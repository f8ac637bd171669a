//! One root key, and the keys for every purpose that are derived from it.

use hkdf::Hkdf;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use super::KeyError;
use crate::hex;

/// A key's bytes; wiped when they are dropped.
pub(super) type KeyBytes = Zeroizing<[u8; 32]>;

/// Bytes of a key's id.
pub(super) const ID_LENGTH: usize = 4;

/// A root key, and the keys for every purpose.
#[derive(Clone)]
pub(super) struct RootKey {
    root: KeyBytes,
    pub(super) id: String,
    pub(super) mac: KeyBytes,
    pub(super) seal: KeyBytes,
    pub(super) page: KeyBytes,
    pub(super) plan: KeyBytes,
}

impl RootKey {
    /// A new one from the operating system's randomness.
    pub(super) fn generate() -> Self {
        let mut root = KeyBytes::default();
        getrandom::fill(root.as_mut()).expect("the operating system has randomness once it is up");
        Self::derive(root)
    }

    /// The key in hexadecimal text.
    pub(super) fn from_hex(text: &str) -> Result<Self, KeyError> {
        let bytes = hex::decode(text).map(Zeroizing::new).ok_or(KeyError::Malformed)?;
        let mut root = KeyBytes::default();
        if bytes.len() != root.len() {
            return Err(KeyError::Malformed);
        }
        root.copy_from_slice(&bytes);
        Ok(Self::derive(root))
    }

    pub(super) fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(self.root.as_ref()))
    }

    /// What proves this key, for a store to keep.
    pub(super) fn check(&self) -> String {
        let proof = subkey(&self.root, "check");
        format!("{}:{}", self.id, hex::encode(proof.as_ref()))
    }

    /// Whether `check` was made with this key.
    pub(super) fn proves(&self, check: &str) -> bool {
        self.check().as_bytes().ct_eq(check.as_bytes()).into()
    }

    pub(super) fn api_token(&self) -> String {
        hex::encode(subkey(&self.root, "token").as_ref())
    }

    fn derive(root: KeyBytes) -> Self {
        let [mac, seal, page, plan] =
            ["mac", "seal", "page", "plan"].map(|purpose| subkey(&root, purpose));
        let id = hex::encode(&subkey(&root, "id")[..ID_LENGTH]);
        Self { root, id, mac, seal, page, plan }
    }
}

fn subkey(root: &KeyBytes, purpose: &str) -> KeyBytes {
    let mut key = KeyBytes::default();
    let info = format!("hangar/1/{purpose}");
    Hkdf::<Sha256>::new(None, root.as_ref())
        .expand(info.as_bytes(), key.as_mut())
        .expect("32 bytes are within what HKDF-SHA256 gives");
    key
}
