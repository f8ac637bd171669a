//! One step of an operation, whole or not at all: operation, reference, deployment, recipe, group, attempts,
//! event, lease.

use hangar_plan::Timestamp;
use hangar_plan::record::{Epoch, OperationRecord, Version};
use rusqlite::params;

use super::desk::Writing;
use super::{deployment, event, group, operation, recipe, reference};
use crate::column::{to_integer, to_json, to_keeping, to_micros};
use crate::rules::Meanwhile;
use crate::{
    Commit, CommitError, Committed, Lease, ReferenceChange, ReferenceWrite, StoreError, rules,
};

pub(super) const PRESENT: &str = "SELECT id, epoch, version, cancel_requested, woken, ended_at, parent FROM operation WHERE id = ?1";
const SAVE: &str = "UPDATE operation SET state = ?2, machine = ?3, warnings = ?4,
        cancel_requested = ?5, updated_at = ?6, ended_at = ?7, due_at = ?8, version = ?9, calls = ?10
    WHERE id = ?1";
const RELEASE: &str =
    "UPDATE operation SET lease_until = NULL, lease_worker = NULL, woken = 0 WHERE id = ?1";
const ENVELOPE_DROP: &str = "DELETE FROM envelope WHERE operation = ?1";
pub(super) const LOCKS_DROP: &str = "DELETE FROM resource_lock WHERE operation = ?1";

// One that was woken and not claimed since is due already.
pub(super) const WAKE: &str = "UPDATE operation
    SET woken = 1, due_at = min(coalesce(due_at, ?2), ?2)
    WHERE id = ?1 AND ended_at IS NULL AND NOT (woken AND due_at <= ?2)";

/// What was found of the operation.
struct Seen {
    fence: (Epoch, Version),
    meanwhile: Meanwhile,
    has_ended: bool,
    parent: Option<String>,
}

pub(super) fn commit(writing: &Writing<'_>, commit: &Commit) -> Result<Committed, CommitError> {
    let record = &commit.record;
    let id = record.id();
    let seen = look(writing, record)?.ok_or(CommitError::LeaseLost)?;
    rules::may_step(Some(seen.fence), (record.epoch, record.version))?;
    let reference_version = change_reference(writing, &commit.reference)?;
    deployment::step(writing, &commit.deployment, id)?;
    recipe::step(writing, &commit.recipe, id)?;
    group::change(writing, record, commit.group)?;

    let stop_wanted = record.is_stop_wanted() || seen.meanwhile.stop_wanted;
    let version = record.version.next();
    let due_at = rules::due_after_step(record, seen.meanwhile, commit.lease, writing.now);
    save(writing, record, stop_wanted, due_at, version)?;
    operation::save_attempts(writing, record)?;
    if commit.lease == Lease::Release {
        writing.database.change(RELEASE, [id.to_string()])?;
    }
    if record.ended_at.is_some() {
        writing.database.change(ENVELOPE_DROP, [id.to_string()])?;
        writing.database.change(LOCKS_DROP, [id.to_string()])?;
    }
    if let Some(message) = &commit.message {
        event::add_if_new(writing, id, message, record.waiting().as_ref())?;
    }
    if let Some(whole) = seen.parent.filter(|_| rules::is_end(seen.has_ended, record)) {
        writing.database.change(WAKE, params![whole, writing.now.as_micros()])?;
    }
    let hastened = rules::is_hastened(record, due_at);
    Ok(Committed { version, reference_version, cancel_requested: stop_wanted, hastened })
}

fn look(writing: &Writing<'_>, record: &OperationRecord) -> Result<Option<Seen>, StoreError> {
    let id = record.id().to_string();
    writing.database.find(&operation::OPERATION, PRESENT, [id], |row| {
        let (stop_wanted, woken) = (row.get("cancel_requested")?, row.get("woken")?);
        Ok(Seen {
            fence: (Epoch(row.count("epoch")?), Version(row.count("version")?)),
            meanwhile: Meanwhile { stop_wanted, woken },
            has_ended: row.instant_if_any("ended_at")?.is_some(),
            parent: row.get("parent")?,
        })
    })
}

/// What is told of an operation once is not written again: its subject, its caller's names for it.
fn save(
    writing: &Writing<'_>,
    record: &OperationRecord,
    stop_wanted: bool,
    due_at: Option<Timestamp>,
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
        to_micros(due_at),
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
