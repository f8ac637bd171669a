//! Declared outputs that have the value of an expression, and the one to declare where there is none.

use serde_json::{Value, json};

use super::evaluate::{Evaluator, action};
use super::link::Link;
use super::problem::Stop;
use super::stack::Located;

impl<'k> Evaluator<'k> {
    /// The value of an attribute, if an output of the stack is declared as just that.
    pub(super) fn declared(
        &self,
        stack: &Located<'k>,
        logical_id: &str,
        attribute: &str,
    ) -> Result<Option<Value>, Stop> {
        // A stack without outputs need not be asked for its template.
        if stack.description.outputs.is_empty() {
            return Ok(None);
        }
        let template = self.template(stack)?;
        let Some(Value::Object(declared)) = template.get("Outputs") else { return Ok(None) };
        let is_meant = |output: &Value| is_attribute(output.get("Value"), logical_id, attribute);
        for (key, _) in declared.iter().filter(|(_, output)| is_meant(output)) {
            if let Some(value) = self.output(stack, key) {
                self.link(Link::new("template", key).by(action(&stack.template_need())));
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// Whether an expression is just one attribute of one resource.
fn is_attribute(expression: Option<&Value>, logical_id: &str, attribute: &str) -> bool {
    let Some(argument) = expression.and_then(|expression| expression.get("Fn::GetAtt")) else {
        return false;
    };
    match argument {
        Value::String(both) => {
            both.strip_prefix(logical_id).and_then(|it| it.strip_prefix('.')) == Some(attribute)
        }
        Value::Array(parts) => {
            let parts: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
            parts.is_some_and(|parts| match parts.split_first() {
                Some((first, rest)) => *first == logical_id && rest.join(".") == attribute,
                None => false,
            })
        }
        _ => false,
    }
}

/// What to declare so that the value can be had, to be pasted.
pub(super) fn to_declare(stack: &Located<'_>, logical_id: &str, attribute: &str) -> String {
    let key: String =
        format!("{logical_id}{attribute}").chars().filter(char::is_ascii_alphanumeric).collect();
    let output = json!({"Outputs": {&key: {"Value": {"Fn::GetAtt": [logical_id, attribute]}}}});
    format!(
        "declare an output and deploy stack `{}`; the reference can stay unchanged. In the template: {output}; in the \
         AWS CDK: new CfnOutput(this, '{key}', {{ value: RESOURCE.getAtt('{attribute}').toString() }})",
        stack.path
    )
}
