//! Small facts about the store, by name.

use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::Table;
use crate::StoreError;

const NOTE: Table = Table { name: "note", key: &["name"] };

pub(super) const FIND: &str = "SELECT * FROM note WHERE name = ?1";
const PUT: &str = "INSERT INTO note (name, text) VALUES (?1, ?2)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text";

pub(super) fn find(database: &Database<'_>, name: &str) -> Result<Option<String>, StoreError> {
    database.find(&NOTE, FIND, [name], |row| row.get("text"))
}

/// Keeps `text` if there is nothing yet; gives what is kept.
pub(super) fn keep(writing: &Writing<'_>, name: &str, text: &str) -> Result<String, StoreError> {
    if let Some(kept) = find(&writing.database, name)? {
        return Ok(kept);
    }
    put(writing, name, text)?;
    Ok(text.to_owned())
}

pub(super) fn put(writing: &Writing<'_>, name: &str, text: &str) -> Result<(), StoreError> {
    writing.database.change(PUT, params![name, text]).map(drop)
}
