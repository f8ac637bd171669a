//! A copy is a store of its own, and takes the place of another without a moment in between.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_store::sqlite::{self, Contents, ExamineError, Options, ReplaceError, Source, Sqlite};
use hangar_store::{Expect, Reader as _, Store, StoreError};
use rusqlite::Connection;

use crate::sample;

/// A store that empties its log only when it is asked.
fn open(path: &Path) -> Sqlite {
    let options = Options { settle_after: Duration::from_hours(1), ..Options::default() };
    Sqlite::open_with(path, options).unwrap()
}

fn holds(path: &Path, bytes: &[u8]) -> bool {
    fs::read(path).unwrap().windows(bytes.len()).any(|window| window == bytes)
}

/// A store with one group, closed.
async fn with_group(path: &Path, location: &str) {
    let store = open(path);
    put_group(&store, location).await;
}

async fn put_group(store: &dyn Store, location: &str) {
    let mut group = sample::group(store.now().await.unwrap());
    group.location = Some(location.to_owned());
    store.group_put(&group, Expect::Any).await.unwrap();
}

async fn location(path: &Path) -> Option<String> {
    let store = open(path);
    store.group_find(&sample::group_name()).await.unwrap().unwrap().location
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_copy_has_what_is_in_the_log_and_nothing_that_was_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let (path, first, second) = in_folder(directory.path());
    let store = open(&path);
    let sealed = vec![0x5a; 5000];
    sample::fill(&store, sealed.clone()).await;
    Source::open(&path).unwrap().copy_to(&first).unwrap();
    assert!(holds(&first, &sealed[..1000]), "the test looks in the right place");
    sample::find_and_end(&store, &sealed).await;
    let run = OperationId::from_u128(2);
    store.operation_reserve(sample::deploying(run, store.now().await.unwrap())).await.unwrap();
    assert!(holds(&directory.path().join("store.db-wal"), &sealed[..1000]), "not emptied yet");
    Source::open(&path).unwrap().copy_to(&second).unwrap();
    assert!(!holds(&second, &sealed[..1000]));
    assert_eq!(fs::metadata(&second).unwrap().permissions().mode() & 0o777, 0o600);
    let found = sqlite::examine(&second).unwrap();
    let written_at = found.written_at;
    assert!(written_at.is_some());
    let migration = found.migration;
    let whole = Contents { migration, groups: 1, references: 1, operations: 2, written_at };
    assert_eq!(found, whole);
    assert!(!names(directory.path()).iter().any(|name| name.starts_with("copy-2.db-")));
    let deployment = store.deployment_find(&sample::deployment_name()).await.unwrap();
    drop(store);
    // It is a store like any other.
    let second = open(&second);
    assert!(second.operation_find(sample::ID).await.unwrap().is_some());
    assert!(second.operation_find(run).await.unwrap().is_some());
    assert_eq!(second.deployment_find(&sample::deployment_name()).await.unwrap(), deployment);
    assert!(deployment.is_some());
}

fn in_folder(folder: &Path) -> (PathBuf, PathBuf, PathBuf) {
    (folder.join("store.db"), folder.join("copy-1.db"), folder.join("copy-2.db"))
}

#[tokio::test]
async fn a_copy_is_of_one_instant_while_others_write() {
    let directory = tempfile::tempdir().unwrap();
    let (path, copy, _) = in_folder(directory.path());
    let store = open(&path);
    put_group(&store, "0").await;
    let is_over = AtomicBool::new(false);
    let writes = async {
        let mut count = 0_u32;
        while !is_over.load(Ordering::SeqCst) {
            count += 1;
            put_group(&store, &count.to_string()).await;
            tokio::task::yield_now().await;
        }
        count
    };
    let copies = async {
        for _ in 0..20 {
            let group = store.group_find(&sample::group_name()).await.unwrap().unwrap();
            let (from, to) = (path.clone(), copy.clone());
            let copied = tokio::task::spawn_blocking(move || Source::open(&from)?.copy_to(&to));
            copied.await.unwrap().unwrap();
            sqlite::examine(&copy).unwrap();
            let copied = open(&copy).group_find(&sample::group_name()).await.unwrap().unwrap();
            assert!(copied.version >= group.version, "what was acknowledged before is in it");
            sqlite::remove(&copy).unwrap();
        }
        is_over.store(true, Ordering::SeqCst);
    };
    let (count, ()) = tokio::join!(writes, copies);
    assert!(count > 20, "{count}");
}

#[test]
fn a_file_that_is_no_store_of_ours_is_told_by_what_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let examine = || sqlite::examine(&path).unwrap_err();
    assert!(matches!(examine(), ExamineError::Store(StoreError::Unavailable(_))));
    for text in ["", "SQLite", "some text that is longer than sixteen bytes"] {
        fs::write(&path, text).unwrap();
        assert_eq!(examine(), ExamineError::NotADatabase);
    }
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE migration (a)").unwrap();
    assert_eq!(examine(), ExamineError::Foreign);

    fs::remove_file(&path).unwrap();
    drop(Sqlite::open(&path).unwrap());
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 8192]).unwrap();
    assert!(matches!(examine(), ExamineError::Store(StoreError::Damaged(_))));
    let mut torn = whole.clone();
    let half = torn.len() / 2;
    torn[half..half + 4096].fill(0xff);
    fs::write(&path, torn).unwrap();
    assert!(matches!(examine(), ExamineError::Store(StoreError::Damaged(_))));
    fs::write(&path, whole).unwrap();
    let known = sqlite::examine(&path).unwrap().migration;
    let newer = "INSERT INTO migration (number, name, checksum, applied_at)
        SELECT max(number) + 1, 'future', 'sum', 0 FROM migration";
    Connection::open(&path).unwrap().execute_batch(newer).unwrap();
    let found = known + 1;
    assert_eq!(examine(), ExamineError::Store(StoreError::Newer { found, known }));
}

#[test]
fn rows_that_belong_to_nothing_are_damage() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    drop(Sqlite::open(&path).unwrap());
    let torn = "PRAGMA foreign_keys = OFF; INSERT INTO envelope VALUES ('gone', x'00')";
    Connection::open(&path).unwrap().execute_batch(torn).unwrap();
    let error = sqlite::examine(&path).unwrap_err();
    assert!(error.to_string().contains("rows of envelope"), "{error}");
}

#[tokio::test]
async fn another_file_takes_the_place_of_a_store_and_the_store_stays_aside_with_its_log() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new, aside) = in_folder(directory.path());
    with_group(&new, "new").await;
    // As a process leaves it that was killed: the last write is in the log only.
    let other = tempfile::tempdir().unwrap();
    let store = open(&other.path().join("store.db"));
    put_group(&store, "old").await;
    for end in ["", "-wal", "-shm"] {
        let name = format!("store.db{end}");
        fs::copy(other.path().join(&name), directory.path().join(&name)).unwrap();
    }
    assert!(sqlite::has_log(&path));
    sqlite::replace(&path, &new, &aside).unwrap();
    assert_eq!(names(directory.path()), ["copy-2.db", "store.db"]);
    assert_eq!(location(&path).await.as_deref(), Some("new"));
    assert_eq!(location(&aside).await.as_deref(), Some("old"));
}

#[tokio::test]
async fn nothing_that_was_kept_before_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new, aside) = in_folder(directory.path());
    with_group(&path, "old").await;
    with_group(&new, "new").await;
    fs::write(&aside, "kept before").unwrap();
    assert!(sqlite::replace(&path, &new, &aside).is_err());
    assert_eq!(fs::read(&aside).unwrap(), b"kept before");
    assert_eq!(location(&path).await.as_deref(), Some("old"));
}

#[tokio::test]
async fn a_copy_that_is_stopped_ends_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let (path, copy, _) = in_folder(directory.path());
    let store = open(&path);
    for _ in 0..20 {
        put_group(&store, &"x".repeat(1 << 20)).await;
    }
    let source = Source::open(&path).unwrap();
    let stop = source.stop();
    let to = copy.clone();
    let copying = std::thread::spawn(move || source.copy_to(&to));
    while !copying.is_finished() {
        stop.stop();
        std::thread::yield_now();
    }
    let error = copying.join().unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(sqlite::examine(&copy).is_err());
}

#[tokio::test]
async fn what_is_too_damaged_to_be_opened_is_moved_aside_with_its_log() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new, aside) = in_folder(directory.path());
    with_group(&new, "new").await;
    fs::write(&path, "no database, and more than a hundred bytes of it".repeat(4)).unwrap();
    fs::write(directory.path().join("store.db-wal"), "a log").unwrap();
    sqlite::replace(&path, &new, &aside).unwrap();
    assert_eq!(fs::read(directory.path().join("copy-2.db-wal")).unwrap(), b"a log");
    assert!(!names(directory.path()).iter().any(|name| name.starts_with("store.db-")));
    assert!(holds(&aside, b"no database"));
    assert_eq!(location(&path).await.as_deref(), Some("new"));
}

#[tokio::test]
async fn the_log_of_a_store_that_is_gone_is_not_played_into_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new, aside) = in_folder(directory.path());
    with_group(&new, "new").await;
    let old = open(&path);
    put_group(&old, "old").await;
    let log = fs::read(directory.path().join("store.db-wal")).unwrap();
    drop(old);
    fs::remove_file(&path).unwrap();
    fs::write(directory.path().join("store.db-wal"), log).unwrap();
    sqlite::replace(&path, &new, &aside).unwrap();
    assert_eq!(location(&path).await.as_deref(), Some("new"));
    assert!(!aside.exists());
}

#[tokio::test]
async fn a_store_that_somebody_reads_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new, aside) = in_folder(directory.path());
    with_group(&new, "new").await;
    let store = open(&path);
    put_group(&store, "old").await;
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM resource_group").unwrap();
    let (one, two, three) = (path.clone(), new.clone(), aside.clone());
    let replaced = tokio::task::spawn_blocking(move || sqlite::replace(&one, &two, &three));
    assert_eq!(replaced.await.unwrap(), Err(ReplaceError::InUse));
    assert!(new.exists() && !aside.exists());
    drop(reader);
    drop(store);
    assert_eq!(location(&path).await.as_deref(), Some("old"));
}

#[tokio::test]
async fn a_store_that_somebody_has_open_is_not_replaced_though_its_log_is_empty() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new, aside) = in_folder(directory.path());
    with_group(&new, "new").await;
    with_group(&path, "old").await;
    let store = open(&path);
    assert_eq!(sqlite::replace(&path, &new, &aside), Err(ReplaceError::InUse));
    assert!(new.exists() && !aside.exists());
    put_group(&store, "later").await;
    drop(store);
    assert_eq!(location(&path).await.as_deref(), Some("later"));
    sqlite::replace(&path, &new, &aside).unwrap();
    assert_eq!(location(&aside).await.as_deref(), Some("later"));
}
