//! References written outside of any operation: what was seen of one, and its name.

use hangar_plan::record::{Reference, ReferenceName, Version};

use super::database::Database;
use super::lock::{Alone, Locks, TAKE};
use super::writing::{InDoubt, Job, Writing};
use super::{deployment, group, reference};
use crate::{ReferenceError, ReferencePosition, ReferenceWrite, rules};

/// Writes what was seen of a reference.
pub(super) struct Save(pub(super) ReferenceWrite);

impl Job for Save {
    type Output = Version;
    type Error = ReferenceError;
    const STATEMENTS: &'static [&'static str] =
        &[TAKE, group::FIND, reference::PRESENT, reference::FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Version, ReferenceError> {
        let at = rules::position(&self.0.reference.name);
        let locks = Locks::default().group(&at.group, Alone::No).reference(&at);
        let (present, retires) = find(writing, &locks, &at, self.0.seen).await?;
        let amended = rules::amended(self.0.reference.clone(), &present);
        Ok(reference::save(writing, &amended, Some(present.version), retires))
    }
}

/// Gives a reference another alias.
pub(super) struct Rename<'n> {
    pub(super) name: &'n ReferenceName,
    pub(super) alias: &'n str,
    pub(super) seen: Version,
}

impl Job for Rename<'_> {
    type Output = Reference;
    type Error = ReferenceError;
    const STATEMENTS: &'static [&'static str] =
        &[TAKE, group::FIND, reference::PRESENT, reference::FIND, deployment::FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Reference, ReferenceError> {
        let from = rules::position(self.name);
        let renamed = ReferenceName { alias: self.alias.to_owned(), ..self.name.clone() };
        let to = rules::position(&renamed);
        // Nothing else of the group is taken or written meanwhile.
        let locks = Locks::default().group(&from.group, Alone::Yes).reference(&from).reference(&to);
        let (present, _) = find(writing, &locks, &from, Some(self.seen)).await?;
        rules::may_rename(&present.entry)?;
        if present.name.alias == self.alias {
            return Ok(present);
        }
        let renamed = rules::renamed(&present, self.alias);
        let dependants = if to == from {
            Vec::new()
        } else {
            check_free(&writing.database, &to).await?;
            following(writing, &present.name, &renamed.name).await?
        };
        let manager = deployment::present(&writing.database, present.managed_by.as_ref()).await?;
        if let Some(manager) = manager
            && let Some(following) =
                rules::deployment_following(&manager, &present.name, &renamed.name)?
        {
            deployment::put(writing, &following);
        }
        // What it retires goes with its row and comes back with it.
        reference::remove(writing, &from);
        reference::save(writing, &renamed, Some(present.version), false);
        for (dependant, retires) in dependants {
            reference::save(writing, &dependant, Some(dependant.version), retires);
        }
        Ok(renamed)
    }
}

/// The reference at a place, if it may be written by one who saw it at version `seen`, and whether it
/// retires anything.
async fn find(
    writing: &Writing<'_>,
    locks: &Locks,
    at: &ReferencePosition,
    seen: Option<Version>,
) -> Result<(Reference, bool), ReferenceError> {
    let database = &writing.database;
    let (begun, group, found, reference) = tokio::join!(
        biased;
        writing.begin(locks),
        group::present(database, &at.group),
        reference::present(database, at),
        reference::find(database, at),
    );
    begun?;
    let (group, found) = (group?.map(|it| it.state), found?);
    rules::may_amend(found.map(|it| it.present), group, seen)?;
    let reference = reference?.ok_or(ReferenceError::Absent)?;
    Ok((reference, found.is_some_and(|it| it.retires)))
}

async fn check_free(database: &Database<'_>, at: &ReferencePosition) -> Result<(), ReferenceError> {
    match reference::find(database, at).await? {
        Some(holder) => Err(ReferenceError::Taken(holder.name.id())),
        None => Ok(()),
    }
}

/// The references of the group that depend on one that is renamed, as they are then. One that an
/// operation works on cannot follow: its worker writes it as it saw it.
async fn following(
    writing: &Writing<'_>,
    old: &ReferenceName,
    new: &ReferenceName,
) -> Result<Vec<(Reference, bool)>, ReferenceError> {
    let database = &writing.database;
    let own = rules::position(old);
    let depending = reference::depending(database, &old.group.key()).await?;
    // The group is held alone, and so all that is in it: a lock on each, of any number of them, could
    // need more than the server has.
    let mut following = Vec::new();
    for (at, depends_on) in depending {
        if at == own || rules::followed(&depends_on, old, new).is_none() {
            continue;
        }
        let found = reference::present(database, &at).await?;
        let Some(dependant) = reference::find(database, &at).await? else { continue };
        let Some(depends_on) = rules::followed(&dependant.depends_on, old, new) else { continue };
        if let Some(holder) = found.and_then(|it| it.present.locked_by) {
            return Err(ReferenceError::Busy(holder));
        }
        let retires = found.is_some_and(|it| it.retires);
        following.push((Reference { depends_on, ..dependant }, retires));
    }
    Ok(following)
}
