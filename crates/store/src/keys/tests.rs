//! What keys promise.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hangar_schema::{Recorded, SecretRecord as _};
use serde_json::json;

use super::*;
use crate::memory::Memory;
use crate::{Reader as _, hex};

const ROOT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const OTHER_ROOT: &str = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn keys() -> Keys {
    Keys::from_hex(ROOT).unwrap()
}

#[test]
fn what_is_derived_never_changes() {
    // Stored values depend on each of these: a difference here locks every store.
    let keys = keys();
    assert_eq!(keys.id(), "0e55b62a");
    assert_eq!(
        keys.check(),
        "0e55b62a:1693580509be51d1e27e3cd33f5cef9ca77ff3a365c3728d95e52e708445cdd8"
    );
    assert_eq!(
        keys.api_token().expose(),
        "8a67b6a8c6c6d5ac8b09214a3e0f3d9ddc9c6bae5dec0e2f836eb8818de59b24"
    );
    assert_eq!(
        keys.mac("resource", "/Path", &json!({"b": [1.0], "a": null})),
        "0e55b62a:8a9a6fcf5023cc95deb1677853552c926220ad3e794efa676cc8a6f57a6adfb2"
    );
}

#[test]
fn what_was_sealed_still_opens() {
    let sealed = "010e55b62a0000000000000000000000008b28dc70fb8373d6005251f37fe35bf991cce0d4";
    let opened = keys().open(b"row", &hex::decode(sealed).unwrap()).unwrap();
    assert_eq!(opened.expose(), b"text");
}

#[test]
fn only_64_digits_are_a_key() {
    assert_eq!(Keys::from_hex(&format!(" {}\n", ROOT.to_uppercase())).unwrap().id(), keys().id());
    for text in ["", &ROOT[1..], &ROOT[2..], &format!("{ROOT}00"), &ROOT.replace('0', "g")] {
        assert!(matches!(Keys::from_hex(text), Err(KeyError::Malformed)), "{text}");
    }
}

#[test]
fn a_ring_is_one_key_a_line() {
    let ring = Keys::from_hex(&format!("\n {ROOT}\r\n\n{OTHER_ROOT}\n")).unwrap();
    assert_eq!(ring.id(), keys().id(), "the first is the current one");
    assert_eq!(ring.older.len(), 1);
    assert_eq!(ring.to_text().as_str(), format!("{ROOT}\n{OTHER_ROOT}\n"));
    let texts = [
        format!("{ROOT}\n{}", &OTHER_ROOT[1..]),
        format!("{ROOT} {OTHER_ROOT}"),
        format!("{ROOT}{OTHER_ROOT}"),
        format!("{ROOT}\n#{OTHER_ROOT}"),
        // Twice the same: nothing is lost, but somebody has made a mistake.
        format!("{ROOT}\n{OTHER_ROOT}\n{}", ROOT.to_uppercase()),
    ];
    for text in texts {
        assert!(matches!(Keys::from_hex(&text), Err(KeyError::Malformed)), "{text}");
    }
}

#[test]
fn a_ring_reads_with_any_key_and_writes_with_the_first() {
    let old = keys();
    let ring = old.rotated().rotated();
    let (sealed, token) = (old.seal(b"row", b"text"), old.page_token("list", b"at"));
    let mac = old.mac("r", "/a", &json!("x"));
    assert_eq!(ring.open(b"row", &sealed).unwrap().expose(), b"text");
    assert_eq!(ring.open(b"other", &sealed).unwrap_err(), OpenError::Damaged);
    assert_eq!(ring.open_page_token("list", &token).unwrap(), b"at");
    assert_eq!(ring.open_page_token("row", &hex::encode(&sealed)).unwrap_err(), OpenError::Damaged);
    assert_eq!(ring.is_mac_of(&mac, "r", "/a", &json!("x")), Some(true));
    assert_eq!(ring.is_mac_of(&mac, "r", "/a", &json!("y")), Some(false));
    assert!(ring.proves(&old.check()) && !old.proves(&ring.check()));

    assert_ne!(ring.id(), old.id());
    let other = OpenError::OtherKey(ring.id().to_owned());
    assert_eq!(old.open(b"row", &ring.seal(b"row", b"text")).unwrap_err(), other);
    assert_eq!(old.open_page_token("list", &ring.page_token("list", b"at")).unwrap_err(), other);
    let mac = ring.mac("r", "/a", &json!("x"));
    assert_eq!(old.is_mac_of(&mac, "r", "/a", &json!("x")), None);
    assert_eq!(ring.is_mac_of(&mac, "r", "/a", &json!("x")), Some(true));
    // A hash that names another key of the ring than it was made with is of no value.
    let forged = mac.replace(ring.id(), old.id());
    assert_eq!(ring.is_mac_of(&forged, "r", "/a", &json!("x")), Some(false));
}

#[test]
fn the_api_token_is_the_oldest_keys() {
    let old = keys();
    let ring = old.rotated().rotated();
    assert_eq!(ring.api_token().expose(), old.api_token().expose());
    let other = Keys::from_hex(OTHER_ROOT).unwrap();
    assert_ne!(other.api_token().expose(), old.api_token().expose());
}

#[test]
fn no_key_is_printed() {
    let keys = Keys::from_hex(&format!("{OTHER_ROOT}\n{ROOT}")).unwrap();
    let sealed = keys.seal(b"", b"hunter2");
    let secrets = StoredSecrets { keys: &keys, resource: "", macs: &BTreeMap::new() };
    let printed = format!(
        "{keys:?} {:?} {:?} {secrets:?}",
        keys.api_token(),
        keys.open(b"", &sealed).unwrap()
    );
    assert!(printed.contains("«secret»"), "{printed}");
    for secret in [&ROOT[..8], &OTHER_ROOT[..8], &keys.api_token().expose()[..8], "hunter2"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn a_seal_opens_where_it_was_made_for_and_nowhere_else() {
    let keys = keys();
    let sealed = keys.seal(b"row-1", b"text");
    assert_eq!(keys.open(b"row-1", &sealed).unwrap().expose(), b"text");
    assert_ne!(keys.seal(b"row-1", b"text"), sealed, "every seal has a nonce of its own");
    assert_eq!(keys.open(b"row-2", &sealed).unwrap_err(), OpenError::Damaged);

    let other = Keys::generate();
    let refused = other.open(b"row-1", &sealed).unwrap_err();
    assert_eq!(refused, OpenError::OtherKey(keys.id().to_owned()));
    // What is sealed for one purpose is no page token.
    let token = hex::encode(&sealed);
    assert_eq!(keys.open_page_token("row-1", &token).unwrap_err(), OpenError::Damaged);
}

#[test]
fn a_seal_that_was_touched_anywhere_does_not_open() {
    let keys = keys();
    let sealed = keys.seal(b"row", b"text");
    for place in 0..sealed.len() {
        let mut touched = sealed.clone();
        touched[place] ^= 1;
        assert!(keys.open(b"row", &touched).is_err(), "byte {place}");
        assert!(keys.open(b"row", &sealed[..place]).is_err(), "cut at {place}");
    }
}

#[test]
fn a_page_token_is_text_for_a_url_and_for_its_purpose() {
    let keys = keys();
    let token = keys.page_token("references", b"local/prod");
    assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{token}");
    assert_eq!(keys.open_page_token("references", &token).unwrap(), b"local/prod");
    assert_eq!(keys.open_page_token("groups", &token).unwrap_err(), OpenError::Damaged);
    for text in ["", "0", "zz", &token[2..], "é"] {
        assert!(keys.open_page_token("references", text).is_err(), "{text}");
    }
}

#[test]
fn a_hash_is_of_one_value_in_one_place() {
    let keys = keys();
    let mac = keys.mac("resource", "/a", &json!("x"));
    assert_eq!(mac, keys.mac("resource", "/a", &json!("x")));
    assert_eq!(keys.mac("r", "/n", &json!(1)), keys.mac("r", "/n", &json!(1.0)));
    let others = [
        keys.mac("resource", "/a", &json!("y")),
        keys.mac("resource", "/b", &json!("x")),
        keys.mac("resourc", "e/a", &json!("x")),
        Keys::generate().mac("resource", "/a", &json!("x")),
    ];
    assert!(!others.contains(&mac));
}

#[test]
fn a_stored_hash_tells_whether_a_secret_changed() {
    let keys = keys();
    let macs = BTreeMap::from([
        ("/a".to_owned(), keys.mac("r", "/a", &json!("x"))),
        ("/old".to_owned(), Keys::generate().mac("r", "/old", &json!("x"))),
        ("/broken".to_owned(), "nonsense".to_owned()),
    ]);
    let stored = StoredSecrets { keys: &keys, resource: "r", macs: &macs };
    assert_eq!(stored.compare("/a", &json!("x")), Recorded::Same);
    assert_eq!(stored.compare("/a", &json!("y")), Recorded::Different);
    assert_eq!(stored.compare("/b", &json!("x")), Recorded::Never);
    assert_eq!(stored.compare("/old", &json!("x")), Recorded::Incomparable);
    assert_eq!(stored.compare("/broken", &json!("x")), Recorded::Incomparable);
    let elsewhere = StoredSecrets { resource: "other", ..stored };
    assert_eq!(elsewhere.compare("/a", &json!("x")), Recorded::Different);
}

#[tokio::test]
async fn the_first_start_makes_a_key_and_the_next_ones_need_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    let store = Memory::new();
    let made = Keys::unlock(&store, &path).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(Keys::load(&path).unwrap().id(), made.id());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing else is left");
    assert_eq!(Keys::unlock(&store, &path).await.unwrap().id(), made.id());

    let other = directory.path().join("other");
    let missing = Keys::unlock(&store, &other).await.unwrap_err();
    assert!(matches!(missing, KeyError::Missing(_)), "{missing}");
    assert!(!other.exists(), "no key is made for a store that has one");
    fs::write(&other, ROOT).unwrap();
    let wrong = Keys::unlock(&store, &other).await.unwrap_err();
    assert!(matches!(wrong, KeyError::Store(StoreError::WrongKey)), "{wrong}");
}

#[tokio::test]
async fn a_key_that_is_there_is_taken_up_by_a_new_store() {
    // A key that was given, or one whose proof a crash prevented.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    fs::write(&path, format!("{ROOT}\n")).unwrap();
    let store = Memory::new();
    assert_eq!(Keys::unlock(&store, &path).await.unwrap().id(), keys().id());
    assert!(keys().proves(&store.key_check().await.unwrap().unwrap()));
}

#[tokio::test]
async fn a_ring_opens_a_store_that_has_the_proof_of_any_of_its_keys() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    for root in [ROOT, OTHER_ROOT] {
        let store = Memory::new();
        fs::write(&path, root).unwrap();
        Keys::unlock(&store, &path).await.unwrap();
        fs::write(&path, format!("{OTHER_ROOT}\n{ROOT}\n")).unwrap();
        let ring = Keys::unlock(&store, &path).await.unwrap();
        assert_eq!(ring.id(), Keys::from_hex(OTHER_ROOT).unwrap().id());
    }
    // One that has no proof yet gets that of the first.
    let store = Memory::new();
    let ring = Keys::unlock(&store, &path).await.unwrap();
    assert_eq!(store.key_check().await.unwrap(), Some(ring.check()));
}

#[tokio::test]
async fn a_file_that_holds_no_key_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    assert!(matches!(Keys::load(&path), Err(KeyError::Read { .. })));
    for content in [b"".as_slice(), b"\xff\xfe", &ROOT.as_bytes()[1..]] {
        fs::write(&path, content).unwrap();
        let error = Keys::unlock(&Memory::new(), &path).await.unwrap_err();
        assert!(error.to_string().contains("key"), "{error}");
        assert!(matches!(error, KeyError::MalformedFile(_)), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), &ROOT.as_bytes()[1..], "it is not overwritten");
}
