//! The Terraform state of recipes: who holds it, and its versions, one row each. A state may be large: only
//! who asks for one reads it.

use hangar_plan::record::{RecipeName, StateHead, StateLock, StateVersion};
use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use crate::column::{to_integer, to_json, to_limit};
use crate::rules::{self, Locking, PresentState, RecipePosition};
use crate::{KEPT_STATES, StateError, StateWrite, StoreError, StoredState};

const STATE: Table = Table { name: "terraform_state", key: &["group_key", "name_key", "number"] };
/// What one statement tells of a recipe's state.
const HELD: Table = Table { name: "terraform_state", key: &["group_key", "name_key"] };

pub(super) const HEAD: &str = "SELECT ?1 AS group_key, ?2 AS name_key,
    (SELECT body FROM terraform_lock WHERE group_key = ?1 AND name_key = ?2) AS lock,
    (SELECT body FROM terraform_state WHERE group_key = ?1 AND name_key = ?2 AND NOT stray
        ORDER BY number DESC LIMIT 1) AS current";
pub(super) const LIST: &str = "SELECT group_key, name_key, number, body FROM terraform_state
    WHERE group_key = ?1 AND name_key = ?2 ORDER BY number DESC";
pub(super) const FIND: &str = "SELECT * FROM terraform_state
    WHERE group_key = ?1 AND name_key = ?2 AND number = ?3";
pub(super) const LOOK: &str = "SELECT ?1 AS group_key, ?2 AS name_key,
    EXISTS (SELECT 1 FROM recipe WHERE group_key = ?1 AND name_key = ?2) AS known,
    (SELECT body FROM terraform_lock WHERE group_key = ?1 AND name_key = ?2) AS lock,
    (SELECT number FROM terraform_state WHERE group_key = ?1 AND name_key = ?2
        ORDER BY number DESC LIMIT 1) AS last";
const ADD: &str = "INSERT INTO terraform_state (group_key, name_key, number, stray, body, sealed)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
// Of its own kind; where there are fewer, none is the one that was passed.
pub(super) const FORGET: &str = "DELETE FROM terraform_state
    WHERE group_key = ?1 AND name_key = ?2 AND stray = ?3 AND number <= (
        SELECT number FROM terraform_state WHERE group_key = ?1 AND name_key = ?2 AND stray = ?3
        ORDER BY number DESC LIMIT 1 OFFSET ?4)";
const LOCK: &str = "INSERT INTO terraform_lock (group_key, name_key, body) VALUES (?1, ?2, ?3)";
pub(super) const UNLOCK: &str = "DELETE FROM terraform_lock WHERE group_key = ?1 AND name_key = ?2";

pub(super) fn head(database: &Database<'_>, at: &RecipePosition) -> Result<StateHead, StoreError> {
    let head = database.find(&HELD, HEAD, [&at.group, &at.name], |row| {
        Ok(StateHead { lock: row.json_if_any("lock")?, current: row.json_if_any("current")? })
    })?;
    Ok(head.unwrap_or_default())
}

pub(super) fn list(
    database: &Database<'_>,
    at: &RecipePosition,
) -> Result<Vec<StateVersion>, StoreError> {
    database.list(&STATE, LIST, [&at.group, &at.name], decode)
}

pub(super) fn find(
    database: &Database<'_>,
    at: &RecipePosition,
    number: u64,
) -> Result<Option<StoredState>, StoreError> {
    database.find(&STATE, FIND, params![at.group, at.name, to_integer(number)], |row| {
        Ok(StoredState { version: decode(row)?, sealed: row.get("sealed")? })
    })
}

pub(super) fn write(writing: &Writing<'_>, write: &StateWrite) -> Result<StateVersion, StateError> {
    let at = rules::recipe_position(&write.recipe);
    let kept = rules::state_written(write, &look(&writing.database, &at)?)?;
    let number = to_integer(kept.number);
    let row = params![at.group, at.name, number, kept.stray, to_json(&kept), write.sealed];
    writing.database.change(ADD, row)?;
    let passed = params![at.group, at.name, kept.stray, to_limit(KEPT_STATES)];
    writing.database.change(FORGET, passed)?;
    Ok(kept)
}

pub(super) fn lock(
    writing: &Writing<'_>,
    recipe: &RecipeName,
    lock: &StateLock,
) -> Result<(), StateError> {
    let at = rules::recipe_position(recipe);
    match rules::may_lock(&look(&writing.database, &at)?, lock)? {
        Locking::Held => Ok(()),
        Locking::Taken => {
            let row = params![at.group, at.name, to_json(lock)];
            Ok(writing.database.change(LOCK, row).map(drop)?)
        }
    }
}

pub(super) fn unlock(
    writing: &Writing<'_>,
    recipe: &RecipeName,
    id: Option<&str>,
) -> Result<Option<StateLock>, StateError> {
    let at = rules::recipe_position(recipe);
    let freed = rules::may_unlock(look(&writing.database, &at)?, id)?;
    if freed.is_some() {
        writing.database.change(UNLOCK, [&at.group, &at.name])?;
    }
    Ok(freed)
}

fn look(database: &Database<'_>, at: &RecipePosition) -> Result<PresentState, StoreError> {
    let present = database.find(&HELD, LOOK, [&at.group, &at.name], |row| {
        let last = match row.get::<Option<i64>>("last")? {
            Some(_) => Some(row.count("last")?),
            None => None,
        };
        Ok(PresentState { has_recipe: row.get("known")?, lock: row.json_if_any("lock")?, last })
    })?;
    Ok(present.unwrap_or_default())
}

fn decode(row: &Row<'_>) -> Result<StateVersion, StoreError> {
    row.json("body")
}
