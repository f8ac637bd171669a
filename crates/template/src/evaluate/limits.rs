//! How far evaluation goes: depth, steps, and the size of what it makes.

use hangar_diag::Span;

use super::Evaluator;
use crate::codes;
use crate::source::Problem;
use crate::value::{Data, Value};

/// Resources of one deployment.
pub(crate) const MOST_NODES: usize = 5_000;

/// Expressions inside of each other, through variables, parameters and bodies.
const MOST_DEPTH: usize = 400;

/// Expressions that one evaluator evaluates, and parts of values that it builds.
const MOST_STEPS: usize = 20_000_000;

/// Parts of one value.
const MOST_PARTS: usize = 200_000;

/// Bytes of one text.
pub(super) const MOST_BYTES: usize = 4 << 20;

impl Evaluator<'_> {
    /// One step deeper; [`Evaluator::leave`] comes back where it succeeds.
    pub(super) fn enter(&self, span: Span) -> Result<(), Vec<Problem>> {
        let (depth, steps) = (self.depth.get() + 1, self.steps.get() + 1);
        if depth > MOST_DEPTH {
            let message = format!("evaluation goes deeper than {MOST_DEPTH} levels here");
            return self.fail(codes::TOO_MUCH, span, message);
        }
        self.depth.set(depth);
        if let Err(problems) = self.spend(steps - self.steps.get(), span) {
            self.leave();
            return Err(problems);
        }
        Ok(())
    }

    pub(super) fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    fn spend(&self, steps: usize, span: Span) -> Result<(), Vec<Problem>> {
        let steps = self.steps.get().saturating_add(steps);
        self.steps.set(steps);
        if steps > MOST_STEPS {
            return self.fail(codes::TOO_MUCH, span, "the template takes too long to evaluate");
        }
        Ok(())
    }

    /// Refuses a value that has too many parts. Parts are shared in memory, so a few lines can make a value
    /// that no walk through it would ever leave.
    pub(super) fn weighed(&self, value: Value, span: Span) -> Result<Value, Vec<Problem>> {
        let mut left = MOST_PARTS;
        let fits = match &value.data {
            Data::Array(_) | Data::Object(_) => weigh(&value, &mut left, 0),
            _ => return Ok(value),
        };
        self.spend(MOST_PARTS - left, span)?;
        if !fits {
            let message =
                format!("the value has more than {MOST_PARTS} parts, or is nested too deep");
            return self.fail(codes::TOO_MUCH, span, message);
        }
        Ok(value)
    }
}

/// How deep a value may be nested: whoever walks through it recurses.
const MOST_NESTING: usize = 120;

fn weigh(value: &Value, left: &mut usize, depth: usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    if depth > MOST_NESTING {
        return false;
    }
    match &value.data {
        Data::Array(items) => items.iter().all(|it| weigh(it, left, depth + 1)),
        Data::Object(members) => members.values().all(|it| weigh(it, left, depth + 1)),
        _ => true,
    }
}
