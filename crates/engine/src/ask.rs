//! What can be asked of an engine, and what it answers at once: plain data.

use std::collections::BTreeMap;
use std::fmt;

use hangar_plan::deployment::{DeploymentTask, OnRemove, Planned};
use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Failure, Held, OperationId};
use hangar_plan::record::{
    AwsScope, DeploymentName, GroupName, OperationRecord, RecipeName, Reference, ReferenceName,
    Repeatability, Subject, Version,
};
use hangar_template::source::{Problem, Sources};
use serde_json::Value;

use crate::recipe::RecipeTerms;

/// What deleting a reference does with the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteMode {
    /// An owned one is deleted, another one left alone.
    ByOwnership,
    /// Left alone.
    Detach,
    /// Deleted.
    Delete,
}

/// What is to be done.
#[derive(Clone)]
pub enum Ask {
    /// Make it so: create, update, or nothing.
    Put {
        /// The resource, where the caller names it (by id, or by properties).
        identifier: Option<String>,
        /// What is wanted; a null member means remove.
        properties: Value,
        /// Values that are secret though the schema does not say so, as RFC 6901 pointers.
        secret_paths: Vec<String>,
        /// Whether the resource may be replaced where only that makes it so.
        replace: bool,
        /// Whether what has the name already is taken in, and then whether it is owned.
        adopt: Option<bool>,
    },
    /// Change some of what is wanted, and leave the rest as it was applied (RFC 7396).
    Patch {
        /// The resource, where the caller names it.
        identifier: Option<String>,
        /// What is to change; a null member means remove.
        properties: Value,
        /// Values that are secret though the schema does not say so.
        secret_paths: Vec<String>,
    },
    /// Apply again what was applied, because the resource has drifted. One that is gone is created again if it is
    /// owned.
    Repair,
    /// Apply again what was applied, and delete what was replaced; creates nothing.
    Tidy,
    /// Delete the resource and the reference.
    Delete {
        /// The resource, where the caller names it.
        identifier: Option<String>,
        /// What becomes of it.
        mode: DeleteMode,
    },
    /// Take in a resource that exists.
    Import {
        /// The resource.
        identifier: String,
        /// Whether deleting the reference will delete it.
        owned: bool,
        /// What is to be applied after.
        properties: Option<Value>,
        /// Values that are secret though the schema does not say so.
        secret_paths: Vec<String>,
    },
}

impl fmt::Debug for Ask {
    /// Without properties: they can hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put { identifier, .. } => write!(f, "Put({identifier:?}, «properties»)"),
            Self::Patch { identifier, .. } => write!(f, "Patch({identifier:?}, «properties»)"),
            Self::Repair => write!(f, "Repair"),
            Self::Tidy => write!(f, "Tidy"),
            Self::Delete { identifier, mode } => write!(f, "Delete({identifier:?}, {mode:?})"),
            Self::Import { identifier, owned, .. } => {
                write!(f, "Import({identifier:?}, owned: {owned}, «properties»)")
            }
        }
    }
}

/// What must be true of the reference when the operation is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Condition {
    /// Nothing.
    #[default]
    None,
    /// It exists, with one of these etags; any where the list is empty (`If-Match: *`).
    Matches(Vec<String>),
    /// It does not exist (`If-None-Match: *`).
    Absent,
    /// It is as this version of it was. No caller can say so: an etag is not of all that a look finds.
    #[doc(hidden)]
    Unmoved(Version),
}

/// The operation on a group that a write is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// It deletes the group: the write is let in while it does, and not after.
    Deletion(OperationId),
    /// It looks for drift: the write is let in while the group takes writes.
    Drift(OperationId),
    /// It deploys a template: the write is let in while the group takes writes.
    Deployment(OperationId),
}

impl Parent {
    /// Its id.
    pub fn id(self) -> OperationId {
        match self {
            Self::Deletion(id) | Self::Drift(id) | Self::Deployment(id) => id,
        }
    }
}

/// One write, as it is asked for.
#[derive(Debug, Clone)]
pub struct Submission {
    /// What it is about.
    pub subject: Subject,
    /// What is to be done.
    pub ask: Ask,
    /// References that must be there before this one and go after it; none: as it was.
    pub depends_on: Option<Vec<ReferenceName>>,
    /// The operation on the group that this one is a part of.
    pub parent: Option<Parent>,
    /// What the deployment says of the alias that this write is a part of.
    pub hold: Option<Hold>,
    /// What a plan says that may be done.
    pub held: Option<Held>,
    /// The name of the new operation, where its parent has chosen one.
    pub id: Option<OperationId>,
    /// What must be true.
    pub condition: Condition,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
}

/// An operation on a group, as it is asked for.
#[derive(Debug, Clone)]
pub struct GroupAsk {
    /// The group.
    pub group: GroupName,
    /// What is to be done with it.
    pub task: GroupTask,
    /// What must be true of the group when the operation is accepted.
    pub condition: Condition,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
}

/// A run of a template, or a look at what it would do, as it is asked for.
#[derive(Clone)]
pub struct DeploymentAsk {
    /// The deployment.
    pub name: DeploymentName,
    /// What is to be done.
    pub task: DeploymentTask,
    /// The files of the template.
    pub sources: Sources,
    /// Which of them is the template.
    pub entry: String,
    /// The path of the template in its project, if the caller gives one.
    pub template_path: Option<String>,
    /// Values of parameters; they may be secret.
    pub parameters: BTreeMap<String, Value>,
    /// Where AWS resources go whose extension does not say.
    pub scope: Option<AwsScope>,
    /// What may be done besides.
    pub leave: Leave,
    /// The plan that the run is held to.
    pub plan: Option<Planned>,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
}

/// A run of a recipe, as it is asked for.
#[derive(Debug, Clone)]
pub struct RecipeAsk {
    /// The recipe.
    pub name: RecipeName,
    /// What it is deployed with; nothing where it is deleted.
    pub terms: Option<RecipeTerms>,
    /// The operation that this one is a part of.
    pub parent: Option<Parent>,
    /// What the deployment says of it that this run is a part of.
    pub hold: Option<Hold>,
    /// The name of the new operation, where its parent has chosen one.
    pub id: Option<OperationId>,
    /// What must be true of the recipe when the operation is accepted.
    pub condition: Condition,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
}

/// What a run may do besides creating and updating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leave {
    /// Replace resources where only that makes them so.
    pub replace: bool,
    /// Take in what has the name already; it is owned then.
    pub adopt: bool,
    /// Leave out resources that cannot be deployed here.
    pub skip_unsupported: bool,
    /// Which aliases the template may name.
    pub reach: Reach,
    /// What becomes of what the template does not name any more.
    pub on_remove: OnRemove,
    /// Which values parameter defaults get.
    pub defaults: DefaultValues,
}

/// Which values parameter defaults with `newGuid()` and `utcNow()` get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DefaultValues {
    /// Those of the run that evaluated them first.
    #[default]
    Kept,
    /// New ones, which are kept from then on.
    Refreshed,
}

/// Which aliases a deployment may manage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Those that no other deployment manages.
    #[default]
    Free,
    /// Also those: they change hands.
    TakeOver,
}

/// What a deployment, as whose part a write is asked for, says of the alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// It manages it from now on.
    Take {
        /// Which deployment.
        by: DeploymentName,
        /// Whether it may be another's.
        reach: Reach,
    },
    /// It takes it away, if it still manages it.
    Release {
        /// Which deployment.
        by: DeploymentName,
    },
}

impl DeploymentAsk {
    /// Takes away what a deployment manages, and forgets it: as a run of a template that names nothing.
    pub fn destroy(name: DeploymentName, on_remove: OnRemove) -> Self {
        let entry = "nothing.bicep".to_owned();
        Self {
            name,
            task: DeploymentTask::Destroy,
            sources: Sources::of(entry.as_str(), "".as_bytes()),
            entry,
            template_path: None,
            parameters: BTreeMap::new(),
            scope: None,
            leave: Leave { on_remove, ..Leave::default() },
            plan: None,
            repeatability: None,
            correlation_id: None,
        }
    }
}

impl fmt::Debug for DeploymentAsk {
    /// Without sources and parameters: they can hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, {}, «sources»)", self.task.as_str(), self.name.id(), self.entry)
    }
}

/// Why a run is not accepted.
#[derive(Debug, Clone)]
pub enum DeploymentRefused {
    /// The template is wrong; nothing was started. Warnings are among the problems.
    Template(Vec<Problem>),
    /// A run of the deployment is under way.
    Running(OperationId),
    /// Anything else.
    For(Failure),
}

impl From<Failure> for DeploymentRefused {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

impl Submission {
    /// A write that asks for nothing beside what is to be done.
    pub fn new(subject: Subject, ask: Ask) -> Self {
        Self {
            subject,
            ask,
            depends_on: None,
            parent: None,
            hold: None,
            held: None,
            id: None,
            condition: Condition::None,
            repeatability: None,
            correlation_id: None,
        }
    }
}

/// An accepted write.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The operation as it was reserved, or as it is now when it was repeated.
    pub record: OperationRecord,
    /// Whether the reference, or the resource, existed before.
    pub existed: bool,
    /// The reference as it was reserved; nothing where the request was repeated, or has none.
    pub reference: Option<Box<Reference>>,
}

/// A resource as the cloud shows it, without what must not be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// As the cloud spells it.
    pub identifier: String,
    /// All that a read returns, marker tag and secrets apart.
    pub properties: Value,
}

/// One page of them.
#[derive(Debug, Clone, PartialEq)]
pub struct LivePage {
    /// The resources.
    pub resources: Vec<Live>,
    /// The cloud's token for the next page.
    pub next: Option<String>,
}
