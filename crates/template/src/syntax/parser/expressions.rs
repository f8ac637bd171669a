//! Expressions with operators, by binding power; and what an operand can be.

use super::{Fault, NodeKind, Parser, Rule, TokenKind, Voice, span};
use crate::codes;

/// How tightly a binary operator binds; all of them group to the left.
const fn power(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::DoubleQuestion => 1,
        TokenKind::DoublePipe => 2,
        TokenKind::DoubleAmpersand => 3,
        TokenKind::Equal
        | TokenKind::NotEqual
        | TokenKind::EqualIgnoringCase
        | TokenKind::NotEqualIgnoringCase => 4,
        TokenKind::Less
        | TokenKind::LessOrEqual
        | TokenKind::Greater
        | TokenKind::GreaterOrEqual => 5,
        TokenKind::Plus | TokenKind::Minus => 6,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 7,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Rule {
        self.deeper(Self::ternary)
    }

    /// `a ? b : c`; the `?` and the `:` may begin a line.
    fn ternary(&mut self) -> Rule {
        let mark = self.mark();
        self.binary(0)?;
        if self.ahead(self.past_new_lines()).kind != TokenKind::Question {
            return Ok(());
        }
        self.eat_new_lines();
        self.bump();
        let voice = self.recover(Voice::Loud, &[TokenKind::Colon], Self::expression);
        if self.ahead(self.past_new_lines()).kind == TokenKind::Colon {
            self.eat_new_lines();
        }
        let voice = self.recover(voice, &[], |parser| parser.expect(TokenKind::Colon));
        self.recover(voice, &[], Self::expression);
        self.finish(NodeKind::Ternary, mark);
        Ok(())
    }

    /// Operators that bind tighter than `least`.
    fn binary(&mut self, least: u8) -> Rule {
        let mark = self.mark();
        self.unary()?;
        let mut links = 0;
        while let Some(power) = power(self.kind()).filter(|power| *power > least) {
            links += 1;
            self.check_depth(links)?;
            self.bump();
            self.binary(power)?;
            self.finish(NodeKind::Binary, mark);
        }
        Ok(())
    }

    /// At most one `!` or `-`: Bicep does not stack them.
    fn unary(&mut self) -> Rule {
        let mark = self.mark();
        if !matches!(self.kind(), TokenKind::Bang | TokenKind::Minus) {
            return self.postfix_expression();
        }
        self.bump();
        self.postfix_expression()?;
        self.finish(NodeKind::Unary, mark);
        Ok(())
    }

    pub(super) fn primary(&mut self) -> Rule {
        match self.kind() {
            TokenKind::Number => self.number(),
            TokenKind::String | TokenKind::MultilineString | TokenKind::StringLeft => self.string(),
            TokenKind::LeftBrace => self.object(),
            TokenKind::LeftSquare => self.array(),
            TokenKind::LeftParen => self.parenthesized(),
            TokenKind::Identifier => self.name_expression(),
            _ => self.fault(
                codes::EXPECTED_EXPRESSION,
                "expected an expression here: a literal, a name, `(`, `[` or `{`",
            ),
        }
    }

    pub(super) fn number(&mut self) -> Rule {
        let mark = self.mark();
        let token = self.current();
        // The least integer is written as a minus and a number that is one too large.
        if self.text_of(token).parse::<u64>().is_ok_and(|value| value <= 1 << 63) {
            self.bump();
            self.finish(NodeKind::Literal, mark);
            return Ok(());
        }
        self.fault(codes::NUMBER_TOO_LARGE, "the number does not fit in 64 bits")
    }

    fn name_expression(&mut self) -> Rule {
        let mark = self.mark();
        if matches!(self.text_of(self.current()), "true" | "false" | "null") {
            self.bump();
            self.finish(NodeKind::Literal, mark);
            return Ok(());
        }
        match self.ahead(1).kind {
            TokenKind::Arrow => {
                self.name_rule(codes::EXPECTED_VARIABLE_NAME, String::new())?;
                self.lambda(mark)
            }
            TokenKind::LeftParen => {
                self.name_rule(codes::EXPECTED_VARIABLE_NAME, String::new())?;
                self.arguments()?;
                self.finish(NodeKind::Call, mark);
                Ok(())
            }
            _ => {
                self.bump();
                self.finish(NodeKind::Variable, mark);
                Ok(())
            }
        }
    }

    pub(super) fn arguments(&mut self) -> Rule {
        self.bump();
        self.list_in_parentheses(Self::expression)
    }

    /// From the arrow on; what stands before it was read since `mark`.
    fn lambda(&mut self, mark: super::Mark) -> Rule {
        self.bump();
        self.recover(
            Voice::Loud,
            &[TokenKind::Comma, TokenKind::RightParen],
            Self::body_after_arrow,
        );
        self.finish(NodeKind::Lambda, mark);
        Ok(())
    }

    /// An expression that may begin on the next line, unless a statement begins there.
    pub(super) fn body_after_arrow(&mut self) -> Rule {
        let next = self.past_new_lines();
        let begins = match self.ahead(next).kind {
            TokenKind::Identifier => !matches!(
                self.ahead(next + 1).kind,
                TokenKind::Identifier
                    | TokenKind::String
                    | TokenKind::StringLeft
                    | TokenKind::Assign
            ),
            TokenKind::Number
            | TokenKind::String
            | TokenKind::MultilineString
            | TokenKind::StringLeft
            | TokenKind::LeftBrace
            | TokenKind::LeftSquare
            | TokenKind::LeftParen
            | TokenKind::Bang
            | TokenKind::Minus => true,
            _ => false,
        };
        if begins {
            self.eat_new_lines();
        }
        self.expression()
    }

    /// `(expression)`, or the variables of a lambda and the lambda.
    pub(super) fn parenthesized(&mut self) -> Rule {
        let mark = self.mark();
        self.bump();
        let first = self.current().start;
        let mut seen = Inside { items: 0, commas: 0 };
        self.eat_new_lines();
        while !self.at_any(&[TokenKind::RightParen, TokenKind::EndOfFile]) {
            seen.items += 1;
            let stops = [TokenKind::Comma, TokenKind::RightParen];
            self.recover(Voice::Loud, &stops, Self::expression);
            self.eat_new_lines();
            if !self.eat(TokenKind::Comma) {
                break;
            }
            seen.commas += 1;
            self.eat_new_lines();
        }
        let last = self.tokens[self.at - 1].end.max(first);
        let closed = self.at(TokenKind::RightParen);
        self.recover(Voice::Loud, &[], |parser| parser.expect(TokenKind::RightParen));
        if closed && self.at(TokenKind::Arrow) {
            self.finish(NodeKind::LambdaVariables, mark);
            return self.lambda(mark);
        }
        if !closed || seen.items != 1 || seen.commas > 0 {
            let message = "parentheses must contain exactly one expression".to_owned();
            let code = codes::ONE_IN_PARENTHESES;
            let hint = match seen.items {
                0 => "write an expression between the parentheses, or remove them",
                1 if seen.commas > 0 => "remove the comma",
                1 => "close the parenthesis with `)`",
                _ => "write an array in brackets, as in `[a, b]`, or keep one expression",
            };
            let hint = Some(hint.to_owned());
            self.report(Fault { code, span: span(first, last), message, hint });
        }
        self.finish(NodeKind::Parenthesized, mark);
        Ok(())
    }
}

/// What was read between two parentheses.
struct Inside {
    items: usize,
    commas: usize,
}
