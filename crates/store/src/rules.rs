//! What a store refuses and what it makes of a write: decided here once, for every store.
//!
//! A store gathers what is asked for and does what is said; nothing here reads or writes.

mod amend;
mod deployment;
mod group;
mod plane;
mod recipe;
mod state;

pub(crate) use amend::{amended, followed, may_amend, may_rename, renamed};
pub(crate) use deployment::{
    DeploymentPosition, DeploymentStep, deployment_begun, deployment_following, deployment_of,
    deployment_position, deployment_stepped, may_deploy,
};
pub(crate) use group::{
    PresentGroup, closed, group_kept, is_closed_by, may_close, may_enter, may_enter_within,
    may_put, reopened,
};
pub(crate) use plane::{
    built_in_planes, credential_kept, is_in_plane, may_remove_plane, may_rotate, may_write,
    plane_kept, plane_of_credential, plane_of_group, plane_of_resource,
};
pub(crate) use recipe::{
    RecipePosition, RecipeStep, may_run, recipe_begun, recipe_of, recipe_position, recipe_stepped,
};
pub(crate) use state::{Locking, PresentState, may_lock, may_unlock, state_written};

use std::collections::BTreeSet;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::{Ending, Entry, EntryState, FailureKind, OperationId, Stage};
use hangar_plan::record::{Epoch, OperationRecord, Reference, ReferenceName, Subject, Version};

use crate::error::{CommitError, ReserveError};
use crate::write::{Expect, Lease, ReferencePosition};

/// For how long a caller's name for a request means the operation that it first named.
pub const REPEATABLE_FOR: Duration = Duration::from_hours(24);

/// The version that a row begins with.
pub(crate) const FIRST: Version = Version(1);

/// The epoch of an operation that nobody has leased yet.
pub(crate) const NEVER_LEASED: Epoch = Epoch(0);

/// What a store has under a reference's key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Present {
    pub(crate) version: Version,
    /// The operation that its entry names, if that has not ended.
    pub(crate) locked_by: Option<OperationId>,
}

/// Whether what is there is what a write must find.
pub(crate) fn is_expected(expect: Expect, present: Option<Version>) -> bool {
    match expect {
        Expect::Any => true,
        Expect::Absent => present.is_none(),
        Expect::Version(version) => present == Some(version),
    }
}

/// Whether an alias may be taken by one who saw it at version `seen`.
pub(crate) fn may_take(
    seen: Option<Version>,
    present: Option<Present>,
) -> Result<(), ReserveError> {
    if let Some(holder) = present.and_then(|present| present.locked_by) {
        return Err(ReserveError::Busy(holder));
    }
    if seen == present.map(|present| present.version) { Ok(()) } else { Err(ReserveError::Stale) }
}

/// Whether a step was made with the last lease and on the last version; both are (epoch, version).
pub(crate) fn may_step(
    present: Option<(Epoch, Version)>,
    claimed: (Epoch, Version),
) -> Result<(), CommitError> {
    if present == Some(claimed) { Ok(()) } else { Err(CommitError::LeaseLost) }
}

/// Whether a reference at version `present` may be changed by one who saw `seen`.
pub(crate) fn may_change(
    seen: Option<Version>,
    present: Option<Version>,
) -> Result<(), CommitError> {
    if seen == present { Ok(()) } else { Err(CommitError::Stale) }
}

/// The version of a reference that is written over `seen`.
///
/// One that is new begins at a number that belongs to its first operation: an alias that was removed and taken
/// again must not come to a version that somebody saw before, and decided on.
pub(crate) fn reference_version(seen: Option<Version>, reference: &Reference) -> Version {
    match (seen, reference.entry.operation) {
        (Some(seen), _) => seen.next(),
        (None, Some(id)) => first_version(id),
        (None, None) => FIRST,
    }
}

/// The version of a row that an operation makes where one may have been before.
fn first_version(id: OperationId) -> Version {
    // Of the random bits of an id those that are near to it differ too; 48 leave room to count on.
    let bits = u64::try_from((id.as_u128() >> 8) & 0xffff_ffff_ffff).unwrap_or(0);
    Version(FIRST.0 + bits)
}

/// The version of a row that was written over `seen`.
pub(crate) fn version_after(seen: Option<Version>) -> Version {
    seen.map_or(FIRST, Version::next)
}

/// What has happened to an operation since a worker claimed it, without its doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Meanwhile {
    /// Its caller wants it stopped.
    pub(crate) stop_wanted: bool,
    /// A part of it has ended.
    pub(crate) woken: bool,
}

/// When a worker should look again at an operation after a step.
///
/// A worker that lets go without having seen that a stop is wanted must not put it off. Nobody knows whether
/// it has seen a part that ended: it is looked at once more, at once or, where it crashes, when its lease is over.
pub(crate) fn due_after_step(
    record: &OperationRecord,
    meanwhile: Meanwhile,
    lease: Lease,
    now: Timestamp,
) -> Option<Timestamp> {
    let unseen = meanwhile.stop_wanted && !record.is_stop_wanted() && lease == Lease::Release;
    if (unseen || meanwhile.woken) && record.ended_at.is_none() {
        return Some(hastened(record.due_at, now));
    }
    record.due_at
}

/// Whether a step has made an operation due sooner than its record said.
pub(crate) fn is_hastened(record: &OperationRecord, due_at: Option<Timestamp>) -> bool {
    due_at.is_some_and(|due_at| record.due_at.is_none_or(|asked| due_at < asked))
}

/// Whether a step is the end of an operation, which whatever it is a part of must hear of. What is settled of
/// one that had ended before is no news.
pub(crate) fn is_end(ended_before: bool, record: &OperationRecord) -> bool {
    !ended_before && record.ended_at.is_some()
}

/// When a worker should look at an operation whose stop is wanted and that nobody has leased, or of which a
/// part has ended.
pub(crate) fn hastened(due_at: Option<Timestamp>, now: Timestamp) -> Timestamp {
    due_at.map_or(now, |due_at| due_at.min(now))
}

/// Whether a step's message tells more than the last one did: a long wait says the same each time.
pub(crate) fn is_news(last: Option<&str>, message: &str) -> bool {
    last != Some(message)
}

/// The instant that was a span before `now`.
pub(crate) fn earlier(now: Timestamp, span: Duration) -> Timestamp {
    let span = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(span))
}

/// What may become of an operation's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// It runs.
    Running,
    /// It has ended and is looked at once more: it stays until that is settled.
    Parked,
    /// It has ended and nobody knows what it made: it stays until its reference is settled, and for
    /// good where it has none, because then it is all that tells of it. Not one on a group: what is
    /// made is made by operations of its own.
    Unknown,
    /// It has ended for good and goes when it is old.
    Ended,
}

/// What may become of an operation's row.
pub(crate) fn keeping(record: &OperationRecord) -> Keeping {
    if record.ended_at.is_none() {
        return Keeping::Running;
    }
    let Some(work) = record.resource() else { return Keeping::Ended };
    match (&work.operation.stage, &work.operation.ending) {
        (Stage::Parked, _) => Keeping::Parked,
        (_, Some(Ending::Failed(why) | Ending::Canceled(why)))
            if why.kind == FailureKind::Unknown =>
        {
            Keeping::Unknown
        }
        _ => Keeping::Ended,
    }
}

/// Whether an operation that is old may go; `reference` is the one that it worked on, as it is now.
pub(crate) fn may_go(record: &OperationRecord, reference: Option<&Reference>) -> bool {
    match keeping(record) {
        Keeping::Running | Keeping::Parked => false,
        Keeping::Ended => true,
        Keeping::Unknown => {
            let settled = |entry: &Entry| {
                entry.state != EntryState::Unknown
                    && entry.unsettled.iter().all(|it| it.operation != record.id())
            };
            record.reference().is_some() && reference.is_none_or(|it| settled(&it.entry))
        }
    }
}

/// The one key of the resource that a reference maps.
pub(crate) fn mapped_key(reference: &Reference) -> Option<String> {
    let identifier = reference.entry.identifier.as_deref()?;
    let type_name = reference.name.type_name.clone();
    let subject = Subject::new(reference.scope.clone(), type_name, None);
    Some(subject.resource_key(identifier))
}

/// The keys of the resources that a reference has replaced and not deleted yet.
pub(crate) fn retiring_keys(reference: &Reference) -> BTreeSet<String> {
    let type_name = reference.name.type_name.clone();
    let subject = Subject::new(reference.scope.clone(), type_name, None);
    reference.entry.retiring.iter().map(|identifier| subject.resource_key(identifier)).collect()
}

/// The keys of all resources that are a reference's and nobody else's: what it maps, and what it is going
/// to delete because it has replaced it.
pub(crate) fn held_keys(reference: &Reference) -> BTreeSet<String> {
    let mut keys = retiring_keys(reference);
    keys.extend(mapped_key(reference));
    keys
}

/// Where a reference stands in lists.
pub(crate) fn position(name: &ReferenceName) -> ReferencePosition {
    ReferencePosition {
        group: name.group.key(),
        type_key: name.type_key(),
        alias: name.alias_key(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDER: OperationId = OperationId::from_u128(7);

    fn free(version: u64) -> Present {
        Present { version: Version(version), locked_by: None }
    }

    fn held(version: u64) -> Present {
        Present { version: Version(version), locked_by: Some(HOLDER) }
    }

    #[test]
    fn an_alias_is_taken_only_as_it_was_seen_and_only_when_free() {
        let seen = |version| Some(Version(version));
        let cases = [
            (None, None, Ok(())),
            (None, Some(free(1)), Err(ReserveError::Stale)),
            (None, Some(held(1)), Err(ReserveError::Busy(HOLDER))),
            (seen(1), None, Err(ReserveError::Stale)),
            (seen(1), Some(free(1)), Ok(())),
            (seen(1), Some(held(1)), Err(ReserveError::Busy(HOLDER))),
            (seen(1), Some(free(2)), Err(ReserveError::Stale)),
            (seen(1), Some(held(2)), Err(ReserveError::Busy(HOLDER))),
        ];
        for (seen, present, expected) in cases {
            assert_eq!(may_take(seen, present), expected, "{seen:?} {present:?}");
        }
    }

    #[test]
    fn a_write_finds_what_it_expects_or_is_refused() {
        let (one, two) = (Version(1), Version(2));
        let cases = [
            (Expect::Any, None, true),
            (Expect::Any, Some(one), true),
            (Expect::Absent, None, true),
            (Expect::Absent, Some(one), false),
            (Expect::Version(one), None, false),
            (Expect::Version(one), Some(one), true),
            (Expect::Version(one), Some(two), false),
        ];
        for (expect, present, expected) in cases {
            assert_eq!(is_expected(expect, present), expected, "{expect:?} {present:?}");
        }
    }

    #[test]
    fn what_happens_meanwhile_is_not_put_off() {
        use hangar_plan::group::{GroupTask, GroupWork};
        use hangar_plan::record::{GroupName, Work};
        let [now, later] = [5, 9].map(Timestamp::from_micros);
        let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
        let work = GroupWork::new(HOLDER, group, GroupTask::Delete, now);
        let mut record = OperationRecord::new(Work::Group(Box::new(work)), now);
        record.due_at = Some(later);
        let meanwhile = |stop_wanted, woken| Meanwhile { stop_wanted, woken };
        let cases = [
            (meanwhile(false, false), Lease::Release, later),
            (meanwhile(true, false), Lease::Keep, later),
            (meanwhile(true, false), Lease::Release, now),
            (meanwhile(false, true), Lease::Keep, now),
            (meanwhile(false, true), Lease::Release, now),
        ];
        for (meanwhile, lease, expected) in cases {
            let due_at = due_after_step(&record, meanwhile, lease, now);
            assert_eq!(due_at, Some(expected), "{meanwhile:?} {lease:?}");
            assert_eq!(is_hastened(&record, due_at), expected == now);
        }
        let all = meanwhile(true, true);
        record.want_stop();
        let seen = due_after_step(&record, meanwhile(true, false), Lease::Release, now);
        assert_eq!(seen, Some(later), "it knows of the stop");
        record.ended_at = Some(now);
        assert_eq!(due_after_step(&record, all, Lease::Release, now), Some(later));
        assert!(is_end(false, &record) && !is_end(true, &record));
    }

    #[test]
    fn a_wanted_stop_only_ever_hastens() {
        let [early, now, late] = [1, 5, 9].map(Timestamp::from_micros);
        assert_eq!(hastened(Some(early), now), early);
        assert_eq!(hastened(Some(late), now), now);
        assert_eq!(hastened(None, now), now);
    }
}
