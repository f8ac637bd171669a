//! What decorators ask of a value: allowed ones, lengths and ranges.

use hangar_diag::{Code, Diagnostic, Severity};

use crate::codes;
use crate::evaluate::is_equal;
use crate::ir::Bounds;
use crate::value::{Data, Value};

/// How a value breaks what is asked of it: said after what it is the value of.
#[derive(Debug, PartialEq)]
pub(crate) struct Breach {
    pub(crate) code: Code,
    pub(crate) text: String,
    pub(crate) hint: Option<String>,
}

impl Breach {
    /// The error for a value, which `what` names.
    pub(crate) fn diagnostic(self, what: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code, format!("{what} {}", self.text));
        diagnostic.hints.extend(self.hint);
        diagnostic
    }

    fn new(code: Code, text: String, hint: String) -> Self {
        Self { code, text, hint: Some(hint) }
    }
}

impl Bounds {
    /// Whether a value keeps to them; what is null or not known does.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Breach> {
        if matches!(value.data, Data::Null | Data::Unknown(_)) {
            return Ok(());
        }
        if let Some(allowed) = &self.allowed {
            check_allowed(allowed, value)?;
        }
        let length = match &value.data {
            Data::String(text) => Some((text.encode_utf16().count(), "character")),
            Data::Array(items) => Some((items.len(), "item")),
            _ => None,
        };
        if let Some((length, unit)) = length {
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            let plural = if length == 1 { "" } else { "s" };
            if let Some(most) = self.max_length.filter(|most| length > *most) {
                let text = format!("has {length} {unit}{plural}, but the maximum is {most}");
                let hint = format!("remove at least {} of them", length - most);
                return Err(Breach::new(codes::TOO_LONG, text, hint));
            }
            if let Some(least) = self.min_length.filter(|least| length < *least) {
                let text = format!("has {length} {unit}{plural}, but the minimum is {least}");
                let hint = format!("add at least {} more", least - length);
                return Err(Breach::new(codes::TOO_SHORT, text, hint));
            }
        }
        self.check_text(value, Severity::Error)?;
        if let Data::Int(number) = &value.data {
            if let Some(most) = self.max_value.filter(|most| number > most) {
                let hint = format!("write a number up to {most}, or raise `@maxValue`");
                return Err(Breach::new(codes::TOO_GREAT, format!("is greater than {most}"), hint));
            }
            if let Some(least) = self.min_value.filter(|least| number < least) {
                let hint = format!("write a number of at least {least}, or lower `@minValue`");
                return Err(Breach::new(codes::TOO_SMALL, format!("is less than {least}"), hint));
            }
        }
        Ok(())
    }
}

impl Bounds {
    /// What is probably wrong with a value.
    pub(crate) fn check_advice(&self, value: &Value) -> Result<(), Breach> {
        self.check_text(value, Severity::Warning)
    }

    fn check_text(&self, value: &Value, severity: Severity) -> Result<(), Breach> {
        let (Data::String(text), Some(rules)) = (&value.data, &self.text_rules) else {
            return Ok(());
        };
        match rules.0.check(text) {
            Some(fault) if fault.severity == severity => {
                Err(Breach::new(codes::TEXT_RULE, fault.message, fault.hint))
            }
            _ => Ok(()),
        }
    }
}

fn check_allowed(allowed: &[Value], value: &Value) -> Result<(), Breach> {
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
    let hint = format!("allowed values: {}", names.join(", "));
    Err(Breach::new(codes::NOT_ALLOWED, "is not an allowed value".to_owned(), hint))
}
