//! One step of an operation, whole or not at all: operation, reference, deployment, recipe, group, attempts,
//! event, lease.
//!
//! Invariant: of operations the one that steps is locked first, then the one that it is a part of, and no other:
//! nobody waits in a circle.

use hangar_plan::Timestamp;
use hangar_plan::record::{DeploymentRecord, Epoch, RecipeRecord, Version};

use super::event::Last;
use super::lock::{Alone, Locks, TAKE};
use super::reference::Found;
use super::row::to_text;
use super::writing::{Doubt, InDoubt, Job, NOW, Writing, given};
use super::{attempt, deployment, event, group, operation, recipe, reference};
use crate::column::{to_integer, to_json, to_keeping, to_micros};
use crate::rules::Meanwhile;
use crate::{
    Commit, CommitError, Committed, GroupChange, Lease, ReferenceChange, StoreError, rules,
};

// Held until the end: of those who have the lease, or think so, one steps at a time.
pub(super) const PRESENT: &str =
    "SELECT id, epoch, version, mark, cancel_requested, woken, ended_at, due_at, parent
    FROM operation WHERE id = $1 FOR UPDATE";
const SAVE: &str = "UPDATE operation SET state = $2, machine = $3, warnings = $4,
        cancel_requested = $5, updated_at = $6, ended_at = $7, due_at = $8, version = $9, calls = $10,
        mark = $11
    WHERE id = $1";
const SAVE_AND_RELEASE: &str = "UPDATE operation SET state = $2, machine = $3, warnings = $4,
        cancel_requested = $5, updated_at = $6, ended_at = $7, due_at = $8, version = $9, calls = $10,
        mark = $11, lease_until = NULL, lease_worker = NULL, woken = false
    WHERE id = $1";
pub(super) const ENVELOPE_DROP: &str = "DELETE FROM envelope WHERE operation = $1";
pub(super) const LOCKS_DROP: &str = "DELETE FROM resource_lock WHERE operation = $1";
// The last write before the commit, so that its row is held for the shortest time. Where another has woken it
// and nobody has claimed it since, it is due already and nothing is written: many who end at once wait for the
// first of them only. Who comes while its worker steps waits for that, and finds what it left. (A replica of a
// version that knows no waking may have put off one that was woken.)
pub(super) const WAKE: &str = "UPDATE operation SET woken = true, due_at = least(due_at, $2)
    WHERE id = $1 AND ended_at IS NULL AND NOT (woken AND due_at <= $2)";

/// Writes a step.
pub(super) struct Step<'c> {
    pub(super) commit: &'c Commit,
    /// Tells it from every other write.
    pub(super) mark: i64,
}

/// What was found of the operation.
struct Present {
    fence: (Epoch, Version),
    /// Of the write that made that version.
    mark: Option<i64>,
    meanwhile: Meanwhile,
    has_ended: bool,
    due_at: Option<Timestamp>,
    parent: Option<String>,
}

/// What was found of the operation and of what it changes.
struct Seen {
    present: Option<Present>,
    deployment: Option<DeploymentRecord>,
    recipe: Option<RecipeRecord>,
    reference: Option<Found>,
    mapped_by: Option<String>,
    last: Option<Last>,
}

impl Job for Step<'_> {
    type Output = Committed;
    type Error = CommitError;
    const STATEMENTS: &'static [&'static str] = &[
        TAKE,
        NOW,
        PRESENT,
        reference::PRESENT,
        reference::MAPPERS,
        deployment::FIND,
        recipe::PRESENT,
        event::LAST,
        group::FIND,
    ];
    // It is known by its mark.
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Committed, CommitError> {
        let commit = self.commit;
        let record = &commit.record;
        let (now, seen) = self.look(writing).await?;
        let version = record.version.next();
        let present = seen.present.as_ref().ok_or(CommitError::LeaseLost)?;
        let stop_wanted = record.is_stop_wanted() || present.meanwhile.stop_wanted;
        if writing.doubt == Doubt::Yes && self.is_done(present) {
            // It was done when the answer was lost.
            let reference_version = match &commit.reference {
                ReferenceChange::Save(write) => {
                    Some(rules::reference_version(write.seen, &write.reference))
                }
                ReferenceChange::Keep | ReferenceChange::Remove { .. } => None,
            };
            let hastened = rules::is_hastened(record, present.due_at);
            let cancel_requested = stop_wanted;
            return Ok(Committed { version, reference_version, cancel_requested, hastened });
        }
        rules::may_step(Some(present.fence), (record.epoch, record.version))?;
        let reference_version = self.change_reference(writing, &seen)?;
        self.change_deployment(writing, &seen);
        let of_recipe = rules::recipe_stepped(&commit.recipe, seen.recipe.as_ref(), record.id());
        group::change(writing, commit, &of_recipe).await?;
        recipe::step(writing, of_recipe);

        let due_at = rules::due_after_step(record, present.meanwhile, commit.lease, now);
        self.save(writing, stop_wanted, due_at, version);
        attempt::save(writing, record);
        if record.ended_at.is_some() {
            writing.put(ENVELOPE_DROP, given![record.id().to_string()]);
            writing.put(LOCKS_DROP, given![record.id().to_string()]);
        }
        if let Some(message) = commit.message.as_deref().map(to_text) {
            let last = seen.last.as_ref();
            if rules::is_news(last.map(|it| it.message.as_str()), &message) {
                let (after, waiting) = (last.map_or(0, |it| it.sequence), record.waiting());
                event::add(writing, record.id(), after, &message, waiting.as_ref(), now);
            }
        }
        if let Some(whole) = &present.parent
            && rules::is_end(present.has_ended, record)
        {
            writing.put(WAKE, given![whole.clone(), now.as_micros()]);
        }
        let hastened = rules::is_hastened(record, due_at);
        Ok(Committed { version, reference_version, cancel_requested: stop_wanted, hastened })
    }
}

impl Step<'_> {
    /// Whether it was this step that made the version which is there. Where it let go another may have
    /// leased the operation since; where it did not, who lost the lease must not go on.
    fn is_done(&self, seen: &Present) -> bool {
        let Commit { record, lease, .. } = self.commit;
        let (epoch, version) = seen.fence;
        let may_go_on = epoch == record.epoch || *lease == Lease::Release;
        version == record.version.next() && seen.mark == Some(self.mark) && may_go_on
    }

    fn locks(&self) -> Locks {
        let mut locks = Locks::default();
        let commit = self.commit;
        let group = commit.record.group().filter(|_| commit.group != GroupChange::Keep);
        if let Some(name) = group {
            locks = locks.group(&name.key(), Alone::Yes);
        }
        if let Some(name) = rules::deployment_of(&commit.deployment) {
            locks = locks.deployment(name);
        }
        if let Some(name) = rules::recipe_of(&commit.recipe) {
            locks = locks.recipe(name);
        }
        // Who holds the group alone finds none of its references written meanwhile.
        match &commit.reference {
            ReferenceChange::Keep => locks,
            ReferenceChange::Save(write) => {
                let group = write.reference.name.group.key();
                locks.group(&group, Alone::No).held(&write.reference)
            }
            ReferenceChange::Remove { name, .. } => {
                locks.group(&name.group.key(), Alone::No).reference(&rules::position(name))
            }
        }
    }

    async fn look(&self, writing: &Writing<'_>) -> Result<(Timestamp, Seen), StoreError> {
        let commit = self.commit;
        let locks = self.locks();
        let (id, database) = (commit.record.id(), &writing.database);
        let present = async {
            let id = id.to_string();
            database
                .find(&operation::OPERATION, PRESENT, &[&id], |row| {
                    let (stop_wanted, woken) = (row.get("cancel_requested")?, row.get("woken")?);
                    Ok(Present {
                        fence: (Epoch(row.count("epoch")?), Version(row.count("version")?)),
                        mark: row.get("mark")?,
                        meanwhile: Meanwhile { stop_wanted, woken },
                        has_ended: row.instant_if_any("ended_at")?.is_some(),
                        due_at: row.instant_if_any("due_at")?,
                        parent: row.get("parent")?,
                    })
                })
                .await
        };
        let found = async {
            match &commit.reference {
                ReferenceChange::Keep => Ok(None),
                ReferenceChange::Save(write) => {
                    let at = rules::position(&write.reference.name);
                    reference::present(database, &at).await
                }
                ReferenceChange::Remove { name, .. } => {
                    reference::present(database, &rules::position(name)).await
                }
            }
        };
        let mapped_by = async {
            let ReferenceChange::Save(write) = &commit.reference else { return Ok(None) };
            let at = rules::position(&write.reference.name);
            reference::mapped_elsewhere(database, &at, &rules::held_keys(&write.reference)).await
        };
        let last = async {
            match &commit.message {
                Some(_) => event::last(database, id).await,
                None => Ok(None),
            }
        };
        let kept = deployment::present(database, rules::deployment_of(&commit.deployment));
        let recipe = recipe::present(database, rules::recipe_of(&commit.recipe));
        let (now, present, reference, mapped_by, kept, recipe, last) = tokio::join!(
            biased; writing.begin(&locks), present, found, mapped_by, kept, recipe, last);
        let now = now?;
        let seen = Seen {
            present: present?,
            deployment: kept?,
            recipe: recipe?,
            reference: reference?,
            mapped_by: mapped_by?,
            last: last?,
        };
        Ok((now, seen))
    }

    fn change_reference(
        &self,
        writing: &mut Writing<'_>,
        seen: &Seen,
    ) -> Result<Option<Version>, CommitError> {
        let present = seen.reference.map(|it| it.present.version);
        match &self.commit.reference {
            ReferenceChange::Keep => Ok(None),
            ReferenceChange::Save(write) => {
                rules::may_change(write.seen, present)?;
                if let Some(holder) = &seen.mapped_by {
                    return Err(CommitError::Mapped(holder.clone()));
                }
                let retires = seen.reference.is_some_and(|it| it.retires);
                Ok(Some(reference::save(writing, &write.reference, write.seen, retires)))
            }
            ReferenceChange::Remove { name, seen: version } => {
                rules::may_change(Some(*version), present)?;
                reference::remove(writing, &rules::position(name));
                Ok(None)
            }
        }
    }

    fn change_deployment(&self, writing: &mut Writing<'_>, seen: &Seen) {
        let Commit { deployment: change, record, .. } = self.commit;
        let step = rules::deployment_stepped(change, seen.deployment.as_ref(), record.id());
        deployment::step(writing, step);
    }

    /// What is told of an operation once is not written again: its subject, its caller's names for it.
    fn save(
        &self,
        writing: &mut Writing<'_>,
        stop_wanted: bool,
        due_at: Option<Timestamp>,
        version: Version,
    ) {
        let Commit { record, lease, .. } = self.commit;
        let sql = match lease {
            Lease::Keep => SAVE,
            Lease::Release => SAVE_AND_RELEASE,
        };
        writing.put(
            sql,
            given![
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
                self.mark,
            ],
        );
    }
}
