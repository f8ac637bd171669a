//! The Terraform state of a recipe: packed and sealed when it is written, opened when it is read, and who may
//! write it.

use std::sync::Arc;

use hangar_manifest::state;
use hangar_plan::Timestamp;
use hangar_plan::operation::{Failure, FailureKind, OperationId};
use hangar_plan::recipe::RecipeWork;
use hangar_plan::record::{RecipeName, StateVersion, Work};
use hangar_store::keys::{Keys, Secret};
use hangar_store::{Reader, StateError, StateWrite, StoredState};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde_json::Value;

use super::runner::RunId;
use crate::engine::Shared;
use crate::hash::sha256_of;
use crate::read::unavailable;

/// No state is larger.
pub const STATE_LIMIT: usize = 64 << 20;

/// Terraform's is a UUID. It is kept and told beside the state, so it must not be as long as one.
const LONGEST_LINEAGE: usize = 256;

/// States shrink to a tenth at the lowest level; more costs more than it saves.
const LEVEL: u8 = 1;

/// What is smaller is worked on at once: another thread would cost more.
pub(super) const SMALL: usize = 256 << 10;

/// A state as it is handed in.
pub struct StateContent {
    /// The document.
    pub content: Vec<u8>,
    /// The lock that its writer holds.
    pub lock_id: Option<String>,
    /// The operation whose run wrote it.
    pub operation: Option<OperationId>,
    /// Whether the run that it is from was over already.
    pub stray: bool,
}

/// Why a state was not taken.
#[derive(Debug)]
pub enum StateRefused {
    /// It is no state.
    Invalid(String),
    /// The store says no.
    Store(StateError),
}

impl From<StateError> for StateRefused {
    fn from(error: StateError) -> Self {
        Self::Store(error)
    }
}

/// Keeps a state as the current one, or beside it.
pub(crate) async fn write(
    shared: &Shared,
    recipe: &RecipeName,
    given: StateContent,
) -> Result<StateVersion, StateRefused> {
    let now = shared.store.now_about().await.map_err(StateError::Store)?;
    let StateContent { content, lock_id, operation, stray } = given;
    let (keys, place) = (shared.keys.clone(), place(recipe));
    let is_small = content.len() < SMALL;
    let pack = move || {
        let mut version = described(&content, now)?;
        version.operation = operation;
        version.stray = stray;
        Ok((version, keys.seal(place.as_bytes(), &compress_to_vec(&content, LEVEL))))
    };
    let packed = if is_small {
        pack()
    } else {
        let packed = tokio::task::spawn_blocking(pack).await;
        packed.map_err(|error| StateRefused::Invalid(error.to_string()))?
    };
    let (version, sealed) = packed.map_err(StateRefused::Invalid)?;
    let recipe = recipe.clone();
    Ok(shared.store.state_write(StateWrite { recipe, version, sealed, lock_id }).await?)
}

/// What is told of a state, if it is one.
fn described(content: &[u8], now: Timestamp) -> Result<StateVersion, String> {
    let read = state::read(content).map_err(|error| error.to_string())?;
    if read.lineage.as_ref().is_some_and(|it| it.len() > LONGEST_LINEAGE) {
        return Err(format!("its lineage is longer than {LONGEST_LINEAGE} bytes"));
    }
    Ok(StateVersion {
        number: 0,
        serial: read.serial,
        lineage: read.lineage.as_deref().map(str::to_owned),
        instances: u64::try_from(read.instances.len()).unwrap_or(u64::MAX),
        size: u64::try_from(content.len()).unwrap_or(u64::MAX),
        digest: sha256_of(content),
        operation: None,
        written_at: now,
        stray: false,
    })
}

/// The current state of a recipe.
pub(crate) async fn current(
    reader: &dyn Reader,
    keys: &Arc<Keys>,
    recipe: &RecipeName,
) -> Result<Option<Secret<Vec<u8>>>, Failure> {
    let head = reader.state_head(recipe).await.map_err(|it| unavailable(&it.to_string()))?;
    match head.current {
        Some(version) => of_number(reader, keys, recipe, version.number).await,
        None => Ok(None),
    }
}

/// One version of the state of a recipe.
pub(crate) async fn of_number(
    reader: &dyn Reader,
    keys: &Arc<Keys>,
    recipe: &RecipeName,
    number: u64,
) -> Result<Option<Secret<Vec<u8>>>, Failure> {
    let found = reader.state_find(recipe, number).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    match found {
        None => Ok(None),
        Some(stored) if stored.sealed.len() < SMALL => open(keys, recipe, &stored).map(Some),
        Some(stored) => {
            let (keys, recipe) = (keys.clone(), recipe.clone());
            let opened = tokio::task::spawn_blocking(move || open(&keys, &recipe, &stored)).await;
            opened.map_err(|error| unavailable(&error.to_string()))?.map(Some)
        }
    }
}

fn open(
    keys: &Keys,
    recipe: &RecipeName,
    stored: &StoredState,
) -> Result<Secret<Vec<u8>>, Failure> {
    let damaged = |why: String| Failure {
        kind: FailureKind::Internal,
        code: "StateDamaged".to_owned(),
        message: format!("version {} of the state of {} {why}", stored.version.number, recipe.id()),
        findings: Vec::new(),
    };
    let packed = keys.open(place(recipe).as_bytes(), &stored.sealed);
    let packed = packed.map_err(|error| damaged(format!("cannot be decrypted: {error}")))?;
    decompress_to_vec_with_limit(packed.expose(), STATE_LIMIT)
        .map(Secret::new)
        .map_err(|error| damaged(format!("cannot be decompressed: {error}")))
}

fn place(recipe: &RecipeName) -> String {
    format!("terraform-state/{}", recipe.key())
}

/// The word by which a run asks for its state.
pub(super) fn password(keys: &Keys, recipe: &RecipeName, run: RunId) -> String {
    keys.mac(PASSWORD, &run.to_string(), &Value::from(recipe.key()))
}

const PASSWORD: &str = "terraform-run";

/// Whether somebody is the run that a recipe's operation has under way; its operation then.
pub(crate) async fn admitted(
    reader: &dyn Reader,
    keys: &Keys,
    recipe: &RecipeName,
    user: &str,
    password: &str,
) -> Result<Option<OperationId>, Failure> {
    let Some(run) = RunId::parse(user) else { return Ok(None) };
    let key = Value::from(recipe.key());
    if keys.is_mac_of(password, PASSWORD, &run.to_string(), &key) != Some(true) {
        return Ok(None);
    }
    let found = reader.operation_find(run.operation).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    let current = found.filter(|it| !it.is_ended()).is_some_and(|it| match &it.work {
        Work::Recipe(work) => is_run_of(work, recipe, run),
        _ => false,
    });
    Ok(current.then_some(run.operation))
}

fn is_run_of(work: &RecipeWork, recipe: &RecipeName, run: RunId) -> bool {
    work.recipe.key() == recipe.key() && work.run.as_ref().is_some_and(|it| it.number == run.number)
}
