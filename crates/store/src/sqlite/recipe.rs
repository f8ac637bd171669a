//! Recipes, one row each: what may be shown as JSON, what a run needs sealed.

use hangar_plan::operation::OperationId;
use hangar_plan::record::RecipeRecord;
use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use crate::column::{to_integer, to_json, to_limit};
use crate::rules::{self, RecipePosition, RecipeStep};
use crate::{RecipeChange, RecipeWrite, ReserveError, StoreError};

const RECIPE: Table = Table { name: "recipe", key: &["group_key", "name_key"] };

pub(super) const FIND: &str = "SELECT * FROM recipe WHERE group_key = ?1 AND name_key = ?2";
pub(super) const LIST: &str = "SELECT group_key, name_key, body FROM recipe
    WHERE group_key = ?1 AND name_key > ?2 ORDER BY name_key LIMIT ?3";
// What is decided on needs nothing that is sealed, which may be large.
pub(super) const PRESENT: &str =
    "SELECT group_key, name_key, body FROM recipe WHERE group_key = ?1 AND name_key = ?2";
pub(super) const FIRST_IN: &str = "SELECT group_key, name_key, body FROM recipe
    WHERE group_key = ?1 ORDER BY name_key LIMIT 1";
const PUT: &str = "INSERT INTO recipe (group_key, name_key, body, version, sealed)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (group_key, name_key) DO UPDATE SET
        body = excluded.body, version = excluded.version, sealed = excluded.sealed";
// Its lock and the versions of its state go with it.
pub(super) const REMOVE: &str = "DELETE FROM recipe WHERE group_key = ?1 AND name_key = ?2";

pub(super) fn find(
    database: &Database<'_>,
    at: &RecipePosition,
) -> Result<Option<RecipeRecord>, StoreError> {
    database.find(&RECIPE, FIND, [&at.group, &at.name], decode)
}

pub(super) fn list(
    database: &Database<'_>,
    group: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<RecipeRecord>, StoreError> {
    database.list(&RECIPE, LIST, params![group, after, to_limit(limit)], decode_shown)
}

/// The id of one recipe of a group, if there is any.
pub(super) fn first_in(database: &Database<'_>, group: &str) -> Result<Option<String>, StoreError> {
    database.find(&RECIPE, FIRST_IN, [group], |row| Ok(decode_shown(row)?.name.id()))
}

/// A recipe as it is kept when a run of it begins, if it is as it was seen.
pub(super) fn begun(
    writing: &Writing<'_>,
    write: Option<&RecipeWrite>,
) -> Result<Option<RecipeRecord>, ReserveError> {
    let Some(write) = write else { return Ok(None) };
    let present = present(writing, &rules::recipe_position(&write.record.name))?;
    rules::may_run(write.seen, present.as_ref().map(|it| it.version))?;
    Ok(Some(rules::recipe_begun(write, present.as_ref())))
}

/// Writes or removes a recipe with a step of its run.
pub(super) fn step(
    writing: &Writing<'_>,
    change: &RecipeChange,
    by: OperationId,
) -> Result<(), StoreError> {
    let Some(name) = rules::recipe_of(change) else { return Ok(()) };
    let present = present(writing, &rules::recipe_position(name))?;
    match rules::recipe_stepped(change, present.as_ref(), by) {
        RecipeStep::Stay => Ok(()),
        RecipeStep::Put(kept) => put(writing, &kept),
        RecipeStep::Remove(at) => writing.database.change(REMOVE, [&at.group, &at.name]).map(drop),
    }
}

pub(super) fn put(writing: &Writing<'_>, record: &RecipeRecord) -> Result<(), StoreError> {
    let at = rules::recipe_position(&record.name);
    let version = to_integer(record.version.0);
    let row = params![at.group, at.name, to_json(record), version, record.sealed];
    writing.database.change(PUT, row).map(drop)
}

/// What there is, without what is sealed in it.
fn present(writing: &Writing<'_>, at: &RecipePosition) -> Result<Option<RecipeRecord>, StoreError> {
    writing.database.find(&RECIPE, PRESENT, [&at.group, &at.name], decode_shown)
}

fn decode(row: &Row<'_>) -> Result<RecipeRecord, StoreError> {
    Ok(RecipeRecord { sealed: row.get("sealed")?, ..decode_shown(row)? })
}

fn decode_shown(row: &Row<'_>) -> Result<RecipeRecord, StoreError> {
    row.json("body")
}
