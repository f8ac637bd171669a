//! An operation as it is kept: the machine's state and what the edges need to know of it.

use hangar_ids::TypeName;
use serde::{Deserialize, Serialize};

use super::group::GroupName;
use super::reference::{AwsScope, ReferenceName};
use super::{Calls, Epoch, Version};
use crate::deployment::{DeploymentTask, DeploymentWork};
use crate::group::{GroupTask, GroupWork};
use crate::operation::{Attempt, Ending, Operation, OperationId};
use crate::recipe::RecipeWork;
use crate::{Timestamp, WaitCode, WaitReason, Waiting};

/// What an operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Account and region.
    pub scope: AwsScope,
    /// The type, in the catalog's spelling.
    #[serde(with = "crate::text::type_name")]
    pub type_name: TypeName,
    /// The reference, where there is one.
    pub reference: Option<ReferenceName>,
    /// What its caller marked secret though the schema does not say so, as RFC 6901 pointers.
    #[serde(default)]
    pub secret_paths: Vec<String>,
}

impl Subject {
    /// A type in a place, by a reference or without one; nothing is marked secret.
    pub fn new(scope: AwsScope, type_name: TypeName, reference: Option<ReferenceName>) -> Self {
        Self { scope, type_name, reference, secret_paths: Vec::new() }
    }

    /// The collection that the resource is in.
    pub fn collection(&self) -> String {
        format!("{}/providers/{}", self.scope, self.type_name.ucp())
    }

    /// One key for one resource of the cloud: identifiers keep their case, and an account is the same
    /// with and without its leading zeros.
    pub fn resource_key(&self, identifier: &str) -> String {
        let AwsScope { plane, account, region } = &self.scope;
        let account = account.padded();
        let type_name = self.type_name.ucp();
        let place = format!("{plane}/{account}/{region}/{type_name}").to_ascii_lowercase();
        format!("{place}/{identifier}")
    }
}

/// A caller's own name for a request: the same again is the same operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeatability {
    /// What the caller calls the request.
    pub request_id: String,
    /// A keyed hash of method, path and body.
    pub body_hash: String,
}

/// A write on one resource: the machine, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceWork {
    /// The machine.
    pub operation: Operation,
    /// What it is about.
    pub subject: Subject,
}

/// What an operation does: one resource, or many by operations of their own.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// One resource.
    Resource(Box<ResourceWork>),
    /// All references of a group.
    Group(Box<GroupWork>),
    /// All resources of a template.
    Deployment(Box<DeploymentWork>),
    /// A run of a recipe.
    Recipe(Box<RecipeWork>),
}

/// An operation as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRecord {
    /// What it does, and how far it is.
    pub work: Work,
    /// The operation on a group, or the deployment, that it is a part of.
    pub parent: Option<OperationId>,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
    /// What its caller should know besides.
    pub warnings: Vec<String>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it last moved.
    pub updated_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When a worker should look at it; never again where there is none.
    pub due_at: Option<Timestamp>,
    /// Calls of the cloud that were made for it alone.
    pub calls: Calls,
    /// How often it was leased.
    pub epoch: Epoch,
    /// How often it was written.
    pub version: Version,
}

impl OperationRecord {
    /// A new operation, due at once.
    pub fn new(work: Work, now: Timestamp) -> Self {
        Self {
            work,
            parent: None,
            repeatability: None,
            correlation_id: None,
            warnings: Vec::new(),
            created_at: now,
            updated_at: now,
            ended_at: None,
            due_at: Some(now),
            calls: Calls::default(),
            epoch: Epoch(0),
            version: Version(0),
        }
    }

    /// Its name.
    pub fn id(&self) -> OperationId {
        match &self.work {
            Work::Resource(work) => work.operation.id,
            Work::Group(work) => work.id,
            Work::Deployment(work) => work.id,
            Work::Recipe(work) => work.id,
        }
    }

    /// The word for what it is for, used in answers, logs and metrics.
    pub fn kind(&self) -> &'static str {
        match &self.work {
            Work::Resource(work) => work.operation.kind.as_str(),
            Work::Group(work) => work.task.as_str(),
            Work::Deployment(work) => work.task.as_str(),
            Work::Recipe(work) => work.task.as_str(),
        }
    }

    /// Whether it only reads AWS: a plan, or a look for drift that changes nothing.
    pub fn is_read_only(&self) -> bool {
        match &self.work {
            Work::Deployment(work) => work.task == DeploymentTask::Plan,
            Work::Group(work) => work.task == GroupTask::Drift { repair: false, prune: false },
            Work::Resource(_) | Work::Recipe(_) => false,
        }
    }

    /// How it ended.
    pub fn ending(&self) -> Option<&Ending> {
        match &self.work {
            Work::Resource(work) => work.operation.ending.as_ref(),
            Work::Group(work) => work.ending.as_ref(),
            Work::Deployment(work) => work.ending.as_ref(),
            Work::Recipe(work) => work.ending.as_ref(),
        }
    }

    /// Whether its caller has been told the end.
    pub fn is_ended(&self) -> bool {
        self.ending().is_some()
    }

    /// Why it waits, while it is under way and waits for anything but its own work.
    pub fn waiting(&self) -> Option<Waiting> {
        if self.is_ended() {
            return None;
        }
        if self.epoch == Epoch(0) {
            let reason = WaitReason::new(WaitCode::Queued, "no worker has started it yet");
            return Some(reason.since(self.created_at, None, 0));
        }
        match &self.work {
            Work::Resource(work) => work.operation.waiting.clone(),
            Work::Group(work) => work.waiting.clone(),
            Work::Deployment(work) => work.waits(),
            Work::Recipe(work) => work.waiting.clone(),
        }
    }

    /// Whether its caller wants it stopped.
    pub fn is_stop_wanted(&self) -> bool {
        match &self.work {
            Work::Resource(work) => work.operation.cancel_requested,
            Work::Group(work) => work.cancel_requested,
            Work::Deployment(work) => work.cancel_requested,
            Work::Recipe(work) => work.cancel_requested,
        }
    }

    /// Notes that its caller wants it stopped.
    pub fn want_stop(&mut self) {
        match &mut self.work {
            Work::Resource(work) => work.operation.cancel_requested = true,
            Work::Group(work) => work.cancel_requested = true,
            Work::Deployment(work) => work.cancel_requested = true,
            Work::Recipe(work) => work.cancel_requested = true,
        }
    }

    /// Its calls; an operation on a group makes none itself.
    pub fn attempts(&self) -> &[Attempt] {
        self.resource().map(|work| work.operation.attempts.as_slice()).unwrap_or_default()
    }

    /// The write on one resource, if it is one.
    pub fn resource(&self) -> Option<&ResourceWork> {
        match &self.work {
            Work::Resource(work) => Some(work),
            Work::Group(_) | Work::Deployment(_) | Work::Recipe(_) => None,
        }
    }

    /// The write on one resource, if it is one.
    pub fn resource_mut(&mut self) -> Option<&mut ResourceWork> {
        match &mut self.work {
            Work::Resource(work) => Some(work),
            Work::Group(_) | Work::Deployment(_) | Work::Recipe(_) => None,
        }
    }

    /// The reference that it works on.
    pub fn reference(&self) -> Option<&ReferenceName> {
        self.resource().and_then(|work| work.subject.reference.as_ref())
    }

    /// The group that it works in.
    pub fn group(&self) -> Option<&GroupName> {
        match &self.work {
            Work::Resource(work) => work.subject.reference.as_ref().map(|name| &name.group),
            Work::Group(work) => Some(&work.group),
            Work::Deployment(work) => Some(&work.deployment.group),
            Work::Recipe(work) => Some(&work.recipe.group),
        }
    }
}
