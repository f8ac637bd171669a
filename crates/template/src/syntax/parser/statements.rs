//! Statements that declare something: each a keyword, a name and what follows.

use hangar_diag::Code;

use super::{NodeKind, Parser, Rule, TokenKind, Voice};
use crate::codes;

impl Parser<'_> {
    /// A name that is declared; it is passed over up to one of `stops` where it is none.
    pub(super) fn name(&mut self, code: Code, what: &str, stops: &[TokenKind]) -> Voice {
        let message = format!("expected the name of {what} here");
        self.recover(Voice::Loud, stops, |parser| parser.name_rule(code, message))
    }

    pub(super) fn name_rule(&mut self, code: Code, message: String) -> Rule {
        let mark = self.mark();
        if !self.eat(TokenKind::Identifier) {
            return self.fault(code, message);
        }
        self.finish(NodeKind::Name, mark);
        Ok(())
    }

    fn assign(&mut self, voice: Voice) -> Voice {
        self.recover(voice, &[], |parser| parser.expect(TokenKind::Assign))
    }

    /// The `=` before a body; where it is missing the body may be there all the same.
    fn assign_body(&mut self, voice: Voice) -> Voice {
        self.recover(voice, &[TokenKind::LeftBrace], |parser| parser.expect(TokenKind::Assign))
    }

    fn value(&mut self, voice: Voice) {
        self.recover(voice, &[], Self::expression);
    }

    pub(super) fn target_scope(&mut self) {
        self.bump();
        let voice = self.assign(Voice::Loud);
        self.value(voice);
    }

    pub(super) fn metadata(&mut self) {
        self.bump();
        let stops = [TokenKind::Assign];
        let voice = self.name(codes::EXPECTED_METADATA_NAME, "a metadata entry", &stops);
        let voice = self.assign(voice);
        self.value(voice);
    }

    pub(super) fn param(&mut self) {
        self.bump();
        let stops = [TokenKind::Identifier];
        let voice = self.name(codes::EXPECTED_PARAMETER_NAME, "a parameter", &stops);
        let voice = self.recover(voice, &[TokenKind::Assign], Self::type_expression);
        self.recover(voice, &[], |parser| {
            if parser.at_line_end() {
                return Ok(());
            }
            if !parser.eat(TokenKind::Assign) {
                let message = "expected `=` and a default value, or a new line";
                return parser.fault(codes::PARAMETER_CONTINUATION, message);
            }
            parser.value(Voice::Loud);
            Ok(())
        });
    }

    pub(super) fn param_assignment(&mut self) {
        self.bump();
        let stops = [TokenKind::Identifier, TokenKind::Assign];
        let voice = self.name(codes::EXPECTED_PARAMETER_NAME, "a parameter", &stops);
        let voice = self.assign(voice);
        self.value(voice);
    }

    pub(super) fn var(&mut self) {
        self.bump();
        let stops = [TokenKind::Assign];
        let mut voice = self.name(codes::EXPECTED_VARIABLE_NAME, "a variable", &stops);
        if !self.at(TokenKind::Assign) && self.starts_type() {
            voice = self.recover(voice, &stops, Self::type_expression);
        }
        let voice = self.assign(voice);
        self.value(voice);
    }

    pub(super) fn output(&mut self) {
        self.bump();
        let stops = [TokenKind::Identifier];
        let voice = self.name(codes::EXPECTED_OUTPUT_NAME, "an output", &stops);
        let voice = self.recover(voice, &[TokenKind::Assign], Self::type_expression);
        let voice = self.assign(voice);
        self.value(voice);
    }

    pub(super) fn type_alias(&mut self) {
        self.bump();
        let stops = [TokenKind::Assign];
        let voice = self.name(codes::EXPECTED_TYPE_NAME, "a type", &stops);
        self.assign(voice);
        self.recover(voice, &[], Self::type_expression);
    }

    pub(super) fn assert(&mut self) {
        self.bump();
        let stops = [TokenKind::Assign];
        let voice = self.name(codes::EXPECTED_ASSERT_NAME, "an assertion", &stops);
        let voice = self.assign(voice);
        self.value(voice);
    }

    pub(super) fn resource(&mut self) {
        self.bump();
        let stops = [TokenKind::String, TokenKind::StringLeft];
        let voice = self.name(codes::EXPECTED_RESOURCE_NAME, "a resource", &stops);
        let voice = self.recover(voice, &[TokenKind::Assign], |parser| {
            let message = "expected the type of the resource, such as 'AWS.S3/Bucket@default'";
            parser.string_or(codes::EXPECTED_RESOURCE_TYPE, message)
        });
        if self.at_keyword("existing") {
            self.bump();
        }
        let voice = self.assign_body(voice);
        self.recover(voice, &[], Self::body);
    }

    pub(super) fn module(&mut self) {
        self.bump();
        let stops = [TokenKind::String, TokenKind::StringLeft];
        let voice = self.name(codes::EXPECTED_MODULE_NAME, "a module", &stops);
        let voice = self.recover(voice, &[], |parser| {
            parser.string_or(codes::EXPECTED_MODULE_PATH, "expected the path of a module here")
        });
        let voice = self.assign_body(voice);
        self.recover(voice, &[], Self::body);
    }

    pub(super) fn test(&mut self) {
        self.bump();
        let stops = [TokenKind::String, TokenKind::StringLeft];
        let voice = self.name(codes::EXPECTED_TEST_NAME, "a test", &stops);
        let voice = self.recover(voice, &[], |parser| {
            parser.string_or(codes::EXPECTED_TEST_PATH, "expected the path of a template here")
        });
        let voice = self.assign_body(voice);
        self.recover(voice, &[], |parser| parser.deeper(Self::object));
    }

    /// `func name(a string, b int) string => value`.
    pub(super) fn func(&mut self) {
        self.bump();
        let stops = [TokenKind::LeftParen];
        let voice = self.name(codes::EXPECTED_VARIABLE_NAME, "a function", &stops);
        let opened = self.at(TokenKind::LeftParen);
        self.recover(voice, &[TokenKind::Arrow], Self::func_params);
        let voice = if opened { Voice::Loud } else { Voice::Quiet };
        let voice = self.recover(voice, &[TokenKind::Arrow], Self::type_expression);
        let voice = self.recover(voice, &[], |parser| parser.expect(TokenKind::Arrow));
        self.recover(voice, &[], Self::body_after_arrow);
    }

    fn func_params(&mut self) -> Rule {
        let mark = self.mark();
        self.expect(TokenKind::LeftParen)?;
        self.list_in_parentheses(|parser| {
            // A comma may stand after the last one.
            if parser.at(TokenKind::RightParen) {
                return Ok(());
            }
            let mark = parser.mark();
            let message = "expected the name of a parameter here";
            parser.name_or_nothing(codes::EXPECTED_VARIABLE_NAME, message);
            parser.type_expression()?;
            parser.finish(NodeKind::FuncParam, mark);
            Ok(())
        })?;
        self.finish(NodeKind::FuncParams, mark);
        Ok(())
    }
}
