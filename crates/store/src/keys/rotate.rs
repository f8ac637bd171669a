//! Another root key before the others, and what is sealed for good sealed with it.
//!
//! The file comes before the store: at every instant the file has the key whose proof the store keeps.

use std::path::Path;

use hangar_plan::record::CredentialRecord;

use super::file::Turn;
use super::{KeyError, Keys, Secret};
use crate::{Resealed, StaleError, Store, StoreError};

/// How often the credentials are sealed anew when one of them was written meanwhile.
const TRIES: u32 = 10;

/// What a rotation did.
#[derive(Debug)]
pub struct Rotated {
    /// The ring as it is now.
    pub keys: Keys,
    /// How many credentials were sealed with its current key.
    pub credentials: usize,
}

pub(super) async fn rotate(store: &dyn Store, path: &Path) -> Result<Rotated, KeyError> {
    Keys::unlock(store, path).await?;
    let turn = Turn::take(path)?;
    // Another may have had its turn since.
    let keys = Keys::load(path)?;
    let check = store.key_check().await?;
    let check = check.filter(|check| keys.proves(check)).ok_or(StoreError::WrongKey)?;
    let keys = if keys.current.proves(&check) {
        // What does not open is told before anything has changed.
        reseal(&keys, &store.credential_list(None).await?)?;
        let rotated = keys.rotated();
        turn.replace(&rotated)?;
        rotated
    } else {
        // The store was not reached the last time.
        keys
    };
    let credentials = move_store(store, &keys, &check).await?;
    Ok(Rotated { keys, credentials })
}

/// Has the store keep the proof of the current key, and every credential sealed with it; gives how many.
async fn move_store(store: &dyn Store, keys: &Keys, old: &str) -> Result<usize, KeyError> {
    let new = keys.check();
    for _ in 0..TRIES {
        let resealed = reseal(keys, &store.credential_list(None).await?)?;
        match store.key_rotate(old, &new, &resealed).await {
            Ok(()) => return Ok(resealed.len()),
            Err(StaleError::Stale) => {}
            Err(StaleError::Store(error)) => return Err(error.into()),
        }
    }
    let why = "other processes keep changing its credentials".to_owned();
    Err(StoreError::Unavailable(why).into())
}

fn reseal(keys: &Keys, credentials: &[CredentialRecord]) -> Result<Vec<Resealed>, KeyError> {
    let reseal = |credential: &CredentialRecord| {
        let place = credential.name.key();
        let opened: Secret<Vec<u8>> = keys
            .open(place.as_bytes(), &credential.sealed)
            .map_err(|source| KeyError::Sealed { credential: credential.name.id(), source })?;
        Ok(Resealed {
            name: credential.name.clone(),
            before: credential.sealed.clone(),
            sealed: keys.seal(place.as_bytes(), opened.expose()),
        })
    };
    credentials.iter().map(reseal).collect()
}

#[cfg(test)]
mod tests;
