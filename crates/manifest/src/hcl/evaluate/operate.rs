//! Operators, signs and choices. Numbers are exact; see `decimal` for quotients.

use std::cmp::Ordering;

use hangar_diag::Span;

use super::super::decimal::Decimal;
use super::super::error::EvaluateError;
use super::super::expression::{Expression, Operator, Sign};
use super::super::value::{Data, Datum};
use super::{Evaluated, Evaluator, wrong};

impl Evaluator<'_> {
    pub(super) fn unary(&mut self, sign: Sign, operand: &Expression) -> Evaluated {
        let datum = self.value(operand)?;
        let sensitive = datum.is_sensitive_anywhere();
        let result = match sign {
            Sign::Minus => Datum::number(&decimal(&datum, "-", operand.span)?.negated()),
            Sign::Not => Datum::bool(!truth(&datum, "`!`", operand.span)?),
        };
        Ok(result.marked(sensitive))
    }

    pub(super) fn chain(
        &mut self,
        first: &Expression,
        rest: &[(Operator, Expression)],
    ) -> Evaluated {
        let mut left = self.value(first)?;
        let mut span = first.span;
        for (operator, right) in rest {
            left = self.binary(*operator, &left, span, right)?;
            span = Span::new(first.span.start, right.span.end);
        }
        Ok(left)
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Datum,
        left_span: Span,
        right: &Expression,
    ) -> Evaluated {
        let sign = operator.as_str();
        if let Operator::And | Operator::Or = operator {
            let is_true = truth(left, sign, left_span)?;
            // What the left decides stands whatever is wrong with the right; its mark counts all the same.
            let is_decided = is_true == (operator == Operator::Or);
            let datum = match self.value(right) {
                Err(error) if is_decided && error.is_soft() => Datum::bool(is_true),
                result => result?,
            };
            let sensitive = left.sensitive || datum.sensitive;
            if is_decided {
                return Ok(Datum::bool(is_true).marked(sensitive));
            }
            let is_true = truth(&datum, sign, right.span)?;
            return Ok(Datum::bool(is_true).marked(sensitive));
        }
        let datum = self.value(right)?;
        let sensitive = left.is_sensitive_anywhere() || datum.is_sensitive_anywhere();
        if let Operator::Equal | Operator::NotEqual = operator {
            let is_same = left.is_same(&datum);
            return Ok(Datum::bool(is_same == (operator == Operator::Equal)).marked(sensitive));
        }
        let a = decimal(left, sign, left_span)?;
        let b = decimal(&datum, sign, right.span)?;
        self.spend((a.length() + b.length()).pow(2) / 100, right.span)?;
        Ok(computed(operator, &a, &b, right.span)?.marked(sensitive))
    }

    pub(super) fn choice(&mut self, parts: &[Expression; 3]) -> Evaluated {
        let [condition, first, second] = parts;
        let asked = self.value(condition)?;
        let is_first = truth(&asked, "the condition of `?`", condition.span)?;
        let (chosen, other) = if is_first { (first, second) } else { (second, first) };
        let mut chosen = self.value(chosen)?;
        // Both values of a choice are of one type, so that a number beside a text is a text. What is
        // wrong with the value that is not taken does not matter.
        if let Data::Number(_) | Data::Bool(_) = chosen.data {
            let other = match self.value(other) {
                Err(error @ EvaluateError::TooMuch { .. }) => return Err(error),
                other => other.ok(),
            };
            if let Some(Data::Text(_)) = other.map(|other| other.data)
                && let Some(text) = chosen.to_text()
            {
                chosen.data = Data::Text(text);
            }
        }
        Ok(chosen.marked(asked.sensitive))
    }
}

fn computed(operator: Operator, a: &Decimal, b: &Decimal, span: Span) -> Evaluated {
    let ordering = a.cmp(b);
    let number = match operator {
        Operator::Less => return Ok(Datum::bool(ordering == Ordering::Less)),
        Operator::Greater => return Ok(Datum::bool(ordering == Ordering::Greater)),
        Operator::LessOrEqual => return Ok(Datum::bool(ordering != Ordering::Greater)),
        Operator::GreaterOrEqual => return Ok(Datum::bool(ordering != Ordering::Less)),
        Operator::Plus => a.plus(b),
        Operator::Minus => a.minus(b),
        Operator::Times => a.times(b),
        Operator::Divide | Operator::Modulo if b.is_zero() => {
            return Err(wrong(span, format!("division by zero (`{}`)", operator.as_str())));
        }
        Operator::Divide => a.divided_by(b),
        Operator::Modulo => a.modulo(b),
        Operator::Or | Operator::And | Operator::Equal | Operator::NotEqual => None,
    };
    let number = number.ok_or_else(|| wrong(span, "the number has too many digits"))?;
    Ok(Datum::number(&number))
}

/// The truth of what must be a boolean.
pub(super) fn truth(datum: &Datum, of: &str, span: Span) -> Result<bool, EvaluateError> {
    let problem = || wrong(span, format!("{of} requires a boolean, not {}", datum.noun()));
    datum.to_bool().ok_or_else(problem)
}

fn decimal(datum: &Datum, sign: &str, span: Span) -> Result<Decimal, EvaluateError> {
    let problem = || wrong(span, format!("`{sign}` requires a number, not {}", datum.noun()));
    datum.to_decimal().ok_or_else(problem)
}
