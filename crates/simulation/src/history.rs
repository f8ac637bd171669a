//! What happened in a run, as data, and what must hold of it: invariants I1–I15, checked after the fact.
//!
//! A history is collected from the store and from the AWS double when a run is over; nothing here asks
//! anybody anything. Which operation a resource is of is told by the client token of its create, which is
//! `<operation>-<number>`.

mod check;
pub mod collect;

use std::collections::BTreeMap;
use std::fmt;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    DeploymentRecord, EventRecord, OperationRecord, Reference, ReferenceName,
};
use serde_json::Value;

pub use check::check;

/// A run, from its first request to the end.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Every operation that the store has at the end.
    pub operations: Vec<OperationRecord>,
    /// Their events, each operation's in order.
    pub events: Vec<EventRecord>,
    /// Every reference that the store has at the end.
    pub references: Vec<Reference>,
    /// The deployments of the group at the end, where they were asked for.
    pub deployments: Vec<DeploymentRecord>,
    /// Every call that reached AWS, in order.
    pub calls: Vec<Called>,
    /// What exists at AWS at the end.
    pub resources: Vec<Existing>,
    /// What callers were told, in order; statuses by one observer, so that none overtakes another.
    pub told: Vec<Told>,
    /// Identifiers that hands behind our back have made, changed or deleted.
    pub hands: Vec<Hand>,
    /// How often a process died, was stopped for longer than its lease, or lost a call or an answer.
    pub mishaps: u64,
    /// When that was, where it is known of each: the beginning and the end of what lasts.
    pub mishaps_at: Vec<Timestamp>,
    /// What ended before this may have been forgotten on purpose.
    pub pruned_before: Option<Timestamp>,
    /// What recipes made, and what is known of it.
    pub terraform: Made,
    /// Calls a second that the place allows, where it has a budget.
    pub rate: Option<u32>,
    /// How AWS writes values that were sent.
    pub spellings: Vec<Spelling>,
}

/// What recipes made, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    /// What exists, by name, with the address that it was made for.
    pub things: BTreeMap<String, String>,
    /// The same as the current state has it.
    pub in_state: BTreeMap<String, String>,
    /// The lock of the state, where one is held.
    pub lock: Option<String>,
    /// Runs that have left something behind.
    pub runs: Vec<String>,
    /// How many output resources the recipe tells.
    pub output_resources: usize,
    /// Whether the recipe is there.
    pub known: bool,
}

/// How AWS writes one value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// CloudFormation's name of the type.
    pub type_name: String,
    /// RFC 6901 pointer of the property.
    pub path: String,
    /// What is sent.
    pub sent: String,
    /// What a read returns.
    pub seen: String,
}

/// A call that AWS got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// When, by AWS's clock, in microseconds since 1970.
    pub at: Timestamp,
    /// Account and region.
    pub place: String,
    /// `CreateResource` and so on.
    pub name: String,
    /// CloudFormation's name of the type.
    pub type_name: Option<String>,
    /// What it named, or was answered with.
    pub identifier: Option<String>,
    /// Of a write.
    pub client_token: Option<String>,
    /// What it named, or was answered with.
    pub request_token: Option<String>,
    /// `ok`, the name of an exception, or `dropped`.
    pub outcome: String,
}

/// A resource at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    /// Account and region.
    pub place: String,
    /// CloudFormation's name of the type.
    pub type_name: String,
    /// Its identifier.
    pub identifier: String,
    /// The client token of the request that made it; none where hands made it.
    pub made_by: Option<String>,
    /// What a read of it returns, if that is known.
    pub properties: Option<Value>,
}

/// What a caller was told.
#[derive(Debug, Clone)]
pub struct Told {
    /// When.
    pub at: Timestamp,
    /// About this alias.
    pub name: Option<ReferenceName>,
    /// What.
    pub what: Word,
}

/// What callers are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// The write was accepted: it will be found from now on.
    Accepted(OperationId),
    /// The operation is so: its status, and its body where it has ended.
    Status(OperationId, String, Option<String>),
    /// The write was refused with this code.
    Refused(String),
}

/// A hand behind our back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hand {
    /// CloudFormation's name of the type.
    pub type_name: String,
    /// What it touched.
    pub identifier: String,
    /// What it did.
    pub deed: Deed,
    /// When, by the store's clock.
    pub at: Timestamp,
}

/// What hands do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Made a resource.
    Made,
    /// Changed one.
    Changed,
    /// Deleted one.
    Deleted,
}

/// Which invariant; the numbers are those of docs/reliability.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Invariant(pub u8);

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "I{}", self.0)
    }
}

/// An invariant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// What is wrong, naming who and what.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}
