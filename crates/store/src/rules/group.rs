//! Who may write in a group, who may close it, and what becomes of it.

use hangar_plan::operation::OperationId;
use hangar_plan::record::{Group, GroupState, Version};

use super::{is_expected, version_after};
use crate::error::{GroupError, ReserveError};
use crate::write::Expect;

/// What a store has under a group's key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PresentGroup {
    pub(crate) version: Version,
    pub(crate) state: GroupState,
    /// The operation that closed it.
    pub(crate) operation: Option<OperationId>,
    /// Whether that is there and has not ended.
    pub(crate) runs: bool,
}

/// Whether a group that is so may be written by its caller.
pub(crate) fn may_put(present: Option<&Group>, expect: Expect) -> Result<(), GroupError> {
    if present.is_some_and(|present| present.state == GroupState::Deleting) {
        return Err(GroupError::Deleting);
    }
    let version = present.map(|present| present.version);
    if is_expected(expect, version) { Ok(()) } else { Err(GroupError::Stale) }
}

/// A group as it is kept when its caller writes it: only an operation closes and opens one.
pub(crate) fn group_kept(group: Group, present: Option<&Group>) -> Group {
    Group {
        name: present.map_or(group.name, |it| it.name.clone()),
        state: present.map_or(GroupState::Ready, |it| it.state),
        operation: present.and_then(|it| it.operation),
        created_at: present.map_or(group.created_at, |it| it.created_at),
        version: version_after(present.map(|it| it.version)),
        ..group
    }
}

/// Whether an operation may begin in a group.
pub(crate) fn may_enter(group: Option<PresentGroup>) -> Result<(), ReserveError> {
    let group = group.ok_or(ReserveError::NoGroup)?;
    match group.state {
        GroupState::Ready => Ok(()),
        GroupState::Deleting => Err(ReserveError::GroupDeleting(group.operation)),
    }
}

/// Whether an operation may begin that is a part of a group's deletion: not when that is over. A worker
/// that slept must not delete what its owner has been told is kept.
pub(crate) fn may_enter_within(
    group: Option<PresentGroup>,
    parent: Option<OperationId>,
) -> Result<(), ReserveError> {
    let group = group.ok_or(ReserveError::NoGroup)?;
    match group.state {
        GroupState::Ready => Err(ReserveError::GroupReopened),
        GroupState::Deleting if parent.is_some() && parent == group.operation => Ok(()),
        GroupState::Deleting => Err(ReserveError::GroupDeleting(group.operation)),
    }
}

/// Whether a group may be closed by one who saw it at version `seen`. One that was closed by an operation
/// which is over is not: nobody would ever open or remove it.
pub(crate) fn may_close(
    group: Option<PresentGroup>,
    seen: Option<Version>,
) -> Result<(), ReserveError> {
    let group = group.ok_or(ReserveError::NoGroup)?;
    if group.state == GroupState::Deleting && group.runs {
        return Err(ReserveError::GroupDeleting(group.operation));
    }
    if seen.is_none_or(|seen| seen == group.version) { Ok(()) } else { Err(ReserveError::Stale) }
}

/// Whether an operation is the one that closed a group: no other opens or removes it.
pub(crate) fn is_closed_by(group: &Group, operation: OperationId) -> bool {
    group.state == GroupState::Deleting && group.operation == Some(operation)
}

/// A group that an operation has closed.
pub(crate) fn closed(group: Group, by: OperationId) -> Group {
    let version = group.version.next();
    Group { state: GroupState::Deleting, operation: Some(by), version, ..group }
}

/// A group that takes writes again.
pub(crate) fn reopened(group: Group) -> Group {
    let version = group.version.next();
    Group { state: GroupState::Ready, operation: None, version, ..group }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSER: OperationId = OperationId::from_u128(7);
    const OTHER: OperationId = OperationId::from_u128(8);

    fn ready() -> PresentGroup {
        let version = Version(3);
        PresentGroup { version, state: GroupState::Ready, operation: None, runs: false }
    }

    fn deleting(operation: Option<OperationId>, runs: bool) -> PresentGroup {
        PresentGroup { state: GroupState::Deleting, operation, runs, ..ready() }
    }

    #[test]
    fn a_group_that_is_being_deleted_lets_in_only_what_its_deletion_begins() {
        let refused = |by| Err(ReserveError::GroupDeleting(by));
        let closed = Some(deleting(Some(CLOSER), true));
        assert_eq!(may_enter(None), Err(ReserveError::NoGroup));
        assert_eq!(may_enter(Some(ready())), Ok(()));
        assert_eq!(may_enter(closed), refused(Some(CLOSER)));
        assert_eq!(may_enter(Some(deleting(None, false))), refused(None));
        let cases = [
            (None, Some(CLOSER), Err(ReserveError::NoGroup)),
            (Some(ready()), None, Err(ReserveError::GroupReopened)),
            (Some(ready()), Some(CLOSER), Err(ReserveError::GroupReopened)),
            (closed, None, refused(Some(CLOSER))),
            (closed, Some(OTHER), refused(Some(CLOSER))),
            (closed, Some(CLOSER), Ok(())),
            (Some(deleting(None, false)), None, refused(None)),
            (Some(deleting(None, false)), Some(CLOSER), refused(None)),
        ];
        for (group, parent, expected) in cases {
            assert_eq!(may_enter_within(group, parent), expected, "{group:?} {parent:?}");
        }
    }

    #[test]
    fn a_group_is_closed_once_and_only_as_it_was_seen() {
        let seen = |version| Some(Version(version));
        let closed = Some(deleting(Some(CLOSER), true));
        let over = Some(deleting(Some(CLOSER), false));
        let refused = || Err(ReserveError::GroupDeleting(Some(CLOSER)));
        let cases = [
            (None, None, Err(ReserveError::NoGroup)),
            (Some(ready()), None, Ok(())),
            (Some(ready()), seen(3), Ok(())),
            (Some(ready()), seen(2), Err(ReserveError::Stale)),
            (closed, None, refused()),
            (closed, seen(2), refused()),
            (over, None, Ok(())),
            (over, seen(3), Ok(())),
            (over, seen(2), Err(ReserveError::Stale)),
            (Some(deleting(None, false)), None, Ok(())),
        ];
        for (group, seen, expected) in cases {
            assert_eq!(may_close(group, seen), expected, "{group:?} {seen:?}");
        }
    }
}
