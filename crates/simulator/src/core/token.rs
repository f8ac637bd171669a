//! The name of a request to its callers: a UUID that ends in the request's number.

use std::fmt;
use std::str::FromStr;

use super::random::Random;
use super::state::Serial;

/// A request token; kept as the number that its text spells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(u128);

/// The last group of the text, which is the request's number.
const NUMBER: u128 = (1 << 48) - 1;

/// Why a text is not a token that we gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a request token")]
pub struct TokenError;

impl Token {
    /// That of a request that nobody can ask about any more: there is no request 0.
    pub const FORGOTTEN: Self = Self(0);

    /// The token of a request.
    pub fn new(random: &mut Random, serial: Serial) -> Self {
        let drawn = parse(&random.uuid()).unwrap_or_default();
        Self((drawn & !NUMBER) | (u128::from(serial) & NUMBER))
    }

    /// A token that was kept.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// What is kept of it.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The number of the request within its place.
    pub fn serial(self) -> Serial {
        Serial::try_from(self.0 & NUMBER).unwrap_or(0)
    }
}

fn parse(text: &str) -> Option<u128> {
    let is_dash = |(at, byte): (usize, u8)| matches!(at, 8 | 13 | 18 | 23) == (byte == b'-');
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    let is_uuid =
        text.len() == 36 && text.bytes().all(is_digit) && text.bytes().enumerate().all(is_dash);
    if !is_uuid {
        return None;
    }
    u128::from_str_radix(&text.replace('-', ""), 16).ok()
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        parse(text).map(Self).ok_or(TokenError)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |shift: u32, digits: u32| (self.0 >> shift) & ((1 << (digits * 4)) - 1);
        write!(
            f,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            part(96, 8),
            part(80, 4),
            part(64, 4),
            part(48, 4),
            part(0, 12)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_uuid_that_ends_in_the_number_and_is_read_as_it_is_written() {
        let token = Token::new(&mut Random::new(1, &["request"]), 0x12ab);
        let text = token.to_string();
        assert!(text.ends_with("-0000000012ab") && text.len() == 36, "{text}");
        assert_eq!(&text[14..15], "4");
        assert_eq!((text.parse(), token.serial()), (Ok(token), 0x12ab));
        for other in ["", "t-1", &text[1..], &text.to_uppercase(), &text.replace('-', "0")] {
            assert_eq!(other.parse::<Token>(), Err(TokenError), "{other}");
        }
    }
}
