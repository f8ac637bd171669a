//! Makes calls wait for the budget of their place: writes go before polls, polls before reads, reads before
//! looks for drift.
//!
//! The budget is in the store, one for all replicas; here is the line of those who wait in this
//! process. One task a place asks the store for as many calls as wait, while any do.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hangar_plan::budget::{BudgetAsk, Grant, Rate};
use hangar_plan::record::CallClass;
use hangar_provider::{ErrorClass, Place, ProviderError};
use hangar_store::Store;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use crate::metrics::Metrics;

/// The budget is asked again at least this often while calls wait: another rate may have come.
const ASK_AT_LEAST_EVERY: Duration = Duration::from_secs(1);

/// Why a call was not made.
#[derive(Debug, Clone)]
pub(crate) enum NotMade {
    /// Its turn did not come in time.
    Late,
    /// The engine stops.
    Stopping,
    /// The store does not give a budget.
    NoBudget(String),
}

impl From<NotMade> for ProviderError {
    fn from(why: NotMade) -> Self {
        let (class, code, message) = match why {
            NotMade::Late => (
                ErrorClass::Throttled,
                "BudgetExhausted",
                "too many AWS calls wait for the budget of this account and region".to_owned(),
            ),
            NotMade::Stopping => {
                (ErrorClass::Unreachable, "Stopping", "this server is stopping".to_owned())
            }
            NotMade::NoBudget(why) => (ErrorClass::Unreachable, "BudgetUnavailable", why),
        };
        let retry_after = Some(Duration::from_secs(1));
        Self { class, code: code.to_owned(), message, retry_after, blocked_by: None }
    }
}

type Turn = oneshot::Sender<Result<(), NotMade>>;

/// The lines of all places.
#[derive(Debug)]
pub(super) struct Rations {
    office: Arc<Office>,
    lines: Mutex<HashMap<String, Arc<Line>>>,
    stopping: watch::Receiver<bool>,
}

/// What those who hand out turns work with.
#[derive(Debug)]
struct Office {
    store: Arc<dyn Store>,
    /// None: calls are not rationed.
    rate: Option<Rate>,
    metrics: Metrics,
}

/// Who waits for calls of one place.
#[derive(Debug)]
struct Line {
    place: String,
    waiting: Mutex<Waiting>,
    /// Somebody came who goes before all others.
    preceded: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    turns: [VecDeque<Turn>; CallClass::ALL.len()],
    /// A task hands out turns.
    served: bool,
}

impl Rations {
    pub(super) fn new(
        store: Arc<dyn Store>,
        rate: Option<Rate>,
        metrics: Metrics,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let office = Arc::new(Office { store, rate, metrics });
        Self { office, lines: Mutex::default(), stopping }
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        self.office.rate
    }

    /// Returns when a call may be made.
    pub(super) async fn take(
        &self,
        place: &Place,
        class: CallClass,
        until: Option<Instant>,
    ) -> Result<(), NotMade> {
        let Some(rate) = self.office.rate else { return Ok(()) };
        let began = Instant::now();
        let line = self.line(place);
        let turn = line.join(class);
        if line.is_to_be_served() {
            tokio::spawn(serve(self.office.clone(), rate, line));
        }
        let _waiting = self.office.metrics.waits(class);
        let mut stopping = self.stopping.clone();
        let late = async {
            match until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        let taken = tokio::select! {
            biased;
            turn = turn => turn.unwrap_or(Err(NotMade::Stopping)),
            () = late => Err(NotMade::Late),
            _ = stopping.wait_for(|stopping| *stopping) => Err(NotMade::Stopping),
        };
        self.office.metrics.waited(class, began.elapsed());
        taken
    }

    /// The cloud says that it is asked too often.
    pub(super) async fn slow_down(&self, place: &Place) {
        let Some(rate) = self.office.rate else { return };
        if let Err(error) = self.office.store.budget_throttled(&key(place), rate).await {
            tracing::warn!(%error, "cannot halve the budget");
        }
    }

    fn line(&self, place: &Place) -> Arc<Line> {
        let key = key(place);
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let new =
            || Line { place: key.clone(), waiting: Mutex::default(), preceded: Notify::new() };
        lines.entry(key.clone()).or_insert_with(|| Arc::new(new())).clone()
    }
}

/// AWS counts by account and region, whatever a plane is called.
fn key(place: &Place) -> String {
    format!("{}/{}", place.account, place.region)
}

impl Line {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&self, class: CallClass) -> oneshot::Receiver<Result<(), NotMade>> {
        let (turn, granted) = oneshot::channel();
        let mut waiting = self.waiting();
        let place = class as usize;
        let first = waiting.turns[..=place].iter().all(VecDeque::is_empty);
        waiting.turns[place].push_back(turn);
        drop(waiting);
        if first {
            self.preceded.notify_one();
        }
        granted
    }

    /// Whether the caller is the one who has to see to it that turns are handed out.
    fn is_to_be_served(&self) -> bool {
        !std::mem::replace(&mut self.waiting().served, true)
    }

    /// What is to be asked for; nothing, and nobody serves any more, where nobody waits.
    fn ask(&self, rate: Rate) -> Option<BudgetAsk> {
        let mut waiting = self.waiting();
        let mut counts = [0_u32; CallClass::ALL.len()];
        for (turns, count) in waiting.turns.iter_mut().zip(&mut counts) {
            turns.retain(|turn| !turn.is_closed());
            *count = u32::try_from(turns.len()).unwrap_or(u32::MAX);
        }
        let [writes, polls, reads, drift] = counts;
        let calls = writes.saturating_add(polls).saturating_add(reads);
        if calls == 0 && drift == 0 {
            waiting.served = false;
            return None;
        }
        Some(BudgetAsk { rate, calls, drift })
    }

    fn grant(&self, grant: &Grant) {
        let mut waiting = self.waiting();
        let [urgent @ .., drift] = &mut waiting.turns;
        let mut left = grant.calls;
        for turns in urgent {
            left = hand_out(turns, left);
        }
        hand_out(drift, grant.drift);
    }

    fn refuse(&self, why: &NotMade) {
        for turns in &mut self.waiting().turns {
            for turn in turns.drain(..) {
                // Who waited may have gone.
                let _ = turn.send(Err(why.clone()));
            }
        }
    }
}

/// Lets the first ones go; gives what is left. One who has gone takes nothing.
fn hand_out(turns: &mut VecDeque<Turn>, mut left: u32) -> u32 {
    while left > 0
        && let Some(turn) = turns.pop_front()
    {
        if turn.send(Ok(())).is_ok() {
            left -= 1;
        }
    }
    left
}

/// Hands out turns while anybody waits.
async fn serve(office: Arc<Office>, rate: Rate, line: Arc<Line>) {
    while let Some(ask) = line.ask(rate) {
        match office.store.budget_take(&line.place, ask).await {
            Ok(grant) => {
                line.grant(&grant);
                let pause = grant.again_after.min(ASK_AT_LEAST_EVERY);
                if !pause.is_zero() {
                    tokio::select! {
                        biased;
                        () = tokio::time::sleep(pause) => {}
                        () = line.preceded.notified() => {}
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, "cannot get a budget for AWS calls");
                line.refuse(&NotMade::NoBudget(
                    "the store did not grant a budget for AWS calls".to_owned(),
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hangar_ids::{AccountId, Region};
    use hangar_store::memory::Memory;

    use super::*;

    fn place() -> Place {
        Place {
            plane: "aws".to_owned(),
            account: AccountId::parse("1").unwrap(),
            region: Region::parse("us-east-1").unwrap(),
        }
    }

    fn rations(calls: u32) -> (Arc<Rations>, watch::Sender<bool>) {
        let (stopping, stops) = watch::channel(false);
        let rate = Rate::per_second(calls);
        let rations = Rations::new(Arc::new(Memory::new()), rate, Metrics::default(), stops);
        (Arc::new(rations), stopping)
    }

    #[tokio::test]
    async fn writes_go_before_polls_before_reads_before_drift() {
        let (rations, _stopping) = rations(20);
        for _ in 0..2 {
            rations.take(&place(), CallClass::Write, None).await.unwrap();
        }
        // The bucket is empty: whoever comes now waits.
        let (order, mut went) = tokio::sync::mpsc::unbounded_channel();
        for class in [CallClass::Drift, CallClass::Read, CallClass::Poll, CallClass::Write] {
            for _ in 0..2 {
                let (rations, order) = (rations.clone(), order.clone());
                tokio::spawn(async move {
                    rations.take(&place(), class, None).await.unwrap();
                    order.send(class).unwrap();
                });
                tokio::task::yield_now().await;
            }
        }
        drop(order);
        let mut gone = Vec::new();
        while let Some(class) = went.recv().await {
            gone.push(class);
        }
        assert_eq!(gone.len(), 8);
        assert!(gone.is_sorted(), "{gone:?}");
    }

    #[tokio::test]
    async fn who_gives_up_or_is_stopped_takes_nothing() {
        let (rations, stopping) = rations(1);
        rations.take(&place(), CallClass::Read, None).await.unwrap();
        let soon = Some(Instant::now() + Duration::from_millis(20));
        let late = rations.take(&place(), CallClass::Write, soon).await;
        assert!(matches!(late, Err(NotMade::Late)));
        // The next second's call is there for the next one.
        let within = Duration::from_millis(1500);
        let place = place();
        let next = rations.take(&place, CallClass::Drift, None);
        tokio::time::timeout(within, next).await.expect("a second has passed").unwrap();
        let waits = {
            let rations = rations.clone();
            tokio::spawn(async move { rations.take(&place, CallClass::Write, None).await })
        };
        tokio::task::yield_now().await;
        stopping.send_replace(true);
        assert!(matches!(waits.await.unwrap(), Err(NotMade::Stopping)));
    }

    #[tokio::test]
    async fn a_place_without_a_rate_does_not_wait() {
        let (_stopping, stops) = watch::channel(false);
        let rations = Rations::new(Arc::new(Memory::new()), None, Metrics::default(), stops);
        for _ in 0..1000 {
            rations.take(&place(), CallClass::Drift, None).await.unwrap();
        }
    }
}
