//! Every store does what the suite asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hangar_store::clock::Clock;
use hangar_store::memory::{self, Memory};
use hangar_store::postgres::{self, Postgres};
use hangar_store::sqlite::{self, Sqlite};
use hangar_store::{Store, conformance};

use crate::cluster;

#[tokio::test(flavor = "multi_thread")]
async fn memory_does_what_a_store_must() {
    for sync in [memory::Sync::Always, memory::Sync::Manual] {
        let make = |clock: Clock| -> Arc<dyn Store> {
            Arc::new(Memory::with(memory::Options { clock, sync, ..memory::Options::default() }))
        };
        conformance::suite(&make).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_does_what_a_store_must() {
    sqlite_on(sqlite::Threads::Own).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_on_its_callers_threads_does_what_a_store_must() {
    sqlite_on(sqlite::Threads::Callers).await;
}

async fn sqlite_on(threads: sqlite::Threads) {
    let directory = tempfile::tempdir().unwrap();
    let count = AtomicU32::new(0);
    let make = |clock: Clock| -> Arc<dyn Store> {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let path = directory.path().join(format!("{number}.db"));
        let options = sqlite::Options { clock, threads, ..sqlite::Options::default() };
        Arc::new(Sqlite::open_with(&path, options).unwrap())
    };
    conformance::suite(&make).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_does_what_a_store_must() {
    let Some(cluster) = cluster::shared("conformance::postgres_does_what_a_store_must") else {
        return;
    };
    let make = |clock: Clock| -> Arc<dyn Store> {
        let url = cluster.create_database().unwrap();
        let options = postgres::Options { clock: Some(clock), ..postgres::Options::default() };
        let connected = Postgres::connect(&url, options);
        let here = tokio::runtime::Handle::current();
        Arc::new(tokio::task::block_in_place(|| here.block_on(connected)).unwrap())
    };
    conformance::suite(&make).await;
}
