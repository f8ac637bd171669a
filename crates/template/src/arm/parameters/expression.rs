//! Values that hang on external inputs, as expressions of ARM: variables are written out, all that is known is a
//! literal.

use super::ExternalInputs;
use super::is_external_input;
use crate::arm::expression::Expression as Spelled;
use crate::codes;
use crate::evaluate::{Evaluator, Scope};
use crate::ir::{Entry, Expression, ExpressionKind, Item, Key, Operator, Piece};
use crate::source::Problem;

type Spelling = Result<Spelled, Vec<Problem>>;

impl ExternalInputs {
    /// Whether the value of an expression hangs on an external input.
    pub(super) fn reaches(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Method(method) if is_external_input(method) => return true,
            ExpressionKind::Variable(index) => {
                return self.variables.get(*index).copied().unwrap_or_default();
            }
            _ => {}
        }
        let mut reaches = false;
        expression.for_each_part(|part| reaches = reaches || self.reaches(part));
        reaches
    }

    /// An expression as ARM spells it.
    pub(super) fn spell(&self, expression: &Expression, evaluator: Evaluator<'_>) -> Spelling {
        self.spell_at(expression, evaluator, 0)
    }

    fn spell_at(
        &self,
        expression: &Expression,
        evaluator: Evaluator<'_>,
        depth: usize,
    ) -> Spelling {
        if depth > crate::arm::expression::MAX_DEPTH {
            let message = "variables that use each other are nested too deeply";
            return evaluator.fail(codes::TOO_DEEP, expression.span, message);
        }
        if !self.reaches(expression) {
            let value = evaluator.value(expression, Scope::EMPTY)?;
            return Ok(literal(&value.to_json().unwrap_or_default()));
        }
        let spell = |part: &Expression| self.spell_at(part, evaluator, depth + 1);
        let all = |parts: &[Expression]| -> Result<Vec<Spelled>, Vec<Problem>> {
            parts.iter().map(spell).collect()
        };
        Ok(match &expression.kind {
            ExpressionKind::Method(_) => {
                let name = self.names.get(&expression.span.start).cloned().unwrap_or_default();
                Spelled::call("externalInputs", vec![Spelled::text(name)])
            }
            ExpressionKind::Variable(index) => spell(&evaluator.unit.variables[*index].value)?,
            ExpressionKind::Any(inner) | ExpressionKind::NonNull(inner) => spell(inner)?,
            ExpressionKind::Text(pieces) => {
                let mut pattern = String::new();
                let mut arguments = Vec::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => {
                            pattern.push_str(&text.replace('{', "{{").replace('}', "}}"));
                        }
                        Piece::Hole(hole) => {
                            pattern.extend(["{", &arguments.len().to_string(), "}"]);
                            arguments.push(spell(hole)?);
                        }
                    }
                }
                arguments.insert(0, Spelled::text(pattern));
                Spelled::call("format", arguments)
            }
            ExpressionKind::Array(items) if items.iter().all(|it| matches!(it, Item::Value(_))) => {
                let mut spelled = Vec::new();
                for Item::Value(item) | Item::Spread(item) in items {
                    spelled.push(spell(item)?);
                }
                Spelled::call("createArray", spelled)
            }
            ExpressionKind::Object(entries) => {
                let mut members = Vec::new();
                for entry in entries {
                    match entry {
                        Entry::Member { key: Key::Fixed(name), value } => {
                            members.extend([Spelled::text(&*name.text), spell(value)?]);
                        }
                        Entry::Member { key: Key::Computed(key), value } => {
                            members.extend([spell(key)?, spell(value)?]);
                        }
                        Entry::Spread(_) => return not_supported(expression, evaluator),
                    }
                }
                Spelled::call("createObject", members)
            }
            ExpressionKind::Member(member) if !member.safe => {
                spell(&member.base)?.member(&*member.name.text)
            }
            ExpressionKind::Index(index) if !index.safe && !index.from_end => {
                spell(&index.base)?.index(spell(&index.at)?)
            }
            ExpressionKind::Not(inner) => Spelled::call("not", vec![spell(inner)?]),
            ExpressionKind::Negate(inner) => {
                Spelled::call("sub", vec![Spelled::number(0), spell(inner)?])
            }
            ExpressionKind::Ternary(ternary) => {
                let parts = [&ternary.condition, &ternary.then, &ternary.otherwise];
                let parts = parts.into_iter().map(spell).collect::<Result<_, _>>()?;
                Spelled::call("if", parts)
            }
            ExpressionKind::Binary(binary) => {
                operation(binary.operator, spell(&binary.left)?, spell(&binary.right)?)
            }
            ExpressionKind::Call(call) => Spelled::call(call.function.name, all(&call.arguments)?),
            _ => return not_supported(expression, evaluator),
        })
    }
}

fn not_supported(expression: &Expression, evaluator: Evaluator<'_>) -> Spelling {
    let message = "the result of `externalInput()` cannot be used here";
    let hint = "assign it to the parameter unchanged, and use the parameter in the template";
    evaluator.fail_with(codes::NOT_SUPPORTED, expression.span, message, hint)
}

fn operation(operator: Operator, left: Spelled, right: Spelled) -> Spelled {
    let lower = |part| Spelled::call("toLower", vec![part]);
    let (name, left, right) = match operator {
        Operator::EqualIgnoringCase | Operator::NotEqualIgnoringCase => {
            ("equals", lower(left), lower(right))
        }
        Operator::Or => ("or", left, right),
        Operator::And => ("and", left, right),
        Operator::Coalesce => ("coalesce", left, right),
        Operator::Equal | Operator::NotEqual => ("equals", left, right),
        Operator::Less => ("less", left, right),
        Operator::LessOrEqual => ("lessOrEquals", left, right),
        Operator::Greater => ("greater", left, right),
        Operator::GreaterOrEqual => ("greaterOrEquals", left, right),
        Operator::Add => ("add", left, right),
        Operator::Subtract => ("sub", left, right),
        Operator::Multiply => ("mul", left, right),
        Operator::Divide => ("div", left, right),
        Operator::Modulo => ("mod", left, right),
    };
    let result = Spelled::call(name, vec![left, right]);
    match operator {
        Operator::NotEqual | Operator::NotEqualIgnoringCase => Spelled::call("not", vec![result]),
        _ => result,
    }
}

/// A known value as an expression.
fn literal(value: &serde_json::Value) -> Spelled {
    match value {
        serde_json::Value::Null => Spelled::call("null", vec![]),
        serde_json::Value::Bool(true) => Spelled::call("true", vec![]),
        serde_json::Value::Bool(false) => Spelled::call("false", vec![]),
        // Numbers of expressions have 32 bits.
        serde_json::Value::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(number)) => Spelled::number(number),
            _ => Spelled::call("json", vec![Spelled::text(number.to_string())]),
        },
        serde_json::Value::String(text) => Spelled::text(text),
        serde_json::Value::Array(items) => {
            Spelled::call("createArray", items.iter().map(literal).collect())
        }
        serde_json::Value::Object(members) => {
            let members = members.iter().flat_map(|(name, it)| [Spelled::text(name), literal(it)]);
            Spelled::call("createObject", members.collect())
        }
    }
}
