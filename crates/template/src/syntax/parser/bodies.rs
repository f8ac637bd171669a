//! What stands after the `=` of a resource or module: an object, under a condition, or in a loop.

use super::{NodeKind, Parser, Rule, TokenKind, Voice, span};
use crate::codes;

/// What a loop makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopOf {
    /// Any values.
    Values,
    /// Resources or modules.
    Declarations,
}

impl Parser<'_> {
    pub(super) fn body(&mut self) -> Rule {
        self.eat_new_lines_before_body();
        match self.kind() {
            TokenKind::LeftBrace => self.deeper(Self::object),
            TokenKind::LeftSquare => self.deeper(|parser| parser.for_loop(LoopOf::Declarations)),
            _ if self.at_keyword("if") => self.deeper(Self::condition),
            _ => self.fault(codes::EXPECTED_BODY, "expected `{`, `[` or `if` here"),
        }
    }

    /// A body may begin on the next line, and nothing else there looks like one.
    fn eat_new_lines_before_body(&mut self) {
        let distance = self.past_new_lines();
        let next = self.ahead(distance).kind;
        if matches!(next, TokenKind::LeftBrace | TokenKind::LeftSquare)
            || self.is_keyword(distance, "if")
        {
            self.eat_new_lines();
        }
    }

    /// `if (condition) { … }`.
    fn condition(&mut self) -> Rule {
        let mark = self.mark();
        self.bump();
        let stops = [TokenKind::LeftBrace, TokenKind::RightSquare];
        let voice = self.recover(Voice::Loud, &stops, |parser| {
            if !parser.at(TokenKind::LeftParen) {
                return parser.expect(TokenKind::LeftParen);
            }
            parser.parenthesized()
        });
        // What is open may hold the body: one mistake, one message.
        let closed = self.tokens[self.at - 1].kind == TokenKind::RightParen;
        let voice = if closed { voice } else { Voice::Quiet };
        let stops = [TokenKind::RightSquare];
        self.recover(voice, &stops, |parser| parser.deeper(Self::object));
        self.finish(NodeKind::Condition, mark);
        Ok(())
    }

    /// Whether the bracket here opens a loop.
    pub(super) fn at_loop(&self) -> bool {
        let mut distance = 1;
        while self.ahead(distance).kind == TokenKind::NewLine {
            distance += 1;
        }
        self.is_keyword(distance, "for")
            && matches!(
                self.ahead(distance + 1).kind,
                TokenKind::Identifier | TokenKind::LeftParen | TokenKind::RightSquare
            )
    }

    /// `[for item in list: body]`.
    pub(super) fn for_loop(&mut self, of: LoopOf) -> Rule {
        const CLOSE: &[TokenKind] = &[TokenKind::RightSquare];
        let mark = self.mark();
        self.bump();
        self.eat_new_lines();
        let mut voice = if self.at_keyword("for") { Voice::Loud } else { Voice::Quiet };
        self.recover(Voice::Loud, CLOSE, |parser| parser.expect_keyword("for"));
        let reported = self.diagnostics.len();
        let next = self.recover(voice, CLOSE, |parser| match parser.kind() {
            TokenKind::LeftParen => parser.loop_variable_pair(),
            _ => parser.loop_variable(),
        });
        voice = if self.diagnostics.len() > reported { Voice::Quiet } else { next };
        let voice = self.recover(voice, CLOSE, |parser| parser.expect_keyword("in"));
        let stops = [TokenKind::Colon, TokenKind::RightSquare];
        let voice = self.recover(voice, &stops, Self::expression);
        let voice = self.recover(voice, CLOSE, |parser| parser.expect(TokenKind::Colon));
        self.recover(voice, CLOSE, |parser| parser.loop_body(of));
        self.eat_new_lines();
        self.close(voice, TokenKind::RightSquare);
        self.finish(NodeKind::Loop, mark);
        Ok(())
    }

    fn loop_body(&mut self, of: LoopOf) -> Rule {
        self.eat_new_lines_before_body();
        match (of, self.kind()) {
            _ if self.at_keyword("if") && self.ahead(1).kind != TokenKind::Colon => {
                self.deeper(Self::condition)
            }
            (LoopOf::Values, _) => self.expression(),
            (LoopOf::Declarations, TokenKind::LeftBrace) => self.deeper(Self::object),
            (LoopOf::Declarations, _) => {
                self.fault(codes::EXPECTED_LOOP_BODY, "expected `{` or `if` here")
            }
        }
    }

    fn loop_variable(&mut self) -> Rule {
        if !self.at(TokenKind::Identifier) {
            let message = "expected the loop variable or `(item, index)` here";
            return self.fault_before(codes::EXPECTED_LOOP_VARIABLE, message);
        }
        self.name_rule(codes::EXPECTED_LOOP_VARIABLE, String::new())
    }

    /// `(item, index)`.
    fn loop_variable_pair(&mut self) -> Rule {
        let mark = self.mark();
        let start = self.current().start;
        self.bump();
        let mut names = 0;
        let mut commas = 0;
        loop {
            self.eat_new_lines();
            match self.kind() {
                TokenKind::Identifier => {
                    names += 1;
                    self.name_rule(codes::EXPECTED_VARIABLE_NAME, String::new())?;
                }
                TokenKind::Comma => {
                    commas += 1;
                    self.bump();
                }
                _ => break,
            }
        }
        self.expect(TokenKind::RightParen)?;
        let end = self.tokens[self.at - 1].end;
        if (names, commas) != (2, 1) {
            let message = format!("expected two loop variables, item and index, found {names}");
            return self.fault_at(codes::TWO_LOOP_VARIABLES, span(start, end), message);
        }
        self.finish(NodeKind::LoopVariables, mark);
        Ok(())
    }
}
