//! Objects and arrays, and what stands in them.

use super::bodies::LoopOf;
use super::{NodeKind, Parser, Rule, TokenKind, Voice};
use crate::codes;

impl Parser<'_> {
    pub(super) fn object(&mut self) -> Rule {
        let mark = self.mark();
        if !self.at(TokenKind::LeftBrace) {
            return self.expect(TokenKind::LeftBrace);
        }
        self.items(TokenKind::RightBrace, Self::object_item)?;
        self.finish(NodeKind::Object, mark);
        Ok(())
    }

    fn object_item(&mut self) -> Rule {
        match self.kind() {
            TokenKind::Ellipsis => self.spread(),
            TokenKind::At => self.nested_resource(),
            TokenKind::Identifier if self.at_nested_resource() => self.nested_resource(),
            _ => {
                self.property();
                Ok(())
            }
        }
    }

    fn at_nested_resource(&self) -> bool {
        self.at_keyword("resource") && self.ahead(1).kind == TokenKind::Identifier
    }

    fn nested_resource(&mut self) -> Rule {
        let mark = self.mark();
        self.decorators();
        if !self.at_keyword("resource") {
            return self.expect_keyword("resource");
        }
        self.deeper(|parser| {
            parser.resource();
            Ok(())
        })?;
        self.finish(NodeKind::Resource, mark);
        Ok(())
    }

    fn spread(&mut self) -> Rule {
        let mark = self.mark();
        self.bump();
        self.expression()?;
        self.finish(NodeKind::Spread, mark);
        Ok(())
    }

    fn property(&mut self) {
        const STOPS: &[TokenKind] = &[TokenKind::RightBrace, TokenKind::Comma];
        let mark = self.mark();
        let voice = self.property_key();
        let voice = self.recover(voice, STOPS, |parser| parser.expect(TokenKind::Colon));
        self.recover(voice, STOPS, Self::expression);
        self.finish(NodeKind::Property, mark);
    }

    /// A name or a string, up to the colon.
    pub(super) fn property_key(&mut self) -> Voice {
        let stops = [TokenKind::Colon, TokenKind::RightBrace, TokenKind::Comma];
        self.recover(Voice::Loud, &stops, |parser| match parser.kind() {
            TokenKind::Identifier => {
                let mark = parser.mark();
                parser.bump();
                parser.finish(NodeKind::Name, mark);
                Ok(())
            }
            TokenKind::String | TokenKind::MultilineString | TokenKind::StringLeft => {
                parser.string()
            }
            _ => {
                let message = "expected the name of a property here";
                parser.fault(codes::EXPECTED_PROPERTY_NAME, message)
            }
        })
    }

    /// `[ … ]`: a loop or a list.
    pub(super) fn array(&mut self) -> Rule {
        if self.at_loop() {
            return self.for_loop(LoopOf::Values);
        }
        let mark = self.mark();
        self.items(TokenKind::RightSquare, |parser| match parser.kind() {
            TokenKind::Ellipsis => parser.spread(),
            _ => parser.expression(),
        })?;
        self.finish(NodeKind::Array, mark);
        Ok(())
    }
}
