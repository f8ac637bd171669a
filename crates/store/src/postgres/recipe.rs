//! Recipes, one row each: what may be shown as JSON, what a run needs sealed.

use hangar_plan::record::{RecipeName, RecipeRecord};

use super::database::Database;
use super::row::{Row, Table};
use super::writing::{Writing, given};
use crate::StoreError;
use crate::column::{to_integer, to_json, to_limit};
use crate::rules::{self, RecipePosition, RecipeStep};

const RECIPE: Table = Table { name: "recipe", key: &["group_key", "name_key"] };

pub(super) const FIND: &str = "SELECT * FROM recipe WHERE group_key = $1 AND name_key = $2";
pub(super) const LIST: &str = "SELECT group_key, name_key, body FROM recipe
    WHERE group_key = $1 AND name_key > $2 ORDER BY name_key LIMIT $3";
// What is decided on needs nothing that is sealed, which may be large.
pub(super) const PRESENT: &str =
    "SELECT group_key, name_key, body FROM recipe WHERE group_key = $1 AND name_key = $2";
// One of them may be about to go.
pub(super) const FIRST_IN: &str = "SELECT group_key, name_key, body FROM recipe
    WHERE group_key = $1 ORDER BY name_key LIMIT 2";
const PUT: &str = "INSERT INTO recipe (group_key, name_key, body, version, sealed)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (group_key, name_key) DO UPDATE SET
        body = excluded.body, version = excluded.version, sealed = excluded.sealed";
// Its lock and the versions of its state go with it.
pub(super) const REMOVE: &str = "DELETE FROM recipe WHERE group_key = $1 AND name_key = $2";

pub(super) async fn find(
    database: &Database<'_>,
    at: &RecipePosition,
) -> Result<Option<RecipeRecord>, StoreError> {
    database.find(&RECIPE, FIND, &[&at.group, &at.name], decode).await
}

pub(super) async fn list(
    database: &Database<'_>,
    group: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<RecipeRecord>, StoreError> {
    database.list(&RECIPE, LIST, &[&group, &after, &to_limit(limit)], decode_shown).await
}

/// The id of one recipe that is in a group after a step, which is not written yet.
pub(super) async fn left_in(
    database: &Database<'_>,
    group: &str,
    step: &RecipeStep,
) -> Result<Option<String>, StoreError> {
    let going = match step {
        RecipeStep::Remove(at) => Some(at),
        RecipeStep::Stay | RecipeStep::Put(_) => None,
    };
    let first = database.list(&RECIPE, FIRST_IN, &[&group], decode_shown).await?;
    let stays = |it: &RecipeRecord| Some(&rules::recipe_position(&it.name)) != going;
    Ok(first.into_iter().find(stays).map(|it| it.name.id()))
}

/// What there is under a name, if one is asked for, without what is sealed in it.
pub(super) async fn present(
    database: &Database<'_>,
    wanted: Option<&RecipeName>,
) -> Result<Option<RecipeRecord>, StoreError> {
    let Some(name) = wanted else { return Ok(None) };
    let at = rules::recipe_position(name);
    database.find(&RECIPE, PRESENT, &[&at.group, &at.name], decode_shown).await
}

/// Does with a recipe what a step says.
pub(super) fn step(writing: &mut Writing<'_>, step: RecipeStep) {
    match step {
        RecipeStep::Stay => {}
        RecipeStep::Put(kept) => put(writing, *kept),
        RecipeStep::Remove(RecipePosition { group, name }) => {
            writing.put(REMOVE, given![group, name]);
        }
    }
}

pub(super) fn put(writing: &mut Writing<'_>, record: RecipeRecord) {
    let RecipePosition { group, name } = rules::recipe_position(&record.name);
    let (body, version) = (to_json(&record), to_integer(record.version.0));
    writing.put(PUT, given![group, name, body, version, record.sealed]);
}

fn decode(row: &Row<'_>) -> Result<RecipeRecord, StoreError> {
    Ok(RecipeRecord { sealed: row.get("sealed")?, ..decode_shown(row)? })
}

fn decode_shown(row: &Row<'_>) -> Result<RecipeRecord, StoreError> {
    row.json("body")
}
