//! The one encoder of names inside ids: which bytes are percent-encoded, and the way back.
//!
//! It knows bytes, not ids: which rule a segment follows is decided by `resource_id`.

use hangar_diag::{Diagnostic, Span};

use crate::codes;

/// Encodes an AWS identifier as one segment of an id.
///
/// `/`, `%`, `?`, `#`, space, control and all non-ASCII bytes become `%XX`; `|` and `:` stay. A
/// segment that would read as `.` or `..`, or as an action because it begins with `:`, has that
/// character encoded too.
///
/// ```
/// assert_eq!(hangar_ids::encode_identifier("/aws/a b|é:1"), "%2Faws%2Fa%20b|%C3%A9:1");
/// assert_eq!(hangar_ids::encode_identifier(".."), "%2E%2E");
/// ```
pub fn encode_identifier(text: &str) -> String {
    let dots = matches!(text, "." | "..");
    encode(text, |at, c| {
        breaks_a_segment(c)
            || c == ' '
            || !c.is_ascii()
            || (dots && c == '.')
            || (at == 0 && c == ':')
    })
}

/// Encodes a scope, type, alias or Azure name as one segment of an id.
///
/// Only what would end the segment or the path is encoded; space and non-ASCII stay as they are.
///
/// ```
/// assert_eq!(hangar_ids::encode_name("my vm é 100%"), "my vm é 100%25");
/// ```
pub fn encode_name(text: &str) -> String {
    encode(text, |_, c| breaks_a_segment(c))
}

/// Decodes the percent sequences of a segment, exactly once. What it gives never holds NUL.
///
/// The places of the diagnostic are bytes of `text`.
///
/// ```
/// assert_eq!(hangar_ids::decode("%2Faws%252F")?, "/aws%2F");
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
pub fn decode(text: &str) -> Result<String, Diagnostic> {
    if let Some(at) = text.find('\0') {
        return Err(raw_nul(at));
    }
    if !text.contains('%') {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for piece in Pieces::of(text) {
        match piece.value {
            Some(0) => return Err(encoded_nul(piece.at)),
            Some(byte) => bytes.push(byte),
            None => return Err(bad_percent(text, piece.at)),
        }
    }
    String::from_utf8(bytes).map_err(|error| {
        let bad = error.utf8_error().valid_up_to();
        let at = Pieces::of(text).nth(bad).map_or(0, |piece| piece.at);
        not_utf8(at)
    })
}

fn breaks_a_segment(c: char) -> bool {
    matches!(c, '/' | '%' | '?' | '#') || c.is_control()
}

fn encode(text: &str, must_encode: impl Fn(usize, char) -> bool) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if !must_encode(at, c) {
            encoded.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            encoded.push('%');
            encoded.push(char::from(HEX[usize::from(byte >> 4)]));
            encoded.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    encoded
}

/// One decoded byte and where it was written; no value where a `%` is malformed.
struct Piece {
    at: usize,
    value: Option<u8>,
}

/// The decoded bytes of a text, one by one.
struct Pieces<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Pieces<'a> {
    fn of(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let at = self.at;
        let byte = *self.bytes.get(at)?;
        if byte != b'%' {
            self.at += 1;
            return Some(Piece { at, value: Some(byte) });
        }
        self.at += 3;
        let digit = |offset: usize| {
            self.bytes.get(at + offset).and_then(|&digit| char::from(digit).to_digit(16))
        };
        let value =
            digit(1).zip(digit(2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        Some(Piece { at, value })
    }
}

fn bad_percent(text: &str, at: usize) -> Diagnostic {
    let message = format!("`%` in `{text}` is not followed by two hexadecimal digits");
    Diagnostic::error(codes::BAD_PERCENT, message)
        .at(Span::byte(at), "invalid percent-encoding")
        .hint("write a `%` that is part of the name as `%25`")
}

fn raw_nul(at: usize) -> Diagnostic {
    Diagnostic::error(
        codes::CONTROL_CHARACTER,
        "the text contains a NUL character, which names cannot contain",
    )
    .at(Span::byte(at), "NUL")
    .hint("remove the NUL character")
}

fn encoded_nul(at: usize) -> Diagnostic {
    Diagnostic::error(
        codes::ENCODED_NUL,
        "`%00` decodes to a NUL character, which names cannot contain",
    )
    .at(Span::new(at, at + 3), "NUL")
    .hint("remove the `%00`")
}

fn not_utf8(at: usize) -> Diagnostic {
    Diagnostic::error(codes::NOT_UTF8, "the percent-encoded bytes are not valid UTF-8")
        .at(Span::new(at, at + 3), "invalid UTF-8 starts here")
        .hint("encode the name as UTF-8, then percent-encode each byte")
}

#[cfg(test)]
mod tests {
    use hangar_diag::Code;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_identifier_encodes_what_the_path_and_url_give_meaning_to() {
        for (text, encoded) in [
            ("vpc-1", "vpc-1"),
            ("a/b", "a%2Fb"),
            ("100%", "100%25"),
            ("a?b#c", "a%3Fb%23c"),
            ("a b", "a%20b"),
            ("a|b:c", "a|b:c"),
            ("é", "%C3%A9"),
            ("\n\u{7f}", "%0A%7F"),
            (".", "%2E"),
            ("..", "%2E%2E"),
            ("...", "..."),
            (":put", "%3Aput"),
        ] {
            assert_eq!(encode_identifier(text), encoded, "{text:?}");
            assert_eq!(decode(encoded).as_deref(), Ok(text), "{encoded:?}");
        }
    }

    #[test]
    fn another_name_keeps_space_and_non_ascii_raw() {
        assert_eq!(encode_name("a é|:b"), "a é|:b");
        assert_eq!(encode_name("a%?#\t\u{85}"), "a%25%3F%23%09%C2%85");
    }

    #[test]
    fn decoding_happens_exactly_once_and_in_either_case() {
        assert_eq!(decode("%252f%2f%2F").as_deref(), Ok("%2f//"));
    }

    #[test]
    fn a_wrong_sequence_is_refused_at_its_byte() {
        let cases: [(&str, Code, usize); 9] = [
            ("ab%", codes::BAD_PERCENT, 2),
            ("ab%2", codes::BAD_PERCENT, 2),
            ("a%2G", codes::BAD_PERCENT, 1),
            ("a%é", codes::BAD_PERCENT, 1),
            ("a%+1", codes::BAD_PERCENT, 1),
            ("ab%00", codes::ENCODED_NUL, 2),
            ("a\0", codes::CONTROL_CHARACTER, 1),
            ("é%C3x", codes::NOT_UTF8, 2),
            ("a%41%FF", codes::NOT_UTF8, 4),
        ];
        for (text, code, at) in cases {
            let diagnostic = decode(text).expect_err(text);
            assert_eq!(
                (diagnostic.code, diagnostic.span().map(|s| s.start)),
                (code, Some(at)),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn decode_undoes_both_encoders(text in "[^\0]*") {
            prop_assert_eq!(decode(&encode_identifier(&text)), Ok(text.clone()));
            prop_assert_eq!(decode(&encode_name(&text)), Ok(text));
        }

        #[test]
        fn an_encoded_identifier_is_one_plain_ascii_segment(text in any::<String>()) {
            let encoded = encode_identifier(&text);
            prop_assert!(encoded.bytes().all(|b| b.is_ascii_graphic() && !b"/?#".contains(&b)));
        }

        #[test]
        fn decode_never_panics(text in "(%[0-9a-fA-F]{2}|%|.){0,20}") {
            let _ = decode(&text);
        }
    }
}
