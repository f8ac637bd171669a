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
                "more calls wait than the budget of this account and region allows".to_owned(),
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
            tracing::warn!(%error, "the budget was not halved");
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
                        () = tokio::time::sleep(pause) => {}
                        () = line.preceded.notified() => {}
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, "no budget for calls of AWS");
                line.refuse(&NotMade::NoBudget("the store gives no budget".to_owned()));
            }
        }
    }
}
