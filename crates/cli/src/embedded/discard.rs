//! Removes a data directory that a failed command created and in which nothing was stored.

use hangar_store::sqlite::Sqlite;
use hangar_store::{OperationFilter, Reader as _, StoreError};

use super::data_dir::DataDir;
use super::lock::{Attempt, Lock};

/// The plane of the resource groups.
const GROUPS: &str = "local";

/// The planes that a new store has.
const NEW_PLANES: usize = 2;

/// Removes the directory if its store is empty. It holds the lock meanwhile: a directory that another process
/// uses stays. A failure leaves an empty store behind, which does no harm.
pub(crate) async fn discard_if_empty(dir: &DataDir) {
    let Ok(Attempt::Taken(_lock)) = Lock::try_take(&dir.lock()) else { return };
    if is_empty(dir).await.unwrap_or(false) {
        let _ = std::fs::remove_dir_all(dir.path());
    }
}

async fn is_empty(dir: &DataDir) -> Result<bool, StoreError> {
    if !dir.store().exists() {
        return Ok(true);
    }
    let store = Sqlite::open(&dir.store())?;
    Ok(store.operation_list(&OperationFilter::default(), None, 1).await?.is_empty()
        && store.group_list(GROUPS, None, 1).await?.is_empty()
        && store.credential_list(None).await?.is_empty()
        && store.plane_list(None).await?.len() == NEW_PLANES)
}
