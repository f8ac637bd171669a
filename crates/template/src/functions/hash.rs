//! Functions that make a name out of others: `guid`, `uniqueString`; and `newGuid`.
//!
//! The results are part of names that are deployed already: they never change.

use std::fmt::Write as _;

use super::arguments::Arguments;
use super::fault::Fault;
use super::sha1::sha1;
use super::{Function, Parameter};
use crate::value::{Kind, Value};

const TEXTS: &[Parameter] = &[Parameter::new("texts", "string")];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "guid",
        TEXTS,
        Some(Kind::String),
        guid,
        "Returns a GUID computed from strings: the same strings always give the same GUID.",
    )
    .repeated(),
    Function::new(
        "uniqueString",
        TEXTS,
        Some(Kind::String),
        unique_string,
        "Returns thirteen letters and digits computed from strings: the same strings always give the same result.",
    )
    .repeated(),
    Function::new(
        "newGuid",
        &[],
        Some(Kind::String),
        |arguments| Ok(arguments.context.next_guid()),
        "Returns a new GUID, which the deployment keeps; only for the default of a parameter.",
    ),
];

fn guid(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::string(guid_of(&joined(arguments)?)))
}

/// What `uniqueString()` of some texts is.
pub(crate) fn unique_string_of(texts: &[&str]) -> String {
    letters(murmur(texts.join("-").as_bytes()))
}

fn unique_string(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::string(letters(murmur(joined(arguments)?.as_bytes()))))
}

fn joined(arguments: &Arguments<'_>) -> Result<String, Fault> {
    let texts = (0..arguments.count()).map(|index| arguments.string(index).map(|it| &**it));
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("-"))
}

/// The digest of some texts in hexadecimal; where one ends and the next begins counts.
pub(crate) fn digest_of<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut all = Vec::new();
    for text in texts {
        all.extend(text.as_bytes());
        all.push(0);
    }
    let mut digits = String::with_capacity(40);
    for byte in sha1(&[&all]) {
        // Writing to a string never fails.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The namespace of `guid`, as the documentation states it.
const NAMESPACE: u128 = 0x11fb_06fb_712d_4ddd_98c7_e71b_bd58_8830;

/// A UUID of version 5 (RFC 9562, section 5.5).
fn guid_of(text: &str) -> String {
    let digest = sha1(&[&NAMESPACE.to_be_bytes(), text.as_bytes()]);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// 64 bits from two lanes of 32 that feed each other, after Murmur3.
fn murmur(bytes: &[u8]) -> u64 {
    let (mut a, mut b) = (0_u32, 0_u32);
    let mut blocks = bytes.chunks_exact(8);
    for block in &mut blocks {
        a ^= mixed_first(word(&block[..4]));
        a = a.rotate_left(19).wrapping_add(b).wrapping_mul(5).wrapping_add(0x561c_cd1b);
        b ^= mixed_second(word(&block[4..]));
        b = b.rotate_left(13).wrapping_add(a).wrapping_mul(5).wrapping_add(0x0bca_a747);
    }
    let rest = blocks.remainder();
    let (first, second) = rest.split_at(rest.len().min(4));
    a ^= mixed_first(word(first));
    b ^= mixed_second(word(second));
    // The length counts modulo 2³², as in the original.
    let length = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or(u32::MAX);
    (a, b) = crossed(a ^ length, b ^ length);
    (a, b) = crossed(finished(a), finished(b));
    u64::from(b) << 32 | u64::from(a)
}

const FIRST: u32 = 0x239b_961b;
const SECOND: u32 = 0xab0e_9789;

fn mixed_first(word: u32) -> u32 {
    word.wrapping_mul(FIRST).rotate_left(15).wrapping_mul(SECOND)
}

fn mixed_second(word: u32) -> u32 {
    word.wrapping_mul(SECOND).rotate_left(17).wrapping_mul(FIRST)
}

fn crossed(a: u32, b: u32) -> (u32, u32) {
    let a = a.wrapping_add(b);
    (a, b.wrapping_add(a))
}

fn finished(mut word: u32) -> u32 {
    word = (word ^ word >> 16).wrapping_mul(0x85eb_ca6b);
    word = (word ^ word >> 13).wrapping_mul(0xc2b2_ae35);
    word ^ word >> 16
}

/// Up to four bytes, the least significant first.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// The number in base 32, the five bits on top first.
fn letters(mut number: u64) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut text = String::new();
    for _ in 0..13 {
        text.push(char::from(DIGITS[(number >> 59) as usize]));
        number <<= 5;
    }
    text
}
