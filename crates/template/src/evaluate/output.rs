//! Outputs: typed, and secret as soon as anything in them is.

use hangar_diag::{Diagnostic, Span};

use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::deployment::Output;
use crate::ir::{Entry, Expression, ExpressionKind, Item, Key, OutputDeclaration};
use crate::source::{Problem, add};
use crate::value::{Data, Value};

impl Evaluator<'_> {
    /// All outputs.
    pub(crate) fn outputs(&self) -> Result<Vec<Output>, Vec<Problem>> {
        let mut outputs = Vec::new();
        let mut problems = Vec::new();
        for (index, declared) in self.unit.outputs.iter().enumerate() {
            match self.output_value(index) {
                Ok(value) => outputs.push(Output {
                    name: declared.name.text.clone(),
                    type_text: match self.table().kind(&declared.value_type) {
                        Some(kind) => kind.as_str().into(),
                        None => declared.type_text.clone(),
                    },
                    secure: declared.secure,
                    value,
                    place: self.unit.place(declared.name.span),
                }),
                Err(found) => add(&mut problems, found),
            }
        }
        if problems.is_empty() { Ok(outputs) } else { Err(problems) }
    }

    /// A warning for each part of an output that holds a secret without `@secure()`: it is stored as a secret anyway.
    pub(crate) fn warn_of_secret_outputs(&self, outputs: &[Output]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for declared in self.unit.outputs.iter().filter(|declared| !declared.secure) {
            let found = outputs.iter().find(|output| output.name == declared.name.text);
            let Some(output) = found.filter(|output| output.value.holds_secret()) else { continue };
            let mut spans = Vec::new();
            add_secret_spans(&declared.value, &output.value, &mut spans);
            for span in spans {
                // Bicep reports a whole value at the statement's first line: `#disable-next-line` stands before that.
                let span = if span == declared.value.span { declared.name.span } else { span };
                let message = format!("the output `{}` contains a secret", declared.name.text);
                let hint = "write `@secure()` before it; Hangar shows its value as `«secret»` in both cases";
                let warning = Diagnostic::warning(codes::OUTPUT_SECRETS, message);
                problems.push(self.problem(warning.at(span, "").hint(hint)));
            }
        }
        problems
    }

    pub(super) fn checked_output(&self, declared: &OutputDeclaration) -> Evaluated {
        let (name, span) = (&declared.name, declared.value.span);
        let value = self.value(&declared.value, Scope::EMPTY)?;
        let what = format!("the output `{}`", name.text);
        self.fits(&declared.value_type, &value, &what, &declared.value, codes::WRONG_TYPE)?;
        self.check_bounds(&declared.bounds, &value, &what, span)?;
        Ok(value)
    }
}

/// Adds the spans of the smallest written parts that hold a secret: members of object literals and items of list
/// literals are separate parts, so that a directive can silence each.
fn add_secret_spans(expression: &Expression, value: &Value, spans: &mut Vec<Span>) {
    if !value.holds_secret() {
        return;
    }
    let before = spans.len();
    match (&expression.kind, &value.data) {
        (ExpressionKind::Object(entries), Data::Object(members)) => {
            for entry in entries {
                if let Entry::Member { key: Key::Fixed(name), value } = entry
                    && let Some(member) = members.get(&name.text)
                {
                    add_secret_spans(value, member, spans);
                }
            }
        }
        (ExpressionKind::Array(items), Data::Array(values)) if items.len() == values.len() => {
            for (item, value) in items.iter().zip(values.iter()) {
                if let Item::Value(item) = item {
                    add_secret_spans(item, value, spans);
                }
            }
        }
        _ => {}
    }
    // No part shows where it comes from, such as a spread or a computed name.
    if spans.len() == before {
        spans.push(expression.span);
    }
}
