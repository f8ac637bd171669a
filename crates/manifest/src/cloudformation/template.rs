//! A template, read from a JSON tree: its sections with what matters of them, and the order of its resources.
//!
//! Functions are left as they are; [`intrinsic`](super::intrinsic) evaluates them. `Metadata` and `Rules` are
//! passed over: the only rule that CDK writes asks for a bootstrap that is new enough.

mod order;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// A template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// What it says of itself.
    pub description: Option<String>,
    /// By name.
    pub parameters: BTreeMap<String, Parameter>,
    /// Map, first key, second key, value.
    pub mappings: Map<String, Value>,
    /// Expressions by name.
    pub conditions: BTreeMap<String, Value>,
    /// By logical id.
    pub resources: BTreeMap<String, Resource>,
    /// By key.
    pub outputs: BTreeMap<String, Output>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// What it takes.
    pub kind: ParameterKind,
    /// What it says of itself.
    pub description: Option<String>,
    /// The value where none is given.
    pub default: Option<String>,
    /// Whether the value is never shown.
    pub no_echo: bool,
    /// The only values; all where it is empty.
    pub allowed_values: Vec<String>,
}

/// The type of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterKind {
    /// One value: `String`, `Number` or a type of AWS's (`AWS::EC2::VPC::Id`).
    Single(String),
    /// Several with commas between: `CommaDelimitedList`, `List<…>`.
    List(String),
    /// The name of a parameter of SSM, whose value is one value.
    Ssm(String),
    /// The name of a parameter of SSM, whose value is several with commas between.
    SsmList(String),
}

impl ParameterKind {
    /// As it is written in a template.
    pub fn parse(text: &str) -> Self {
        let is_list = |inner: &str| inner.starts_with("List<") || inner == "CommaDelimitedList";
        let name = text.to_owned();
        match text.strip_prefix("AWS::SSM::Parameter::Value<") {
            Some(inner) if is_list(inner.trim_end_matches('>')) || is_list(inner) => {
                Self::SsmList(name)
            }
            Some(_) => Self::Ssm(name),
            None if is_list(text) => Self::List(name),
            None => Self::Single(name),
        }
    }

    /// Whether `Ref` gives a list.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_) | Self::SsmList(_))
    }

    /// Whether the value is to be looked up in SSM.
    pub fn is_ssm(&self) -> bool {
        matches!(self, Self::Ssm(_) | Self::SsmList(_))
    }
}

/// A resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its type (`AWS::S3::Bucket`, `Custom::Thing`).
    pub type_name: String,
    /// Its properties with functions in them; an object.
    pub properties: Value,
    /// What must be there first.
    pub depends_on: BTreeSet<String>,
    /// The condition under which it is there.
    pub condition: Option<String>,
    /// What happens to it when it leaves the stack.
    pub deletion_policy: Policy,
    /// What happens to the old one when a new one takes its place.
    pub update_replace_policy: Policy,
}

/// What becomes of a resource that a stack no longer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// It is deleted.
    #[default]
    Delete,
    /// It stays.
    Retain,
    /// It stays, unless it was just made by what failed.
    RetainExceptOnCreate,
    /// It is deleted when a snapshot was taken.
    Snapshot,
}

/// An output.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its value, an expression.
    pub value: Value,
    /// What it says of itself.
    pub description: Option<String>,
    /// The name that other stacks import it by, an expression.
    pub export: Option<Value>,
    /// The condition under which it is there.
    pub condition: Option<String>,
}

/// Why a tree is no template, in the words of CloudFormation where they are known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It is not what a template looks like.
    #[error("Template format error: {0}")]
    Format(String),
    /// It needs a macro.
    #[error("Transform {0} is not supported: macros run only in AWS")]
    Transform(String),
    /// Sections that there are not.
    #[error("Invalid template property or properties [{}]", .0.join(", "))]
    Sections(Vec<String>),
    /// Names that nothing has.
    #[error(
        "Template format error: Unresolved resource dependencies [{}] in the {section} block of the template",
        names.join(", ")
    )]
    Unresolved {
        /// The names.
        names: Vec<String>,
        /// Where they are used.
        section: &'static str,
    },
    /// A condition that there is not.
    #[error("Template format error: Unrecognized condition {0}")]
    NoCondition(String),
    /// Resources that wait for each other.
    #[error("Circular dependency between resources: [{}]", .0.join(", "))]
    Circular(Vec<String>),
    /// Conditions that name each other.
    #[error("Template format error: Circular dependency between conditions: [{}]", .0.join(", "))]
    CircularConditions(Vec<String>),
}
