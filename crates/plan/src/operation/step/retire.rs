//! The end of an operation: what was replaced is deleted before its caller is told.
//!
//! A put or an import has done what it was asked for by then: what cannot be deleted stays listed, with a
//! warning, for the next write. A delete or an unlink fails instead, and the reference stays with what is
//! left: these are resources that we made, and nothing else names them. There is no way to forget them but
//! to delete them, here or by hand.

use super::super::attempt::Verb;
use super::super::effect::Step;
use super::super::ending::{Convergence, Ending, Failure, FailureKind, Success, SuccessKind};
use super::super::entry::EntryState;
use super::super::held::HeldDeed;
use super::super::state::Closing;
use super::course::Course;
use super::failure::canceled;

impl Course {
    /// The operation has done its own work.
    pub(super) fn succeed(
        mut self,
        kind: SuccessKind,
        convergence: Convergence,
        not_effective: Vec<String>,
    ) -> Step {
        let success = Success { kind, convergence, not_effective };
        self.operation.closing = Some(Closing { success, failure: None });
        self.delete_retiring()
    }

    /// The resource is deleted, or was never there: the reference goes.
    pub(super) fn deleted(mut self, convergence: Convergence) -> Step {
        self.with_entry(|entry| {
            if entry.identifier.is_some() {
                entry.state = EntryState::Missing;
            }
        });
        self.succeed(SuccessKind::Deleted, convergence, Vec::new())
    }

    /// Removes the reference and leaves the resource.
    pub(super) fn unlinked(self) -> Step {
        self.succeed(SuccessKind::Unlinked, Convergence::Unverified, Vec::new())
    }

    /// Deletes the next resource that was replaced, or ends.
    fn delete_retiring(mut self) -> Step {
        let own = self.operation.id;
        let tried = |identifier: &str| {
            self.operation.attempts.iter().any(|it| {
                it.operation == own
                    && it.verb == Verb::Delete
                    && it.replaces.as_deref() == Some(identifier)
            })
        };
        let next = self.entry.as_ref().and_then(|entry| {
            let listed = entry.retiring.iter().filter(|it| entry.identifier.as_ref() != Some(it));
            listed.into_iter().find(|it| !tried(it) && self.may_retire(it)).cloned()
        });
        match next {
            Some(identifier) if !self.operation.cancel_requested => {
                self.moved();
                self.open_attempt(Verb::Delete, Some(identifier));
                self.send()
            }
            _ => self.close(),
        }
    }

    /// Whether what was replaced may be deleted now: one that is held to a plan deletes nothing of before it.
    fn may_retire(&self, identifier: &str) -> bool {
        let own = self.operation.id;
        match self.operation.policy.held.as_ref().map(|held| held.deed) {
            None | Some(HeldDeed::Tidy | HeldDeed::Delete | HeldDeed::Detach) => true,
            Some(_) => self.operation.attempts.iter().any(|it| {
                let named = [it.replaces.as_deref(), it.identifier.as_deref()];
                it.operation == own && named.contains(&Some(identifier))
            }),
        }
    }

    /// A resource that was replaced is gone.
    pub(super) fn retired(mut self, identifier: &str) -> Step {
        self.with_entry(|entry| entry.retiring.retain(|it| it != identifier));
        self.delete_retiring()
    }

    /// A resource that was replaced could not be deleted: it stays listed.
    pub(super) fn not_retired(mut self, failure: Failure) -> Step {
        let identifier = self.target().unwrap_or_default();
        self.warning = Some(format!(
            "{identifier} was replaced and could not be deleted: {}: {}; it is deleted with the next \
             write",
            failure.code, failure.message
        ));
        if let Some(closing) = &mut self.operation.closing {
            closing.failure.get_or_insert(failure);
        }
        self.delete_retiring()
    }

    /// Ends what has done its own work, whatever is left of what was replaced.
    pub(super) fn close(mut self) -> Step {
        let Some(Closing { success, failure }) = self.operation.closing.take() else {
            return self.stop();
        };
        let goes = matches!(success.kind, SuccessKind::Deleted | SuccessKind::Unlinked);
        let left = self.entry.as_ref().map(|entry| entry.retiring.clone()).unwrap_or_default();
        if left.is_empty() {
            if goes {
                self.entry = None;
            }
            return self.end(Ending::Succeeded(success));
        }
        let left = left.join(", ");
        match failure {
            Some(failure) if goes && failure.kind != FailureKind::Canceled => {
                self.warning = None;
                self.fail(retiring_left(&left, failure))
            }
            _ if goes => self.end(Ending::Canceled(canceled(&format!(
                "stopped on request; {left} was replaced and is not deleted"
            )))),
            Some(_) => self.end(Ending::Succeeded(success)),
            None if !self.operation.cancel_requested => self.end(Ending::Succeeded(success)),
            None => {
                self.warning = Some(format!(
                    "stopped on request: {left} was replaced and is deleted with the next write"
                ));
                self.end(Ending::Succeeded(success))
            }
        }
    }
}

fn retiring_left(left: &str, failure: Failure) -> Failure {
    let message = format!(
        "{left} was replaced and could not be deleted: {}: {}; the reference stays until it is \
         deleted; try again, or delete it manually first",
        failure.code, failure.message
    );
    Failure { code: "RetiringLeft".to_owned(), message, ..failure }
}
