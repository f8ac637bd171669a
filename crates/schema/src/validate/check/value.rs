//! Limits on one value: its type, the values listed for it, its text, its size.

use hangar_diag::Severity;
use serde_json::{Number, Value};

use super::super::format;
use super::super::patterns::Answer;
use super::{Checker, Here, broken, refuse};
use crate::finding::{Basis, Counted, Finding, Limit, Problem, Shown};
use crate::kind::{Kind, Kinds};
use crate::node::Node;
use crate::number;
use crate::same::same;

/// Whether the value has a type that the node allows; if not, reports it.
pub(super) fn has_kind<'a>(
    node: &Node,
    value: &'a Value,
    here: Here<'_>,
    found: &mut Vec<Finding<'a>>,
) -> bool {
    let problem = Problem::WrongType { expected: node.kinds, found: value };
    match fit(node.kinds, value) {
        Fit::Yes => return true,
        Fit::Converted => refuse(here.doubtful(), problem, found),
        Fit::No => refuse(here, problem, found),
    }
    false
}

impl<'a> Checker<'a, '_> {
    pub(super) fn allowed(
        &self,
        node: &'a Node,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let allowed = node.allowed.as_slice();
        if allowed.is_empty()
            || allowed.iter().any(|allowed| same(allowed, value))
            || self.holes.are_in(value)
        {
            return;
        }
        let problem = Problem::NotAllowed { found: self.shown(value, here), allowed };
        // A list of values of other kinds than this one may be meant for another spelling of it.
        let is_plain = matches!(value, Value::String(_) | Value::Number(_))
            && allowed.iter().any(|allowed| Kind::of(allowed) == Kind::of(value));
        let here = if is_plain { here } else { here.doubtful() };
        self.refuse_value(here, problem, found);
    }

    /// Warns of what cfn-lint knows and AWS's schema does not state.
    pub(super) fn advised(
        &self,
        node: &'a Node,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let Some(advice) = node.advice.as_deref() else { return };
        let (Some(text), false) = (value.as_str(), self.holes.are_in(value)) else { return };
        let is_allowed = |allowed: &Value| {
            allowed.as_str().is_some_and(|it| {
                it == text || (advice.ignores_case && it.eq_ignore_ascii_case(text))
            })
        };
        let shown = self.shown(value, here);
        let problem = if !advice.allowed.is_empty() && !advice.allowed.iter().any(is_allowed) {
            Problem::NotAllowed { found: shown, allowed: &advice.allowed }
        } else if let Some(pattern) = advice.pattern.as_deref()
            && matches!(self.patterns.answer(pattern, text), Answer::Mismatch)
        {
            Problem::Pattern { found: shown, pattern }
        } else {
            return;
        };
        let (place, severity) = (here.path.place(), Severity::Warning);
        found.push(Finding { place, severity, problem, basis: Basis::CfnLint });
    }

    pub(super) fn text(
        &self,
        node: &'a Node,
        value: &'a Value,
        text: &str,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        // The standard counts characters; a validator in Java may count UTF-16 units.
        let characters = text.chars().count() as u64;
        let units = text.encode_utf16().count() as u64;
        let limits = [characters, units].map(|count| broken(count, &node.length));
        if let Some(limit) = limits[0].or(limits[1]) {
            let is_agreed = limits[0].is_some() && limits[1].is_some();
            let here = if is_agreed { here } else { here.doubtful() };
            let problem = Problem::Count { what: Counted::Characters, count: characters, limit };
            self.refuse_value(here, problem, found);
        }
        let shown = self.shown(value, here);
        if let Some(pattern) = node.pattern.as_deref() {
            let problem = Problem::Pattern { found: shown, pattern };
            match self.patterns.answer(pattern, text) {
                Answer::Match | Answer::Unknown => {}
                Answer::Mismatch => self.refuse_value(here, problem, found),
                Answer::PerhapsMismatch => self.refuse_value(here.doubtful(), problem, found),
            }
        }
        if let Some(format) = node.format.as_deref()
            && format::is_refused(format, text)
        {
            refuse(here.doubtful(), Problem::Format { found: shown, format }, found);
        }
    }

    pub(super) fn number(
        &self,
        node: &'a Node,
        value: &'a Value,
        number: &Number,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let order = |bound: &Number| number::compare(number, bound);
        let (range, exclusive) = (&node.range, &node.exclusive_range);
        let limits = [
            range.minimum.as_ref().filter(|bound| order(bound).is_lt()).map(Limit::AtLeast),
            range.maximum.as_ref().filter(|bound| order(bound).is_gt()).map(Limit::AtMost),
            exclusive.minimum.as_ref().filter(|bound| order(bound).is_le()).map(Limit::MoreThan),
            exclusive.maximum.as_ref().filter(|bound| order(bound).is_ge()).map(Limit::LessThan),
        ];
        let shown = self.shown(value, here);
        if let Some(limit) = limits.into_iter().flatten().next() {
            self.refuse_value(here, Problem::Range { found: shown, limit }, found);
        }
        if let Some(step) = &node.multiple_of
            && number::is_multiple_of(number, step) == Some(false)
        {
            self.refuse_value(here, Problem::Multiple { found: shown, step }, found);
        }
    }

    fn shown(&self, value: &'a Value, here: Here<'_>) -> Shown<'a> {
        if self.schema.at(here.spot).is_hidden() { Shown::Hidden } else { Shown::Value(value) }
    }
}

/// Whether a value is of the kinds that a schema allows.
enum Fit {
    Yes,
    /// Not as it is written, but AWS may convert it.
    Converted,
    No,
}

fn fit(kinds: Kinds, value: &Value) -> Fit {
    let is_of = match value {
        Value::Number(number) => {
            kinds.has(Kind::Number) || (kinds.has(Kind::Integer) && number::is_integer(number))
        }
        _ => kinds.has(Kind::of(value)),
    };
    if kinds.is_unstated() || is_of {
        return Fit::Yes;
    }
    // A number where text is wanted is refused: AWS's validator answers `expected type: String,
    // found: Integer`. Text that spells a number or a boolean may pass, as it counts as equal in a patch.
    let is_convertible = value.as_str().is_some_and(|text| converts(kinds, text));
    if is_convertible { Fit::Converted } else { Fit::No }
}

/// Whether a text spells a value of these kinds.
fn converts(kinds: Kinds, text: &str) -> bool {
    let as_number = || number::parse(text.trim());
    let is_boolean = || ["true", "false"].iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    // Documents may be given as text where the service takes an object.
    let is_document = || {
        text.trim_start().starts_with('{')
            && serde_json::from_str::<Value>(text).is_ok_and(|document| document.is_object())
    };
    (kinds.has(Kind::Number) && as_number().is_some())
        || (kinds.has(Kind::Integer) && as_number().is_some_and(|it| number::is_integer(&it)))
        || (kinds.has(Kind::Boolean) && is_boolean())
        || (kinds.has(Kind::Object) && is_document())
}
