//! Tokens inside base64, at any of the three places that a byte can have in its group.
//!
//! What looks like one is decoded, and only counts when a token stands in it.

use std::sync::LazyLock;

use super::{Form, RawToken, text};

/// `${Token[A.1]}` needs this many characters.
const SHORTEST: usize = 17;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What stays the same of the beginnings in base64, and how many characters before it their group begins.
static NEEDLES: LazyLock<Vec<(String, usize)>> = LazyLock::new(|| {
    let beginnings = ["{Token[", "{TfToken[", "{token[", "{tftoken["];
    // How many bits of the text share a character with the byte before it.
    let alignments = [(0, 0), (4, 2), (2, 3)];
    beginnings
        .iter()
        .flat_map(|begin| {
            alignments.map(|(skip, characters)| (sextets(begin.as_bytes(), skip), characters))
        })
        .collect()
});

fn sextets(bytes: &[u8], skip: usize) -> String {
    let bits = bytes.len() * 8;
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    (skip..bits)
        .step_by(6)
        .filter(|start| start + 6 <= bits)
        .map(|start| (start..start + 6).fold(0, |value, at| value * 2 + bit(at)))
        .map(|value| char::from(ALPHABET[value]))
        .collect()
}

pub(super) fn find(whole: &str, found: &mut Vec<RawToken>) {
    let bytes = whole.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| value(**byte).is_some()).count();
        if length >= SHORTEST {
            word(whole, at, at + length, found);
        }
        at += length + 1;
    }
}

/// Looks at one word of the letters of base64.
fn word(whole: &str, start: usize, end: usize, found: &mut Vec<RawToken>) {
    let word = &whole[start..end];
    for (needle, before) in NEEDLES.iter() {
        let Some(group) = word.find(needle.as_str()).and_then(|at| at.checked_sub(*before)) else {
            continue;
        };
        // Words and base64 may touch, so that the first group is any of four places.
        let first = group % 4;
        let decoded = decode(&word.as_bytes()[first..]);
        let inner = text::find(&String::from_utf8_lossy(&decoded));
        if let Some(token) = inner.into_iter().next() {
            found.push(RawToken {
                range: start + first..end,
                form: Form::Base64,
                family: token.family,
                name: token.name,
            });
            return;
        }
    }
}

fn decode(word: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len() * 3 / 4);
    for group in word.chunks(4) {
        let bits =
            group.iter().fold(0, |bits, byte| bits << 6 | u32::from(value(*byte).unwrap_or(0)));
        let bits = bits << (6 * (4 - group.len()));
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(&bytes[1..group.len().max(1)]);
    }
    out
}

/// The six bits of a character, of the alphabet for URLs too.
fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
