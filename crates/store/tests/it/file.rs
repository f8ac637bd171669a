//! A store is its file: what is in it is found again, by its owner only.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_store::clock::HandClock;
use hangar_store::sqlite::{Options, Sqlite};
use hangar_store::{Reader as _, Store as _, StoreError, WorkerId};

use crate::sample;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_store_that_is_opened_again_has_everything() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    sample::fill(&store, b"sealed".to_vec()).await;
    drop(store);
    sample::find_and_end(&Sqlite::open(&path).unwrap(), b"sealed").await;
}

#[tokio::test]
async fn what_was_answered_survives_a_kill() {
    // The file and the log as they are at this instant are what a killed process leaves.
    let directory = tempfile::tempdir().unwrap();
    let (path, copy) = (directory.path().join("store.db"), directory.path().join("copy.db"));
    let store = Sqlite::open(&path).unwrap();
    sample::fill(&store, b"sealed".to_vec()).await;
    let log = directory.path().join("store.db-wal");
    assert!(fs::metadata(&log).unwrap().len() > 0, "there is something to recover");
    fs::copy(&path, &copy).unwrap();
    fs::copy(&log, directory.path().join("copy.db-wal")).unwrap();
    sample::find_and_end(&Sqlite::open(&copy).unwrap(), b"sealed").await;
}

#[tokio::test]
async fn a_log_that_was_cut_anywhere_leaves_a_store_that_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    sample::fill(&store, b"sealed".to_vec()).await;
    let log = fs::read(directory.path().join("store.db-wal")).unwrap();
    for part in 0..=20 {
        let cut = directory.path().join(format!("cut-{part}.db"));
        fs::copy(&path, &cut).unwrap();
        let kept = log.len() * part / 20;
        fs::write(directory.path().join(format!("cut-{part}.db-wal")), &log[..kept]).unwrap();
        let store = Sqlite::open(&cut).unwrap();
        // A reservation is there with all of its parts or with none.
        let operation = store.operation_find(sample::ID).await.unwrap();
        let reference = store.reference_find(&sample::reference_name()).await.unwrap();
        let events = store.event_list(sample::ID, 0, 10).await.unwrap();
        assert_eq!(operation.is_some(), reference.is_some());
        assert_eq!(operation.is_some(), events.len() == 1);
    }
}

#[tokio::test]
async fn only_the_owner_reads_the_file_and_its_log() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    sample::fill(&store, Vec::new()).await;
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        assert_eq!(mode(&directory.path().join(name)), 0o600, "{name}");
    }
    drop(store);
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let _store = Sqlite::open(&path).unwrap();
    assert_eq!(mode(&path), 0o600, "one that was open to others is closed");
}

#[tokio::test]
async fn time_never_falls_below_what_is_stored() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let clock = HandClock::at(Timestamp::from_micros(1_000_000));
    let open = || {
        let options = Options { clock: clock.reading(), ..Options::default() };
        Sqlite::open_with(&path, options).unwrap()
    };
    let store = open();
    store.key_check_put("proof").await.unwrap();
    let written = store.now().await.unwrap();
    clock.advance(Duration::from_secs(5));
    drop(store);

    clock.set(Timestamp::from_micros(7));
    let store = open();
    assert_eq!(store.now().await.unwrap(), written);
    clock.set(Timestamp::from_micros(2_000_000));
    assert_eq!(store.now().await.unwrap().as_micros(), 2_000_000);
}

#[tokio::test]
async fn a_lease_ends_though_the_clock_was_set_back_over_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let wall = HandClock::at(Timestamp::from_micros(9_000_000_000));
    let steady = HandClock::default();
    let open = || {
        let beside = steady.clone();
        let clock = wall.reading().with_steady(move || beside.now().since(Timestamp::default()));
        Sqlite::open_with(&path, Options { clock, ..Options::default() }).unwrap()
    };
    let claimed = async |store: &Sqlite| {
        let worker = WorkerId("worker".to_owned());
        store.operation_claim(worker, Duration::from_secs(10), 10).await.unwrap().len()
    };
    let store = open();
    sample::fill(&store, Vec::new()).await;
    assert_eq!(claimed(&store).await, 1);
    drop(store);

    wall.set(Timestamp::from_micros(1_000_000_000));
    let store = open();
    assert_eq!(claimed(&store).await, 0);
    steady.advance(Duration::from_secs(9));
    assert_eq!(claimed(&store).await, 0);
    steady.advance(Duration::from_secs(1));
    assert_eq!(claimed(&store).await, 1);
    assert_eq!(store.now().await.unwrap().as_micros(), 9_010_000_000);
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = directory.path().join("none/store.db");
    let error = Sqlite::open(&nowhere).unwrap_err();
    assert!(matches!(&error, StoreError::Unavailable(why) if why.contains("none/store.db")));
    let folder = Sqlite::open(directory.path()).unwrap_err();
    assert!(matches!(folder, StoreError::Unavailable(_)), "{folder}");
}

#[tokio::test]
async fn two_stores_on_one_file_see_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let (one, two) = (Sqlite::open(&path).unwrap(), Sqlite::open(&path).unwrap());
    sample::fill(&one, b"sealed".to_vec()).await;
    let now = two.now().await.unwrap();
    let repeated = two.operation_reserve(sample::reservation(now, Vec::new())).await;
    assert_eq!(repeated, Err(hangar_store::ReserveError::Repeated(sample::ID)));
    sample::find_and_end(&two, b"sealed").await;
    assert!(one.operation_find(sample::ID).await.unwrap().unwrap().ended_at.is_some());
}
