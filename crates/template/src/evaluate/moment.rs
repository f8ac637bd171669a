//! The moments of parameters' defaults: a default that calls `utcNow()` or `newGuid()` is evaluated with the instant and
//! the seed of the run that evaluated it first, so that every later run gets the same values.

use super::Evaluator;
use crate::deployment::DefaultMoment;
use crate::functions::digest_of;
use crate::ir::{Expression, ExpressionKind, Unit};
use crate::syntax::token_texts;

/// A parameter whose default is evaluated.
pub(super) struct Evaluating {
    /// Its name, behind the module it is in (`network/name`).
    pub(super) address: String,
    /// The value of `utcNow()`.
    pub(super) now: Option<i64>,
    /// What the values of `newGuid()` are made from.
    pub(super) seed: Option<u128>,
}

impl Evaluator<'_> {
    /// A parameter with the moment of its default: the one that was kept if the default's text is still the same, else
    /// that of this run. A kept one is noted also where the parameter has a value: it may be without one next time.
    pub(super) fn evaluating(&self, index: usize) -> Evaluating {
        let declared = &self.unit.parameters[index];
        let address = format!("{}{}", self.frame.prefix, declared.name.text);
        let facts = self.shared.facts;
        let default = declared.default.as_ref();
        if let (Some(kept), Some(default)) = (facts.inputs.moments.get(&address), default)
            && kept.fingerprint == fingerprint(self.unit, default)
        {
            facts.note_moment(&address, kept.clone());
            return Evaluating { address, now: Some(kept.now), seed: Some(kept.seed) };
        }
        Evaluating { address, now: facts.inputs.now, seed: facts.inputs.seed }
    }

    /// Notes the moment of the default that is evaluated, if the default needs one.
    pub(super) fn note_new_moment(&self, default: &Expression) {
        let evaluating = self.shared.parameter.borrow();
        let Some(Evaluating { address, now: Some(now), seed: Some(seed) }) = &*evaluating else {
            return;
        };
        if calls_moment(default) {
            let fingerprint = fingerprint(self.unit, default);
            let moment = DefaultMoment { fingerprint, now: *now, seed: *seed };
            self.shared.facts.note_moment(address, moment);
        }
    }
}

/// Whether `utcNow()` or `newGuid()` is called in an expression, in a branch that is not taken now included.
fn calls_moment(expression: &Expression) -> bool {
    if let ExpressionKind::Call(call) = &expression.kind
        && matches!(call.function.name, "utcNow" | "newGuid")
    {
        return true;
    }
    let mut calls = false;
    expression.for_each_part(|part| calls = calls || calls_moment(part));
    calls
}

/// The hash of a default's text, token by token: `hangar fmt` and comments do not change it.
fn fingerprint(unit: &Unit, default: &Expression) -> String {
    let text = unit.sources.text(&unit.file).unwrap_or_default();
    let text = text.get(default.span.start..default.span.end).unwrap_or_default();
    digest_of(token_texts(text))
}
