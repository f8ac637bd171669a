//! The signing key and the keyed hash made with it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Authorization, TERMINATOR};
use crate::wire::hex;

/// Whether the stated signature is that of the text. Takes as long for a near miss as for a far one.
pub(super) fn is_signed(text: &str, authorization: &Authorization, secret: &str) -> bool {
    let Some(stated) = hex::decode(&authorization.signature) else {
        return false;
    };
    let key = signing_key(secret, authorization);
    keyed(&key, text).verify_slice(&stated).is_ok()
}

/// The key of one day, region and service, so that the secret itself signs nothing.
pub(super) fn signing_key(secret: &str, authorization: &Authorization) -> Vec<u8> {
    let Authorization { date, region, service, .. } = authorization;
    let first = format!("AWS4{secret}").into_bytes();
    [date, region, service, TERMINATOR]
        .iter()
        .fold(first, |key, word| keyed(&key, word).finalize().into_bytes().to_vec())
}

fn keyed(key: &[u8], text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(text.as_bytes());
    mac
}

/// Standard base64 with padding, in which refusals state a digest.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                let index = group >> (18 - 6 * place) & 63;
                text.push(char::from(ALPHABET[index as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("ï¿½~", "w6/Cv8K9fg=="),
        ] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }
}
