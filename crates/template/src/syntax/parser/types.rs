//! Type expressions: unions of members, each an operand and what follows it.

use super::{Mark, NodeKind, Parser, Rule, TokenKind, Voice};
use crate::codes;

impl Parser<'_> {
    pub(super) fn starts_type(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Identifier
                | TokenKind::Number
                | TokenKind::String
                | TokenKind::MultilineString
                | TokenKind::StringLeft
                | TokenKind::LeftBrace
                | TokenKind::LeftSquare
                | TokenKind::LeftParen
                | TokenKind::Minus
                | TokenKind::Bang
                | TokenKind::Pipe
        )
    }

    /// `a | b | c`; a `|` may begin a line, and the first member may have one.
    pub(super) fn type_expression(&mut self) -> Rule {
        self.deeper(|parser| {
            let mark = parser.mark();
            let mut union = parser.eat_pipe();
            parser.type_member()?;
            while parser.eat_pipe() {
                union = true;
                parser.type_member()?;
            }
            if union {
                parser.finish(NodeKind::TypeUnion, mark);
            }
            Ok(())
        })
    }

    fn eat_pipe(&mut self) -> bool {
        let there = self.ahead(self.past_new_lines()).kind == TokenKind::Pipe;
        if there {
            self.eat_new_lines();
            self.bump();
        }
        there
    }

    fn type_member(&mut self) -> Rule {
        let mark = self.mark();
        self.type_operand()?;
        let mut links = 0;
        loop {
            match self.kind() {
                TokenKind::Question => self.type_suffix(mark, NodeKind::TypeNullable),
                TokenKind::Bang => self.type_suffix(mark, NodeKind::TypeNonNull),
                TokenKind::Dot => self.type_access(mark)?,
                TokenKind::LeftSquare => self.type_brackets(mark)?,
                _ => return Ok(()),
            }
            links += 1;
            self.check_depth(links)?;
        }
    }

    fn type_suffix(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        self.finish(kind, mark);
    }

    fn type_access(&mut self, mark: Mark) -> Rule {
        self.bump();
        if self.eat(TokenKind::Star) {
            self.finish(NodeKind::TypeOtherMembers, mark);
            return Ok(());
        }
        let name = self.mark();
        if !self.eat(TokenKind::Identifier) {
            let message = "expected the name of a property here";
            return self.fault_before(codes::EXPECTED_MEMBER_NAME, message);
        }
        self.finish(NodeKind::Name, name);
        self.type_arguments(mark, NodeKind::TypeMember)
    }

    /// `[]`, `[*]` or `[0]`.
    fn type_brackets(&mut self, mark: Mark) -> Rule {
        self.bump();
        let kind = match self.kind() {
            TokenKind::RightSquare => NodeKind::TypeArray,
            TokenKind::Star => {
                self.bump();
                NodeKind::TypeItems
            }
            _ => {
                self.expression()?;
                NodeKind::TypeItem
            }
        };
        self.expect(TokenKind::RightSquare)?;
        self.finish(kind, mark);
        Ok(())
    }

    /// `<…>` where it follows a name; else the name alone.
    fn type_arguments(&mut self, mark: Mark, kind: NodeKind) -> Rule {
        self.finish(kind, mark);
        if !self.at(TokenKind::Less) {
            return Ok(());
        }
        self.bump();
        self.eat_new_lines();
        loop {
            self.type_expression()?;
            self.eat_new_lines();
            if !self.eat(TokenKind::Comma) {
                break;
            }
            self.eat_new_lines();
        }
        self.expect(TokenKind::Greater)?;
        self.finish(NodeKind::TypeParameterized, mark);
        Ok(())
    }

    fn type_operand(&mut self) -> Rule {
        let mark = self.mark();
        match self.kind() {
            TokenKind::Identifier => self.type_name(mark),
            TokenKind::LeftBrace => {
                self.items(TokenKind::RightBrace, Self::type_property)?;
                self.finish(NodeKind::TypeObject, mark);
                Ok(())
            }
            TokenKind::LeftSquare => {
                self.items(TokenKind::RightSquare, Self::type_tuple_item)?;
                self.finish(NodeKind::TypeTuple, mark);
                Ok(())
            }
            TokenKind::LeftParen => {
                self.bump();
                self.eat_new_lines();
                self.type_expression()?;
                self.eat_new_lines();
                self.expect(TokenKind::RightParen)?;
                self.finish(NodeKind::TypeParenthesized, mark);
                Ok(())
            }
            _ => {
                self.type_literal()?;
                self.finish(NodeKind::TypeLiteral, mark);
                Ok(())
            }
        }
    }

    fn type_literal(&mut self) -> Rule {
        if self.at(TokenKind::Minus) || self.at(TokenKind::Bang) {
            self.bump();
        }
        match self.kind() {
            TokenKind::Number => self.number(),
            TokenKind::String | TokenKind::MultilineString | TokenKind::StringLeft => self.string(),
            TokenKind::Identifier if self.at_literal_word() => {
                let mark = self.mark();
                self.bump();
                self.finish(NodeKind::Literal, mark);
                Ok(())
            }
            _ => self.fault(codes::EXPECTED_TYPE, "expected a type here"),
        }
    }

    fn at_literal_word(&self) -> bool {
        matches!(self.text_of(self.current()), "true" | "false" | "null")
    }

    fn type_name(&mut self, mark: Mark) -> Rule {
        if self.at_literal_word() {
            self.type_literal()?;
            self.finish(NodeKind::TypeLiteral, mark);
            return Ok(());
        }
        if self.at_keyword("resource")
            && matches!(self.ahead(1).kind, TokenKind::String | TokenKind::StringLeft)
        {
            self.bump();
            self.string()?;
            self.finish(NodeKind::TypeResource, mark);
            return Ok(());
        }
        let name = self.mark();
        self.bump();
        self.finish(NodeKind::Name, name);
        self.type_arguments(mark, NodeKind::TypeName)
    }

    /// `key: type` or `*: type`, with decorators.
    fn type_property(&mut self) -> Rule {
        const STOPS: &[TokenKind] = &[TokenKind::RightBrace, TokenKind::Comma];
        let mark = self.mark();
        self.decorators();
        let (kind, voice) = if self.eat(TokenKind::Star) {
            (NodeKind::TypeOtherProperties, Voice::Loud)
        } else {
            (NodeKind::TypeProperty, self.property_key())
        };
        let voice = self.recover(voice, STOPS, |parser| parser.expect(TokenKind::Colon));
        self.recover(voice, STOPS, Self::type_expression);
        self.finish(kind, mark);
        Ok(())
    }

    fn type_tuple_item(&mut self) -> Rule {
        let mark = self.mark();
        self.decorators();
        self.type_expression()?;
        self.finish(NodeKind::TypeTupleItem, mark);
        Ok(())
    }
}
