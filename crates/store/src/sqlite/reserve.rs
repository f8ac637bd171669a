//! Taking an alias, or a resource, for a new operation: everything is looked at before anything is
//! written.

use std::collections::BTreeSet;

use hangar_plan::operation::OperationId;
use rusqlite::params;

use super::desk::Writing;
use super::row::Table;
use super::{deployment, event, group, operation, plane, recipe, reference};
use crate::{Reservation, ReserveError, rules};

const LOCK: Table = Table { name: "resource_lock", key: &["resource_key"] };

pub(super) const LOCK_FIND: &str = "SELECT * FROM resource_lock WHERE resource_key = ?1";
const LOCK_TAKE: &str = "INSERT INTO resource_lock (resource_key, operation) VALUES (?1, ?2)";
const ENVELOPE_PUT: &str = "INSERT INTO envelope (operation, sealed) VALUES (?1, ?2)";

pub(super) fn reserve(
    writing: &Writing<'_>,
    reservation: &Reservation,
) -> Result<(), ReserveError> {
    let resource_keys: BTreeSet<&str> =
        reservation.resource_keys.iter().map(String::as_str).collect();
    check_repeated(writing, reservation)?;
    group::check(writing, reservation)?;
    check_plane(writing, reservation)?;
    check_reference(writing, reservation)?;
    let begun = deployment::begun(writing, reservation.deployment.as_ref())?;
    let recipe_begun = recipe::begun(writing, reservation.recipe.as_ref())?;
    for key in &resource_keys {
        check_lock(writing, key)?;
    }

    let id = reservation.record.id();
    operation::insert(writing, &reservation.record)?;
    group::close(writing, reservation.group.as_ref(), id)?;
    if let Some(write) = &reservation.reference {
        reference::save(writing, &write.reference, write.seen)?;
    }
    if let Some(begun) = &begun {
        deployment::put(writing, begun)?;
    }
    if let Some(begun) = &recipe_begun {
        recipe::put(writing, begun)?;
    }
    for key in &resource_keys {
        writing.database.change(LOCK_TAKE, params![key, id.to_string()])?;
    }
    if let Some(sealed) = &reservation.envelope {
        writing.database.change(ENVELOPE_PUT, params![id.to_string(), sealed])?;
    }
    event::add(writing, id, &reservation.message, None)?;
    Ok(())
}

/// A request that was accepted is answered with its operation, whatever has become of the rest.
fn check_repeated(writing: &Writing<'_>, reservation: &Reservation) -> Result<(), ReserveError> {
    let id = reservation.record.id();
    if operation::exists(&writing.database, id)? {
        return Err(ReserveError::Repeated(id));
    }
    let Some(repeatability) = &reservation.record.repeatability else { return Ok(()) };
    let since = rules::earlier(writing.now, rules::REPEATABLE_FOR);
    match operation::find_repeated(&writing.database, &repeatability.request_id, since)? {
        Some(before) => Err(ReserveError::Repeated(before.id())),
        None => Ok(()),
    }
}

fn check_plane(writing: &Writing<'_>, reservation: &Reservation) -> Result<(), ReserveError> {
    match rules::plane_of_resource(reservation) {
        Some(plane) if !plane::exists(&writing.database, &plane)? => {
            Err(ReserveError::NoPlane(plane))
        }
        _ => Ok(()),
    }
}

fn check_reference(writing: &Writing<'_>, reservation: &Reservation) -> Result<(), ReserveError> {
    let Some(write) = &reservation.reference else { return Ok(()) };
    let at = rules::position(&write.reference.name);
    rules::may_take(write.seen, reference::present(&writing.database, &at)?)?;
    match reference::mapped_elsewhere(&writing.database, &write.reference)? {
        Some(holder) => Err(ReserveError::Mapped(holder)),
        None => Ok(()),
    }
}

fn check_lock(writing: &Writing<'_>, resource_key: &str) -> Result<(), ReserveError> {
    let holder: Option<OperationId> =
        writing
            .database
            .find(&LOCK, LOCK_FIND, [resource_key], |row| row.operation("operation"))?;
    match holder {
        Some(holder) => Err(ReserveError::Busy(holder)),
        None => Ok(()),
    }
}
