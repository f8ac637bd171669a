//! Which keys a store is opened with: those that it was first opened with, and no others.

use std::path::Path;

use super::{KeyError, Keys, file};
use crate::{Store, StoreError};

pub(super) async fn unlock(store: &dyn Store, path: &Path) -> Result<Keys, KeyError> {
    let check = store.key_check().await?;
    let keys = match (file::find(path)?, &check) {
        (Some(keys), _) => keys,
        (None, Some(_)) => return Err(KeyError::Missing(path.to_owned())),
        (None, None) => make(path)?,
    };
    // The file comes before the proof: a crash in between leaves a key that the next start proves.
    let kept = match check {
        Some(check) => check,
        None => store.key_check_put(&keys.check()).await?,
    };
    if keys.proves(&kept) { Ok(keys) } else { Err(StoreError::WrongKey.into()) }
}

fn make(path: &Path) -> Result<Keys, KeyError> {
    let keys = Keys::generate();
    if file::create(path, &keys)? { Ok(keys) } else { Keys::load(path) }
}
