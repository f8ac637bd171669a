//! One type of an id with its name.

use super::rules::Rule;
use super::{Case, parse};
use crate::encoding::encode_name;

/// A type and the name that follows it; at the end of a collection's id there is no name.
///
/// The first segment after a `/providers/` has the namespace in its type: `AWS.EC2/VPC`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    type_text: String,
    name: Option<String>,
}

impl Segment {
    /// Its callers have checked both texts by the rules of the place where it stands.
    pub(super) fn new(type_text: impl Into<String>, name: Option<String>) -> Self {
        Self { type_text: type_text.into(), name }
    }

    /// The type as it was spelled, decoded.
    pub fn type_text(&self) -> &str {
        &self.type_text
    }

    /// The name as it was spelled, decoded.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The namespace, when a `/providers/` stands before this segment.
    pub fn namespace(&self) -> Option<&str> {
        // A slash cannot be part of a namespace or a type, so it always joins the two.
        self.type_text.split_once('/').map(|(namespace, _)| namespace)
    }

    pub(super) fn set_name(&mut self, name: String) {
        self.name = Some(name);
    }

    pub(super) fn take_name(&mut self) {
        self.name = None;
    }

    /// Writes the segment as part of an id, its name by `rule`.
    pub(super) fn write(&self, text: &mut String, rule: Rule, case: Case) {
        if self.namespace().is_some() {
            text.push('/');
            text.push_str(parse::PROVIDERS);
        }
        for word in self.type_text.split('/') {
            text.push('/');
            text.push_str(&encode_name(&folded(word, case)));
        }
        if let Some(name) = &self.name {
            text.push('/');
            text.push_str(&rule.encode(name, case));
        }
    }
}

/// The text as it compares: only ASCII letters have a case here.
pub(super) fn folded(text: &str, case: Case) -> String {
    match case {
        Case::AsRead => text.to_owned(),
        Case::Folded => text.to_ascii_lowercase(),
    }
}
