//! Operators: numbers are whole and 64 bits wide, texts compare by their letters, nothing is converted.

use std::cmp::Ordering;

use hangar_diag::{Diagnostic, Span};

use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::ir::{Binary, Expression, Operator};
use crate::source::add;
use crate::types::describe;
use crate::value::{Data, Kind, Value};

impl Evaluator<'_> {
    pub(super) fn not(&self, operand: &Expression, scope: Scope<'_>, span: Span) -> Evaluated {
        let value = self.value(operand, scope)?;
        match &value.data {
            Data::Bool(truth) => Ok(Value::bool(!truth).tainted(value.secret)),
            Data::Unknown(unknown) => {
                Ok(Value::unknown(Some(Kind::Bool), unknown.because.clone()).tainted(value.secret))
            }
            _ => self.wrong_operand("!", "bool", &value, span),
        }
    }

    pub(super) fn negate(&self, operand: &Expression, scope: Scope<'_>, span: Span) -> Evaluated {
        let value = self.value(operand, scope)?;
        match &value.data {
            Data::Int(number) => match number.checked_neg() {
                Some(number) => Ok(Value::int(number).tainted(value.secret)),
                None => self.too_large(operand.span),
            },
            Data::Unknown(unknown) => {
                Ok(Value::unknown(Some(Kind::Int), unknown.because.clone()).tainted(value.secret))
            }
            _ => self.wrong_operand("-", "int", &value, span),
        }
    }

    fn wrong_operand(&self, sign: &str, wanted: &str, value: &Value, span: Span) -> Evaluated {
        let message =
            format!("the operator `{sign}` expects `{wanted}`, found {}", describe(value));
        self.fail(codes::WRONG_OPERAND, span, message)
    }

    fn too_large(&self, span: Span) -> Evaluated {
        self.fail(codes::ARITHMETIC, span, "the result does not fit in 64 bits")
    }

    pub(super) fn binary(&self, binary: &Binary, scope: Scope<'_>, span: Span) -> Evaluated {
        match binary.operator {
            Operator::Or => self.logical(binary, scope, span, true),
            Operator::And => self.logical(binary, scope, span, false),
            Operator::Coalesce => self.coalesce(binary, scope),
            _ => self.strict(binary, scope, span),
        }
    }

    /// `||` and `&&`: the right side is looked at only if the left one does not decide.
    fn logical(&self, binary: &Binary, scope: Scope<'_>, span: Span, deciding: bool) -> Evaluated {
        let left = self.value(&binary.left, scope)?;
        match &left.data {
            Data::Bool(truth) if *truth == deciding => return Ok(left),
            Data::Bool(_) => {}
            Data::Unknown(unknown) => {
                let value = Value::unknown(Some(Kind::Bool), unknown.because.clone());
                return Ok(value.tainted(left.secret));
            }
            _ => return self.wrong_operands(binary, &left, None, span),
        }
        let right = self.value(&binary.right, scope)?;
        match &right.data {
            Data::Bool(_) => Ok(right.tainted(left.secret)),
            Data::Unknown(unknown) => {
                let value = Value::unknown(Some(Kind::Bool), unknown.because.clone());
                Ok(value.tainted(left.secret || right.secret))
            }
            _ => self.wrong_operands(binary, &left, Some(&right), span),
        }
    }

    /// `a ?? b`: also where `a` reads a resource that is not there.
    fn coalesce(&self, binary: &Binary, scope: Scope<'_>) -> Evaluated {
        let left = self.access_or_null(&binary.left, scope)?;
        match left.data {
            Data::Null => Ok(self.value(&binary.right, scope)?.tainted(left.secret)),
            Data::Unknown(unknown) => {
                Ok(Value::unknown(None, unknown.because.clone()).tainted(left.secret))
            }
            _ => Ok(left),
        }
    }

    fn strict(&self, binary: &Binary, scope: Scope<'_>, span: Span) -> Evaluated {
        let (left, right) =
            match (self.value(&binary.left, scope), self.value(&binary.right, scope)) {
                (Ok(left), Ok(right)) => (left, right),
                (Err(mut found), Err(more)) => {
                    add(&mut found, more);
                    return Err(found);
                }
                (Err(found), _) | (_, Err(found)) => return Err(found),
            };
        let secret = left.holds_secret() || right.holds_secret();
        let kind = match binary.operator {
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Modulo => Kind::Int,
            _ => Kind::Bool,
        };
        if let Some(unknown) = left.first_unknown().or_else(|| right.first_unknown()) {
            return Ok(Value::unknown(Some(kind), unknown.because.clone()).tainted(secret));
        }
        Ok(self.known(binary, &left, &right, span)?.tainted(secret))
    }

    fn known(&self, binary: &Binary, left: &Value, right: &Value, span: Span) -> Evaluated {
        let truth = match (binary.operator, &left.data, &right.data) {
            (Operator::Equal, _, _) => is_equal(left, right),
            (Operator::NotEqual, _, _) => !is_equal(left, right),
            (Operator::EqualIgnoringCase, Data::String(left), Data::String(right)) => {
                is_equal_ignoring_case(left, right)
            }
            (Operator::NotEqualIgnoringCase, Data::String(left), Data::String(right)) => {
                !is_equal_ignoring_case(left, right)
            }
            (operator, Data::Int(left), Data::Int(right)) => match comparison(operator) {
                Some(wanted) => wanted(left.cmp(right)),
                None => return self.arithmetic(binary, *left, *right, span),
            },
            (operator, Data::String(first), Data::String(second)) => match comparison(operator) {
                Some(wanted) => wanted(first.cmp(second)),
                None => return self.wrong_operands(binary, left, Some(right), span),
            },
            _ => return self.wrong_operands(binary, left, Some(right), span),
        };
        Ok(Value::bool(truth))
    }

    fn arithmetic(&self, binary: &Binary, left: i64, right: i64, span: Span) -> Evaluated {
        if right == 0 && matches!(binary.operator, Operator::Divide | Operator::Modulo) {
            let diagnostic = Diagnostic::error(codes::ARITHMETIC, "division by zero");
            let hint = "divide by a number other than 0, or choose another value with a condition";
            return Err(vec![self.problem(diagnostic.at(span, "").hint(hint))]);
        }
        let result = match binary.operator {
            Operator::Add => left.checked_add(right),
            Operator::Subtract => left.checked_sub(right),
            Operator::Multiply => left.checked_mul(right),
            Operator::Divide => left.checked_div(right),
            Operator::Modulo => left.checked_rem(right),
            _ => {
                let (left, right) = (Value::int(left), Value::int(right));
                return self.wrong_operands(binary, &left, Some(&right), span);
            }
        };
        match result {
            Some(number) => Ok(Value::int(number)),
            None => self.too_large(span),
        }
    }

    fn wrong_operands(
        &self,
        binary: &Binary,
        left: &Value,
        right: Option<&Value>,
        span: Span,
    ) -> Evaluated {
        let sign = binary.operator.as_str();
        let message = match right {
            Some(right) => {
                format!(
                    "the operator `{sign}` cannot be applied to {} and {}",
                    describe(left),
                    describe(right)
                )
            }
            None => format!("the operator `{sign}` cannot be applied to {}", describe(left)),
        };
        let is_text = |value: &Value| value.kind() == Some(Kind::String);
        if binary.operator == Operator::Add && (is_text(left) || right.is_some_and(is_text)) {
            return self.fail_with(
                codes::WRONG_OPERANDS,
                span,
                message,
                "join strings by interpolation, as in `'${a}${b}'`",
            );
        }
        self.fail(codes::WRONG_OPERANDS, span, message)
    }
}

/// What an order of two values means to a comparison.
fn comparison(operator: Operator) -> Option<fn(Ordering) -> bool> {
    Some(match operator {
        Operator::Less => Ordering::is_lt,
        Operator::LessOrEqual => Ordering::is_le,
        Operator::Greater => Ordering::is_gt,
        Operator::GreaterOrEqual => Ordering::is_ge,
        _ => return None,
    })
}

/// Whether two known values say the same; who may see them does not matter.
pub(crate) fn is_equal(left: &Value, right: &Value) -> bool {
    match (&left.data, &right.data) {
        (Data::Array(left), Data::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(a, b)| is_equal(a, b))
        }
        (Data::Object(left), Data::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right.iter())
                    .all(|((name, a), (other, b))| name == other && is_equal(a, b))
        }
        (left, right) => left == right,
    }
}

fn is_equal_ignoring_case(left: &str, right: &str) -> bool {
    left.chars().flat_map(char::to_lowercase).eq(right.chars().flat_map(char::to_lowercase))
}
