//! A server that is restarted under load: nothing that was answered is lost, and nothing is done twice.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hangar_plan::operation::OperationId;
use hangar_store::postgres::Postgres;
use hangar_store::postgres::cluster::{ClusterOptions, Stop};
use hangar_store::{
    Claim, Commit, CommitError, DeploymentChange, GroupChange, Lease, OperationFilter, Reader as _,
    RecipeChange, ReferenceChange, ReserveError, Store as _, StoreError, WorkerId,
};

use super::connect;
use crate::{cluster, sample};

/// As many steps as an operation takes.
const STEPS: u32 = 4;
const LEASE: Duration = Duration::from_secs(2);

/// What was answered: operations that were accepted, and the last step of each that was committed.
#[derive(Default)]
struct Answered {
    steps: Mutex<HashMap<OperationId, u32>>,
    /// Nothing more is asked for.
    stop: AtomicBool,
    /// All that was asked for is there.
    complete: AtomicBool,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_survives_restarts_under_load_and_nothing_is_done_twice() {
    let test = "postgres::restart::what_was_answered_survives";
    let Some(cluster) = cluster::own(test, ClusterOptions::default()) else { return };
    let cluster = Arc::new(cluster);
    let url = cluster.create_database().unwrap();
    let stores = [Arc::new(connect(&url).await), Arc::new(connect(&url).await)];
    let answered = Arc::new(Answered::default());
    let (mut accepting, mut working) = (Vec::new(), Vec::new());
    for number in 0..4 {
        let (store, answered) = (Arc::clone(&stores[number % 2]), Arc::clone(&answered));
        accepting.push(tokio::spawn(accept(number as u128, store, answered)));
    }
    for number in 0..4 {
        let (store, answered) = (Arc::clone(&stores[number % 2]), Arc::clone(&answered));
        working.push(tokio::spawn(work(number, store, answered)));
    }
    for mode in [Stop::Fast, Stop::Immediate, Stop::Fast, Stop::Immediate] {
        let before = done(&answered);
        wait_for("some work", || done(&answered) > before + 100).await;
        let cluster = Arc::clone(&cluster);
        tokio::task::spawn_blocking(move || cluster.restart(mode).unwrap()).await.unwrap();
    }
    let before = done(&answered);
    wait_for("work after the last restart", || done(&answered) > before + 100).await;
    answered.stop.store(true, Ordering::SeqCst);
    for task in accepting {
        task.await.unwrap();
    }
    // Those that accept have ended; those that work go on until nothing is left.
    answered.complete.store(true, Ordering::SeqCst);
    for task in working {
        task.await.unwrap();
    }

    let steps = answered.steps.lock().unwrap().clone();
    assert!(steps.len() > 100, "{}", steps.len());
    let expected: Vec<String> = std::iter::once("accepted".to_owned())
        .chain((1..=STEPS).map(|step| format!("step {step}")))
        .collect();
    for id in steps.keys() {
        let record = stores[0].operation_find(*id).await.unwrap();
        let record = record.unwrap_or_else(|| panic!("{id} was answered and is lost"));
        assert!(record.ended_at.is_some(), "{id}");
        assert_eq!(record.calls.writes, STEPS, "{id}");
        let events = stores[1].event_list(*id, 0, 100).await.unwrap();
        let told: Vec<String> = events.into_iter().map(|event| event.message).collect();
        assert_eq!(told, expected, "{id}");
    }
    // Nothing is there that nobody was told of, but for those that were asked for at the end.
    let all = OperationFilter::default();
    let all = stores[0].operation_list(&all, None, 100_000).await.unwrap();
    assert_eq!(all.len(), steps.len());
}

fn done(answered: &Answered) -> usize {
    answered.steps.lock().unwrap().values().map(|steps| *steps as usize + 1).sum()
}

async fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_mins(1), "{what}: not within a minute");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Has operations accepted, each until it is known that it was.
async fn accept(number: u128, store: Arc<Postgres>, answered: Arc<Answered>) {
    for count in 0_u128.. {
        if answered.stop.load(Ordering::SeqCst) {
            return;
        }
        let id = OperationId::from_u128((number + 1) * 1_000_000 + count);
        loop {
            let Ok(now) = store.now().await else { continue };
            match store.operation_reserve(sample::untracked(id, now)).await {
                Ok(()) => break,
                Err(ReserveError::Repeated(it)) if it == id => break,
                Err(ReserveError::Store(StoreError::Unavailable(_))) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Err(other) => panic!("{other}"),
            }
        }
        answered.steps.lock().unwrap().insert(id, 0);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Works on what is due until nothing is left.
async fn work(number: usize, store: Arc<Postgres>, answered: Arc<Answered>) {
    loop {
        let worker = WorkerId(format!("worker-{number}"));
        let claims = store.operation_claim(worker, LEASE, 5).await.unwrap_or_default();
        if claims.is_empty() {
            let complete = answered.complete.load(Ordering::SeqCst);
            let counts = store.counts().await;
            if complete && counts.is_ok_and(|counts| counts.running == 0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for claim in claims {
            drive(&store, claim, &answered).await;
        }
    }
}

/// Takes the steps that are left, as a worker does: one that is not answered is asked for again.
async fn drive(store: &Postgres, claim: Claim, answered: &Answered) {
    let mut record = claim.record;
    let id = record.id();
    let known = answered.steps.lock().unwrap().get(&id).copied().unwrap_or_default();
    assert!(record.calls.writes >= known, "{id}: step {known} was answered and is lost");
    while record.calls.writes < STEPS {
        record.calls.writes += 1;
        let step = record.calls.writes;
        let mut commit = Commit {
            record: record.clone(),
            reference: ReferenceChange::Keep,
            deployment: DeploymentChange::Keep,
            recipe: RecipeChange::Keep,
            group: GroupChange::Keep,
            lease: Lease::Keep,
            message: Some(format!("step {step}")),
        };
        if step == STEPS {
            sample::finish(&mut commit.record);
            commit.lease = Lease::Release;
        }
        let committed = loop {
            match store.operation_commit(commit.clone()).await {
                Ok(committed) => break committed,
                Err(CommitError::LeaseLost) => return,
                Err(CommitError::Store(StoreError::Unavailable(_))) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Err(other) => panic!("{other}"),
            }
        };
        record = commit.record;
        record.version = committed.version;
        answered
            .steps
            .lock()
            .unwrap()
            .entry(id)
            .and_modify(|it| *it = (*it).max(step))
            .or_insert(step);
    }
}
