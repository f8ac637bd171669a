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
            let before = self.at;
            self.recover(Voice::Loud, &[close, TokenKind::Comma], item);
            self.separator(close);
            if self.at == before {
                // Nothing could be done with the token: it must not hold the parser up.
                self.recover(Voice::Quiet, &[close], |parser| {
                    parser.fault_before(codes::EXPECTED_SEPARATOR, "")
                });
                if self.at == before {
                    break;
                }
            }
        }
        self.expect(close)
    }

    fn separator(&mut self, close: TokenKind) {
        match self.kind() {
            TokenKind::Comma => {
                self.bump();
                if self.at(TokenKind::NewLine) {
                    let at = self.current().start;
                    let message = "a comma separates items on one line; here the line ends".into();
                    let code = codes::NEW_LINE_AFTER_COMMA;
                    self.report(super::Fault { code, span: span(at, at), message });
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
        self.recover(Voice::Loud, &[TokenKind::RightParen], |parser| {
            parser.expect(TokenKind::RightParen)
        });
        Ok(())
    }
}
