//! Making another resource in the place of one: whether that is allowed, in which order, and whose place it takes.
//!
//! Delete-first: the one is deleted and seen to be gone, the alias is missing, another is made.
//! Create-first: the one stays what the alias stands for until another is made; one step moves the alias
//! and lists the old one as retiring (`Course::move_to`). What a create leaves behind that is not to be
//! used is listed as retiring too. `retire` deletes what is listed.

use super::super::attempt::Verb;
use super::super::effect::Step;
use super::super::ending::{Failure, FailureKind, Finding};
use super::super::entry::EntryState;
use super::super::state::{Kind, Strategy};
use super::course::{Course, retire};

impl Course {
    /// Only a new resource can be what is wanted: makes one in the place of this, where that is allowed.
    pub(super) fn replace(mut self, findings: &[Finding]) -> Step {
        let (strategy, old) = match self.replacement() {
            Ok(replacement) => replacement,
            Err(why) => return self.fail(why.failure(findings)),
        };
        if self.operation.cancel_requested {
            return self.canceled_between_calls();
        }
        self.moved();
        match strategy {
            Strategy::DeleteFirst => self.open_attempt(Verb::Delete, None),
            Strategy::CreateFirst => self.open_attempt(Verb::Create, Some(old)),
        }
        self.send()
    }

    /// How the resource is replaced, and which it is; or why not.
    fn replacement(&self) -> Result<(Strategy, String), NotReplaced> {
        let policy = &self.operation.policy;
        let applies = matches!(self.operation.kind, Kind::Put | Kind::Import { apply: true, .. });
        let old = self.operation.identifier.clone();
        // What the operation made or took in itself is not replaced in the same breath.
        let settled = self.operation.sent(Verb::Create) == 0;
        match (&self.entry, policy.replace, old) {
            _ if !policy.tracked => Err(NotReplaced::Untracked),
            (Some(entry), Some(strategy), Some(old))
                if applies && settled && entry.identifier.as_ref() == Some(&old) =>
            {
                if !policy.may_create {
                    Err(NotReplaced::NotCreatable)
                } else if !entry.owned {
                    Err(NotReplaced::NotOwned)
                } else {
                    Ok((strategy, old))
                }
            }
            _ => Err(NotReplaced::NotAllowed),
        }
    }

    /// Whether this operation makes another resource in the place of one.
    pub(super) fn is_replacing(&self) -> bool {
        let writes = matches!(self.operation.kind, Kind::Put | Kind::Import { .. });
        let mut own = self.operation.attempts.iter().filter(|it| it.operation == self.operation.id);
        writes
            && own.any(|it| match it.verb {
                Verb::Create => it.replaces.is_some(),
                Verb::Delete => it.replaces.is_none(),
                Verb::Update => false,
            })
    }

    /// The resource is gone, and another is made in its place. The alias stays reserved.
    pub(super) fn make_anew(mut self) -> Step {
        self.with_entry(|entry| entry.state = EntryState::Missing);
        if self.operation.cancel_requested {
            return self.canceled_between_calls();
        }
        self.open_attempt(Verb::Create, None);
        self.send()
    }

    /// What the current attempt, a create that ended badly, left behind while the resource that it was to
    /// replace lives on: it is deleted later, and the alias is as it was. Says whether it was that.
    pub(super) fn retire_what_was_made(&mut self) -> bool {
        if !self.old_one_stands() {
            return false;
        }
        let made = self.operation.current().and_then(|it| it.identifier.clone());
        self.with_entry(|entry| {
            entry.unsettled.clear();
            if let Some(made) = made {
                retire(entry, &made);
            }
        });
        true
    }
}

/// Why a resource is not replaced.
enum NotReplaced {
    /// Nobody said that it may be.
    NotAllowed,
    /// There is no alias that would stand for the new one.
    Untracked,
    /// The type cannot be created.
    NotCreatable,
    /// It is not ours to delete.
    NotOwned,
}

impl NotReplaced {
    fn failure(&self, findings: &[Finding]) -> Failure {
        let paths: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
        let (kind, code, hint) = match self {
            Self::NotAllowed => (
                FailureKind::ReplaceRequired,
                "ReplaceRequired",
                "put it with `\"replace\": \"allow\"` to replace the resource",
            ),
            Self::Untracked => (
                FailureKind::ReplaceRequired,
                "ReplaceRequired",
                "only a resource with an alias can be replaced: import it, then put the alias with \
                 `\"replace\": \"allow\"`",
            ),
            Self::NotCreatable => (
                FailureKind::ReplaceRequired,
                "ReplaceRequired",
                "it cannot be replaced: AWS does not create resources of this type",
            ),
            Self::NotOwned => (
                FailureKind::Conflict,
                "NotOwned",
                "the reference does not own its resource, so it is not replaced: take ownership \
                 first by putting the reference with `\"ownedResource\": true`",
            ),
        };
        Failure {
            kind,
            code: code.to_owned(),
            message: format!(
                "changing {} requires a new resource; nothing was changed; {hint}",
                paths.join(", ")
            ),
            findings: findings.to_vec(),
        }
    }
}

/// A failure that left a resource behind which takes nobody's place.
pub(super) fn with_what_is_left(failure: Failure) -> Failure {
    let message = format!(
        "{}; the old resource is unchanged, and the new one is deleted with the next write",
        failure.message
    );
    Failure { message, ..failure }
}
