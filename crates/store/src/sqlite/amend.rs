//! References written outside of any operation: what was seen of one, and its name.

use hangar_plan::record::{Reference, ReferenceName, Version};

use super::desk::Writing;
use super::{deployment, group, reference};
use crate::{ReferenceError, ReferencePosition, ReferenceWrite, StoreError, rules};

pub(super) fn save(
    writing: &Writing<'_>,
    write: ReferenceWrite,
) -> Result<Version, ReferenceError> {
    let at = rules::position(&write.reference.name);
    let present = find(writing, &at, write.seen)?;
    let amended = rules::amended(write.reference, &present);
    Ok(reference::save(writing, &amended, Some(present.version))?)
}

pub(super) fn rename(
    writing: &Writing<'_>,
    name: &ReferenceName,
    alias: &str,
    seen: Version,
) -> Result<Reference, ReferenceError> {
    let from = rules::position(name);
    let present = find(writing, &from, Some(seen))?;
    rules::may_rename(&present.entry)?;
    if present.name.alias == alias {
        return Ok(present);
    }
    let renamed = rules::renamed(&present, alias);
    let to = rules::position(&renamed.name);
    let dependants = if to == from {
        Vec::new()
    } else {
        check_free(writing, &to)?;
        following(writing, &present.name, &renamed.name)?
    };

    let manager = match &present.managed_by {
        Some(name) => deployment::find(&writing.database, &rules::deployment_position(name))?,
        None => None,
    };
    if let Some(manager) = manager
        && let Some(following) =
            rules::deployment_following(&manager, &present.name, &renamed.name)?
    {
        deployment::put(writing, &following)?;
    }
    reference::remove(writing, &from)?;
    reference::save(writing, &renamed, Some(present.version))?;
    for dependant in dependants {
        reference::save(writing, &dependant, Some(dependant.version))?;
    }
    Ok(renamed)
}

/// The reference at a place, if it may be written by one who saw it at version `seen`.
fn find(
    writing: &Writing<'_>,
    at: &ReferencePosition,
    seen: Option<Version>,
) -> Result<Reference, ReferenceError> {
    let group = group::present(&writing.database, &at.group)?.map(|it| it.state);
    rules::may_amend(reference::present(&writing.database, at)?, group, seen)?;
    reference::find(&writing.database, at)?.ok_or(ReferenceError::Absent)
}

fn check_free(writing: &Writing<'_>, at: &ReferencePosition) -> Result<(), ReferenceError> {
    match reference::find(&writing.database, at)? {
        Some(holder) => Err(ReferenceError::Taken(holder.name.id())),
        None => Ok(()),
    }
}

/// The references of the group that depend on one that is renamed, as they are then. One that an
/// operation works on cannot follow: its worker writes it as it saw it.
fn following(
    writing: &Writing<'_>,
    old: &ReferenceName,
    new: &ReferenceName,
) -> Result<Vec<Reference>, ReferenceError> {
    let mut following = Vec::new();
    for (at, depends_on) in reference::depending(&writing.database, &old.group.key())? {
        let Some(depends_on) = rules::followed(&depends_on, old, new) else { continue };
        if at == rules::position(old) {
            continue;
        }
        let present = reference::present(&writing.database, &at)?;
        if let Some(holder) = present.and_then(|it| it.locked_by) {
            return Err(ReferenceError::Busy(holder));
        }
        let dependant = reference::find(&writing.database, &at)?
            .ok_or_else(|| StoreError::Damaged(format!("{at:?} is only in an index")))?;
        following.push(Reference { depends_on, ..dependant });
    }
    Ok(following)
}
