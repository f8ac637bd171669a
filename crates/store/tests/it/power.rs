//! The store in memory loses what was not synced, whole commits at a time.

use hangar_plan::Timestamp;
use hangar_store::clock::HandClock;
use hangar_store::memory::{Memory, Options, Sync};
use hangar_store::{Expect, Reader as _, Store as _};

use crate::sample;

fn memory(sync: Sync) -> Memory {
    let clock = HandClock::at(Timestamp::from_micros(1_000_000)).reading();
    Memory::with(Options { clock, sync, ..Options::default() })
}

#[tokio::test]
async fn what_was_not_synced_is_lost_and_what_was_is_not() {
    let store = memory(Sync::Manual);
    let now = store.now().await.unwrap();
    store.group_put(&sample::group(now), Expect::Absent).await.unwrap();
    store.sync();
    store.operation_reserve(sample::reservation(now, b"sealed".to_vec())).await.unwrap();
    store.lose_unsynced();
    assert!(store.group_find(&sample::group_name()).await.unwrap().is_some());
    assert_eq!(store.operation_find(sample::ID).await.unwrap(), None);
    assert_eq!(store.reference_find(&sample::reference_name()).await.unwrap(), None);
    assert_eq!(store.event_list(sample::ID, 0, 10).await.unwrap(), []);

    // Nothing of it holds anything.
    let again = sample::reservation(now, b"sealed".to_vec());
    store.operation_reserve(again).await.unwrap();
    store.sync();
    store.lose_unsynced();
    store.lose_unsynced();
    assert!(store.operation_find(sample::ID).await.unwrap().is_some());
}

#[tokio::test]
async fn an_end_that_is_lost_brings_the_envelope_back() {
    let store = memory(Sync::Manual);
    sample::fill(&store, b"sealed".to_vec()).await;
    store.sync();
    sample::find_and_end(&store, b"sealed").await;
    assert!(store.operation_find(sample::ID).await.unwrap().unwrap().ended_at.is_some());
    store.lose_unsynced();
    sample::find_and_end(&store, b"sealed").await;
}

#[tokio::test]
async fn what_is_always_synced_is_never_lost() {
    let store = memory(Sync::Always);
    sample::fill(&store, b"sealed".to_vec()).await;
    store.lose_unsynced();
    sample::find_and_end(&store, b"sealed").await;
}
