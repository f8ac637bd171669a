//! A rotation of the key while the store is in use.

use std::sync::Arc;

use hangar_store::keys::{KeyError, Keys};
use hangar_store::sqlite::Sqlite;
use hangar_store::{Expect, Reader as _, Store as _, StoreError};

use crate::sample;

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_is_written_while_the_key_is_rotated_is_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(Sqlite::open(&directory.path().join("store.db")).unwrap());
    let path = directory.path().join("key");
    let keys = Arc::new(Keys::unlock(store.as_ref(), &path).await.unwrap());
    let place = sample::credential_name().key();
    let now = store.now().await.unwrap();

    let put = {
        let (store, keys, place) = (store.clone(), keys.clone(), place.clone());
        async move |number: u32| {
            let sealed = keys.seal(place.as_bytes(), number.to_string().as_bytes());
            let credential = sample::credential(now, sealed);
            store.credential_put(&credential, Expect::Any).await.unwrap();
        }
    };
    put(0).await;
    let writer = tokio::spawn(async move {
        for number in 1..=200 {
            put(number).await;
        }
    });
    let mut rotations = 0;
    while !writer.is_finished() || rotations == 0 {
        match Keys::rotate(store.as_ref(), &path).await {
            Ok(_) => rotations += 1,
            // It was never quick enough; the next call goes on.
            Err(KeyError::Store(StoreError::Unavailable(_))) => {}
            Err(error) => panic!("{error}"),
        }
    }
    writer.await.unwrap();
    let ring = Keys::unlock(store.as_ref(), &path).await.unwrap();
    let last = store.credential_find(&sample::credential_name()).await.unwrap().unwrap();
    let opened = ring.open(place.as_bytes(), &last.sealed).unwrap();
    assert_eq!(opened.expose(), b"200");
}
