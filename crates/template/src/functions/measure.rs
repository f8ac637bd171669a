//! What there is to know of all arguments of a call before it runs, found in one bounded walk.

use std::sync::Arc;

use super::Argument;
use super::arguments::Arguments;
use super::fault::Fault;
use crate::value::{Data, Unknown, Value};

/// How deep values may be nested: they are walked and dropped by recursion.
pub(super) const MOST_DEPTH: usize = 256;
/// How many parts the arguments of one call may have together. Lists share their parts, so a few lines can
/// make a value with more parts than there is memory.
const MOST_PARTS: usize = 1 << 20;

/// What there is to know of all arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Measure {
    /// An argument is secret as a whole.
    pub(super) whole_secret: bool,
    /// Any part of any argument is secret.
    pub(super) holds_secret: bool,
    /// The first argument that is unknown as a whole.
    pub(super) whole_unknown: Option<Arc<Unknown>>,
    /// The first part that is not known.
    pub(super) unknown: Option<Arc<Unknown>>,
    parts: usize,
}

impl Measure {
    pub(super) fn of(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        let mut measure = Self::default();
        for (index, argument) in arguments.given.iter().enumerate() {
            let Argument::Value(value) = argument else { continue };
            measure.whole_secret |= value.secret;
            if measure.whole_unknown.is_none() {
                measure.whole_unknown = value.is_unknown().cloned();
            }
            measure.walk(value, 0).map_err(|fault| match fault {
                TooLarge::Deep => Fault::argument(
                    index,
                    format!(
                        "{} is nested more than {MOST_DEPTH} levels deep",
                        arguments.name_of(index)
                    ),
                ),
                TooLarge::Many => Fault::argument(
                    index,
                    format!("{} has more than {MOST_PARTS} parts", arguments.name_of(index)),
                ),
            })?;
        }
        Ok(measure)
    }

    fn walk(&mut self, value: &Value, depth: usize) -> Result<(), TooLarge> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(TooLarge::Many);
        }
        if depth > MOST_DEPTH {
            return Err(TooLarge::Deep);
        }
        self.holds_secret |= value.secret;
        match &value.data {
            Data::Array(items) => items.iter().try_for_each(|it| self.walk(it, depth + 1)),
            Data::Object(members) => members.values().try_for_each(|it| self.walk(it, depth + 1)),
            Data::Unknown(unknown) => {
                self.unknown.get_or_insert_with(|| Arc::clone(unknown));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Whether a value that grows step by step is still one that a call may be given.
pub(super) fn is_in_bounds(value: &Value) -> bool {
    Measure::default().walk(value, 0).is_ok()
}

enum TooLarge {
    Deep,
    Many,
}
