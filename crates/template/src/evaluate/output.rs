//! Outputs: typed, and secret only where they say so.

use hangar_diag::Diagnostic;

use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::deployment::Output;
use crate::ir::OutputDeclaration;
use crate::source::{Problem, add};

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

    pub(super) fn checked_output(&self, declared: &OutputDeclaration) -> Evaluated {
        let (name, span) = (&declared.name, declared.value.span);
        let value = self.value(&declared.value, Scope::EMPTY)?;
        let what = format!("the output `{}`", name.text);
        self.fits(&declared.value_type, &value, &what, &declared.value, codes::WRONG_TYPE)?;
        self.check_bounds(&declared.bounds, &value, &what, span)?;
        if value.holds_secret() && !declared.secure {
            let message = format!("{what} holds a secret");
            let diagnostic = Diagnostic::error(codes::SECRET_OUTPUT, message).at(span, "");
            let hint = "write `@secure()` before it, or leave the secret out";
            return Err(vec![self.problem(diagnostic.hint(hint))]);
        }
        Ok(value)
    }
}
