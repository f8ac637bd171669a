//! One try of one call to the cloud, with the token that makes its repetition the same request.

use serde::{Deserialize, Serialize};

use super::id::OperationId;
use crate::Timestamp;

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Make a resource.
    Create,
    /// Change one.
    Update,
    /// Delete one.
    Delete,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttemptOutcome {
    /// Not known yet: to be sent, sent, or accepted and running.
    Open,
    /// The cloud says that it is done.
    Succeeded,
    /// The cloud accepted it and says that it failed.
    Failed,
    /// The cloud never accepted it.
    Refused,
    /// The cloud stopped it on request.
    Canceled,
    /// Nobody knows: the cloud has forgotten the request, or never answered.
    Lost,
    /// Its place was taken by a newer attempt, made from what was read since.
    Superseded,
}

/// One try of one call. It is committed before its call is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attempt {
    /// The operation that made it: what the marker tag of a created resource says.
    pub operation: OperationId,
    /// Counts from 1 within its operation.
    pub number: u32,
    /// What it asks for.
    pub verb: Verb,
    /// The same token is the same request for 36 hours.
    pub client_token: String,
    /// When the token was made.
    pub born_at: Timestamp,
    /// Whether the created resource carries the marker tag.
    pub marked: bool,
    /// Calls that were begun and whose answer is not on record.
    pub unanswered: u32,
    /// When a call was last begun.
    pub sent_at: Option<Timestamp>,
    /// Names the request, once the cloud accepted it.
    pub request_token: Option<String>,
    /// Whether the cloud was seen working on it.
    pub begun: bool,
    /// The resource, once the cloud named it.
    pub identifier: Option<String>,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// For a create: the resource that stays until this one is made, and retires then. For a delete: the
    /// resource that is deleted, where that is not the one that the alias stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

impl Attempt {
    /// The `number`th attempt of an operation, not sent yet.
    pub(crate) fn new(
        operation: OperationId,
        number: u32,
        verb: Verb,
        marked: bool,
        now: Timestamp,
    ) -> Self {
        Self {
            operation,
            number,
            verb,
            client_token: format!("{operation}-{number}"),
            born_at: now,
            marked,
            unanswered: 0,
            sent_at: None,
            request_token: None,
            begun: false,
            identifier: None,
            outcome: AttemptOutcome::Open,
            replaces: None,
        }
    }

    /// Whether the cloud may be working on it, or may yet be.
    pub fn may_be_under_way(&self) -> bool {
        self.outcome == AttemptOutcome::Open
            && (self.unanswered > 0 || self.request_token.is_some())
    }

    /// Whether it asks for a resource and what it made is not known yet. One that certainly made nothing is
    /// among them: a look-up may know better.
    pub(crate) fn is_open_create(&self) -> bool {
        self.verb == Verb::Create && self.outcome != AttemptOutcome::Succeeded
    }

    /// Whether what it made is known, or that it made nothing.
    pub(crate) fn is_settled(&self) -> bool {
        !self.is_open_create() || self.made_nothing()
    }

    /// Whether it is certain that it made nothing and never will.
    ///
    /// A request that the cloud read out as failed without naming a resource made nothing, and a
    /// refused call made nothing; but only if no other call with the token is without an answer. It
    /// is not documented that such a call, landing later, is that same failed request again.
    pub(crate) fn made_nothing(&self) -> bool {
        if self.verb != Verb::Create {
            return true;
        }
        let nameless = self.identifier.is_none();
        match self.outcome {
            AttemptOutcome::Failed | AttemptOutcome::Refused => nameless && self.unanswered == 0,
            AttemptOutcome::Open => self.request_token.is_none() && self.unanswered == 0,
            _ => false,
        }
    }
}
