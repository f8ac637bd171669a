//! Strings, whole or with expressions in their holes.

use hangar_diag::Code;

use super::{Fault, NodeKind, Parser, Rule, TokenKind, Voice, span};
use crate::codes;

impl Parser<'_> {
    /// A string, or the fault that there is none.
    pub(super) fn string_or(&mut self, code: Code, message: &str) -> Rule {
        match self.kind() {
            TokenKind::String | TokenKind::MultilineString | TokenKind::StringLeft => self.string(),
            _ => self.fault(code, message),
        }
    }

    pub(super) fn string(&mut self) -> Rule {
        let mark = self.mark();
        let holes = self.at(TokenKind::StringLeft);
        self.check_depth(usize::from(holes))?;
        self.bump();
        if holes {
            self.open_strings += 1;
            self.depth += 1;
            while self.hole() {}
            self.depth -= 1;
            self.open_strings -= 1;
        }
        self.finish(NodeKind::String, mark);
        Ok(())
    }

    /// One hole and the piece after it; whether another hole follows.
    fn hole(&mut self) -> bool {
        const PIECES: &[TokenKind] = &[TokenKind::StringMiddle, TokenKind::StringRight];
        // Only strings in triple quotes have new lines here: the lexer ends the others at one.
        self.eat_new_lines();
        let voice = self.recover(Voice::Loud, PIECES, Self::expression);
        self.eat_new_lines();
        if !self.at_any(PIECES) {
            self.more_in_hole(voice, PIECES);
        }
        while !self.at_any(PIECES) && !self.at(TokenKind::EndOfFile) {
            // More lines of a hole that cannot be read.
            self.eat_new_lines();
            self.recover(Voice::Quiet, PIECES, |parser| {
                parser.fault_before(codes::EXPECTED_TOKEN, "")
            });
        }
        let again = self.at(TokenKind::StringMiddle);
        if self.at_any(PIECES) {
            self.bump();
        }
        again
    }

    /// Everything after the expression of a hole, under one message.
    fn more_in_hole(&mut self, voice: Voice, pieces: &[TokenKind]) {
        let first = self.current().start;
        self.recover(Voice::Quiet, pieces, |parser| parser.fault_before(codes::MORE_IN_HOLE, ""));
        let last = self.tokens[self.at - 1].end;
        if voice == Voice::Loud {
            let message =
                "an interpolation in a string must contain exactly one expression".to_owned();
            let code = codes::MORE_IN_HOLE;
            self.report(Fault { code, span: span(first, last), message, hint: None });
        }
    }
}
