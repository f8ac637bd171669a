//! Operators.

use super::Lowering;
use super::expression::Here;
use crate::ir::{Binary, Expression, ExpressionKind, Operator};
use crate::syntax::TokenKind;
use crate::syntax::ast::{self, LiteralValue};
use crate::value::Value;

impl<'t> Lowering<'t> {
    pub(super) fn unary(&mut self, view: ast::Unary<'t>) -> Expression {
        let span = view.span();
        let is_minus = view.operator().is_some_and(|token| token.kind() == TokenKind::Minus);
        if is_minus
            && let Some(ast::Expression::Literal(literal)) = view.operand()
            && let Some(LiteralValue::Number(number)) = literal.value()
        {
            // The least integer has no positive counterpart: the sign belongs to the literal.
            let value = Value::int(0_i64.wrapping_sub_unsigned(number));
            return Expression::new(ExpressionKind::Constant(value), span);
        }
        let operand = Box::new(self.expression_or_faulty(view.operand(), Here::Value, span));
        let kind =
            if is_minus { ExpressionKind::Negate(operand) } else { ExpressionKind::Not(operand) };
        Expression::new(kind, span)
    }

    pub(super) fn binary(&mut self, view: ast::Binary<'t>) -> Expression {
        let span = view.span();
        let left = self.expression_or_faulty(view.left(), Here::Value, span);
        let right = self.expression_or_faulty(view.right(), Here::Value, span);
        let operator = view.operator().and_then(|token| operator(token.kind()));
        let Some(operator) = operator else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        let binary = Binary { operator, left, right };
        Expression::new(ExpressionKind::Binary(Box::new(binary)), span)
    }
}

const fn operator(kind: TokenKind) -> Option<Operator> {
    Some(match kind {
        TokenKind::DoublePipe => Operator::Or,
        TokenKind::DoubleAmpersand => Operator::And,
        TokenKind::DoubleQuestion => Operator::Coalesce,
        TokenKind::Equal => Operator::Equal,
        TokenKind::NotEqual => Operator::NotEqual,
        TokenKind::EqualIgnoringCase => Operator::EqualIgnoringCase,
        TokenKind::NotEqualIgnoringCase => Operator::NotEqualIgnoringCase,
        TokenKind::Less => Operator::Less,
        TokenKind::LessOrEqual => Operator::LessOrEqual,
        TokenKind::Greater => Operator::Greater,
        TokenKind::GreaterOrEqual => Operator::GreaterOrEqual,
        TokenKind::Plus => Operator::Add,
        TokenKind::Minus => Operator::Subtract,
        TokenKind::Star => Operator::Multiply,
        TokenKind::Slash => Operator::Divide,
        TokenKind::Percent => Operator::Modulo,
        _ => return None,
    })
}
