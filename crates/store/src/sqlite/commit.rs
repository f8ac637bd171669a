//! One step of an operation, whole or not at all: operation, reference, group, attempts, event, lease.

use hangar_plan::record::{Epoch, OperationRecord, Version};
use rusqlite::params;

use super::desk::Writing;
use super::{event, group, operation, reference};
use crate::column::{to_integer, to_json, to_keeping, to_micros};
use crate::{
    Commit, CommitError, Committed, Lease, ReferenceChange, ReferenceWrite, StoreError, rules,
};

pub(super) const PRESENT: &str =
    "SELECT id, epoch, version, cancel_requested FROM operation WHERE id = ?1";
const SAVE: &str = "UPDATE operation SET state = ?2, machine = ?3, warnings = ?4,
        cancel_requested = ?5, updated_at = ?6, ended_at = ?7, due_at = ?8, version = ?9, calls = ?10
    WHERE id = ?1";
const RELEASE: &str = "UPDATE operation SET lease_until = NULL, lease_worker = NULL WHERE id = ?1";
const ENVELOPE_DROP: &str = "DELETE FROM envelope WHERE operation = ?1";
pub(super) const LOCKS_DROP: &str = "DELETE FROM resource_lock WHERE operation = ?1";

pub(super) fn commit(writing: &Writing<'_>, commit: &Commit) -> Result<Committed, CommitError> {
    let record = &commit.record;
    let id = record.id();
    let present =
        writing.database.find(&operation::OPERATION, PRESENT, [id.to_string()], |row| {
            let fence = (Epoch(row.count("epoch")?), Version(row.count("version")?));
            Ok((fence, row.get::<bool>("cancel_requested")?))
        })?;
    rules::may_step(present.map(|(fence, _)| fence), (record.epoch, record.version))?;
    let reference_version = change_reference(writing, &commit.reference)?;
    group::change(writing, record, commit.group)?;

    let stop_wanted = record.is_stop_wanted() || present.is_some_and(|(_, cancel)| cancel);
    let version = record.version.next();
    save(writing, record, stop_wanted, commit.lease, version)?;
    operation::save_attempts(writing, record)?;
    if commit.lease == Lease::Release {
        writing.database.change(RELEASE, [id.to_string()])?;
    }
    if record.ended_at.is_some() {
        writing.database.change(ENVELOPE_DROP, [id.to_string()])?;
        writing.database.change(LOCKS_DROP, [id.to_string()])?;
    }
    if let Some(message) = &commit.message {
        event::add_if_new(writing, id, message)?;
    }
    Ok(Committed { version, reference_version, cancel_requested: stop_wanted })
}

/// What is told of an operation once is not written again: its subject, its caller's names for it.
fn save(
    writing: &Writing<'_>,
    record: &OperationRecord,
    stop_wanted: bool,
    lease: Lease,
    version: Version,
) -> Result<(), StoreError> {
    let row = params![
        record.id().to_string(),
        to_keeping(record),
        operation::machine(record),
        to_json(&record.warnings),
        stop_wanted,
        record.updated_at.as_micros(),
        to_micros(record.ended_at),
        to_micros(rules::due_after_step(record, stop_wanted, lease, writing.now)),
        to_integer(version.0),
        to_json(&record.calls),
    ];
    writing.database.change(SAVE, row).map(drop)
}

fn change_reference(
    writing: &Writing<'_>,
    change: &ReferenceChange,
) -> Result<Option<Version>, CommitError> {
    match change {
        ReferenceChange::Keep => Ok(None),
        ReferenceChange::Save(write) => save_reference(writing, write).map(Some),
        ReferenceChange::Remove { name, seen } => {
            let at = rules::position(name);
            let present = reference::present(&writing.database, &at)?;
            rules::may_change(Some(*seen), present.map(|it| it.version))?;
            reference::remove(writing, &at)?;
            Ok(None)
        }
    }
}

fn save_reference(writing: &Writing<'_>, write: &ReferenceWrite) -> Result<Version, CommitError> {
    let at = rules::position(&write.reference.name);
    let present = reference::present(&writing.database, &at)?;
    rules::may_change(write.seen, present.map(|it| it.version))?;
    if let Some(holder) = reference::mapped_elsewhere(&writing.database, &write.reference)? {
        return Err(CommitError::Mapped(holder));
    }
    Ok(reference::save(writing, &write.reference, write.seen)?)
}
