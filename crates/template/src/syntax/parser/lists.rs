//! Lists of any kind: items on lines of their own or after commas, up to a closing bracket.

use super::{Parser, Rule, TokenKind, Voice, span};
use crate::codes;

impl Parser<'_> {
    /// From the opening bracket here to `close`: items separated by new lines or commas.
    pub(super) fn items(&mut self, close: TokenKind, item: fn(&mut Self) -> Rule) -> Rule {
        self.bump();
        loop {
            self.eat_new_lines();
            if self.at(close) || self.at(TokenKind::EndOfFile) || self.at_end_of_hole() {
                break;
            }
            // Invariant: each round takes a token, for no item begins with what a round stops at.
            self.recover(Voice::Loud, &[close, TokenKind::Comma], item);
            self.separator(close);
        }
        self.expect(close)
    }

    fn separator(&mut self, close: TokenKind) {
        match self.kind() {
            TokenKind::Comma => {
                self.bump();
                if self.at(TokenKind::NewLine) {
                    let at = self.current().start;
                    let message = "unexpected comma at the end of the line".into();
                    let code = codes::NEW_LINE_AFTER_COMMA;
                    self.report(super::Fault { code, span: span(at, at), message, hint: None });
                }
            }
            kind if kind == close || self.at_line_end() || self.at_end_of_hole() => {}
            _ => {
                self.recover(Voice::Loud, &[close, TokenKind::Comma], |parser| {
                    parser.fault(codes::EXPECTED_SEPARATOR, "expected a new line or a comma here")
                });
                self.eat(TokenKind::Comma);
            }
        }
    }

    /// Whether the string goes on here whose hole is being read.
    pub(super) fn at_end_of_hole(&self) -> bool {
        self.open_strings > 0
            && matches!(self.kind(), TokenKind::StringMiddle | TokenKind::StringRight)
    }

    /// Items after commas, with new lines anywhere, and the closing parenthesis.
    pub(super) fn list_in_parentheses(&mut self, mut item: impl FnMut(&mut Self) -> Rule) -> Rule {
        const STOPS: &[TokenKind] = &[TokenKind::Comma, TokenKind::RightParen];
        self.eat_new_lines();
        if !self.at(TokenKind::RightParen) {
            loop {
                self.recover(Voice::Loud, STOPS, &mut item);
                self.eat_new_lines();
                if !self.eat(TokenKind::Comma) {
                    break;
                }
                self.eat_new_lines();
            }
        }
        self.close(Voice::Loud, TokenKind::RightParen);
        Ok(())
    }

    /// The closing bracket, also where something stands before it.
    pub(super) fn close(&mut self, voice: Voice, bracket: TokenKind) {
        if !self.eat(bracket) {
            self.recover(voice, &[bracket], |parser| parser.expect(bracket));
            self.eat(bracket);
        }
    }
}
