//! Outputs: typed, and secret as soon as anything in them is.

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

    /// A warning for each output that holds a secret without `@secure()`: it is stored as a secret anyway.
    pub(crate) fn warn_of_secret_outputs(&self, outputs: &[Output]) -> Vec<Problem> {
        let declared = self.unit.outputs.iter();
        let holding = declared.filter(|declared| {
            let found = outputs.iter().find(|output| output.name == declared.name.text);
            !declared.secure && found.is_some_and(|output| output.value.holds_secret())
        });
        let warn = |declared: &OutputDeclaration| {
            let message = format!("the output `{}` contains a secret", declared.name.text);
            let hint =
                "write `@secure()` before it; Hangar shows its value as `«secret»` in both cases";
            // At the statement's first line, as Bicep has it: `#disable-next-line` stands before that.
            let warning = Diagnostic::warning(codes::OUTPUT_SECRETS, message);
            self.problem(warning.at(declared.name.span, "").hint(hint))
        };
        holding.map(warn).collect()
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
