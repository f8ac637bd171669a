//! What follows an operand: members, calls, indices, nested resources and `!`.

use super::{Mark, NodeKind, Parser, Rule, TokenKind, Voice};
use crate::codes;

impl Parser<'_> {
    pub(super) fn postfix_expression(&mut self) -> Rule {
        let mark = self.mark();
        self.primary()?;
        let mut links = 0;
        loop {
            match self.kind() {
                TokenKind::Dot => self.member(mark),
                TokenKind::LeftSquare => self.index(mark),
                TokenKind::DoubleColon => self.nested(mark),
                TokenKind::Bang => {
                    self.bump();
                    self.finish(NodeKind::NonNull, mark);
                }
                _ => return Ok(()),
            }
            links += 1;
            self.check_depth(links)?;
        }
    }

    /// `.name`, `.?name` or `.name(…)`.
    fn member(&mut self, mark: Mark) {
        self.bump();
        self.eat(TokenKind::Question);
        self.name_or_nothing(
            codes::EXPECTED_MEMBER_NAME,
            "expected the name of a property or function here",
        );
        if self.at(TokenKind::LeftParen) {
            self.recover(Voice::Loud, &[], Self::arguments);
            self.finish(NodeKind::MethodCall, mark);
        } else {
            self.finish(NodeKind::Member, mark);
        }
    }

    fn nested(&mut self, mark: Mark) {
        self.bump();
        self.name_or_nothing(
            codes::EXPECTED_NESTED_NAME,
            "expected the name of a nested resource here",
        );
        self.finish(NodeKind::NestedResource, mark);
    }

    /// A name; where there is none, nothing is passed over: the rest may be fine.
    pub(super) fn name_or_nothing(&mut self, code: hangar_diag::Code, message: &str) {
        let mark = self.mark();
        if self.eat(TokenKind::Identifier) {
            self.finish(NodeKind::Name, mark);
            return;
        }
        if let Err(fault) = self.fault_before(code, message) {
            self.report(fault);
        }
        self.finish(NodeKind::Error, mark);
    }

    /// `[index]`, `[?index]`, `[^index]`, `[?^index]`.
    fn index(&mut self, mark: Mark) {
        self.bump();
        self.eat(TokenKind::Question);
        self.eat(TokenKind::Caret);
        self.recover(Voice::Loud, &[TokenKind::RightSquare], |parser| {
            if parser.at(TokenKind::RightSquare) {
                return parser.fault_before(codes::EMPTY_INDEX, "expected an index here");
            }
            parser.eat_new_lines();
            parser.expression()?;
            parser.eat_new_lines();
            Ok(())
        });
        self.close(Voice::Loud, TokenKind::RightSquare);
        self.finish(NodeKind::Index, mark);
    }
}
