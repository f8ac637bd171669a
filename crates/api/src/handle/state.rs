//! The Terraform state of a recipe: what Terraform's HTTP backend asks for, its history, and a lock that somebody frees.

use bytes::Bytes;
use hangar_engine::{StateContent, StateRefused};
use hangar_plan::record::{RecipeName, StateLock};
use hangar_store::StateError;
use hangar_store::keys::Secret;
use http::StatusCode;
use serde_json::{Value, json};

use super::lookup;
use crate::answer::Answer;
use crate::body::{self, LockBody, UnlockBody};
use crate::error::{ApiError, Code};
use crate::failure::{of_refusal, of_state, of_store};
use crate::head::{Deed, View};
use crate::render;

/// The current state, or one version of it, byte for byte as it was handed in.
pub(crate) async fn show(
    view: View<'_>,
    recipe: &RecipeName,
    version: Option<u64>,
) -> Result<Answer, ApiError> {
    let recipe = lookup::recipe(view.reads, recipe).await?.name;
    let found = view.reads.state(&recipe, version).await;
    match (found.map_err(|failure| of_refusal(&failure))?, version) {
        (Some(state), _) => {
            let bytes = Bytes::from_owner(Wiped(state));
            Ok(Answer::bytes("application/json", bytes).with_no_store())
        }
        (None, None) => Ok(Answer::empty(StatusCode::NO_CONTENT)),
        (None, Some(version)) => {
            let message = format!(
                "version {version} of the state of the recipe `{}` is not stored; `stateVersions` \
                 lists the stored versions",
                recipe.name
            );
            Err(ApiError::new(Code::ResourceNotFound, message).with_target(recipe.id()))
        }
    }
}

/// A state on its way out, wiped when it is sent.
struct Wiped(Secret<Vec<u8>>);

impl AsRef<[u8]> for Wiped {
    fn as_ref(&self) -> &[u8] {
        self.0.expose()
    }
}

/// Keeps a state as the current one.
pub(crate) async fn write(
    deed: &Deed<'_>,
    recipe: &RecipeName,
    lock_id: Option<String>,
) -> Result<Answer, ApiError> {
    let operation = deed.view.head.run;
    let content = deed.take_state().unwrap_or_default();
    let content = StateContent { content, lock_id, operation, stray: false };
    match deed.writes.state_write(recipe, content).await {
        Ok(version) => Ok(Answer::json(StatusCode::OK, render::state_version(&version))),
        Err(StateRefused::Invalid(why)) => Err(ApiError::new(
            Code::InvalidState,
            format!("the body is not a Terraform state: {why}; nothing was written"),
        )),
        Err(StateRefused::Store(error)) => refused(&error, recipe),
    }
}

/// Takes the lock of a state.
pub(crate) async fn lock(deed: &Deed<'_>, recipe: &RecipeName) -> Result<Answer, ApiError> {
    let LockBody { id, info } = LockBody::of(deed.body())?;
    let store = deed.view.reads.store();
    let taken_at = store.now().await.map_err(|error| of_store(&error))?;
    let lock = StateLock { id, info, taken_at, operation: deed.view.head.run };
    match deed.writes.state_lock(recipe, &lock).await {
        Ok(()) => Ok(Answer::json(StatusCode::OK, lock.info)),
        Err(error) => refused(&error, recipe),
    }
}

/// Frees the lock of a state, by its id.
pub(crate) async fn unlock(deed: &Deed<'_>, recipe: &RecipeName) -> Result<Answer, ApiError> {
    let LockBody { id, .. } = LockBody::of(deed.body())?;
    match deed.writes.state_unlock(recipe, Some(&id)).await {
        Ok(_) => Ok(Answer::json(StatusCode::OK, json!({}))),
        Err(error) => refused(&error, recipe),
    }
}

/// What Terraform is told: who holds the lock is told as it told us, for it shows that.
fn refused(error: &StateError, recipe: &RecipeName) -> Result<Answer, ApiError> {
    match error {
        StateError::Locked(lock) => {
            let mut info = lock.info.as_object().cloned().unwrap_or_default();
            info.insert(body::LOCK_ID.into(), lock.id.as_str().into());
            Ok(Answer::json(StatusCode::LOCKED, Value::Object(info)))
        }
        _ => Err(of_state(error, recipe)),
    }
}

/// The versions of a state that are kept, newest first.
pub(crate) async fn versions(view: View<'_>, recipe: &RecipeName) -> Result<Answer, ApiError> {
    let recipe = lookup::recipe(view.reads, recipe).await?.name;
    let store = view.reads.store();
    let head = store.state_head(&recipe).await.map_err(|error| of_store(&error))?;
    let versions = store.state_list(&recipe).await.map_err(|error| of_store(&error))?;
    let now = store.now().await.map_err(|error| of_store(&error))?;
    let versions: Vec<Value> = versions.iter().map(render::state_version).collect();
    let body = json!({
        "value": versions,
        "current": head.current.map(|it| it.number),
        "lock": head.lock.map(|it| render::lock(&it, now)),
    });
    Ok(Answer::json(StatusCode::OK, body))
}

/// Frees a lock that nobody will free any more. Only the lock that was seen is freed: whoever takes it meanwhile keeps it.
pub(crate) async fn free(deed: &Deed<'_>, recipe: &RecipeName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let UnlockBody { lock_id, force } = UnlockBody::of(deed.body())?;
    let store = view.reads.store();
    let head = store.state_head(recipe).await.map_err(|error| of_store(&error))?;
    // Read after the lock: a run that began since has not taken the one that was seen.
    let record = lookup::recipe(view.reads, recipe).await?;
    let recipe = &record.name;
    let run = lookup::find_operation(view.reads, record.operation).await?;
    if !force && run.as_ref().is_some_and(|run| !run.is_ended()) {
        return Err(under_way(&record.name, record.operation.to_string().as_str()));
    }
    let Some(id) = lock_id.or_else(|| head.lock.map(|lock| lock.id)) else {
        return Ok(Answer::json(StatusCode::OK, json!({ "lock": null })));
    };
    let freed = deed.writes.state_unlock(recipe, Some(&id)).await;
    let freed = freed.map_err(|error| of_state(&error, recipe))?;
    let now = store.now().await.map_err(|error| of_store(&error))?;
    let lock = freed.map_or(Value::Null, |lock| render::lock(&lock, now));
    Ok(Answer::json(StatusCode::OK, json!({ "lock": lock })))
}

fn under_way(recipe: &RecipeName, operation: &str) -> ApiError {
    let message = format!(
        "operation `{operation}` is running on the recipe `{}`, and may hold the lock; wait for it \
         to end, or send `\"force\": true` if it is dead",
        recipe.name
    );
    ApiError::new(Code::Conflict, message).with_target(recipe.id())
}
