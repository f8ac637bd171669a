//! Functions that choose and compare.

use serde_json::Value;

use super::super::Lookup;
use super::super::error::{Fault, Problem};
use super::{Evaluation, Found};

impl<L: Lookup> Evaluation<'_, L> {
    pub(super) fn choose(&mut self, argument: &Value) -> Found<Option<Value>, L> {
        let [name, then, other] = self.arguments(argument, "[condition, value, other value]")?;
        let Value::String(name) = name else {
            return Err(self.wrong(Problem::Argument(
                "[condition, …] whose first item is the name of a condition",
            )));
        };
        let (index, chosen) =
            if self.lookup.condition(name).map_err(Fault::Stop)? { (1, then) } else { (2, other) };
        self.within(&index, |it| it.value(chosen))
    }

    pub(super) fn logic(&mut self, name: &str, argument: &Value) -> Found<bool, L> {
        let Value::Array(items) = argument else {
            return Err(self.wrong(Problem::Argument("a list")));
        };
        match (name, items.as_slice()) {
            ("Fn::Equals", [left, right]) => {
                let left = self.within(&0, |it| it.value(left))?;
                let right = self.within(&1, |it| it.value(right))?;
                Ok(equal(left.as_ref(), right.as_ref()))
            }
            ("Fn::Not", [inner]) => Ok(!self.within(&0, |it| it.truth(inner))?),
            // AWS takes from 2 to 10.
            ("Fn::And" | "Fn::Or", [_, _, ..]) => {
                for (index, item) in items.iter().enumerate() {
                    let is_true = self.within(&index, |it| it.truth(item))?;
                    if is_true == (name == "Fn::Or") {
                        return Ok(is_true);
                    }
                }
                Ok(name == "Fn::And")
            }
            ("Fn::Equals", _) => Err(self.wrong(Problem::Argument("[value, value]"))),
            ("Fn::Not", _) => Err(self.wrong(Problem::Argument("[condition]"))),
            _ => Err(self.wrong(Problem::Argument("a list of two or more conditions"))),
        }
    }

    pub(super) fn truth(&mut self, expression: &Value) -> Found<bool, L> {
        let value = match expression {
            Value::Object(object) if object.len() == 1 => match object.get("Condition") {
                Some(Value::String(name)) => {
                    return self.lookup.condition(name).map_err(Fault::Stop);
                }
                _ => self.value(expression)?,
            },
            _ => self.value(expression)?,
        };
        match value {
            Some(Value::Bool(truth)) => Ok(truth),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            _ => Err(self.wrong(Problem::Argument("a condition"))),
        }
    }
}

/// CloudFormation compares values as it prints them: `1` and `"1"` are equal.
fn equal(left: Option<&Value>, right: Option<&Value>) -> bool {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    match (left, right) {
        (Some(left), Some(right)) => match (text(left), text(right)) {
            (Some(left), Some(right)) => left == right,
            _ => left == right,
        },
        (None, None) => true,
        _ => false,
    }
}
