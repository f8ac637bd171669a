//! Rows that somebody else holds: one who need not wait for them does not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hangar_plan::Timestamp;
use hangar_plan::operation::{EntryState, OperationId};
use hangar_plan::record::ReferenceName;
use hangar_store::postgres::Postgres;
use hangar_store::{
    Claim, Commit, DeploymentChange, Expect, GroupChange, Lease, Reader as _, RecipeChange,
    ReferenceChange, ReferenceWrite, Reservation, Store as _, WorkerId,
};
use tokio_postgres::Client;

use super::{connect, database, stranger};
use crate::sample;

async fn count(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

async fn wait_for(client: &Client, what: &str, sql: &str) {
    let started = Instant::now();
    while count(client, sql).await == 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "{what}: it did not come to that");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn claim(store: &Postgres, limit: usize) -> Vec<Claim> {
    let worker = WorkerId("worker".to_owned());
    store.operation_claim(worker, Duration::from_secs(10), limit).await.unwrap()
}

#[tokio::test]
async fn a_lease_on_a_row_that_is_held_keeps_no_other_from_being_renewed() {
    let Some((_, url)) = database("held::a_lease_on_a_row") else { return };
    let store = connect(&url).await;
    let now = store.now().await.unwrap();
    for bits in 1..=3 {
        let reservation = sample::untracked(OperationId::from_u128(bits), now);
        store.operation_reserve(reservation).await.unwrap();
    }
    let claims = claim(&store, 3).await;
    let leases: Vec<_> = claims.iter().map(|it| (it.record.id(), it.record.epoch)).collect();
    let [(held, _), ..] = leases[..] else { panic!("{leases:?}") };
    let holder = stranger(&url).await;
    let hold = format!("BEGIN; SELECT FROM operation WHERE id = '{held}' FOR UPDATE");
    holder.batch_execute(&hold).await.unwrap();

    let started = Instant::now();
    let lost = store.operation_renew(&leases, Duration::from_hours(1)).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(4), "it waited");
    assert_eq!(lost, [], "one that is held is not lost");
    let far = now.after(Duration::from_mins(30)).as_micros();
    let renewed = format!("SELECT count(*) FROM operation WHERE lease_until > {far}");
    assert_eq!(count(&stranger(&url).await, &renewed).await, 2);

    holder.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(store.operation_renew(&leases, Duration::from_hours(1)).await.unwrap(), []);
    assert_eq!(count(&holder, &renewed).await, 3);
    // One that was taken by another is lost, though its row is held as well.
    let take = format!("UPDATE operation SET epoch = epoch + 1 WHERE id = '{held}'");
    holder.batch_execute(&take).await.unwrap();
    holder.batch_execute(&hold).await.unwrap();
    assert_eq!(store.operation_renew(&leases, Duration::from_hours(1)).await.unwrap(), [held]);
}

/// Takes an alias.
fn reservation(now: Timestamp, alias: &str, bits: u128) -> Reservation {
    let id = OperationId::from_u128(bits);
    let mut reservation = sample::reservation(now, b"sealed".to_vec());
    reservation.resource_keys.clear();
    let write = reservation.reference.as_mut().unwrap();
    alias.clone_into(&mut write.reference.name.alias);
    write.reference.entry.operation = Some(id);
    let name = write.reference.name.clone();
    let work = sample::machine_of(&mut reservation.record);
    work.operation.id = id;
    work.operation.attempts.clear();
    work.subject.reference = Some(name);
    reservation
}

/// The last step of an operation on a reference.
fn end(claim: Claim) -> Commit {
    let mut reference = claim.reference.unwrap();
    let seen = Some(reference.version);
    reference.entry.operation = None;
    reference.entry.state = EntryState::Ready;
    let mut commit = Commit {
        record: claim.record,
        reference: ReferenceChange::Save(Box::new(ReferenceWrite { reference, seen })),
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        group: GroupChange::Keep,
        lease: Lease::Release,
        message: None,
    };
    sample::finish(&mut commit.record);
    commit
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_that_many_follow_takes_few_locks_and_is_met_by_no_step() {
    let Some((_, url)) = database("held::a_rename_that_many_follow") else { return };
    let store = Arc::new(connect(&url).await);
    let now = store.now().await.unwrap();
    store.group_put(&sample::group(now), Expect::Absent).await.unwrap();
    let named = |alias: &str| ReferenceName { alias: alias.to_owned(), ..sample::reference_name() };
    for (bits, alias) in [(1, "base"), (2, "dep-0")] {
        let mut taken = reservation(now, alias, bits);
        if alias == "dep-0" {
            taken.reference.as_mut().unwrap().reference.depends_on = vec![named("base").id()];
        }
        store.operation_reserve(taken).await.unwrap();
        store.operation_commit(end(claim(&store, 1).await.remove(0))).await.unwrap();
    }
    store.operation_reserve(reservation(now, "other", 3)).await.unwrap();
    let step = end(claim(&store, 1).await.remove(0));
    let client = stranger(&url).await;
    let copy =
        "INSERT INTO reference SELECT group_key, type_key, 'dep-' || number, state, operation,
            resource_key, replace(name, 'dep-0', 'dep-' || number), scope, entry, documents,
            last_operation, created_at, updated_at, version, depends_on, notes
        FROM reference, generate_series(1, 99) AS number WHERE alias_key = 'dep-0'";
    client.batch_execute(copy).await.unwrap();

    // It is held up when it has all its locks and writes.
    let holder = stranger(&url).await;
    let hold = "BEGIN; SELECT FROM reference WHERE alias_key = 'base' FOR KEY SHARE";
    holder.batch_execute(hold).await.unwrap();
    let base = store.reference_find(&named("base")).await.unwrap().unwrap();
    let rename = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.reference_rename(&base.name, "root", base.version).await })
    };
    // Other tests are at the same server.
    let waiting = "SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'transactionid'";
    let waits = format!("SELECT count(*) FROM ({waiting}) AS waiting");
    wait_for(&client, "the rename waits", &waits).await;
    let taken =
        format!("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid IN ({waiting})");
    assert_eq!(count(&client, &taken).await, 3, "the group and both names");
    let step = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.operation_commit(step).await })
    };
    let met = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    wait_for(&client, "the step waits", met).await;
    holder.batch_execute("ROLLBACK").await.unwrap();
    rename.await.unwrap().unwrap();
    step.await.unwrap().unwrap();

    let follow = format!(
        "SELECT count(*) FROM reference WHERE depends_on = '[\"{}\"]' AND version = 3",
        named("root").id()
    );
    assert_eq!(count(&client, &follow).await, 100);
}

/// Those who end while the whole steps wait for that, and no longer; what they tell is not lost with it.
#[tokio::test(flavor = "multi_thread")]
async fn parts_that_end_while_the_whole_is_written_wait_for_that_and_wake_it_after() {
    const WHOLE: u128 = 100;
    let Some((_, url)) = database("held::parts_that_end") else { return };
    let store = Arc::new(connect(&url).await);
    let now = store.now().await.unwrap();
    store.group_put(&sample::group(now), Expect::Absent).await.unwrap();
    let whole = OperationId::from_u128(WHOLE);
    store.operation_reserve(sample::deploying(whole, now)).await.unwrap();
    claim(&store, 1).await;
    for bits in 1..=10 {
        let mut part = sample::untracked(OperationId::from_u128(bits), now);
        part.record.parent = Some(whole);
        store.operation_reserve(part).await.unwrap();
    }
    let parts = claim(&store, 10).await;
    assert_eq!(parts.len(), 10);

    let holder = stranger(&url).await;
    let hold = format!("BEGIN; SELECT FROM operation WHERE id = '{whole}' FOR UPDATE");
    holder.batch_execute(&hold).await.unwrap();
    let ends: Vec<_> = parts
        .into_iter()
        .map(|part| {
            let (store, commit) = (Arc::clone(&store), sample::end(part.record));
            tokio::spawn(async move { store.operation_commit(commit).await })
        })
        .collect();
    let client = stranger(&url).await;
    let waiting = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' HAVING count(*) = 10";
    let waits = format!("SELECT count(*) FROM ({waiting}) AS all_of_them");
    wait_for(&client, "all parts wait", &waits).await;
    // As a worker does that lets go and wants to look again much later.
    let later = now.after(Duration::from_hours(1)).as_micros();
    let step = format!(
        "UPDATE operation SET due_at = {later}, lease_until = NULL WHERE id = '{whole}'; COMMIT"
    );
    let released = Instant::now();
    holder.batch_execute(&step).await.unwrap();
    for ended in ends {
        ended.await.unwrap().unwrap();
    }
    assert!(released.elapsed() < Duration::from_secs(4), "they waited for each other");
    let due = claim(&store, 10).await;
    let due: Vec<OperationId> = due.iter().map(|claim| claim.record.id()).collect();
    assert_eq!(due, [whole]);
}
