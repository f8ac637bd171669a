//! What can only be seen from inside: plans of queries, and writes that share a commit.

use std::sync::mpsc;
use std::task::Poll;
use std::thread;

use hangar_plan::operation::EntryState;
use hangar_plan::record::{GroupName, ReferenceName};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use tempfile::TempDir;

use super::*;
use crate::clock::HandClock;
use crate::{OperationFilter, Reader as _, ReferenceFilter};

fn store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&directory.path().join("store.db")).unwrap();
    (directory, store)
}

/// Lines a write up at once, before anything is awaited, so that a test knows the order.
fn submit(
    store: &Sqlite,
    work: impl FnOnce(&Writing<'_>) -> Result<(), StoreError> + Send + 'static,
) -> Answer<'static, ()> {
    let (reply, answer) = tokio::sync::oneshot::channel();
    store.writer.submit(work, reply);
    Box::pin(async move { answer.await.unwrap() })
}

/// A write of one row that is easy to see.
fn note(store: &Sqlite, type_name: &str) -> Answer<'static, ()> {
    let schema = schema(type_name, 0);
    submit(store, move |writing| schema::put(writing, &schema))
}

fn schema(type_name: &str, size: usize) -> CachedSchema {
    CachedSchema {
        region: "here".to_owned(),
        type_name: type_name.to_owned(),
        hash: String::new(),
        document: "x".repeat(size),
        fetched_at: Timestamp::default(),
    }
}

/// Keeps the writer busy until the sender is used: what comes meanwhile shares one commit.
fn hold(store: &Sqlite) -> mpsc::Sender<()> {
    let (release, released) = mpsc::channel();
    let (begin, begun) = mpsc::channel();
    drop(submit(store, move |_| {
        begin.send(()).unwrap();
        released.recv().unwrap();
        Ok(())
    }));
    begun.recv().unwrap();
    release
}

async fn has(store: &Sqlite, type_name: &str) -> bool {
    store.schema_find("here", type_name).await.unwrap().is_some()
}

fn defect() -> StoreError {
    StoreError::Unavailable("internal error: the write panicked and was rolled back".to_owned())
}

#[tokio::test]
async fn a_refusal_or_a_panic_touches_no_other_job_of_its_commit() {
    let (_directory, store) = store();
    let release = hold(&store);
    let first = note(&store, "first");
    let refused = submit(&store, |writing| {
        writing.database.change("DELETE FROM cached_schema", [])?;
        Err(StoreError::WrongKey)
    });
    let panicked = submit(&store, |writing| {
        writing.database.change("DELETE FROM cached_schema", [])?;
        panic!("a defect that a test makes");
    });
    let last = note(&store, "last");
    release.send(()).unwrap();
    assert_eq!(first.await, Ok(()));
    assert_eq!(refused.await, Err(StoreError::WrongKey));
    assert_eq!(panicked.await, Err(defect()));
    assert_eq!(last.await, Ok(()));
    assert!(has(&store, "first").await && has(&store, "last").await);
}

#[tokio::test]
async fn what_waits_together_is_committed_together() {
    let (directory, store) = store();
    let release = hold(&store);
    let first = note(&store, "first");
    let path = directory.path().join("store.db");
    let second = submit(&store, move |writing| {
        const COUNT: &str = "SELECT count(*) FROM cached_schema";
        let count = |it: &Connection| it.query_row(COUNT, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count(writing.database.0), 1, "the job before has run");
        assert_eq!(count(&file::open_for_reading(&path).unwrap()), 0, "and is not committed");
        Ok(())
    });
    release.send(()).unwrap();
    assert_eq!((first.await, second.await), (Ok(()), Ok(())));
    assert!(has(&store, "first").await);
}

#[tokio::test]
async fn nobody_is_told_of_a_success_whose_commit_failed() {
    let (_directory, store) = store();
    let release = hold(&store);
    let good = note(&store, "good");
    let refused = submit(&store, |_| Err(StoreError::WrongKey));
    // What is checked at the commit only.
    let bad = submit(&store, |writing| {
        writing.database.0.pragma_update(None, "defer_foreign_keys", "ON").unwrap();
        let sql = "INSERT INTO event (operation, sequence, at, message) VALUES ('none', 1, 1, '')";
        writing.database.change(sql, []).map(drop)
    });
    release.send(()).unwrap();
    for answer in [good.await, refused.await, bad.await] {
        assert!(matches!(answer, Err(StoreError::Damaged(_))), "{answer:?}");
    }
    assert!(!has(&store, "good").await);
    assert_eq!(note(&store, "good").await, Ok(()));
}

#[tokio::test]
async fn a_transaction_that_sqlite_gave_up_is_told_to_all() {
    let (_directory, store) = store();
    let release = hold(&store);
    let good = note(&store, "good");
    let bad = submit(&store, |writing| {
        writing.database.0.execute_batch("ROLLBACK").unwrap();
        Ok(())
    });
    let later = note(&store, "later");
    release.send(()).unwrap();
    for answer in [good.await, bad.await, later.await] {
        assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
    }
    assert!(!has(&store, "good").await && !has(&store, "later").await);
    assert_eq!(note(&store, "good").await, Ok(()));
}

#[tokio::test]
async fn a_full_disk_is_told_and_passes() {
    let (_directory, store) = store();
    let limit = |pages: i64| {
        submit(&store, move |writing| {
            let set = |_: &rusqlite::Row<'_>| Ok(());
            writing
                .database
                .0
                .pragma_update_and_check(None, "max_page_count", pages, set)
                .map_err(fault::fault)
        })
    };
    limit(1).await.unwrap();
    let schema = self::schema("large", 1 << 20);
    let release = hold(&store);
    // One that needs no room, and shares the commit of the one that does.
    let small = submit(&store, |_| Ok(()));
    let large = submit(&store, {
        let schema = schema.clone();
        move |writing| schema::put(writing, &schema)
    });
    release.send(()).unwrap();
    for answer in [small.await, large.await] {
        let full = answer.unwrap_err();
        let told = matches!(&full, StoreError::Unavailable(why) if why.contains("disk is full"));
        assert!(told, "{full}");
    }
    assert_eq!(store.key_check().await, Ok(None), "it can still be read");
    limit(1 << 30).await.unwrap();
    assert_eq!(store.schema_put(&schema).await, Ok(()));
}

#[tokio::test]
async fn a_read_that_panics_leaves_its_thread_to_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { readers: 1, ..Options::default() };
    let store = Sqlite::open_with(&directory.path().join("store.db"), options).unwrap();
    let panicked =
        store.read(|_| -> Result<(), StoreError> { panic!("a defect that a test makes") });
    assert!(matches!(panicked.await, Err(StoreError::Unavailable(_))));
    assert_eq!(store.key_check().await, Ok(None));
}

/// A store whose callers do all of its work.
fn inline() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { threads: Threads::Callers, ..Options::default() };
    let store = Sqlite::open_with(&directory.path().join("store.db"), options).unwrap();
    (directory, store)
}

#[test]
fn on_its_callers_thread_a_call_is_over_when_it_was_polled_once() {
    // No runtime, nobody to wake anything: whatever would wait would wait for ever.
    let (_directory, store) = inline();
    let waker = std::task::Waker::noop();
    let mut context = std::task::Context::from_waker(waker);
    let here = thread::current().id();
    let mut written = store.write(move |writing| {
        assert_eq!(thread::current().id(), here);
        schema::put(writing, &schema("first", 0))
    });
    assert_eq!(written.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    let mut refused = store.write(|writing| {
        writing.database.change("DELETE FROM cached_schema", [])?;
        Err::<(), _>(StoreError::WrongKey)
    });
    assert_eq!(refused.as_mut().poll(&mut context), Poll::Ready(Err(StoreError::WrongKey)));
    let mut panicked = store.write(|writing| -> Result<(), StoreError> {
        writing.database.change("DELETE FROM cached_schema", [])?;
        panic!("a defect that a test makes");
    });
    assert_eq!(panicked.as_mut().poll(&mut context), Poll::Ready(Err(defect())));
    let mut unread =
        store.read(|_| -> Result<(), StoreError> { panic!("a defect that a test makes") });
    assert!(matches!(unread.as_mut().poll(&mut context), Poll::Ready(Err(_))));
    let mut settled = store.settle();
    assert_eq!(settled.as_mut().poll(&mut context), Poll::Ready(Ok(())));
    let mut found = store.schema_find("here", "first");
    assert!(matches!(found.as_mut().poll(&mut context), Poll::Ready(Ok(Some(_)))));
}

#[tokio::test]
async fn the_same_calls_leave_the_same_file() {
    let mut files = Vec::new();
    for _ in 0..2 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let clock = HandClock::at(Timestamp::from_micros(1_000_000)).reading();
        let options = Options { clock, threads: Threads::Callers, ..Options::default() };
        let store = Sqlite::open_with(&path, options).unwrap();
        for number in 0..20 {
            store.schema_put(&schema(&format!("{number}"), 5000)).await.unwrap();
        }
        store.settle().await.unwrap();
        files.push(std::fs::read(&path).unwrap());
    }
    assert!(files[0] == files[1]);
}

/// What `kill -9` cannot show: it is the operating system that loses what was not synced.
#[tokio::test]
async fn a_commit_is_synced_before_it_is_answered() {
    for (_directory, store) in [store(), inline()] {
        let set = store.write(|writing| {
            let ask = |name: &str| {
                writing.database.0.pragma_query_value(None, name, |row| row.get::<_, Value>(0))
            };
            let journal = ask("journal_mode").map_err(fault::fault)?;
            let synchronous = ask("synchronous").map_err(fault::fault)?;
            let options = "SELECT count(*) FROM pragma_compile_options
                WHERE compile_options IN ('NO_SYNC', 'DISABLE_DIRSYNC')";
            let unsynced: i64 = writing
                .database
                .0
                .query_row(options, [], |row| row.get(0))
                .map_err(fault::fault)?;
            Ok::<_, StoreError>((journal, synchronous, unsynced))
        });
        // 2 is FULL: the log is synced at each commit, and not at checkpoints only.
        let wanted = (Value::Text("wal".to_owned()), Value::Integer(2), 0);
        assert_eq!(set.await.unwrap(), wanted);
    }
}

#[tokio::test]
async fn a_store_that_cannot_write_just_now_is_not_healthy() {
    let moment = Duration::from_millis(20);
    let unavailable = |answer| matches!(answer, Err(StoreError::Unavailable(_)));
    let (directory, store) = store();
    assert_eq!(store.health().await, Ok(()));

    let release = hold(&store);
    assert!(unavailable(store.health_within(moment).await), "the writer is busy");
    release.send(()).unwrap();
    assert_eq!(store.health().await, Ok(()));

    let other = Connection::open(directory.path().join("store.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(unavailable(store.health_within(moment).await), "another process has locked it");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.health().await, Ok(()));

    store.writer.abandon();
    assert!(unavailable(store.health().await), "the writer has stopped");
}

#[tokio::test]
async fn a_check_of_health_writes_nothing() {
    let (directory, store) = store();
    store.settle().await.unwrap();
    assert_eq!(store.health().await, Ok(()));
    let log = directory.path().join("store.db-wal");
    assert_eq!(std::fs::metadata(log).unwrap().len(), 0);
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let (_directory, store) = store();
    let written = store.read(|database| database.change("DELETE FROM clock", [])).await;
    assert!(matches!(&written, Err(StoreError::Unavailable(why)) if why.contains("read-only")));
}

#[test]
fn dropping_the_store_does_what_waits_and_ends_its_threads() {
    let (directory, store) = store();
    let path = directory.path().join("store.db");
    let release = hold(&store);
    let last = note(&store, "last");
    release.send(()).unwrap();
    drop(store);
    // The last connection to close takes the log with it: no thread has one any more.
    assert!(!directory.path().join("store.db-wal").exists());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(last), Ok(()));
    let count: i64 = Connection::open(path)
        .unwrap()
        .query_row("SELECT count(*) FROM cached_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 1);
}

#[test]
fn every_error_of_sqlite_says_what_to_do_about_it() {
    let error =
        |code| fault::fault(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None));
    let unavailable = [
        (rusqlite::ffi::SQLITE_FULL, "the disk is full"),
        (rusqlite::ffi::SQLITE_READONLY, "it is read-only"),
        (rusqlite::ffi::SQLITE_BUSY, "another process has locked it"),
        (rusqlite::ffi::SQLITE_IOERR, "disk I/O"),
    ];
    for (code, says) in unavailable {
        let error = error(code);
        assert!(matches!(&error, StoreError::Unavailable(why) if why.contains(says)), "{error}");
    }
    for code in [rusqlite::ffi::SQLITE_CORRUPT, rusqlite::ffi::SQLITE_NOTADB] {
        assert!(matches!(error(code), StoreError::Damaged(_)), "{}", error(code));
    }
}

/// How SQLite means to run a query.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let values = vec![Value::Null; statement.parameter_count()];
    let lines = statement.query_map(params_from_iter(values), |row| row.get("detail")).unwrap();
    lines.map(Result::unwrap).collect()
}

#[test]
fn no_query_reads_or_sorts_a_whole_table() {
    let (directory, store) = store();
    drop(store);
    let connection = Connection::open(directory.path().join("store.db")).unwrap();
    let mut queries: Vec<String> = [
        claim::DUE,
        claim::ENVELOPE_FIND,
        commit::LOCKS_DROP,
        commit::PRESENT,
        commit::WAKE,
        credential::FIND,
        credential::LIST,
        credential::LIST_OF_PLANE,
        credential::REMOVE,
        credential::RESEAL,
        deployment::FIND,
        deployment::LIST,
        deployment::REMOVE,
        deployment::REMOVE_ALL,
        event::ADD,
        event::LIST,
        event::LIST_LAST,
        group::FIND,
        group::LIST,
        group::REMOVE,
        key_check::FIND,
        key_check::MOVE,
        lease::END_ALL,
        operation::ALL_RUNNING,
        operation::EXISTS,
        operation::FIND,
        operation::FIND_BY_REQUEST,
        operation::FIND_REPEATED,
        operation::RUNNING,
        plane::EXISTS,
        plane::FIND,
        plane::LIST,
        plane::REMOVE,
        recipe::FIND,
        recipe::FIRST_IN,
        recipe::LIST,
        recipe::PRESENT,
        recipe::REMOVE,
        reference::DEPENDING,
        reference::FIND,
        reference::FIND_BY_RESOURCE,
        reference::FIND_BY_RETIRING,
        reference::FIRST_IN,
        reference::FIRST_MAPPED,
        reference::MAPPER,
        reference::PRESENT,
        reference::RETIRER,
        reference::RETIRING_DROP,
        reference::UNMAPPED,
        reserve::LOCK_FIND,
        retention::PARKED,
        retention::PRUNE,
        schema::FIND,
        terraform::FIND,
        terraform::FORGET,
        terraform::HEAD,
        terraform::LIST,
        terraform::LOOK,
        terraform::UNLOCK,
        "DELETE FROM terraform_lock WHERE group_key = ? AND name_key = ?",
        "DELETE FROM terraform_state WHERE group_key = ? AND name_key = ?",
        "DELETE FROM attempt WHERE operation = ?",
        "DELETE FROM envelope WHERE operation = ?",
        "DELETE FROM event WHERE operation = ?",
    ]
    .map(str::to_owned)
    .to_vec();
    let group = || Some(GroupName { plane: "local".to_owned(), group: "prod".to_owned() });
    let type_name = hangar_ids::TypeName::parse("AWS::EC2::VPC").unwrap();
    let name = ReferenceName { group: group().unwrap(), type_name, alias: "a".to_owned() };
    for group in [None, group()] {
        for type_key in [None, Some("aws.ec2/vpc".to_owned())] {
            for state in [None, Some(EntryState::Unknown)] {
                let (group, type_key) = (group.clone(), type_key.clone());
                let filter = ReferenceFilter { group, type_key, state };
                queries.push(page::Page::of("*", &filter, None, 100).unwrap().sql);
            }
        }
        for reference in [None, Some(name.clone())] {
            for parent in [None, Some(OperationId::from_u128(1))] {
                for running in [false, true] {
                    let (group, reference) = (group.clone(), reference.clone());
                    let filter = OperationFilter { reference, group, parent, running };
                    queries.push(operation::list_query(&filter).0);
                }
            }
        }
    }
    for sql in queries {
        let plan = plan(&connection, &sql);
        assert!(!plan.is_empty(), "{sql}");
        for line in &plan {
            // One row of what is asked for by itself is no table.
            let good = ["SEARCH", "LIST SUBQUERY", "SCALAR SUBQUERY", "SCAN CONSTANT ROW"];
            assert!(good.iter().any(|it| line.starts_with(it)), "{sql}\n{plan:#?}");
        }
        println!("{sql}\n    {plan:?}");
    }
}

#[test]
fn a_page_of_references_is_found_by_all_that_it_is_asked_for() {
    let (directory, store) = store();
    drop(store);
    let connection = Connection::open(directory.path().join("store.db")).unwrap();
    let group = Some(GroupName { plane: "local".to_owned(), group: "prod".to_owned() });
    let type_key = Some("aws.ec2/vpc".to_owned());
    let state = Some(EntryState::Unknown);
    let cases = [
        (&None, &None, "reference_by_state (state=? AND (group_key,type_key,alias_key)>(?,?,?))"),
        (
            &None,
            &type_key,
            "reference_by_state_and_type (state=? AND type_key=? AND (group_key,alias_key)>(?,?))",
        ),
        (
            &group,
            &None,
            "reference_by_state (state=? AND group_key=? AND (type_key,alias_key)>(?,?))",
        ),
        (
            &group,
            &type_key,
            "reference_by_state_and_type \
             (state=? AND type_key=? AND group_key=? AND alias_key>?)",
        ),
    ];
    for (group, type_key, index) in cases {
        let filter = ReferenceFilter { group: group.clone(), type_key: type_key.clone(), state };
        let sql = page::Page::of("*", &filter, None, 100).unwrap().sql;
        assert_eq!(plan(&connection, &sql), [format!("SEARCH reference USING INDEX {index}")]);
    }
}

#[test]
fn the_parts_of_an_operation_are_found_by_it_and_those_that_run_by_an_index_of_their_own() {
    let (directory, store) = store();
    drop(store);
    let connection = Connection::open(directory.path().join("store.db")).unwrap();
    let group = Some(GroupName { plane: "local".to_owned(), group: "prod".to_owned() });
    for group in [None, group] {
        let indexes = [(false, "operation_by_parent"), (true, "operation_running_by_parent")];
        for (running, index) in indexes {
            let (group, parent) = (group.clone(), Some(OperationId::from_u128(1)));
            let filter = OperationFilter { reference: None, group, parent, running };
            let found = plan(&connection, &operation::list_query(&filter).0);
            let expected = format!("SEARCH operation USING INDEX {index} (parent=? AND id<?)");
            assert_eq!(found, [expected]);
        }
    }
}

#[test]
fn what_depends_on_a_reference_is_found_without_a_look_at_its_group() {
    let (directory, store) = store();
    drop(store);
    let connection = Connection::open(directory.path().join("store.db")).unwrap();
    let found = plan(&connection, reference::DEPENDING);
    let expected = "SEARCH reference USING COVERING INDEX reference_depending (group_key=?)";
    assert_eq!(found, [expected]);
}

#[test]
fn what_only_tells_of_states_reads_none() {
    let light = [
        recipe::FIRST_IN,
        recipe::PRESENT,
        terraform::FORGET,
        terraform::HEAD,
        terraform::LIST,
        terraform::LOOK,
    ];
    for sql in light {
        assert!(!sql.contains('*') && !sql.contains("sealed"), "{sql}");
    }
}
