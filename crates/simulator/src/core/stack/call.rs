//! The calls about stacks, parsed, and what they are answered with.

use super::{Event, MemberStatus, StackStatus, Told};
use crate::core::call::CallName;
use crate::core::time::Timestamp;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StackCall {
    /// Makes a stack.
    CreateStack(Box<Draft>),
    /// Changes one.
    UpdateStack(Box<Draft>),
    /// Deletes one.
    DeleteStack {
        /// Its name or ARN.
        stack: String,
        /// Resources that stay, for one whose deletion failed.
        retained: Vec<String>,
        /// Tells a retry from a new call.
        client_token: Option<String>,
    },
    /// Shows one, or all.
    DescribeStacks {
        /// Its name or ARN.
        stack: Option<String>,
        /// Where the page before ended.
        next_token: Option<String>,
    },
    /// Shows a resource of a stack.
    DescribeStackResource {
        /// The stack's name or ARN.
        stack: String,
        /// Which.
        logical_id: String,
    },
    /// Shows the resources of a stack, the first 100.
    DescribeStackResources {
        /// The stack's name or ARN.
        stack: Option<String>,
        /// Only this one.
        logical_id: Option<String>,
        /// The stack of the resource with this id.
        physical_id: Option<String>,
    },
    /// Lists the resources of a stack.
    ListStackResources {
        /// The stack's name or ARN.
        stack: String,
        /// Where the page before ended.
        next_token: Option<String>,
    },
    /// Lists stacks, deleted ones too.
    ListStacks {
        /// Only those that are so far; all where it is empty.
        statuses: Vec<StackStatus>,
        /// Where the page before ended.
        next_token: Option<String>,
    },
    /// Shows the template of a stack.
    GetTemplate {
        /// The stack's name or ARN.
        stack: String,
    },
    /// Lists what stacks export.
    ListExports {
        /// Where the page before ended.
        next_token: Option<String>,
    },
    /// Lists the stacks that import an export.
    ListImports {
        /// The export.
        export: String,
        /// Where the page before ended.
        next_token: Option<String>,
    },
    /// Lists what happened to a stack, the latest first.
    DescribeStackEvents {
        /// The stack's name or ARN.
        stack: String,
        /// Where the page before ended.
        next_token: Option<String>,
    },
    /// Says whether a template is one.
    ValidateTemplate {
        /// The template.
        source: Source,
    },
}

/// A stack as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its name; its name or ARN where it is to change.
    pub name: String,
    /// Its template.
    pub source: Source,
    /// In the order in which they were given.
    pub parameters: Vec<(String, Argument)>,
    /// Nothing where they stay as they are.
    pub tags: Option<Vec<(String, String)>>,
    /// As given, without effect.
    pub capabilities: Vec<String>,
    /// As given, without effect.
    pub role_arn: Option<String>,
    /// What happens if it fails.
    pub on_failure: OnFailure,
    /// Tells a retry from a new call.
    pub client_token: Option<String>,
}

/// A value for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// This one.
    Value(String),
    /// The one that it has.
    Previous,
}

/// Where a template is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Here.
    Body(String),
    /// In S3.
    Url(String),
    /// In the stack already.
    Previous,
}

/// What becomes of a stack that could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// It stays without its resources.
    Rollback,
    /// It stays with those that were made.
    DoNothing,
    /// It is deleted.
    Delete,
}

/// What a call is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StackReply {
    /// Nothing.
    Done,
    /// The stack's ARN.
    Id(String),
    /// Stacks as they are seen.
    Stacks(Page<StackView>),
    /// A resource of a stack.
    Member(Box<MemberView>),
    /// Resources of a stack.
    Members(Page<MemberView>),
    /// A template.
    Template(String),
    /// Exports: the stack's ARN, and what it tells.
    Exports(Page<(String, Told)>),
    /// Names of stacks.
    Importers(Page<String>),
    /// What happened to a stack: its ARN, its name and the events with their numbers.
    Events {
        /// The stack's ARN.
        stack_id: String,
        /// The stack's name.
        stack_name: String,
        /// The latest first.
        events: Page<(usize, Event)>,
    },
    /// What a template says of itself.
    Validated {
        /// In its own words.
        description: Option<String>,
        /// Name, default, whether it is hidden, description.
        parameters: Vec<(String, Option<String>, bool, Option<String>)>,
    },
}

/// Some of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// These.
    pub items: Vec<T>,
    /// What to give for those after them.
    pub next_token: Option<String>,
}

/// A stack as it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackView {
    /// Its ARN.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What its template says of itself.
    pub description: Option<String>,
    /// How far it is.
    pub status: StackStatus,
    /// Why.
    pub reason: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
    /// Name, value and what SSM has under that name.
    pub parameters: Vec<(String, String, Option<String>)>,
    /// Its tags.
    pub tags: Vec<(String, String)>,
    /// As they were given.
    pub capabilities: Vec<String>,
    /// As it was given.
    pub role_arn: Option<String>,
    /// Whether what fails stays.
    pub disable_rollback: bool,
    /// The stack that it is a resource of.
    pub parent_id: Option<String>,
    /// The outermost of those.
    pub root_id: Option<String>,
    /// What it tells.
    pub outputs: Vec<Told>,
}

/// A resource of a stack as it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberView {
    /// The stack's ARN.
    pub stack_id: String,
    /// The stack's name.
    pub stack_name: String,
    /// Its name in the template.
    pub logical_id: String,
    /// What `Ref` gives, once it is known.
    pub physical_id: Option<String>,
    /// Its type.
    pub type_name: String,
    /// How far it is.
    pub status: MemberStatus,
    /// Why.
    pub reason: Option<String>,
    /// Since when.
    pub at: Timestamp,
}

impl StackCall {
    /// What is called.
    pub const fn name(&self) -> CallName {
        match self {
            Self::CreateStack(_) => CallName::CreateStack,
            Self::UpdateStack(_) => CallName::UpdateStack,
            Self::DeleteStack { .. } => CallName::DeleteStack,
            Self::DescribeStacks { .. } => CallName::DescribeStacks,
            Self::DescribeStackResource { .. } => CallName::DescribeStackResource,
            Self::DescribeStackResources { .. } => CallName::DescribeStackResources,
            Self::ListStackResources { .. } => CallName::ListStackResources,
            Self::ListStacks { .. } => CallName::ListStacks,
            Self::GetTemplate { .. } => CallName::GetTemplate,
            Self::ListExports { .. } => CallName::ListExports,
            Self::ListImports { .. } => CallName::ListImports,
            Self::DescribeStackEvents { .. } => CallName::DescribeStackEvents,
            Self::ValidateTemplate { .. } => CallName::ValidateTemplate,
        }
    }

    /// The stack that it names, by name or ARN.
    pub fn stack(&self) -> Option<&str> {
        match self {
            Self::CreateStack(draft) | Self::UpdateStack(draft) => Some(&draft.name),
            Self::DeleteStack { stack, .. }
            | Self::DescribeStackResource { stack, .. }
            | Self::ListStackResources { stack, .. }
            | Self::GetTemplate { stack }
            | Self::DescribeStackEvents { stack, .. } => Some(stack),
            Self::DescribeStacks { stack, .. } | Self::DescribeStackResources { stack, .. } => {
                stack.as_deref()
            }
            _ => None,
        }
    }
}
