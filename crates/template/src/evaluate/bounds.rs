//! What decorators ask of a value: allowed ones, lengths and ranges.

use hangar_diag::{Diagnostic, Span};

use super::Evaluator;
use super::operator::is_equal;
use crate::codes;
use crate::ir::{Bounds, ParameterDeclaration};
use crate::source::Problem;
use crate::value::{Data, Value};

impl Evaluator<'_> {
    /// Whether a value that was given for a parameter can be one.
    pub(super) fn check_given(
        &self,
        declared: &ParameterDeclaration,
        value: &Value,
    ) -> Result<(), Vec<Problem>> {
        let name = &declared.name;
        let what = format!("the value for `{}`{}", name.text, shown(declared, value));
        if let Err(misfit) = declared.value_type.check(value) {
            return self.fail(codes::WRONG_PARAMETER, name.span, misfit.describe(&what));
        }
        self.check_bounds(&declared.bounds, value, &what, name.span)
    }

    /// Whether a value keeps to what its decorators ask.
    pub(crate) fn check_bounds(
        &self,
        bounds: &Bounds,
        value: &Value,
        what: &str,
        span: Span,
    ) -> Result<(), Vec<Problem>> {
        if matches!(value.data, Data::Null | Data::Unknown(_)) {
            return Ok(());
        }
        if let Some(allowed) = &bounds.allowed {
            self.check_allowed(allowed, value, what, span)?;
        }
        let length = match &value.data {
            Data::String(text) => Some((text.encode_utf16().count(), "characters")),
            Data::Array(items) => Some((items.len(), "items")),
            _ => None,
        };
        if let Some((length, unit)) = length {
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            if let Some(most) = bounds.max_length.filter(|most| length > *most) {
                let message = format!("{what} has {length} {unit}, and at most {most} are allowed");
                return self.fail(codes::TOO_LONG, span, message);
            }
            if let Some(least) = bounds.min_length.filter(|least| length < *least) {
                let message =
                    format!("{what} has {length} {unit}, and at least {least} are needed");
                return self.fail(codes::TOO_SHORT, span, message);
            }
        }
        if let Data::Int(number) = &value.data {
            if let Some(most) = bounds.max_value.filter(|most| number > most) {
                let message = format!("{what} is more than {most}");
                return self.fail(codes::TOO_GREAT, span, message);
            }
            if let Some(least) = bounds.min_value.filter(|least| number < least) {
                let message = format!("{what} is less than {least}");
                return self.fail(codes::TOO_SMALL, span, message);
            }
        }
        Ok(())
    }

    fn check_allowed(
        &self,
        allowed: &[Value],
        value: &Value,
        what: &str,
        span: Span,
    ) -> Result<(), Vec<Problem>> {
        let is_allowed = |value: &Value| allowed.iter().any(|it| is_equal(it, value));
        // A list of allowed values before a list says what its items may be.
        let fits = match &value.data {
            Data::Array(items) => is_allowed(value) || items.iter().all(is_allowed),
            _ => is_allowed(value),
        };
        if fits {
            return Ok(());
        }
        let names: Vec<String> = allowed.iter().take(12).map(|it| format!("`{it:?}`")).collect();
        let diagnostic = Diagnostic::error(codes::NOT_ALLOWED, format!("{what} is not allowed"));
        let hint = format!("allowed are {}", names.join(", "));
        Err(vec![self.problem(diagnostic.at(span, "").hint(hint))])
    }
}

/// A given value for a message, if it is short and no secret.
fn shown(declared: &ParameterDeclaration, value: &Value) -> String {
    const LONGEST: usize = 60;
    if declared.secure {
        return String::new();
    }
    let text = format!("{value:?}");
    if text.chars().count() <= LONGEST { format!(", `{text}`,") } else { String::new() }
}
