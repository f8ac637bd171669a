//! What proves that a key is this store's; written once.

use super::database::Database;
use super::row::Table;
use super::writer::Writing;
use crate::StoreError;

const KEY_CHECK: Table = Table { name: "key_check", key: &[] };

pub(super) const FIND: &str = "SELECT value FROM key_check WHERE id = 1";
const PUT: &str = "INSERT INTO key_check (id, value) VALUES (1, ?1)";

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
