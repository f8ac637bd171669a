//! A rotation of the key while the store is in use.

use std::sync::Arc;

use hangar_plan::Timestamp;
use hangar_plan::record::{CredentialName, CredentialRecord};
use hangar_store::keys::{KeyError, Keys};
use hangar_store::sqlite::Sqlite;
use hangar_store::{Expect, Reader as _, Store as _, StoreError};

use crate::sample;

/// As many credentials as are written meanwhile, each once.
const COUNT: u32 = 60;

fn credential(keys: &Keys, number: u32, text: &[u8]) -> CredentialRecord {
    let name = CredentialName { plane: "aws".to_owned(), name: format!("{number:012}") };
    let sealed = keys.seal(name.key().as_bytes(), text);
    CredentialRecord { name, ..sample::credential(Timestamp::default(), sealed) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_is_written_while_the_key_is_rotated_is_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(Sqlite::open(&directory.path().join("store.db")).unwrap());
    let path = directory.path().join("key");
    let keys = Keys::unlock(store.as_ref(), &path).await.unwrap();
    for number in 0..COUNT {
        store.credential_put(&credential(&keys, number, b"old"), Expect::Absent).await.unwrap();
    }

    let writer = tokio::spawn({
        let store = store.clone();
        async move {
            for number in 0..COUNT {
                let new = credential(&keys, number, b"new");
                // One that is removed and made again begins its versions anew.
                if number.is_multiple_of(2) {
                    store.credential_remove(&new.name, Expect::Any).await.unwrap();
                }
                store.credential_put(&new, Expect::Any).await.unwrap();
            }
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
    let credentials = store.credential_list(None).await.unwrap();
    assert_eq!(credentials.len(), COUNT as usize);
    for credential in credentials {
        let opened = ring.open(credential.name.key().as_bytes(), &credential.sealed).unwrap();
        assert_eq!(opened.expose(), b"new", "{}", credential.name.name);
    }
}
