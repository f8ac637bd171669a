//! Stacks of CloudFormation: what is kept of them, and what of that is seen at an instant.
//!
//! All of a deployment is decided when it is called for; what is seen of it follows the instants that
//! were drawn then, as with requests of Cloud Control.

mod attribute;
pub mod call;
mod change;
mod create;
mod delete;
mod deploy;
mod dynamic;
mod exports;
mod fit;
mod lookup;
mod member;
mod name;
mod nested;
mod parameters;
mod prepare;
mod read;
mod source;
mod update;

pub use source::MAX_ASSET;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::names::names;
use super::time::Timestamp;

names! {
    /// How far a stack is.
    StackStatus {
        /// Being made.
        CreateInProgress = "CREATE_IN_PROGRESS",
        /// Not made, and left as it is.
        CreateFailed = "CREATE_FAILED",
        /// Made.
        CreateComplete = "CREATE_COMPLETE",
        /// Being taken back.
        RollbackInProgress = "ROLLBACK_IN_PROGRESS",
        /// Taken back.
        RollbackComplete = "ROLLBACK_COMPLETE",
        /// Being deleted.
        DeleteInProgress = "DELETE_IN_PROGRESS",
        /// Not deleted.
        DeleteFailed = "DELETE_FAILED",
        /// Deleted.
        DeleteComplete = "DELETE_COMPLETE",
        /// Being changed.
        UpdateInProgress = "UPDATE_IN_PROGRESS",
        /// Changed, but for what is to go.
        UpdateCleanup = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
        /// Changed.
        UpdateComplete = "UPDATE_COMPLETE",
        /// Being changed back.
        UpdateRollbackInProgress = "UPDATE_ROLLBACK_IN_PROGRESS",
        /// Changed back.
        UpdateRollbackComplete = "UPDATE_ROLLBACK_COMPLETE",
    }
}

impl StackStatus {
    /// Whether something is still to happen.
    pub fn is_in_progress(self) -> bool {
        self.as_str().ends_with("IN_PROGRESS")
    }
}

names! {
    /// How far a resource of a stack is.
    MemberStatus {
        /// Being made.
        CreateInProgress = "CREATE_IN_PROGRESS",
        /// Not made.
        CreateFailed = "CREATE_FAILED",
        /// Made.
        CreateComplete = "CREATE_COMPLETE",
        /// Being changed.
        UpdateInProgress = "UPDATE_IN_PROGRESS",
        /// Not changed.
        UpdateFailed = "UPDATE_FAILED",
        /// Changed.
        UpdateComplete = "UPDATE_COMPLETE",
        /// Being deleted.
        DeleteInProgress = "DELETE_IN_PROGRESS",
        /// Not deleted.
        DeleteFailed = "DELETE_FAILED",
        /// Deleted.
        DeleteComplete = "DELETE_COMPLETE",
        /// Left where it is.
        DeleteSkipped = "DELETE_SKIPPED",
    }
}

/// A status from an instant on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step<S> {
    /// The status.
    pub status: S,
    /// From then on.
    pub at: Timestamp,
    /// Why, in AWS's words.
    pub reason: Option<String>,
}

/// Statuses in the order of their instants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course<S>(Vec<Step<S>>);

impl<S: Copy> Course<S> {
    /// One that begins so.
    pub fn begun(status: S, at: Timestamp, reason: Option<String>) -> Self {
        Self(vec![Step { status, at, reason }])
    }

    /// Goes on; never before what came last.
    pub fn then(&mut self, status: S, at: Timestamp, reason: Option<String>) {
        let at = self.0.last().map_or(at, |last| last.at.max(at));
        self.0.push(Step { status, at, reason });
    }

    /// The status at an instant; the first before any.
    pub fn at(&self, now: Timestamp) -> Option<&Step<S>> {
        self.0.iter().rev().find(|step| step.at <= now).or(self.0.first())
    }

    /// Whether it has begun.
    pub fn has_begun(&self, now: Timestamp) -> bool {
        self.0.first().is_some_and(|step| step.at <= now)
    }

    /// The last status, whenever that is.
    pub fn last(&self) -> Option<&Step<S>> {
        self.0.last()
    }

    /// Forgets all but what is seen now.
    pub fn settle(&mut self, now: Timestamp) {
        let seen = self.at(now).cloned();
        self.0 = seen.into_iter().collect();
    }
}

impl Course<StackStatus> {
    /// The first step that is not an end.
    fn first_open(&self) -> Option<&Step<StackStatus>> {
        self.0.iter().find(|step| step.status.is_in_progress())
    }
}

/// A stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// Its ARN.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What the template says of itself.
    pub description: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// When it is gone.
    pub deleted_at: Option<Timestamp>,
    /// The template as it was given.
    pub template: String,
    /// By name.
    pub parameters: BTreeMap<String, Given>,
    /// In the order in which they were given.
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
    /// The token of the call that last changed it.
    pub client_token: Option<String>,
    /// How far it is.
    pub course: Course<StackStatus>,
    /// By logical id; those that are gone too until the next change.
    pub members: BTreeMap<String, Member>,
    /// What it tells, from `outputs_from` on.
    pub outputs: Vec<Told>,
    /// When they are seen.
    pub outputs_from: Timestamp,
    /// What is seen until then.
    pub earlier_outputs: Vec<Told>,
    /// The exports that it uses.
    pub imports: BTreeSet<String>,
    /// What happened, in order of time.
    pub events: Vec<Event>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// As it was given, or by default.
    pub value: String,
    /// What SSM has under that name.
    pub resolved: Option<String>,
    /// Whether it is never shown.
    pub no_echo: bool,
}

/// An output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What it says of itself.
    pub description: Option<String>,
    /// The name that others import it by.
    pub export: Option<String>,
}

/// A resource of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its type.
    pub type_name: String,
    /// What `Ref` gives.
    pub physical_id: String,
    /// Where its values are.
    pub body: Body,
    /// Its properties as the template came to them, JSON.
    pub properties: String,
    /// What had to be there first.
    pub waits_for: BTreeSet<String>,
    /// Whether it stays when it leaves the stack.
    pub is_retained: bool,
    /// Whether it stays when another takes its place.
    pub is_retained_on_replacement: bool,
    /// How far it is.
    pub course: Course<MemberStatus>,
}

/// What a resource of a stack is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// A resource that Cloud Control has too, by its identifier.
    Resource(String),
    /// One of a type without handlers; its values, JSON.
    Inner(String),
    /// A custom resource: what is asked for is made up.
    Custom,
    /// Another stack.
    Stack,
    /// Nothing: it could not be made.
    Nothing,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// To this one; the stack's name for the stack itself.
    pub logical_id: String,
    /// The id that it had.
    pub physical_id: String,
    /// Its type.
    pub type_name: String,
    /// The status.
    pub status: String,
    /// Why.
    pub reason: Option<String>,
}

/// The type of stacks.
pub const STACK_TYPE: &str = "AWS::CloudFormation::Stack";

/// So many events are kept.
const MAX_EVENTS: usize = 5_000;

impl Stack {
    /// How far it is.
    pub fn status_at(&self, now: Timestamp) -> StackStatus {
        self.course.at(now).map_or(StackStatus::CreateInProgress, |step| step.status)
    }

    /// Whether it is gone.
    pub fn is_gone(&self, now: Timestamp) -> bool {
        self.status_at(now) == StackStatus::DeleteComplete
    }

    /// What it tells.
    pub fn outputs_at(&self, now: Timestamp) -> &[Told] {
        if now < self.outputs_from { &self.earlier_outputs } else { &self.outputs }
    }

    /// The resources that are seen, with how far they are.
    pub fn members_at(
        &self,
        now: Timestamp,
    ) -> impl Iterator<Item = (&str, &Member, &Step<MemberStatus>)> {
        let is_gone = self.is_gone(now);
        self.members.iter().filter_map(move |(name, member)| {
            let step = member.course.at(now).filter(|_| member.course.has_begun(now))?;
            let has_left =
                matches!(step.status, MemberStatus::DeleteComplete | MemberStatus::DeleteSkipped);
            (is_gone || !has_left).then_some((name.as_str(), member, step))
        })
    }

    /// Notes something that happened to the stack itself.
    fn goes(&mut self, status: StackStatus, at: Timestamp, reason: Option<String>) {
        self.events.push(Event {
            at,
            logical_id: self.name.clone(),
            physical_id: self.id.clone(),
            type_name: STACK_TYPE.to_owned(),
            status: status.as_str().to_owned(),
            reason: reason.clone(),
        });
        self.course.then(status, at, reason);
    }

    /// Notes what happened to one of its resources; `physical_id` is empty where it had none yet.
    fn note(
        &mut self,
        logical_id: &str,
        type_name: &str,
        physical_id: &str,
        step: &Step<MemberStatus>,
    ) {
        self.events.push(Event {
            at: step.at,
            logical_id: logical_id.to_owned(),
            physical_id: physical_id.to_owned(),
            type_name: type_name.to_owned(),
            status: step.status.as_str().to_owned(),
            reason: step.reason.clone(),
        });
    }

    /// Brings the events into the order of their instants, and forgets the oldest.
    fn order_events(&mut self) {
        self.events.sort_by_key(|event| event.at);
        let surplus = self.events.len().saturating_sub(MAX_EVENTS);
        self.events.drain(..surplus);
    }

    /// Its tags as CloudFormation puts them on its resources.
    fn member_tags(&self, logical_id: &str) -> Vec<(String, String)> {
        let own = [
            ("aws:cloudformation:stack-name", self.name.as_str()),
            ("aws:cloudformation:logical-id", logical_id),
            ("aws:cloudformation:stack-id", self.id.as_str()),
        ];
        let own = own.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        self.tags.iter().cloned().chain(own).collect()
    }
}
