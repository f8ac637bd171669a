//! The Terraform state of recipes: who holds it, and its versions, one row each. A state may be large: only
//! who asks for one reads it.
//!
//! Invariant: who writes, locks or frees a state holds the name of its recipe first, as does who removes
//! the recipe: of two who meet, one sees what the other has done.

use hangar_plan::record::{RecipeName, StateHead, StateLock, StateVersion};

use super::database::{Database, Given};
use super::lock::{Locks, TAKE};
use super::row::{Row, Table};
use super::writing::{InDoubt, Job, Writing, given};
use crate::column::{to_integer, to_json, to_limit};
use crate::rules::{self, Locking, PresentState, RecipePosition};
use crate::{KEPT_STATES, StateError, StateWrite, StoreError, StoredState};

const STATE: Table = Table { name: "terraform_state", key: &["group_key", "name_key", "number"] };
/// What one statement tells of a recipe's state.
const HELD: Table = Table { name: "terraform_state", key: &["group_key", "name_key"] };

pub(super) const HEAD: &str = "SELECT $1::text AS group_key, $2::text AS name_key,
    (SELECT body FROM terraform_lock WHERE group_key = $1 AND name_key = $2) AS lock,
    (SELECT body FROM terraform_state WHERE group_key = $1 AND name_key = $2 AND NOT stray
        ORDER BY number DESC LIMIT 1) AS current";
pub(super) const LIST: &str = "SELECT group_key, name_key, number, body FROM terraform_state
    WHERE group_key = $1 AND name_key = $2 ORDER BY number DESC";
pub(super) const FIND: &str = "SELECT * FROM terraform_state
    WHERE group_key = $1 AND name_key = $2 AND number = $3";
pub(super) const LOOK: &str = "SELECT $1::text AS group_key, $2::text AS name_key,
    EXISTS (SELECT FROM recipe WHERE group_key = $1 AND name_key = $2) AS known,
    (SELECT body FROM terraform_lock WHERE group_key = $1 AND name_key = $2) AS lock,
    (SELECT number FROM terraform_state WHERE group_key = $1 AND name_key = $2
        ORDER BY number DESC LIMIT 1) AS last";
const ADD: &str = "INSERT INTO terraform_state (group_key, name_key, number, stray, body, sealed)
    VALUES ($1, $2, $3, $4, $5, $6)";
// Of its own kind; where there are fewer, none is the one that was passed.
pub(super) const FORGET: &str = "DELETE FROM terraform_state
    WHERE group_key = $1 AND name_key = $2 AND stray = $3 AND number <= (
        SELECT number FROM terraform_state WHERE group_key = $1 AND name_key = $2 AND stray = $3
        ORDER BY number DESC LIMIT 1 OFFSET $4)";
const LOCK: &str = "INSERT INTO terraform_lock (group_key, name_key, body) VALUES ($1, $2, $3)";
pub(super) const UNLOCK: &str = "DELETE FROM terraform_lock WHERE group_key = $1 AND name_key = $2";

pub(super) async fn head(
    database: &Database<'_>,
    at: &RecipePosition,
) -> Result<StateHead, StoreError> {
    let given: Given<'_> = &[&at.group, &at.name];
    let head = database.find(&HELD, HEAD, given, |row| {
        Ok(StateHead { lock: row.json_if_any("lock")?, current: row.json_if_any("current")? })
    });
    Ok(head.await?.unwrap_or_default())
}

pub(super) async fn list(
    database: &Database<'_>,
    at: &RecipePosition,
) -> Result<Vec<StateVersion>, StoreError> {
    database.list(&STATE, LIST, &[&at.group, &at.name], decode).await
}

pub(super) async fn find(
    database: &Database<'_>,
    at: &RecipePosition,
    number: u64,
) -> Result<Option<StoredState>, StoreError> {
    let number = to_integer(number);
    database
        .find(&STATE, FIND, &[&at.group, &at.name, &number], |row| {
            Ok(StoredState { version: decode(row)?, sealed: row.get("sealed")? })
        })
        .await
}

/// Keeps a version, and forgets what there is too much.
pub(super) struct Write(pub(super) StateWrite);

impl Job for Write {
    type Output = StateVersion;
    type Error = StateError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, LOOK];
    // It does not know itself again, and once more is one version more.
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<StateVersion, StateError> {
        let (at, present) = look(writing, &self.0.recipe).await?;
        let kept = rules::state_written(&self.0, &present)?;
        let RecipePosition { group, name } = at;
        let (body, number, stray) = (to_json(&kept), to_integer(kept.number), kept.stray);
        let sealed = self.0.sealed.clone();
        writing.put(ADD, given![group.clone(), name.clone(), number, stray, body, sealed]);
        writing.put(FORGET, given![group, name, stray, to_limit(KEPT_STATES)]);
        Ok(kept)
    }
}

/// Takes the lock.
pub(super) struct Lock<'l> {
    pub(super) recipe: &'l RecipeName,
    pub(super) lock: &'l StateLock,
}

impl Job for Lock<'_> {
    type Output = ();
    type Error = StateError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, LOOK];
    // Who has it already has it still.
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<(), StateError> {
        let (RecipePosition { group, name }, present) = look(writing, self.recipe).await?;
        match rules::may_lock(&present, self.lock)? {
            Locking::Held => {}
            Locking::Taken => writing.put(LOCK, given![group, name, to_json(self.lock)]),
        }
        Ok(())
    }
}

/// Frees the lock.
pub(super) struct Unlock<'l> {
    pub(super) recipe: &'l RecipeName,
    pub(super) id: Option<&'l str>,
}

impl Job for Unlock<'_> {
    type Output = Option<StateLock>;
    type Error = StateError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, LOOK];
    // Where none is named, another may have it by now, who must keep it.
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Option<StateLock>, StateError> {
        let (RecipePosition { group, name }, present) = look(writing, self.recipe).await?;
        let freed = rules::may_unlock(present, self.id)?;
        if freed.is_some() {
            writing.put(UNLOCK, given![group, name]);
        }
        Ok(freed)
    }
}

/// Begins, holds the name of the recipe, and tells how its state stands.
async fn look(
    writing: &Writing<'_>,
    recipe: &RecipeName,
) -> Result<(RecipePosition, PresentState), StoreError> {
    let at = rules::recipe_position(recipe);
    let locks = Locks::default().state(recipe);
    let given: Given<'_> = &[&at.group, &at.name];
    let present = writing.database.find(&HELD, LOOK, given, |row| {
        let last = match row.get::<Option<i64>>("last")? {
            Some(_) => Some(row.count("last")?),
            None => None,
        };
        Ok(PresentState { has_recipe: row.get("known")?, lock: row.json_if_any("lock")?, last })
    });
    let (begun, present) = tokio::join!(biased; writing.begin(&locks), present);
    begun?;
    let present = present?.unwrap_or_default();
    Ok((at, present))
}

fn decode(row: &Row<'_>) -> Result<StateVersion, StoreError> {
    row.json("body")
}
