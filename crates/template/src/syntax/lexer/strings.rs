//! Strings: on one line or on many, with and without holes.

use super::{Hole, Lexer};
use crate::codes;
use crate::syntax::token::TokenKind;

const TRIPLE: &str = "'''";

/// How a string is quoted, which decides how it ends and how a hole begins in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// `'…'`, on one line, with escapes; `${` begins a hole.
    Single,
    /// `$$'''…'''`: as many dollars before a `{` as before the quotes begin a hole.
    Triple {
        /// Zero where the string has no holes.
        dollars: usize,
    },
}

/// Where a piece of a string begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    First,
    AfterHole,
}

impl Lexer<'_> {
    /// A string that begins at a quote.
    pub(super) fn string(&mut self) -> TokenKind {
        let start = self.at;
        if self.text[start..].starts_with(TRIPLE) {
            self.at += TRIPLE.len();
            self.multiline(start, 0, Piece::First)
        } else {
            self.at += 1;
            self.one_line(start, Piece::First)
        }
    }

    /// How many dollars stand here, if triple quotes follow them.
    pub(super) fn dollars_before_quotes(&self) -> Option<usize> {
        // The first dollar of a run looks for all of them: the run is not walked again and again.
        if self.at > 0 && self.bytes[self.at - 1] == b'$' {
            return None;
        }
        let dollars = self.bytes[self.at..].iter().take_while(|byte| **byte == b'$').count();
        self.text[self.at + dollars..].starts_with(TRIPLE).then_some(dollars)
    }

    pub(super) fn interpolated_multiline(&mut self, dollars: usize) -> TokenKind {
        let start = self.at;
        self.at += dollars + TRIPLE.len();
        self.multiline(start, dollars, Piece::First)
    }

    /// The string goes on at the `}` of its hole.
    pub(super) fn string_after_hole(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        match self.holes.pop().map(|hole| hole.quotes) {
            Some(Quotes::Triple { dollars }) => self.multiline(start, dollars, Piece::AfterHole),
            Some(Quotes::Single) | None => self.one_line(start, Piece::AfterHole),
        }
    }

    pub(super) fn in_one_line_hole(&self) -> bool {
        self.holes.last().is_some_and(|hole| hole.quotes == Quotes::Single)
    }

    /// An empty end of the string whose hole is still open where its line ends.
    pub(super) fn leave_hole_at_new_line(&mut self) -> TokenKind {
        self.holes.pop();
        let message = "the string is not closed before the end of the line";
        self.report(codes::OPEN_STRING_AT_NEW_LINE, self.at, message);
        TokenKind::StringRight
    }

    /// An empty end of the string whose hole is still open where the file ends.
    pub(super) fn leave_hole_at_end(&mut self) -> TokenKind {
        match self.holes.pop().map(|hole| hole.quotes) {
            Some(Quotes::Triple { .. }) => self.report_open_multiline(self.at),
            Some(Quotes::Single) | None => self.report_open_at_end(self.at),
        }
        TokenKind::StringRight
    }

    fn one_line(&mut self, start: usize, piece: Piece) -> TokenKind {
        loop {
            match self.peek(0) {
                None => {
                    self.report_open_at_end(start);
                    break;
                }
                Some(b'\r' | b'\n') => {
                    let message = "the string is not closed before the end of the line";
                    self.report(codes::OPEN_STRING_AT_NEW_LINE, start, message);
                    break;
                }
                Some(b'\'') => {
                    self.at += 1;
                    break;
                }
                Some(b'$') if self.peek(1) == Some(b'{') => {
                    self.at += 2;
                    return self.open_hole(Quotes::Single, piece);
                }
                Some(b'\\') => self.escape(),
                // A byte inside a character is passed over like any other.
                Some(_) => self.at += 1,
            }
        }
        match piece {
            Piece::First => TokenKind::String,
            Piece::AfterHole => TokenKind::StringRight,
        }
    }

    fn escape(&mut self) {
        let start = self.at;
        self.at += 1;
        match self.peek(0) {
            None => {
                self.report(codes::OPEN_ESCAPE, start, "expected a character after the backslash");
            }
            // The line ends the string, and that is what is reported.
            Some(b'\r' | b'\n') => {}
            Some(b'n' | b'r' | b't' | b'\\' | b'\'' | b'$') => self.at += 1,
            Some(b'u') => self.unicode_escape(start),
            Some(_) => {
                let character = self.text[self.at..].chars().next().unwrap_or_default();
                self.at += character.len_utf8();
                let message = format!(
                    "`\\{}` is not an escape sequence; valid ones are `\\\\`, `\\'`, `\\$`, `\\n`, `\\r`, \
                    `\\t`, `\\u{{…}}`",
                    character.escape_debug()
                );
                self.report(codes::UNKNOWN_ESCAPE, start, message);
            }
        }
    }

    fn unicode_escape(&mut self, start: usize) {
        self.at += 1;
        let digits = match self.peek(0) {
            Some(b'{') => {
                self.at += 1;
                let first = self.at;
                self.skip_while(|byte| byte.is_ascii_hexdigit());
                &self.text[first..self.at]
            }
            _ => "",
        };
        // Half of a surrogate pair is a code, too: `\u{D801}\u{DC37}` is one character.
        let valid = u32::from_str_radix(digits, 16).is_ok_and(|code| code <= 0x10_FFFF);
        if !digits.is_empty() && self.peek(0) == Some(b'}') {
            self.at += 1;
            if valid {
                return;
            }
        }
        let message = "a Unicode escape must be from `\\u{0}` to `\\u{10FFFF}`";
        self.report(codes::BAD_UNICODE_ESCAPE, start, message);
    }

    fn multiline(&mut self, start: usize, dollars: usize, piece: Piece) -> TokenKind {
        loop {
            match self.peek(0) {
                None => {
                    self.report_open_multiline(start);
                    break;
                }
                Some(b'\'') if self.text[self.at..].starts_with(TRIPLE) => {
                    // Quotes beyond the third belong to the value.
                    self.skip_while(|byte| byte == b'\'');
                    break;
                }
                Some(b'$') if dollars > 0 => {
                    let run = self.at;
                    self.skip_while(|byte| byte == b'$');
                    if self.at - run >= dollars && self.peek(0) == Some(b'{') {
                        self.at += 1;
                        return self.open_hole(Quotes::Triple { dollars }, piece);
                    }
                }
                Some(_) => self.at += 1,
            }
        }
        match piece {
            Piece::First => TokenKind::MultilineString,
            Piece::AfterHole => TokenKind::StringRight,
        }
    }

    fn open_hole(&mut self, quotes: Quotes, piece: Piece) -> TokenKind {
        self.holes.push(Hole { quotes, braces: 0 });
        match piece {
            Piece::First => TokenKind::StringLeft,
            Piece::AfterHole => TokenKind::StringMiddle,
        }
    }

    fn report_open_at_end(&mut self, start: usize) {
        let message = "the string is not closed: `'` is missing";
        self.report(codes::OPEN_STRING_AT_END, start, message);
    }

    fn report_open_multiline(&mut self, start: usize) {
        let message = "the string is not closed: `'''` is missing";
        self.report(codes::OPEN_MULTILINE_STRING, start, message);
    }
}
