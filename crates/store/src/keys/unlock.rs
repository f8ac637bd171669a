//! Which keys a store is opened with: a ring that has the key that it was last used with, and no other.

use std::path::Path;

use super::{KeyError, Keys, file};
use crate::{Store, StoreError};

pub(super) async fn unlock(store: &dyn Store, path: &Path) -> Result<Keys, KeyError> {
    let check = store.key_check().await?;
    let (keys, made) = match (file::find(path)?, &check) {
        (Some(keys), _) => (keys, false),
        (None, Some(_)) => return Err(KeyError::Missing(path.to_owned())),
        (None, None) => make(path)?,
    };
    // The file comes before the proof: a crash in between leaves a key that the next start proves.
    let kept = match check {
        Some(check) => check,
        None => store.key_check_put(&keys.check()).await?,
    };
    if !keys.proves(&kept) {
        if made {
            // Another replica was quicker: nothing was ever sealed with this one, and it must not be taken for
            // the store's.
            file::remove(path)?;
            return Err(KeyError::Missing(path.to_owned()));
        }
        return Err(StoreError::WrongKey.into());
    }
    if !keys.current.proves(&kept) {
        tracing::warn!(key.id = keys.id(), "a rotation of the key did not finish; rotate it again");
    }
    Ok(keys)
}

/// The keys in a new file, and whether it was us who made it.
fn make(path: &Path) -> Result<(Keys, bool), KeyError> {
    let keys = Keys::generate();
    if file::create(path, &keys)? { Ok((keys, true)) } else { Ok((Keys::load(path)?, false)) }
}
