//! What decorators ask of a value: allowed ones, lengths and ranges.

use hangar_diag::{Diagnostic, Span};

use super::Evaluator;
use crate::codes;
use crate::ir::{Bounds, ParameterDeclaration};
use crate::source::Problem;
use crate::value::Value;

impl Evaluator<'_> {
    /// Whether a value that was given for a parameter can be one.
    pub(super) fn check_given(
        &self,
        declared: &ParameterDeclaration,
        value: &Value,
    ) -> Result<(), Vec<Problem>> {
        let name = &declared.name;
        let is_secret = declared.secure || self.table().holds_secure(&declared.value_type);
        let shown = if is_secret { String::new() } else { shown(value) };
        let what = format!("the value of `{}`{shown}", name.text);
        if let Err(misfit) = self.table().check(&declared.value_type, value) {
            let code = misfit.code(codes::WRONG_PARAMETER);
            let mut diagnostic = Diagnostic::error(code, misfit.describe(&what));
            diagnostic.hints.extend(misfit.hint(""));
            return Err(vec![self.problem_with_given(declared, diagnostic)]);
        }
        let Err(breach) = declared.bounds.check(value) else { return Ok(()) };
        Err(vec![self.problem_with_given(declared, breach.diagnostic(&what))])
    }

    /// A problem with a given value: where it is given if that is known, else where the parameter is declared.
    fn problem_with_given(
        &self,
        declared: &ParameterDeclaration,
        diagnostic: Diagnostic,
    ) -> Problem {
        match self.shared.facts.inputs.parameter_places.get(&*declared.name.text) {
            Some(place) => {
                Problem { file: place.file.clone(), diagnostic: diagnostic.at(place.span, "") }
            }
            None => self.problem(diagnostic.at(declared.name.span, "")),
        }
    }

    /// Whether a value keeps to what its decorators ask.
    pub(crate) fn check_bounds(
        &self,
        bounds: &Bounds,
        value: &Value,
        what: &str,
        span: Span,
    ) -> Result<(), Vec<Problem>> {
        let Err(breach) = bounds.check(value) else { return Ok(()) };
        Err(vec![self.problem(breach.diagnostic(what).at(span, ""))])
    }
}

/// A given value for a message, if it is short.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = format!("{value:?}");
    if text.chars().count() <= LONGEST { format!(" (`{text}`)") } else { String::new() }
}
