//! Finds operations that are due, leases them, and drives as many at once as it may.
//!
//! A signal only shortens the wait: what is due is read from the store, always.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_plan::record::Epoch;
use hangar_store::{Claim, WorkerId};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::config::Drives;
use crate::engine::Shared;
use crate::{drive, recipe, schedule};

/// How long a stop waits for calls that are on their way.
const STOP_WITHIN: Duration = Duration::from_secs(8);

/// How often ended operations that nobody needs any more are removed, and how long they are kept.
const PRUNE_EVERY: Duration = Duration::from_hours(1);
const KEEP_FOR: Duration = Duration::from_hours(7 * 24);

/// The leases that this worker holds.
#[derive(Debug, Default)]
struct Held(Mutex<HashMap<OperationId, Epoch>>);

impl Held {
    fn with<T>(&self, deed: impl FnOnce(&mut HashMap<OperationId, Epoch>) -> T) -> T {
        deed(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs until the engine stops.
pub(crate) async fn run(shared: Arc<Shared>) {
    let held = Arc::new(Held::default());
    let renewing = tokio::spawn(renew(shared.clone(), held.clone()));
    let mut driven = JoinSet::new();
    // When operations that this worker let go of are due again.
    let mut due: BinaryHeap<Reverse<Instant>> = BinaryHeap::new();
    let pruning = tokio::spawn(prune_now_and_then(shared.clone()));
    let drifting = tokio::spawn(schedule::run(shared.clone()));
    let tidying = tokio::spawn({
        let shared = shared.clone();
        async move { recipe::sweep(&shared).await }
    });
    let mut stopping = shared.stopping.subscribe();
    while !shared.is_stopping() {
        let room = shared.config.concurrency.saturating_sub(driven.len());
        let claims = claim(&shared, room).await;
        let full = !claims.is_empty() && claims.len() == room;
        for claim in claims.into_iter().filter(|claim| is_driven(&shared, claim)) {
            start(&shared, &held, &mut driven, claim);
        }
        if full {
            continue;
        }
        while due.peek().is_some_and(|at| at.0 <= Instant::now()) {
            due.pop();
        }
        let poll_at = Instant::now() + shared.config.poll_every;
        let look_at = due.peek().map_or(poll_at, |at| at.0.min(poll_at));
        // In order, so that a run can be replayed; those that have ended make room, so they come first.
        tokio::select! {
            biased;
            _ = stopping.changed() => {}
            Some(ended) = driven.join_next() => match ended {
                Ok(Some(again_in)) => due.push(Reverse(Instant::now() + again_in)),
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "an operation task failed"),
            },
            () = shared.wake.notified() => {}
            () = tokio::time::sleep_until(look_at) => {}
        }
    }
    let finished = async { while driven.join_next().await.is_some() {} };
    if tokio::time::timeout(STOP_WITHIN, finished).await.is_err() {
        tracing::warn!("AWS calls are still open; their results are read at the next start");
        driven.shutdown().await;
    }
    for task in [renewing, pruning, drifting, tidying] {
        task.abort();
        // Aborted: there is nothing to hear from it.
        let _ = task.await;
    }
}

/// An operation that is not driven keeps its lease until that runs out, and is skipped again then.
fn is_driven(shared: &Shared, claim: &Claim) -> bool {
    match shared.config.drives {
        Drives::All => true,
        Drives::Reads => claim.record.is_read_only(),
    }
}

async fn claim(shared: &Shared, room: usize) -> Vec<Claim> {
    if room == 0 {
        return Vec::new();
    }
    let worker = WorkerId(shared.config.worker.clone());
    match shared.store.operation_claim(worker, shared.config.lease_for, room).await {
        Ok(claims) => claims,
        Err(error) => {
            tracing::error!(%error, "cannot search for due operations");
            Vec::new()
        }
    }
}

fn start(
    shared: &Arc<Shared>,
    held: &Arc<Held>,
    driven: &mut JoinSet<Option<Duration>>,
    claim: Claim,
) {
    let (shared, held) = (shared.clone(), held.clone());
    let id = claim.record.id();
    let epoch = claim.record.epoch;
    held.with(|held| held.insert(id, epoch));
    shared.metrics.driven.inc();
    // Also when driving panics: a lease that nobody works under must end.
    let holding = Holding { shared: shared.clone(), held, id, epoch };
    driven.spawn(async move {
        let again_in = Box::pin(drive::drive(&shared, claim)).await;
        drop(holding);
        again_in
    });
}

/// A lease while its operation is driven; let go of whatever happens.
struct Holding {
    shared: Arc<Shared>,
    held: Arc<Held>,
    id: OperationId,
    epoch: Epoch,
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.shared.metrics.driven.dec();
        self.held.with(|held| {
            // A newer lease of the same operation is another's to let go of.
            if held.get(&self.id) == Some(&self.epoch) {
                held.remove(&self.id);
            }
        });
    }
}

/// Makes the held leases last while their operations are driven.
async fn renew(shared: Arc<Shared>, held: Arc<Held>) {
    let lease_for = shared.config.lease_for;
    loop {
        tokio::time::sleep(lease_for / 3).await;
        let leases: Vec<(OperationId, Epoch)> =
            held.with(|held| held.iter().map(|(id, epoch)| (*id, *epoch)).collect());
        if leases.is_empty() {
            continue;
        }
        match shared.store.operation_renew(&leases, lease_for).await {
            // Their next commit is refused; nothing has to be undone.
            Ok(lost) => {
                for id in lost.iter().filter(|id| held.with(|held| held.contains_key(id))) {
                    shared.metrics.leases_lost.inc();
                    tracing::warn!(operation.id = %id, "lease lost");
                }
            }
            Err(error) => tracing::error!(%error, "cannot renew leases"),
        }
    }
}

/// Apart from the claims: a long backlog must not keep them waiting.
async fn prune_now_and_then(shared: Arc<Shared>) {
    loop {
        prune(&shared).await;
        tokio::time::sleep(PRUNE_EVERY).await;
    }
}

async fn prune(shared: &Shared) {
    let Ok(now) = shared.store.now().await else { return };
    let kept = i64::try_from(KEEP_FOR.as_micros()).unwrap_or(i64::MAX);
    let before = hangar_plan::Timestamp::from_micros(now.as_micros().saturating_sub(kept));
    match shared.store.operation_prune(before).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "old operations removed"),
        Err(error) => tracing::error!(%error, "cannot remove old operations"),
    }
}
