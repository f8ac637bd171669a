//! What a store refuses and what it makes of a write: decided here once, for every store.
//!
//! A store gathers what is asked for and does what is said; nothing here reads or writes.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::{Ending, Entry, EntryState, FailureKind, OperationId, Stage};
use hangar_plan::record::{
    Epoch, GroupState, OperationRecord, Reference, ReferenceName, Subject, Version,
};

use crate::error::{CommitError, GroupError, ReserveError};
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

/// Whether a group that is so may be written as `new`.
pub(crate) fn may_put(
    present: Option<(Version, GroupState)>,
    new: GroupState,
    expect: Expect,
) -> Result<(), GroupError> {
    if let Some((_, GroupState::Deleting)) = present
        && new != GroupState::Deleting
    {
        return Err(GroupError::Deleting);
    }
    let as_expected = match expect {
        Expect::Any => true,
        Expect::Absent => present.is_none(),
        Expect::Version(version) => present.is_some_and(|(found, _)| found == version),
    };
    if as_expected { Ok(()) } else { Err(GroupError::Stale) }
}

/// Whether a group that is so takes a new operation.
pub(crate) fn takes_writes(group: Option<GroupState>) -> Result<(), ReserveError> {
    match group {
        None => Err(ReserveError::NoGroup),
        Some(GroupState::Deleting) => Err(ReserveError::GroupDeleting(None)),
        Some(GroupState::Ready) => Ok(()),
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

/// The version of a row that was written over `seen`.
pub(crate) fn version_after(seen: Option<Version>) -> Version {
    seen.map_or(FIRST, Version::next)
}

/// When a worker should look again at an operation after a step.
///
/// A worker that lets go without having seen that a stop is wanted must not put it off.
pub(crate) fn due_after_step(
    record: &OperationRecord,
    stop_wanted: bool,
    lease: Lease,
    now: Timestamp,
) -> Option<Timestamp> {
    let unseen = stop_wanted && !record.is_stop_wanted();
    if unseen && lease == Lease::Release && record.ended_at.is_none() {
        return Some(due_after_stop(record.due_at, now));
    }
    record.due_at
}

/// When a worker should look at an operation whose stop is wanted and that nobody has leased.
pub(crate) fn due_after_stop(due_at: Option<Timestamp>, now: Timestamp) -> Timestamp {
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
    /// good where it has none, because then it is all that tells of it.
    Unknown,
    /// It has ended for good and goes when it is old.
    Ended,
}

/// What may become of an operation's row.
pub(crate) fn keeping(record: &OperationRecord) -> Keeping {
    let parked = record.resource().is_some_and(|work| work.operation.stage == Stage::Parked);
    match (record.ended_at, parked, record.ending()) {
        (None, _, _) => Keeping::Running,
        (Some(_), true, _) => Keeping::Parked,
        (Some(_), _, Some(Ending::Failed(why) | Ending::Canceled(why)))
            if why.kind == FailureKind::Unknown =>
        {
            Keeping::Unknown
        }
        (Some(_), _, _) => Keeping::Ended,
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
    fn a_group_that_is_being_deleted_is_not_made_ready_again() {
        let (ready, deleting) = (GroupState::Ready, GroupState::Deleting);
        let at = |state| Some((Version(3), state));
        let cases = [
            (None, ready, Expect::Any, Ok(())),
            (None, ready, Expect::Absent, Ok(())),
            (None, ready, Expect::Version(Version(3)), Err(GroupError::Stale)),
            (at(ready), ready, Expect::Any, Ok(())),
            (at(ready), ready, Expect::Absent, Err(GroupError::Stale)),
            (at(ready), deleting, Expect::Version(Version(3)), Ok(())),
            (at(ready), deleting, Expect::Version(Version(2)), Err(GroupError::Stale)),
            (at(deleting), ready, Expect::Any, Err(GroupError::Deleting)),
            (at(deleting), deleting, Expect::Any, Ok(())),
        ];
        for (found, new, expect, expected) in cases {
            assert_eq!(may_put(found, new, expect), expected, "{found:?} {new:?} {expect:?}");
        }
    }

    #[test]
    fn a_wanted_stop_only_ever_hastens() {
        let [early, now, late] = [1, 5, 9].map(Timestamp::from_micros);
        assert_eq!(due_after_stop(Some(early), now), early);
        assert_eq!(due_after_stop(Some(late), now), now);
        assert_eq!(due_after_stop(None, now), now);
    }
}
