//! What a rotation promises, wherever it is stopped.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use hangar_plan::record::{CredentialName, Version};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::keys::OpenError;
use crate::memory::{Memory, Options, Sync};
use crate::{Expect, Reader as _};

/// A store that was unlocked once, and its key.
struct World {
    store: Memory,
    directory: TempDir,
    path: PathBuf,
    first: Keys,
}

impl World {
    async fn new() -> Self {
        let store = Memory::with(Options { sync: Sync::Manual, ..Options::default() });
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let first = Keys::unlock(&store, &path).await.unwrap();
        store.sync();
        Self { store, directory, path, first }
    }

    async fn rotate(&self) -> Result<Rotated, KeyError> {
        Keys::rotate(&self.store, &self.path).await
    }

    async fn put(&self, name: &str, keys: &Keys, plaintext: &[u8]) -> CredentialRecord {
        let name = CredentialName { plane: "aws".to_owned(), name: name.to_owned() };
        let sealed = keys.seal(name.key().as_bytes(), plaintext);
        self.keep(name, sealed).await
    }

    async fn keep(&self, name: CredentialName, sealed: Vec<u8>) -> CredentialRecord {
        let now = self.store.now().await.unwrap();
        let credential = CredentialRecord {
            name,
            location: None,
            tags: BTreeMap::new(),
            shown: json!({"kind": "AccessKey"}),
            sealed,
            created_at: now,
            updated_at: now,
            version: Version::default(),
        };
        self.store.credential_put(&credential, Expect::Any).await.unwrap()
    }

    /// Which key a credential is sealed with, and what is in it.
    async fn open(&self, keys: &Keys, name: &str) -> (String, Vec<u8>) {
        let name = CredentialName { plane: "aws".to_owned(), name: name.to_owned() };
        let credential = self.store.credential_find(&name).await.unwrap().unwrap();
        let opened = keys.open(name.key().as_bytes(), &credential.sealed).unwrap();
        (crate::hex::encode(&credential.sealed[1..5]), opened.expose().clone())
    }

    async fn check(&self) -> String {
        self.store.key_check().await.unwrap().unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[tokio::test]
async fn a_rotation_moves_the_proof_and_every_credential_and_keeps_the_old_key() {
    let world = World::new().await;
    let first = &world.first;
    let default = world.put("Default", first, b"one").await;
    world.put("000000000001", first, b"two").await;
    let Rotated { keys, credentials } = world.rotate().await.unwrap();
    assert_eq!(credentials, 2);
    assert_ne!(keys.id(), first.id());
    assert_eq!(world.check().await, keys.check());
    assert_eq!(world.open(&keys, "default").await, (keys.id().to_owned(), b"one".to_vec()));
    assert_eq!(world.open(&keys, "000000000001").await, (keys.id().to_owned(), b"two".to_vec()));
    let kept = world.store.credential_find(&default.name).await.unwrap().unwrap();
    assert_eq!(kept.version, default.version, "its caller sees no difference");

    // What was made with the key before is still good.
    let (sealed, mac) = (first.seal(b"row", b"text"), first.mac("r", "/a", &json!("x")));
    assert_eq!(keys.open(b"row", &sealed).unwrap().expose(), b"text");
    assert_eq!(keys.is_mac_of(&mac, "r", "/a", &json!("x")), Some(true));
    assert_eq!(keys.api_token().expose(), first.api_token().expose());

    // The file is the ring, and nothing else is left.
    let text = fs::read_to_string(&world.path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(Keys::from_hex(lines[0]).unwrap().id(), keys.id());
    assert_eq!(Keys::from_hex(lines[1]).unwrap().id(), first.id());
    assert_eq!(lines.len(), 2);
    assert_eq!(fs::metadata(&world.path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(world.files(), ["key"]);
    assert_eq!(Keys::unlock(&world.store, &world.path).await.unwrap().id(), keys.id());

    let again = world.rotate().await.unwrap().keys;
    assert_eq!(again.older.len(), 2);
    assert_eq!(world.open(&again, "default").await.0, again.id());
}

#[tokio::test]
async fn a_rotation_that_did_not_reach_the_store_is_finished_by_the_next() {
    let world = World::new().await;
    world.put("default", &world.first, b"one").await;
    world.store.sync();
    let lost = world.rotate().await.unwrap().keys;
    // The file has the new key, the store does not.
    world.store.lose_unsynced();
    assert_eq!(world.check().await, world.first.check());
    let between = Keys::unlock(&world.store, &world.path).await.unwrap();
    assert_eq!(between.id(), lost.id());
    assert_eq!(world.open(&between, "default").await.0, world.first.id());
    // What is made meanwhile is made with the new key.
    world.put("000000000001", &between, b"two").await;

    let Rotated { keys, credentials } = world.rotate().await.unwrap();
    assert_eq!((keys.id(), keys.older.len(), credentials), (lost.id(), 1, 2), "no third key");
    assert_eq!(world.check().await, keys.check());
    for (name, plaintext) in [("default", b"one"), ("000000000001", b"two")] {
        assert_eq!(world.open(&keys, name).await, (keys.id().to_owned(), plaintext.to_vec()));
    }
    assert_ne!(world.rotate().await.unwrap().keys.id(), keys.id(), "then there is a third");
}

#[tokio::test]
async fn a_crash_before_the_file_is_replaced_changes_nothing() {
    let world = World::new().await;
    // What it was writing, for anybody to read.
    let partial = world.directory.path().join("key.partial");
    fs::write(&partial, "0123").unwrap();
    fs::set_permissions(&partial, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(Keys::unlock(&world.store, &world.path).await.unwrap().id(), world.first.id());
    world.rotate().await.unwrap();
    assert_eq!(fs::metadata(&world.path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(world.files(), ["key"]);
}

#[tokio::test]
async fn one_rotates_a_key_at_a_time() {
    let world = World::new().await;
    let turn = Turn::take(&world.path).unwrap();
    let refused = world.rotate().await.unwrap_err();
    assert!(matches!(refused, KeyError::Rotating(_)), "{refused}");
    assert_eq!(Keys::load(&world.path).unwrap().id(), world.first.id());
    drop(turn);
    // On any thread, as a handler of requests would.
    tokio::spawn(async move { world.rotate().await.map(drop) }).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_credential_that_does_not_open_stops_a_rotation_before_it_changes_anything() {
    let world = World::new().await;
    let name = CredentialName { plane: "aws".to_owned(), name: "default".to_owned() };
    let stranger = Keys::generate();
    let sealed = stranger.seal(name.key().as_bytes(), b"one");
    world.keep(name, sealed).await;
    let before = fs::read(&world.path).unwrap();
    let refused = world.rotate().await.unwrap_err();
    let KeyError::Sealed { credential, source } = &refused else { panic!("{refused}") };
    assert!(credential.ends_with("/credentials/default"), "{credential}");
    assert_eq!(*source, OpenError::OtherKey(stranger.id().to_owned()));
    assert_eq!(fs::read(&world.path).unwrap(), before);
    assert_eq!(world.check().await, world.first.check());
}

#[tokio::test]
async fn a_key_that_is_not_the_stores_is_not_rotated() {
    let world = World::new().await;
    fs::write(&world.path, Keys::generate().to_text().as_bytes()).unwrap();
    let before = fs::read(&world.path).unwrap();
    let refused = world.rotate().await.unwrap_err();
    assert!(matches!(refused, KeyError::Store(StoreError::WrongKey)), "{refused}");
    assert_eq!(fs::read(&world.path).unwrap(), before);
}

#[tokio::test]
async fn a_link_to_a_key_stays_a_link() {
    let world = World::new().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("key");
    symlink(&world.path, &link).unwrap();
    let keys = Keys::rotate(&world.store, &link).await.unwrap().keys;
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Keys::load(&world.path).unwrap().id(), keys.id());
}

#[tokio::test]
async fn a_file_that_cannot_be_replaced_leaves_the_key_that_it_has() {
    let world = World::new().await;
    // A folder of that name stands in the way, whoever runs the test.
    fs::create_dir_all(world.directory.path().join("key.partial/full")).unwrap();
    let refused = world.rotate().await.unwrap_err();
    assert!(matches!(refused, KeyError::Write { .. }), "{refused}");
    assert_eq!(world.check().await, world.first.check());
    assert_eq!(Keys::unlock(&world.store, &world.path).await.unwrap().id(), world.first.id());
}
