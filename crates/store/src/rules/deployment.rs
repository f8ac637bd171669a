//! When a run of a deployment may begin, and what is kept of it when it begins and moves.

use hangar_plan::deployment::Member;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{DeploymentName, DeploymentRecord, ReferenceName, Version};

use super::amend::followed;
use super::first_version;
use crate::error::{ReferenceError, ReserveError};
use crate::write::{DeploymentChange, DeploymentWrite};

/// Where a deployment stands in lists: (group, name) in the form that is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeploymentPosition {
    pub(crate) group: String,
    pub(crate) name: String,
}

/// Where a deployment stands in lists.
pub(crate) fn deployment_position(name: &DeploymentName) -> DeploymentPosition {
    DeploymentPosition { group: name.group.key(), name: name.name.to_ascii_lowercase() }
}

/// Whether a deployment at version `present` may be run by one who saw `seen`.
pub(crate) fn may_deploy(
    seen: Option<Version>,
    present: Option<Version>,
) -> Result<(), ReserveError> {
    if seen == present { Ok(()) } else { Err(ReserveError::Stale) }
}

/// A deployment as it is kept when a run of it begins. As with references, one that is new begins at a
/// version that belongs to its operation: one that went with its group and was made again never comes to
/// a version that somebody saw before.
pub(crate) fn deployment_begun(
    write: &DeploymentWrite,
    present: Option<&DeploymentRecord>,
) -> DeploymentRecord {
    let record = write.record.clone();
    match present {
        Some(present) => over(record, present),
        None => DeploymentRecord { version: first_version(record.operation), ..record },
    }
}

/// A deployment as it is kept when something that it manages gets another name; nothing where it does not name that.
/// One that is under way cannot follow: its run keeps what it saw.
pub(crate) fn deployment_following(
    present: &DeploymentRecord,
    old: &ReferenceName,
    new: &ReferenceName,
) -> Result<Option<DeploymentRecord>, ReferenceError> {
    if present.ending.is_none() {
        return Err(ReferenceError::Busy(present.operation));
    }
    let group = &present.name.group;
    let follow = |member: &mut Member| {
        let is_it = member.reference(group).is_some_and(|name| name.key() == old.key());
        if is_it {
            new.alias.clone_into(&mut member.name);
        }
        let depends_on = followed(&member.depends_on, old, new);
        let rests_on_it = depends_on.is_some();
        member.depends_on = depends_on.unwrap_or_else(|| std::mem::take(&mut member.depends_on));
        is_it || rests_on_it
    };
    let mut managed = present.members();
    let mut holdings = present.holdings.clone();
    let left = holdings.left.iter_mut().map(|left| &mut left.member);
    let followed = managed.iter_mut().chain(left).map(follow).filter(|it| *it).count();
    if followed == 0 {
        return Ok(None);
    }
    // Of a record from before this was kept, nobody knows whether its aliases say who manages them.
    if holdings.managed.is_some() {
        holdings.managed = Some(managed);
    }
    let version = present.version.next();
    Ok(Some(DeploymentRecord { holdings, version, ..present.clone() }))
}

/// What a step does with a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DeploymentStep {
    /// It stays as it is.
    Stay,
    /// It is kept so.
    Put(Box<DeploymentRecord>),
    /// It goes.
    Remove(DeploymentPosition),
}

/// The deployment that a change is about, if it is about one.
pub(crate) fn deployment_of(change: &DeploymentChange) -> Option<&DeploymentName> {
    match change {
        DeploymentChange::Keep => None,
        DeploymentChange::Save(record) => Some(&record.name),
        DeploymentChange::Remove(name) => Some(name),
    }
}

/// What a step of an operation does with a deployment: nothing where that is gone, or where a later run than
/// this one has taken its place.
pub(crate) fn deployment_stepped(
    change: &DeploymentChange,
    present: Option<&DeploymentRecord>,
    by: OperationId,
) -> DeploymentStep {
    let Some(present) = present.filter(|it| it.operation == by) else {
        return DeploymentStep::Stay;
    };
    match change {
        DeploymentChange::Keep => DeploymentStep::Stay,
        DeploymentChange::Save(record) => {
            let kept = over(DeploymentRecord::clone(record), present);
            DeploymentStep::Put(Box::new(DeploymentRecord { operation: by, ..kept }))
        }
        DeploymentChange::Remove(name) => DeploymentStep::Remove(deployment_position(name)),
    }
}

fn over(record: DeploymentRecord, present: &DeploymentRecord) -> DeploymentRecord {
    DeploymentRecord {
        name: present.name.clone(),
        template_path: record.template_path.or_else(|| present.template_path.clone()),
        kept_defaults: record.kept_defaults.or_else(|| present.kept_defaults.clone()),
        created_at: present.created_at,
        version: present.version.next(),
        ..record
    }
}

#[cfg(test)]
mod tests {
    use hangar_plan::Timestamp;
    use hangar_plan::deployment::Holdings;
    use hangar_plan::record::GroupName;

    use super::*;

    const FIRST_RUN: OperationId = OperationId::from_u128(0x0100);
    const LATER_RUN: OperationId = OperationId::from_u128(0x0200);

    fn record(name: &str, operation: OperationId, at: i64) -> DeploymentRecord {
        let group = GroupName { plane: "local".to_owned(), group: "Team".to_owned() };
        DeploymentRecord {
            name: DeploymentName { group, name: name.to_owned() },
            operation,
            started_at: Timestamp::from_micros(at),
            ended_at: None,
            ending: None,
            rows: Vec::new(),
            outputs: None,
            holdings: Holdings::default(),
            template_path: None,
            kept_defaults: None,
            created_at: Timestamp::from_micros(at),
            version: Version(77),
        }
    }

    #[test]
    fn a_run_begins_only_on_what_was_seen() {
        let seen = |version| Some(Version(version));
        let cases = [
            (None, None, Ok(())),
            (None, seen(1), Err(ReserveError::Stale)),
            (seen(1), None, Err(ReserveError::Stale)),
            (seen(1), seen(1), Ok(())),
            (seen(1), seen(2), Err(ReserveError::Stale)),
        ];
        for (seen, present, expected) in cases {
            assert_eq!(may_deploy(seen, present), expected, "{seen:?} {present:?}");
        }
    }

    #[test]
    fn what_was_first_stays_and_the_version_counts_on() {
        let write = |record| DeploymentWrite { record, seen: None };
        let first = deployment_begun(&write(record("App", FIRST_RUN, 1)), None);
        assert_eq!(first.version, Version(2), "by its operation");
        let again = deployment_begun(&write(record("APP", LATER_RUN, 2)), Some(&first));
        assert_eq!((again.name.name.as_str(), again.version), ("App", Version(3)));
        assert_eq!(again.created_at, Timestamp::from_micros(1));
        assert_eq!((again.operation, again.started_at), (LATER_RUN, Timestamp::from_micros(2)));
        assert_eq!(deployment_position(&again.name).group, "local/team");
        assert_eq!(deployment_position(&again.name).name, "app");
    }

    #[test]
    fn a_run_whose_place_was_taken_writes_nothing() {
        let present = record("App", LATER_RUN, 1);
        let step = DeploymentChange::Save(Box::new(record("aPP", FIRST_RUN, 9)));
        let remove = DeploymentChange::Remove(present.name.clone());
        for change in [&DeploymentChange::Keep, &step, &remove] {
            assert_eq!(deployment_stepped(change, None, FIRST_RUN), DeploymentStep::Stay);
            assert_eq!(deployment_stepped(change, Some(&present), FIRST_RUN), DeploymentStep::Stay);
        }
        let gone = deployment_stepped(&remove, Some(&present), LATER_RUN);
        assert_eq!(gone, DeploymentStep::Remove(deployment_position(&present.name)));
        let DeploymentStep::Put(kept) = deployment_stepped(&step, Some(&present), LATER_RUN) else {
            panic!("it is its own")
        };
        assert_eq!((kept.operation, kept.name.name.as_str()), (LATER_RUN, "App"));
        assert_eq!((kept.version, kept.created_at), (Version(78), present.created_at));
        assert_eq!(kept.started_at, Timestamp::from_micros(9));
    }

    #[test]
    fn a_step_that_names_no_kept_defaults_leaves_them() {
        let of = |sealed: Option<&str>| DeploymentRecord {
            kept_defaults: sealed.map(str::to_owned),
            ..record("App", FIRST_RUN, 1)
        };
        let after = |saved: Option<&str>| {
            let save = DeploymentChange::Save(Box::new(of(saved)));
            match deployment_stepped(&save, Some(&of(Some("old"))), FIRST_RUN) {
                DeploymentStep::Put(kept) => kept.kept_defaults,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(after(None).as_deref(), Some("old"));
        assert_eq!(after(Some("new")).as_deref(), Some("new"));
    }
}
