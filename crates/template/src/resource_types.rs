//! The types behind `resourceInput<…>` and `resourceOutput<…>`, from a source that the caller passes.
//!
//! Nothing here knows a schema: a type is a graph of forms, which may lead back to itself.

use std::fmt;
use std::sync::Arc;

use hangar_diag::Severity;
use hangar_ids::TypeName;

use crate::value::{Kind, Value};

/// A source of types of AWS resources.
pub trait ResourceTypes: Send + Sync {
    /// The type of a resource, as it is declared or as it is read.
    fn find(&self, type_name: &TypeName, side: ResourceSide) -> ResourceTypeLookup;
}

/// Which of the two types of a resource is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceSide {
    /// `resourceInput<…>`: what is declared.
    Input,
    /// `resourceOutput<…>`: what is read.
    Output,
}

/// The answer of a source.
#[derive(Debug, Clone)]
pub enum ResourceTypeLookup {
    /// The type.
    Found(Arc<ResourceType>),
    /// There is no such type; perhaps one of a similar name, as templates write it.
    Missing {
        /// That name.
        near: Option<String>,
    },
}

/// A type as a graph.
#[derive(Debug, Clone, Default)]
pub struct ResourceType {
    /// The types that others refer to by their index. The first is that of the resource.
    pub nodes: Vec<ResourceNode>,
}

/// One type of a graph.
#[derive(Debug, Clone)]
pub struct ResourceNode {
    /// The name that messages give it.
    pub name: Arc<str>,
    /// Its values.
    pub form: ResourceForm,
    /// The fewest characters or items.
    pub min_length: Option<i64>,
    /// The most characters or items.
    pub max_length: Option<i64>,
    /// The least number.
    pub min_value: Option<i64>,
    /// The greatest number.
    pub max_value: Option<i64>,
    /// What texts are held to beyond their length.
    pub text_rules: Option<Arc<dyn TextRules>>,
}

/// What texts are held to beyond their length, such as a pattern.
pub trait TextRules: fmt::Debug + Send + Sync {
    /// What is wrong with a text, the worst first.
    fn check(&self, text: &str) -> Option<TextFault>;
}

/// What is wrong with a text. The text itself is not repeated: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFault {
    /// An error if AWS refuses the text for certain.
    pub severity: Severity,
    /// The rest of a sentence whose subject is the text.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// What the values of a type are.
#[derive(Debug, Clone)]
pub enum ResourceForm {
    /// Anything.
    Any,
    /// Any value of a kind.
    Kind(Kind),
    /// One of these values, which are of one kind.
    OneOf(Vec<Value>),
    /// A list of items of the type with this index.
    List(usize),
    /// Names and values.
    Object {
        /// The members that are named.
        members: Vec<ResourceMember>,
        /// The type of the others, if there may be any.
        others: Option<usize>,
        /// Whether members that are not named are mistakes.
        is_closed: bool,
    },
}

/// A member of an object.
#[derive(Debug, Clone)]
pub struct ResourceMember {
    /// Its name.
    pub name: Arc<str>,
    /// The index of its type.
    pub node: usize,
    /// Whether it must be there.
    pub is_required: bool,
}

/// A step from a type to a part of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ResourceStep<'a> {
    Member(&'a str),
    OtherMembers,
    Items,
}

impl ResourceType {
    /// The part that steps lead to.
    pub(crate) fn part<'a>(
        &self,
        steps: impl IntoIterator<Item = ResourceStep<'a>>,
    ) -> Option<&ResourceNode> {
        let mut node = self.nodes.first()?;
        for step in steps {
            let next = match (step, &node.form) {
                (ResourceStep::Member(name), ResourceForm::Object { members, .. }) => {
                    members.iter().find(|member| *member.name == *name)?.node
                }
                (ResourceStep::OtherMembers, ResourceForm::Object { others, .. }) => (*others)?,
                (ResourceStep::Items, ResourceForm::List(item)) => *item,
                _ => return None,
            };
            node = self.nodes.get(next)?;
        }
        Some(node)
    }
}

impl ResourceForm {
    /// The kind of its values, if they have only one.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Any => None,
            Self::Kind(kind) => Some(*kind),
            Self::OneOf(values) => values.first()?.kind(),
            Self::List(_) => Some(Kind::Array),
            Self::Object { .. } => Some(Kind::Object),
        }
    }
}

/// The source that files are compiled with, if any.
#[derive(Clone, Default)]
pub(crate) struct ResourceTypeSource(pub(crate) Option<Arc<dyn ResourceTypes>>);

impl ResourceTypeSource {
    /// The type that a text such as `AWS.SQS/Queue@default` names; nothing if the text names no type of AWS, or no
    /// source was passed.
    pub(crate) fn find(&self, written: &str, side: ResourceSide) -> Option<ResourceTypeLookup> {
        let source = self.0.as_ref()?;
        let (name, _) = written.split_once('@')?;
        let is_aws = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("aws."));
        let type_name = TypeName::parse(name).ok().filter(|_| is_aws)?;
        Some(source.find(&type_name, side))
    }
}

impl fmt::Debug for ResourceTypeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResourceTypeSource").field(&self.0.is_some()).finish()
    }
}
