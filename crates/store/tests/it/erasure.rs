//! A secret is never in the file in the clear, and when its operation ends not even sealed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hangar_store::keys::Keys;
use hangar_store::sqlite::{Options, Sqlite};
use hangar_store::{Expect, Reader as _, Store as _};

use crate::sample;

const CANARY: &[u8] = b"canary-5c1d0e9f-hunter2";

/// Whether `bytes` are in any file of the store, as they are or in part.
fn is_kept(directory: &Path, bytes: &[u8]) -> bool {
    // Long values are spread over pages: a part from within each page's reach will do.
    let parts: Vec<&[u8]> = bytes.chunks(1000).map(|part| &part[..part.len().min(16)]).collect();
    fs::read_dir(directory).unwrap().any(|entry| {
        let content = fs::read(entry.unwrap().path()).unwrap();
        parts.iter().any(|part| content.windows(part.len()).any(|window| window == *part))
    })
}

/// A document with a secret, of some size.
fn document(size: usize) -> Vec<u8> {
    let mut document = CANARY.to_vec();
    document.extend(std::iter::repeat_n(b'.', size));
    document.extend(CANARY);
    document
}

/// A store that empties its log only when it is asked: files are read one after the other, and what moves
/// from one to the other meanwhile would be seen in neither.
fn open(directory: &Path) -> Sqlite {
    let options = Options { settle_after: Duration::from_hours(1), ..Options::default() };
    Sqlite::open_with(&directory.join("store.db"), options).unwrap()
}

#[tokio::test]
async fn an_envelope_is_gone_from_file_and_log_when_its_operation_ends() {
    for size in [0, 100, 20_000, 300_000] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let keys = Keys::generate();
        let sealed = keys.seal(sample::ID.to_string().as_bytes(), &document(size));
        sample::fill(&store, sealed.clone()).await;
        assert!(is_kept(directory.path(), &sealed), "the test looks in the right place");
        assert!(!is_kept(directory.path(), CANARY), "never in the clear");
        // In the file as well as in the log.
        store.settle().await.unwrap();
        assert!(is_kept(directory.path(), &sealed));

        sample::find_and_end(&store, &sealed).await;
        store.settle().await.unwrap();
        assert!(!is_kept(directory.path(), &sealed), "an envelope of {size} bytes is left");
        assert!(!is_kept(directory.path(), CANARY));
        assert!(store.operation_find(sample::ID).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn the_secrets_of_a_credential_are_in_the_file_only_as_they_are_sealed_now() {
    for size in [0, 20_000] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let path = directory.path().join("key");
        let keys = Keys::unlock(&store, &path).await.unwrap();
        let (name, now) = (sample::credential_name(), store.now().await.unwrap());
        let seal = |keys: &Keys| keys.seal(name.key().as_bytes(), &document(size));
        let put = async |sealed: Vec<u8>| {
            let credential = sample::credential(now, sealed);
            store.credential_put(&credential, Expect::Any).await.unwrap();
        };
        let (first, second) = (seal(&keys), seal(&keys));
        put(first.clone()).await;
        store.settle().await.unwrap();
        assert!(is_kept(directory.path(), &first), "the test looks in the right place");
        put(second.clone()).await;
        store.settle().await.unwrap();
        assert!(!is_kept(directory.path(), &first) && is_kept(directory.path(), &second));

        Keys::rotate(&store, &path).await.unwrap();
        store.settle().await.unwrap();
        assert!(!is_kept(directory.path(), &second));
        let third = store.credential_find(&name).await.unwrap().unwrap().sealed;
        assert!(is_kept(directory.path(), &third));
        store.credential_remove(&name, Expect::Any).await.unwrap();
        store.settle().await.unwrap();
        assert!(!is_kept(directory.path(), &third));
        assert!(!is_kept(directory.path(), CANARY), "never in the clear");
    }
}

#[tokio::test]
async fn a_store_at_rest_empties_its_log_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { settle_after: Duration::from_millis(1), ..Options::default() };
    let store = Sqlite::open_with(&directory.path().join("store.db"), options).unwrap();
    let sealed = vec![0x5a; 5000];
    sample::fill(&store, sealed.clone()).await;
    sample::find_and_end(&store, &sealed).await;
    let log = directory.path().join("store.db-wal");
    let begun = Instant::now();
    while fs::metadata(&log).unwrap().len() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the log is never emptied");
        tokio::task::yield_now().await;
    }
    assert!(!is_kept(directory.path(), &sealed));
}
