//! Cuts a text into tokens and trivia; every byte lands in exactly one of them.
//!
//! Strings with holes need a memory of where they were left: a stack of open holes, each with the
//! number of braces that are open inside it.

mod hint;
mod strings;
mod trivia;

use hangar_diag::{Code, Diagnostic, Span};

use super::token::{Token, TokenKind, Trivia};
use crate::codes;
use strings::Quotes;

/// Larger files are not templates; offsets fit 32 bits with room to spare.
const MAX_BYTES: usize = 64 << 20;

/// The longest name that Bicep takes.
const MAX_NAME: usize = 255;

/// All tokens of a text, the last one [`TokenKind::EndOfFile`].
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) trivia: Vec<Trivia>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn lex(text: &str) -> Lexed {
    if text.len() > MAX_BYTES {
        return refuse(text);
    }
    let mut lexer = Lexer::new(text);
    while lexer.next_token() != TokenKind::EndOfFile {}
    Lexed { tokens: lexer.tokens, trivia: lexer.trivia, diagnostics: lexer.diagnostics }
}

/// The whole text as one unknown token; what 32 bits cannot reach is left out of it.
fn refuse(text: &str) -> Lexed {
    let mut reach = text.len().min(u32::MAX as usize);
    while !text.is_char_boundary(reach) {
        reach -= 1;
    }
    let end = offset(reach);
    let whole = Token { kind: TokenKind::Unknown, start: 0, end, trivia: 0 };
    let last = Token { kind: TokenKind::EndOfFile, start: end, end, trivia: 0 };
    let message = format!("the file has {} bytes; the maximum is {MAX_BYTES}", text.len());
    let diagnostic = Diagnostic::error(codes::TOO_LARGE, message).at(Span::new(0, 0), "");
    Lexed { tokens: vec![whole, last], trivia: Vec::new(), diagnostics: vec![diagnostic] }
}

/// A `${` whose `}` has not come yet.
struct Hole {
    quotes: Quotes,
    /// Braces opened inside the hole: their `}` does not end it.
    braces: usize,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    holes: Vec<Hole>,
    tokens: Vec<Token>,
    trivia: Vec<Trivia>,
    /// Where the trivia of the token that is being read begin.
    first_trivia: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            holes: Vec::new(),
            tokens: Vec::with_capacity(text.len() / 4 + 1),
            trivia: Vec::with_capacity(text.len() / 6 + 1),
            first_trivia: 0,
            diagnostics: Vec::new(),
        }
    }

    fn next_token(&mut self) -> TokenKind {
        self.first_trivia = self.trivia.len();
        self.read_trivia();
        let start = self.at;
        let kind = match self.peek(0) {
            None if self.holes.is_empty() => TokenKind::EndOfFile,
            None => self.leave_hole_at_end(),
            Some(b'\r' | b'\n') if self.in_one_line_hole() => self.leave_hole_at_new_line(),
            Some(byte) => self.token(byte),
        };
        let token = Token {
            kind,
            start: offset(start),
            end: offset(self.at),
            trivia: offset(self.first_trivia),
        };
        self.tokens.push(token);
        kind
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        match byte {
            b'\r' | b'\n' => {
                self.skip_while(|byte| matches!(byte, b'\r' | b'\n'));
                TokenKind::NewLine
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'0'..=b'9' => {
                self.skip_while(|byte| byte.is_ascii_digit());
                TokenKind::Number
            }
            b'\'' => self.string(),
            b'$' => match self.dollars_before_quotes() {
                Some(dollars) => self.interpolated_multiline(dollars),
                None => self.unknown(),
            },
            b'{' => {
                if let Some(hole) = self.holes.last_mut() {
                    hole.braces += 1;
                }
                self.take(1, TokenKind::LeftBrace)
            }
            b'}' => self.right_brace(),
            _ => self.punctuation(byte),
        }
    }

    fn name(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.at - start > MAX_NAME {
            let message = format!("a name can have at most {MAX_NAME} characters");
            self.report(codes::NAME_TOO_LONG, start, message);
        }
        TokenKind::Identifier
    }

    fn right_brace(&mut self) -> TokenKind {
        match self.holes.last_mut() {
            Some(hole) if hole.braces == 0 => self.string_after_hole(),
            Some(hole) => {
                hole.braces -= 1;
                self.take(1, TokenKind::RightBrace)
            }
            None => self.take(1, TokenKind::RightBrace),
        }
    }

    fn punctuation(&mut self, byte: u8) -> TokenKind {
        let (second, third) = (self.peek(1), self.peek(2));
        let (length, kind) = match (byte, second) {
            (b'.', Some(b'.')) if third == Some(b'.') => (3, TokenKind::Ellipsis),
            (b'?', Some(b'?')) => (2, TokenKind::DoubleQuestion),
            (b':', Some(b':')) => (2, TokenKind::DoubleColon),
            (b'=', Some(b'=')) => (2, TokenKind::Equal),
            (b'=', Some(b'~')) => (2, TokenKind::EqualIgnoringCase),
            (b'=', Some(b'>')) => (2, TokenKind::Arrow),
            (b'!', Some(b'=')) => (2, TokenKind::NotEqual),
            (b'!', Some(b'~')) => (2, TokenKind::NotEqualIgnoringCase),
            (b'<', Some(b'=')) => (2, TokenKind::LessOrEqual),
            (b'>', Some(b'=')) => (2, TokenKind::GreaterOrEqual),
            (b'|', Some(b'|')) => (2, TokenKind::DoublePipe),
            (b'&', Some(b'&')) => (2, TokenKind::DoubleAmpersand),
            (b'@', _) => (1, TokenKind::At),
            (b'(', _) => (1, TokenKind::LeftParen),
            (b')', _) => (1, TokenKind::RightParen),
            (b'[', _) => (1, TokenKind::LeftSquare),
            (b']', _) => (1, TokenKind::RightSquare),
            (b',', _) => (1, TokenKind::Comma),
            (b'.', _) => (1, TokenKind::Dot),
            (b'?', _) => (1, TokenKind::Question),
            (b':', _) => (1, TokenKind::Colon),
            (b'=', _) => (1, TokenKind::Assign),
            (b'!', _) => (1, TokenKind::Bang),
            (b'<', _) => (1, TokenKind::Less),
            (b'>', _) => (1, TokenKind::Greater),
            (b'+', _) => (1, TokenKind::Plus),
            (b'-', _) => (1, TokenKind::Minus),
            (b'*', _) => (1, TokenKind::Star),
            (b'/', _) => (1, TokenKind::Slash),
            (b'%', _) => (1, TokenKind::Percent),
            (b'^', _) => (1, TokenKind::Caret),
            (b'|', _) => (1, TokenKind::Pipe),
            _ => return self.unknown(),
        };
        self.take(length, kind)
    }

    /// One character, whole, that begins no token.
    fn unknown(&mut self) -> TokenKind {
        let start = self.at;
        let character = self.text[start..].chars().next().unwrap_or_default();
        self.at += character.len_utf8();
        if character == '"' {
            let message = "strings must be in single quotes";
            self.report(codes::DOUBLE_QUOTE, start, message);
        } else {
            let message = format!("unexpected character `{}`", character.escape_debug());
            self.report(codes::UNKNOWN_CHARACTER, start, message);
        }
        TokenKind::Unknown
    }

    fn take(&mut self, length: usize, kind: TokenKind) -> TokenKind {
        self.at += length;
        kind
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.at += 1;
        }
    }

    /// Reports what stands from `start` to where the lexer is.
    fn report(&mut self, code: Code, start: usize, message: impl Into<String>) {
        let span = Span::new(start, self.at);
        let mut diagnostic = Diagnostic::error(code, message).at(span, "");
        diagnostic.hints.extend(hint::hint_for(self.text, code, span));
        self.diagnostics.push(diagnostic);
    }
}

/// Sizes are bounded by [`MAX_BYTES`]; this saturates all the same.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
