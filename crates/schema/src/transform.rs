//! `propertyTransform`: how a service rewrites a property before it stores it.
//!
//! Schemas state it in a small part of `JSONata`, with alternatives parted by `$OR`. It is used for
//! one thing only: to prove that a live value is the desired one in other words. What cannot be
//! parsed or evaluated proves nothing, and is never an error.

mod evaluate;
mod function;
mod parse;
mod text;
mod tree;

use serde_json::Value;

use crate::pattern::{Pattern, Verdict};
use crate::same::same;
use tree::Expression;

/// A parsed expression: the alternatives that `$OR` parts.
///
/// ```
/// # use hangar_schema::transform::Transform;
/// # use serde_json::json;
/// let transform = Transform::parse(r#"Name $OR $lowercase($join([Name, "."]))"#).unwrap();
/// let desired = json!({"Name": "Example.com"});
/// assert!(transform.proves_equal(&desired, &desired, &json!("example.com.")));
/// assert!(!transform.proves_equal(&desired, &desired, &json!("example.org.")));
/// ```
#[derive(Debug, Clone)]
pub struct Transform {
    alternatives: Vec<Expression>,
}

/// What one alternative says the live value may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The value itself.
    pub value: Value,
    /// The value as a regular expression for all of a live text, where the schema wrote parts of
    /// it as one. Parts that come from the document stand for themselves.
    pub pattern: Option<String>,
}

impl Transform {
    /// Parses an expression; `None` when it is beyond the part of the language that is known.
    pub fn parse(text: &str) -> Option<Self> {
        parse::alternatives(text).map(|alternatives| Self { alternatives })
    }

    /// The outcome of each alternative that has one, in order.
    ///
    /// Both documents are desired ones: `holder` is the object that holds the property, in which
    /// names are looked up first, and `root` the whole, in which they are looked up next. An
    /// alternative with a name that neither has yields nothing.
    pub fn candidates(&self, holder: &Value, root: &Value) -> Vec<Outcome> {
        self.alternatives
            .iter()
            .filter_map(|alternative| evaluate::outcome(alternative, holder, root))
            .collect()
    }

    /// Whether some alternative turns the desired documents into this live value. An absent live
    /// value is passed as null.
    pub fn proves_equal(&self, holder: &Value, root: &Value, live: &Value) -> bool {
        self.candidates(holder, root).iter().any(|outcome| outcome.fits(live))
    }
}

impl Transform {
    /// Whether an alternative that looks at the desired documents turns them into this live value.
    /// One that is only a written text (`"^[a-z-]+$"`) fits whatever is desired, and so cannot tell
    /// a change from its absence.
    pub fn follows_desired(&self, holder: &Value, root: &Value, live: &Value) -> bool {
        self.alternatives
            .iter()
            .filter(|alternative| !matches!(alternative, Expression::Text(_)))
            .filter_map(|alternative| evaluate::outcome(alternative, holder, root))
            .any(|outcome| outcome.fits(live))
    }
}

impl Outcome {
    /// Whether a live value is the one foretold, or matches its expression from end to end.
    pub fn fits(&self, live: &Value) -> bool {
        if same(&self.value, live) {
            return true;
        }
        match (&self.pattern, live) {
            (Some(pattern), Value::String(text)) => {
                Pattern::compile(pattern).matches_whole(text) == Verdict::Match
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
