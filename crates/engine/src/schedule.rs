//! Has every group looked through for drift once in a while.
//!
//! Time is cut into slots, and a group's operation is named after group and slot: however many processes
//! ask for it, and however often they start, it is accepted once.

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Failure, OperationId};
use hangar_plan::record::{Group, GroupName, GroupState, PlaneKind, Repeatability, Work};
use hangar_store::{OperationFilter, ReferenceFilter, StoreError};
use tokio::time::Instant;

use crate::ask::{Condition, GroupAsk};
use crate::engine::Shared;
use crate::submit;

/// The slot is looked at again at least so often: a clock may be set, and what failed is tried again.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Groups are looked through one after another; one that takes long is waited for so long.
const WAIT_FOR: Duration = Duration::from_mins(1);
const WAIT_STEP: Duration = Duration::from_millis(500);

/// Groups that are read at once.
const PAGE: usize = 100;

/// Why a pass was not made whole.
enum Broken {
    Store(StoreError),
    Refused(Failure),
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Runs until it is aborted; at once where nothing is to be scheduled.
pub(crate) async fn run(shared: Arc<Shared>) {
    let Some(every) = shared.config.drift_every.filter(|every| !every.is_zero()) else { return };
    if shared.config.concurrency == 0 {
        // Who drives nothing begins nothing.
        return;
    }
    let every = i64::try_from(every.as_micros()).unwrap_or(i64::MAX);
    let mut done = None;
    loop {
        let now = match shared.store.now().await {
            Ok(now) => now.as_micros(),
            Err(error) => {
                tracing::error!(%error, "cannot read the time from the store; skipping the drift check");
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            }
        };
        let slot = now.div_euclid(every);
        if done != Some(slot) && pass(&shared, slot).await {
            done = Some(slot);
        }
        let left = u64::try_from(every - now.rem_euclid(every)).unwrap_or(0);
        tokio::time::sleep(Duration::from_micros(left).min(LOOK_EVERY)).await;
    }
}

/// Asks for every group's operation of a slot; tells whether all was asked for.
async fn pass(shared: &Shared, slot: i64) -> bool {
    let planes = match shared.store.plane_list(Some(PlaneKind::Radius)).await {
        Ok(planes) => planes,
        Err(error) => {
            tracing::error!(%error, "cannot list the planes; skipping the drift check");
            return false;
        }
    };
    let mut whole = true;
    for plane in planes {
        let mut after: Option<String> = None;
        loop {
            let page = shared.store.group_list(&plane.name.name, after.as_deref(), PAGE).await;
            let groups = match page {
                Ok(groups) => groups,
                Err(error) => {
                    tracing::error!(%error, "cannot list the groups; skipping the drift check");
                    return false;
                }
            };
            let Some(last) = groups.last() else { break };
            after = Some(last.name.key());
            for group in groups {
                whole &= one(shared, group, slot).await;
            }
        }
    }
    whole
}

/// Asks for one group's operation and waits for its end, so that few groups are looked through at once.
async fn one(shared: &Shared, group: Group, slot: i64) -> bool {
    let name = group.name.clone();
    let asked = match ask(shared, group, slot).await {
        Ok(asked) => asked,
        Err(Broken::Store(error)) => {
            tracing::error!(resource.id = name.id(), %error, "cannot check the group for drift now");
            return false;
        }
        Err(Broken::Refused(failure)) => {
            let (code, error) = (failure.code, failure.message);
            tracing::warn!(
                resource.id = name.id(),
                code,
                error,
                "cannot check the group for drift"
            );
            return true;
        }
    };
    let Some(id) = asked else { return true };
    let until = Instant::now() + WAIT_FOR;
    while Instant::now() < until {
        match shared.store.operation_find(id).await {
            Ok(Some(record)) if !record.is_ended() => tokio::time::sleep(WAIT_STEP).await,
            _ => break,
        }
    }
    true
}

/// Asks for one group's operation; nothing where there is nothing to look at, or somebody looks already.
async fn ask(shared: &Shared, group: Group, slot: i64) -> Result<Option<OperationId>, Broken> {
    let name = group.name;
    if group.state == GroupState::Deleting
        || !has_references(shared, &name).await?
        || is_looked_through(shared, &name, slot).await?
    {
        return Ok(None);
    }
    let ask = GroupAsk {
        task: GroupTask::Drift { repair: false, prune: false },
        condition: Condition::None,
        repeatability: Some(repeatability(&name, slot)),
        correlation_id: None,
        group: name,
    };
    let accepted = submit::submit_group(shared, ask).await.map_err(Broken::Refused)?;
    Ok(Some(accepted.record.id()))
}

/// No caller can name a request so: a header holds no control character.
fn repeatability(name: &GroupName, slot: i64) -> Repeatability {
    Repeatability {
        request_id: format!("\u{1}drift/{}/{slot}", name.key()),
        body_hash: "scheduled".to_owned(),
    }
}

async fn has_references(shared: &Shared, name: &GroupName) -> Result<bool, StoreError> {
    let filter = ReferenceFilter { group: Some(name.clone()), ..ReferenceFilter::default() };
    Ok(!shared.store.reference_list(&filter, None, 1).await?.is_empty())
}

/// Whether a look of another slot, or of a caller's, is under way.
async fn is_looked_through(
    shared: &Shared,
    name: &GroupName,
    slot: i64,
) -> Result<bool, StoreError> {
    let filter =
        OperationFilter { group: Some(name.clone()), running: true, ..OperationFilter::default() };
    let own = repeatability(name, slot);
    let running = shared.store.operation_list(&filter, None, 1000).await?;
    Ok(running.iter().any(|record| {
        let drift = matches!(&record.work, Work::Group(work) if work.task != GroupTask::Delete);
        drift && record.repeatability.as_ref() != Some(&own)
    }))
}
