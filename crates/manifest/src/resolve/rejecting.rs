//! A resolver that resolves nothing: it tells which references are none.

use serde_json::Value;

use super::resolver::{Context, Resolution, Resolver};
use super::{Problem, codes};
use crate::reference::{Found, find};

/// Refuses what begins like a reference and is none; keeps all else.
#[derive(Debug, Default)]
pub struct Rejecting {
    references: usize,
}

impl Rejecting {
    /// How many references were well formed.
    pub fn references(&self) -> usize {
        self.references
    }
}

impl Resolver for Rejecting {
    fn resolve(&mut self, _context: &Context<'_>, value: &Value) -> Resolution {
        let Value::String(text) = value else { return Resolution::Keep };
        for occurrence in find(text) {
            match occurrence.found {
                Found::Reference(_) => self.references += 1,
                Found::Escaped => {}
                Found::Wrong(error) => {
                    let message = format!("`{}`: {error}", &text[occurrence.range]);
                    let problem = Problem::new(codes::MALFORMED, message).hint(error.hint);
                    return Resolution::Refuse(Box::new(problem));
                }
            }
        }
        Resolution::Keep
    }
}
