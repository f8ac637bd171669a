//! Spaces, comments and directives: kept, and passed over.

use super::{Lexer, offset};
use crate::codes;
use crate::syntax::token::{TokenKind, Trivia, TriviaKind};

const DIRECTIVES: &[&str] = &["#disable-next-line", "#disable-diagnostics", "#restore-diagnostics"];

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Lexer<'_> {
    /// Everything up to the next token.
    pub(super) fn read_trivia(&mut self) {
        loop {
            let start = self.at;
            let kind = match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t'), _) => self.whitespace(),
                (Some(b'/'), Some(b'/')) => self.line_comment(),
                (Some(b'/'), Some(b'*')) => self.block_comment(),
                (Some(b'#'), _) if self.at_directive() => self.directive(),
                _ if start == 0 && self.text.starts_with(BYTE_ORDER_MARK) => {
                    self.at += BYTE_ORDER_MARK.len();
                    TriviaKind::Whitespace
                }
                _ => return,
            };
            self.trivia.push(Trivia { kind, start: offset(start), end: offset(self.at) });
        }
    }

    fn whitespace(&mut self) -> TriviaKind {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
        TriviaKind::Whitespace
    }

    fn line_comment(&mut self) -> TriviaKind {
        self.skip_while(|byte| !matches!(byte, b'\r' | b'\n'));
        TriviaKind::LineComment
    }

    fn block_comment(&mut self) -> TriviaKind {
        let start = self.at;
        if let Some(length) = self.text[start + 2..].find("*/") {
            self.at = start + 2 + length + 2;
        } else {
            self.at = self.bytes.len();
            self.report(codes::OPEN_COMMENT, start, "the comment is not closed: `*/` is missing");
        }
        TriviaKind::BlockComment
    }

    /// Whether a directive begins here: only spaces may stand before it on its line.
    fn at_directive(&self) -> bool {
        let first_on_line = self.tokens.last().is_none_or(|token| token.kind == TokenKind::NewLine)
            && self.trivia[self.first_trivia..]
                .iter()
                .all(|trivia| trivia.kind == TriviaKind::Whitespace);
        let rest = &self.text[self.at..];
        first_on_line
            && DIRECTIVES.iter().any(|word| {
                rest.strip_prefix(word).is_some_and(|after| {
                    after.bytes().next().is_none_or(|byte| byte.is_ascii_whitespace())
                })
            })
    }

    /// To the end of the line, or to a comment on it.
    fn directive(&mut self) -> TriviaKind {
        let start = self.at;
        while let Some(byte) = self.peek(0) {
            let comment = byte == b'/' && matches!(self.peek(1), Some(b'/' | b'*'));
            if comment || matches!(byte, b'\r' | b'\n') {
                break;
            }
            self.at += 1;
        }
        let mut words = self.text[start..self.at].split_ascii_whitespace();
        if words.next() == Some("#disable-next-line") && words.next().is_none() {
            let message = "expected the codes to disable here";
            self.report(codes::NO_CODE_TO_DISABLE, self.at, message);
        }
        TriviaKind::Directive
    }
}
