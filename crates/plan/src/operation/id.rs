//! The name of an operation: a UUID, made by the engine, printed and parsed here.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::Timestamp;

/// The UUID of an operation; version 7, so that ids sort by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(u128);

impl OperationId {
    /// From the UUID's bits.
    pub const fn from_u128(bits: u128) -> Self {
        Self(bits)
    }

    /// The UUID's bits.
    pub const fn as_u128(self) -> u128 {
        self.0
    }

    /// A UUID of version 7 from an instant and 74 bits that its maker chose: the same again from the same.
    pub fn of_parts(at: Timestamp, bits: u128) -> Self {
        let millis = u128::try_from(at.as_micros() / 1000).unwrap_or(0) & 0xffff_ffff_ffff;
        let low = bits & 0x0fff_3fff_ffff_ffff_ffff;
        Self(millis << 80 | 0x7000_8000_0000_0000_0000 | low)
    }

    /// Reads the hyphenated form, in either case; anything else is no operation's id.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let hyphens = [8, 13, 18, 23];
        if bytes.len() != 36 {
            return None;
        }
        let mut bits = 0u128;
        for (place, byte) in bytes.iter().enumerate() {
            if hyphens.contains(&place) {
                if *byte != b'-' {
                    return None;
                }
                continue;
            }
            let digit = char::from(*byte).to_digit(16)?;
            bits = bits << 4 | u128::from(digit);
        }
        Some(Self(bits))
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:032x}", self.0);
        let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
        f.write_str(&parts.join("-"))
    }
}

impl Serialize for OperationId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OperationId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not the id of an operation"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prints_as_it_parses() {
        let text = "0191f3a8-7c2e-7abc-8def-0123456789ab";
        let id = OperationId::parse(text).unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(OperationId::parse(&text.to_uppercase()), Some(id));
    }

    #[test]
    fn what_is_no_uuid_is_no_id() {
        for text in [
            "",
            "0191f3a87c2e7abc8def0123456789ab",
            "0191f3a8-7c2e-7abc-8def-0123456789a",
            "0191f3a8-7c2e-7abc-8def-0123456789ag",
            "0191f3a8x7c2e-7abc-8def-0123456789ab",
            "+191f3a8-7c2e-7abc-8def-0123456789ab",
            "é191f3a8-7c2e-7abc-8def-0123456789a",
        ] {
            assert_eq!(OperationId::parse(text), None, "{text}");
        }
    }
}
