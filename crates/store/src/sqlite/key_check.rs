//! What proves that a key is this store's: written once, and moved with all that is sealed for good.

use rusqlite::params;

use super::credential;
use super::database::Database;
use super::desk::Writing;
use super::row::Table;
use crate::{Resealed, StaleError, StoreError, rules};

const KEY_CHECK: Table = Table { name: "key_check", key: &[] };

pub(super) const FIND: &str = "SELECT value FROM key_check WHERE id = 1";
const PUT: &str = "INSERT INTO key_check (id, value) VALUES (1, ?1)";
pub(super) const MOVE: &str = "UPDATE key_check SET value = ?1 WHERE id = 1";

pub(super) fn find(database: &Database<'_>) -> Result<Option<String>, StoreError> {
    database.find(&KEY_CHECK, FIND, [], |row| row.get("value"))
}

/// Keeps `check` if there is nothing yet; gives what is kept.
pub(super) fn put(writing: &Writing<'_>, check: &str) -> Result<String, StoreError> {
    if let Some(kept) = find(&writing.database)? {
        return Ok(kept);
    }
    writing.database.change(PUT, [check])?;
    Ok(check.to_owned())
}

/// Keeps `new` in the place of `old`, with every credential sealed anew.
pub(super) fn rotate(
    writing: &Writing<'_>,
    old: &str,
    new: &str,
    resealed: &[Resealed],
) -> Result<(), StaleError> {
    let check = find(&writing.database)?;
    let present = credential::list(&writing.database, None)?;
    rules::may_rotate(check.as_deref(), old, &present, resealed)?;
    writing.database.change(MOVE, [new])?;
    for credential in resealed {
        let row = params![credential.name.key(), credential.sealed];
        writing.database.change(credential::RESEAL, row)?;
    }
    Ok(())
}
