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

/// The length of the text.
const LENGTH: usize = 36;

const fn is_dash(at: usize) -> bool {
    matches!(at, 8 | 13 | 18 | 23)
}

fn parse(text: &str) -> Option<u128> {
    let bytes: &[u8; LENGTH] = text.as_bytes().try_into().ok()?;
    let mut bits = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let digit = match byte {
            b'-' if is_dash(at) => continue,
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => return None,
        };
        if is_dash(at) {
            return None;
        }
        bits = bits << 4 | u128::from(digit);
    }
    Some(bits)
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        parse(text).map(Self).ok_or(TokenError)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut text = [b'-'; LENGTH];
        for at in (0..LENGTH).rev().filter(|at| !is_dash(*at)) {
            text[at] = b"0123456789abcdef"[(rest & 15) as usize];
            rest >>= 4;
        }
        f.pad(std::str::from_utf8(&text).unwrap_or_default())
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
