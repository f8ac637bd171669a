//! One resource type, compiled: what its properties are, what may be done with them, and how its
//! resources are named. Made once per type; every other function of this crate works on it.

mod compile;

use serde_json::Value;

use crate::class::{Class, Classes};
use crate::handlers::Handlers;
use crate::node::{NodeId, Nodes};
use crate::overrides::RefusedRepeat;
use crate::pattern::Kept;
use crate::pointer::{PropertyPointer, Step};
use crate::shape::{ShapeId, Shapes};
use crate::tagging::Tagging;
use crate::transform::Transform;

/// Where a schema comes from, and so how far its refusals can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// As AWS publishes it.
    Aws,
    /// As cfn-lint carries it: restricted beyond what AWS refuses.
    CfnLint,
    /// A file that the user gave.
    File,
}

impl Source {
    /// The word used in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::CfnLint => "cfn-lint",
            Self::File => "file",
        }
    }

    /// Which edition of it the bundled catalog has; `NOTICE` tells more.
    pub const fn edition(self) -> Option<&'static str> {
        match self {
            Self::Aws => Some("as AWS published it on 2026-08-03"),
            Self::CfnLint => Some("as cfn-lint 1.58.0 contains it"),
            Self::File => None,
        }
    }
}

/// In which order a replacement works, where the schema says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacementStrategy {
    /// Make the new one, then delete the old one.
    CreateThenDelete,
    /// Delete the old one, then make the new one.
    DeleteThenCreate,
}

/// Who chooses the primary identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifierChoice {
    /// The caller, always: every part is a required property.
    CallerChosen,
    /// The caller may; the service makes up what is left out.
    Optional,
    /// The service: some part is read-only.
    Generated,
}

impl IdentifierChoice {
    /// The words used in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallerChosen => "caller-chosen",
            Self::Optional => "optional",
            Self::Generated => "generated",
        }
    }
}

/// Something in a schema that leads nowhere; reported, never fatal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The keyword that holds it (`readOnlyProperties`, `$ref`, …).
    pub keyword: &'static str,
    /// The text as written.
    pub text: String,
}

/// The pointers of each class, resolved, as the schema lists them.
#[derive(Debug, Clone, Default)]
pub struct PropertyLists {
    /// Returned by reads, never set by a caller.
    pub read_only: Vec<PropertyPointer>,
    /// Set at creation only.
    pub create_only: Vec<PropertyPointer>,
    /// Set by a caller, never returned.
    pub write_only: Vec<PropertyPointer>,
    /// Can be updated under conditions.
    pub conditional_create_only: Vec<PropertyPointer>,
    /// Still accepted.
    pub deprecated: Vec<PropertyPointer>,
    /// Used but not visible.
    pub non_public: Vec<PropertyPointer>,
}

/// Why a document is not a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Not an object.
    #[error("a resource type schema must be a JSON object")]
    NotAnObject,
    /// No `typeName`.
    #[error("the schema has no `typeName`")]
    NoTypeName,
    /// No `properties`.
    #[error("the schema of {type_name} has no `properties`")]
    NoProperties {
        /// The type.
        type_name: String,
    },
}

/// A compiled resource type.
#[derive(Debug)]
pub struct TypeSchema {
    name: String,
    source: Source,
    arn_template: Option<String>,
    pub(crate) nodes: Nodes,
    pub(crate) root_node: NodeId,
    pub(crate) shapes: Shapes,
    pub(crate) root_shape: ShapeId,
    pub(crate) classes: Classes,
    pub(crate) transforms: Vec<Option<Transform>>,
    pub(crate) removal_values: Vec<Value>,
    pub(crate) keywords: Vec<Value>,
    pub(crate) refused_repeats: Vec<RefusedRepeat>,
    lists: PropertyLists,
    primary_identifier: Vec<PropertyPointer>,
    additional_identifiers: Vec<Vec<PropertyPointer>>,
    handlers: Handlers,
    tagging: Tagging,
    tag_property: Option<PropertyPointer>,
    replacement_strategy: Option<ReplacementStrategy>,
    unresolved: Vec<Unresolved>,
    pub(crate) patterns: Kept,
}

impl TypeSchema {
    pub(crate) fn with_arn_template(mut self, template: Option<String>) -> Self {
        self.arn_template = template;
        self
    }

    /// The name in CloudFormation's spelling, `AWS::EC2::VPC`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the schema comes from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The shape of the type's ARNs, where it is known: `arn:${Partition}:ec2:…`.
    pub fn arn_template(&self) -> Option<&str> {
        self.arn_template.as_deref()
    }

    /// The pointers of each class.
    pub fn lists(&self) -> &PropertyLists {
        &self.lists
    }

    /// The parts of the primary identifier, in order.
    pub fn primary_identifier(&self) -> &[PropertyPointer] {
        &self.primary_identifier
    }

    /// Other sets of properties that name a resource.
    pub fn additional_identifiers(&self) -> &[Vec<PropertyPointer>] {
        &self.additional_identifiers
    }

    /// What can be done with the type.
    pub fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    /// How the type is tagged.
    pub fn tagging(&self) -> Tagging {
        self.tagging
    }

    /// Where the tags are, if the type has any.
    pub fn tag_property(&self) -> Option<&PropertyPointer> {
        self.tag_property.as_ref()
    }

    /// In which order a replacement works, where the schema says.
    pub fn replacement_strategy(&self) -> Option<ReplacementStrategy> {
        self.replacement_strategy
    }

    /// What leads nowhere in the schema.
    pub fn unresolved(&self) -> &[Unresolved] {
        &self.unresolved
    }

    /// The names of the top-level properties that must be given.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.nodes.get(self.root_node).required.iter().map(AsRef::as_ref)
    }

    /// The names of the top-level properties, sorted.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        self.shapes.get(self.root_shape).members().map(|(name, _)| name)
    }

    /// How many property transforms the schema states.
    pub fn transform_count(&self) -> usize {
        self.transforms.len()
    }

    /// Who chooses the identifier; none where the type has none.
    pub fn identifier_choice(&self) -> Option<IdentifierChoice> {
        if self.primary_identifier.is_empty() {
            return None;
        }
        let mut choice = IdentifierChoice::CallerChosen;
        for part in &self.primary_identifier {
            let place = self.place_of(part);
            if self.classes.at(place).has(Class::ReadOnly) {
                return Some(IdentifierChoice::Generated);
            }
            if !self.is_required(part) {
                choice = IdentifierChoice::Optional;
            }
        }
        Some(choice)
    }

    /// How a property may be used, in words, for people.
    pub fn classes_of(&self, pointer: &PropertyPointer) -> crate::class::ClassSet {
        self.classes.at(self.place_of(pointer))
    }

    /// The JSON types that the schema allows at a place, in words; empty when it does not say.
    pub fn kinds_at(&self, pointer: &PropertyPointer) -> crate::kind::Kinds {
        self.shapes.get(self.shape_at(pointer)).kinds
    }

    /// What describes a place; nothing where the schema does not.
    pub fn outline_at(&self, pointer: &PropertyPointer) -> Option<crate::outline::Outline<'_>> {
        pointer.steps().iter().try_fold(self.outline(), |at, step| match step {
            Step::Member(name) => at.find_member(name).or_else(|| at.others()),
            Step::Each => at.element().or_else(|| at.others()),
        })
    }

    fn place_of(&self, pointer: &PropertyPointer) -> crate::class::Place {
        pointer.steps().iter().fold(Classes::ROOT, |place, step| match step {
            Step::Member(name) => self.classes.member(place, name),
            Step::Each => self.classes.element(place),
        })
    }

    fn shape_at(&self, pointer: &PropertyPointer) -> ShapeId {
        pointer.steps().iter().fold(self.root_shape, |at, step| {
            let shape = self.shapes.get(at);
            match step {
                Step::Member(name) => shape.member(name),
                Step::Each if shape.has_elements() => shape.element(),
                Step::Each => shape.find_other().unwrap_or(ShapeId::UNKNOWN),
            }
        })
    }

    /// Whether every step of a pointer is a required member of the object that holds it.
    pub fn is_required(&self, pointer: &PropertyPointer) -> bool {
        let mut node = self.root_node;
        for step in pointer.steps() {
            let Step::Member(name) = step else { return false };
            let here = self.nodes.get(node);
            if !here.required.iter().any(|required| required == name) {
                return false;
            }
            let Some(next) = here.member(name) else { return false };
            node = self.nodes.get(next).reference.unwrap_or(next);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editions_are_those_of_the_notice() {
        let notice = include_str!("../../../NOTICE");
        for (source, words) in
            [(Source::Aws, "schemas refreshed "), (Source::CfnLint, "carried by ")]
        {
            let (_, after) = notice.split_once(words).unwrap();
            let edition = after.split([')', '\n']).next().unwrap();
            assert!(source.edition().unwrap().contains(edition.trim()), "{edition}");
        }
    }
}
