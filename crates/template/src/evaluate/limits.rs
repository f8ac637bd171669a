//! How far evaluation goes: depth, time, memory, and the size of what it makes.
//!
//! Parts of values are shared in memory, so a few lines can make a value that no walk through it would ever
//! leave: every list and object that is built is weighed as if nothing were shared.

use hangar_diag::Span;

use super::{Evaluated, Evaluator};
use crate::codes;
use crate::source::Problem;
use crate::value::{Data, Value};

/// Resources of one deployment.
pub(crate) const MOST_NODES: usize = 5_000;

/// Expressions inside of each other, through variables, parameters and bodies.
const MOST_DEPTH: usize = 400;

/// Time: expressions that one evaluator evaluates, and parts of values that it weighs.
const MOST_STEPS: usize = 20_000_000;

/// Memory: items and members that one evaluator builds.
const MOST_BUILT: usize = 2_000_000;

/// Memory: bytes of texts that one evaluator builds.
const MOST_WRITTEN: usize = 64 << 20;

/// Parts of one value, however deep.
const MOST_PARTS: usize = 200_000;

/// Bytes of all texts in one value.
const MOST_TEXT: usize = 16 << 20;

/// How deep a value may be nested: whoever walks through it recurses.
const MOST_NESTING: usize = 120;

/// Bytes of one text.
pub(super) const MOST_BYTES: usize = crate::functions::MOST_BYTES;

/// What one evaluator has used up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Used {
    depth: usize,
    steps: usize,
    built: usize,
    written: usize,
}

impl Evaluator<'_> {
    /// One step deeper; [`Evaluator::leave`] comes back where it succeeds.
    pub(super) fn enter(&self, span: Span) -> Result<(), Vec<Problem>> {
        let mut used = self.shared.used.get();
        if used.depth >= MOST_DEPTH {
            let message =
                format!("the evaluation is nested more than {MOST_DEPTH} levels deep here");
            return self.fail(codes::TOO_MUCH, span, message);
        }
        used.steps += 1;
        self.use_up(used, span)?;
        used.depth += 1;
        self.shared.used.set(used);
        Ok(())
    }

    pub(super) fn leave(&self) {
        let mut used = self.shared.used.get();
        used.depth = used.depth.saturating_sub(1);
        self.shared.used.set(used);
    }

    fn use_up(&self, used: Used, span: Span) -> Result<(), Vec<Problem>> {
        self.shared.used.set(used);
        if used.steps > MOST_STEPS {
            return self.fail(
                codes::TOO_MUCH,
                span,
                "the template takes too many steps to evaluate",
            );
        }
        if used.built > MOST_BUILT || used.written > MOST_WRITTEN {
            return self.fail(codes::TOO_MUCH, span, "the template creates too much data");
        }
        Ok(())
    }

    /// A list or object that was made of parts: refused where it has too many, or is too deep.
    pub(super) fn weighed(&self, value: Value, span: Span) -> Evaluated {
        let count = match &value.data {
            Data::Array(items) => items.len(),
            Data::Object(members) => members.len(),
            _ => return Ok(value),
        };
        let weight = self.weigh(&value, span)?;
        let mut used = self.shared.used.get();
        used.steps += weight;
        used.built += count + 1;
        self.use_up(used, span)?;
        Ok(value)
    }

    /// What a function gave. Some read whole documents out of a text: all parts of those are new.
    pub(super) fn weighed_result(&self, value: Value, is_all_new: bool, span: Span) -> Evaluated {
        if let Data::String(text) = &value.data {
            self.note_text(text.len(), span)?;
        }
        if is_all_new {
            let mut used = self.shared.used.get();
            used.built += self.weigh(&value, span)?;
            self.use_up(used, span)?;
        }
        self.weighed(value, span)
    }

    /// A text was written.
    pub(super) fn note_text(&self, bytes: usize, span: Span) -> Result<(), Vec<Problem>> {
        let mut used = self.shared.used.get();
        used.written += bytes;
        self.use_up(used, span)
    }

    fn weigh(&self, value: &Value, span: Span) -> Result<usize, Vec<Problem>> {
        let mut scale = Scale { parts: MOST_PARTS, bytes: MOST_TEXT };
        if !scale.takes(value, 0) {
            let message = "the value is too large or nested too deeply";
            return self.fail(codes::TOO_MUCH, span, message);
        }
        Ok(MOST_PARTS - scale.parts)
    }
}

/// Whether a value can be written as JSON within the length of a text.
pub(super) fn is_printable(value: &Value) -> bool {
    Scale { parts: MOST_PARTS, bytes: MOST_BYTES }.takes(value, 0)
}

/// What is left.
struct Scale {
    parts: usize,
    bytes: usize,
}

impl Scale {
    fn takes(&mut self, value: &Value, depth: usize) -> bool {
        let Some(parts) = self.parts.checked_sub(1) else { return false };
        self.parts = parts;
        if depth > MOST_NESTING {
            return false;
        }
        match &value.data {
            Data::Array(items) => items.iter().all(|it| self.takes(it, depth + 1)),
            Data::Object(members) => members
                .iter()
                .all(|(name, it)| self.takes_text(name.len()) && self.takes(it, depth + 1)),
            Data::String(text) => self.takes_text(text.len()),
            _ => true,
        }
    }

    fn takes_text(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.unwrap_or_default();
        left.is_some()
    }
}
