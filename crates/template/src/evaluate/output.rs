//! Outputs: typed, and secret only where they say so.

use hangar_diag::Diagnostic;

use super::{Evaluator, Scope, all_secret};
use crate::codes;
use crate::deployment::Output;
use crate::ir::OutputDeclaration;
use crate::source::{Problem, add};

impl Evaluator<'_> {
    /// All outputs.
    pub(crate) fn outputs(&self) -> Result<Vec<Output>, Vec<Problem>> {
        let mut outputs = Vec::new();
        let mut problems = Vec::new();
        for declared in &self.unit.outputs {
            match self.output(declared) {
                Ok(output) => outputs.push(output),
                Err(found) => add(&mut problems, found),
            }
        }
        if problems.is_empty() { Ok(outputs) } else { Err(problems) }
    }

    fn output(&self, declared: &OutputDeclaration) -> Result<Output, Vec<Problem>> {
        let (name, span) = (&declared.name, declared.value.span);
        let value = self.value(&declared.value, Scope::EMPTY)?;
        let what = format!("the output `{}`", name.text);
        if let Err(misfit) = self.table().check(&declared.value_type, &value) {
            return self.fail(codes::WRONG_TYPE, span, misfit.describe(&what));
        }
        self.check_bounds(&declared.bounds, &value, &what, span)?;
        if value.holds_secret() && !declared.secure {
            let message = format!("{what} holds a secret");
            let diagnostic = Diagnostic::error(codes::SECRET_OUTPUT, message).at(span, "");
            let hint = "write `@secure()` before it, or leave the secret out";
            return Err(vec![self.problem(diagnostic.hint(hint))]);
        }
        Ok(Output {
            name: name.text.clone(),
            type_text: declared.type_text.clone(),
            secure: declared.secure,
            value: if declared.secure { all_secret(value) } else { value },
            place: self.unit.place(name.span),
        })
    }
}
