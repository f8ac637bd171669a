//! A name that is taken: what has it is taken in, where the caller said so, by going on as an import.
//!
//! Only if every create of the operation certainly made nothing, and none is under way: else what has the
//! name may be our own.

use super::super::effect::Step;
use super::super::ending::Failure;
use super::super::state::{Adoption, Kind, Stage};
use super::course::Course;

impl Course {
    /// The resource to take in where the name is taken; `told` is what the cloud says has it.
    pub(super) fn adoptable(&self, told: Option<String>) -> Option<String> {
        let policy = &self.operation.policy;
        let Adoption { identifier, .. } = policy.adopt.as_ref()?;
        // A replacement finds the name of the one that it replaces taken: that one is ours already.
        let takes = policy.tracked
            && policy.readable
            && self.operation.kind == Kind::Put
            && !self.is_replacing();
        identifier.clone().or(told).filter(|_| takes)
    }

    /// Goes on as an import of what has the name.
    pub(super) fn adopt(mut self, identifier: String, failure: Failure) -> Step {
        let owned = self.operation.policy.adopt.as_ref().is_some_and(|it| it.owned);
        self.say(format!("{identifier} already has the name; adopting it"));
        self.operation.kind = Kind::Import { owned, apply: true };
        self.operation.identifier = Some(identifier);
        self.operation.adopting = Some(failure);
        self.operation.stage = Stage::Observe { absences: 0 };
        self.moved();
        self.go_on()
    }

    /// The failure of a name that is taken, with what can be done about it.
    pub(super) fn with_a_way_in(&self, failure: Failure) -> Failure {
        let policy = &self.operation.policy;
        if !policy.tracked || policy.adopt.is_some() || self.is_replacing() {
            return failure;
        }
        let message = format!(
            "{}; to adopt the existing resource, put the reference with its \
             `mapsTo.primaryIdentifier`, or with `\"adopt\": true`",
            failure.message.trim_end_matches('.')
        );
        Failure { message, ..failure }
    }
}
