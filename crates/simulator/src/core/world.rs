//! The simulator as one value: a call and an instant go in, an answer and the changes come out.
//!
//! Drive it from one thread. After each step [`World::take_changes`] gives what must be kept
//! before the answer is sent.

use std::sync::Arc;
use std::time::Duration;

use hangar_schema::{Catalog, identifier_of};

use super::call::{Call, CallName};
use super::fault::{self, Effect, Fault, Target, When};
use super::log::{CallRecord, Log};
use super::place::Place;
use super::rate::Buckets;
use super::refusal::{Exception, HandlerErrorCode, Refusal};
use super::reply::Reply;
use super::settings::Settings;
use super::state::{Change, Region, State};
use super::time::Timestamp;
use super::types::Types;

/// A simulated AWS.
#[derive(Debug)]
pub struct World {
    pub(super) state: State,
    pub(super) types: Types,
    pub(super) settings: Settings,
    pub(super) log: Log,
    buckets: Buckets,
    changes: Vec<Change>,
}

/// What a caller gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// An answer or a refusal.
    Answered(Result<T, Refusal>),
    /// Nothing: the connection ends.
    Dropped,
}

/// What a caller gets, and how long it takes to arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T> {
    /// The answer.
    pub outcome: Outcome<T>,
    /// How long it is held back.
    pub delay: Duration,
}

impl<T> Answer<T> {
    /// The same with another answer, where there is one.
    pub fn map<U>(self, answer: impl FnOnce(T) -> U) -> Answer<U> {
        let outcome = match self.outcome {
            Outcome::Answered(answered) => Outcome::Answered(answered.map(answer)),
            Outcome::Dropped => Outcome::Dropped,
        };
        Answer { outcome, delay: self.delay }
    }
}

/// 9999-12-31T23:59:59.999Z.
const LAST_INSTANT: u64 = 253_402_300_799_999;

/// What a fault has in store for a write that is otherwise accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    Fail { code: HandlerErrorCode, message: Option<String>, with_identifier: bool },
    Hang,
}

/// What a call met before it was looked at.
pub(super) struct Admission {
    refused: Option<Refusal>,
    is_dropped: bool,
    delay: Duration,
    effects: Vec<Effect>,
}

impl Admission {
    /// How long the answer is held back.
    pub(super) fn delay(&self) -> Duration {
        self.delay
    }
}

impl World {
    /// An empty world.
    pub fn new(catalog: Catalog, settings: Settings) -> Self {
        Self::restored(catalog, settings, State::default())
    }

    /// A world in a state that was kept.
    pub fn restored(catalog: Catalog, settings: Settings, state: State) -> Self {
        Self {
            state,
            types: Types::new(catalog),
            settings,
            log: Log::default(),
            buckets: Buckets::default(),
            changes: Vec::new(),
        }
    }

    /// The time by the simulator's clock when the world's own shows `wall`.
    pub fn now(&self, wall: Timestamp) -> Timestamp {
        Timestamp::from_millis(wall.millis().saturating_add(self.state.offset))
    }

    /// What is true.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How it behaves.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes it behave otherwise from now on.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// What was called.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Forgets what was called.
    pub fn clear_log(&mut self) {
        self.log.clear();
    }

    /// The changes since they were last taken, in order.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Makes a change true and remembers that it is to be kept.
    pub(super) fn commit(&mut self, change: Change) {
        self.state.apply(change.clone());
        self.changes.push(change);
    }

    pub(super) fn region(&self, place: &Place) -> Option<&Region> {
        self.state.regions.get(place)
    }

    /// A call of Cloud Control.
    pub fn call(&mut self, place: &Place, call: &Call, wall: Timestamp) -> Answer<Reply> {
        let now = self.now(wall);
        self.settle(now);
        let type_name = self.type_of(place, call);
        let chosen = self.chosen_identifier(call).or_else(|| self.polled_identifier(place, call));
        let target = Target {
            name: call.name(),
            type_name: type_name.as_deref(),
            identifier: call.identifier().or(chosen.as_deref()),
            place,
        };
        let admission = self.admit(&target, now);
        let order = admission.effects.iter().find_map(order);
        let mut progress = None;
        let outcome = self.conclude(&admission, |world| {
            let decided = world.decide(place, call, order, now);
            if let Ok(Reply::Progress(event)) = &decided {
                progress = Some((event.request_token.clone(), event.identifier.clone()));
            }
            decided
        });
        self.record(place, call, type_name.as_deref(), progress, word(&outcome), now);
        Answer { outcome, delay: admission.delay }
    }

    /// A call of another service, which changes nothing: counted, limited and hit by faults alike.
    /// The answer itself is made elsewhere.
    pub fn call_other(
        &mut self,
        place: &Place,
        name: CallName,
        type_name: Option<&str>,
        wall: Timestamp,
    ) -> Answer<()> {
        let now = self.now(wall);
        let target = Target { name, type_name, identifier: None, place };
        let admission = self.admit(&target, now);
        let outcome = self.conclude(&admission, |_| Ok(()));
        self.log.add(CallRecord {
            type_name: type_name.map(str::to_owned),
            ..CallRecord::new(now, place, name, word(&outcome))
        });
        Answer { outcome, delay: admission.delay }
    }

    /// Counts a call that could not be read as one.
    pub fn refuse(&mut self, place: &Place, name: CallName, refusal: &Refusal, wall: Timestamp) {
        let outcome = refusal.exception.as_str().to_owned();
        self.log.add(CallRecord::new(self.now(wall), place, name, outcome));
    }

    fn decide(
        &mut self,
        place: &Place,
        call: &Call,
        order: Option<Order>,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        match call {
            Call::CreateResource { .. }
            | Call::UpdateResource { .. }
            | Call::DeleteResource { .. } => self.write(place, call, order, now),
            Call::GetResource { type_name, identifier } => {
                self.get(place, type_name, identifier, now)
            }
            Call::ListResources { type_name, resource_model, next_token } => {
                self.list(place, type_name, resource_model.as_deref(), next_token.as_deref(), now)
            }
            Call::GetResourceRequestStatus { request_token } => {
                self.request_status(place, request_token, now)
            }
            Call::ListResourceRequests { filter, max_results, next_token } => {
                self.list_requests(place, filter, *max_results, next_token.as_deref(), now)
            }
            Call::CancelResourceRequest { request_token } => self.cancel(place, request_token, now),
        }
    }

    /// What stands before a call: faults on order, then the rate limit.
    pub(super) fn admit(&mut self, target: &Target<'_>, now: Timestamp) -> Admission {
        let met = fault::meet(&self.state.faults, target);
        let mut admission = Admission {
            refused: None,
            is_dropped: false,
            delay: met.delay(),
            effects: met.effects,
        };
        if let Some(left) = met.left {
            self.commit(Change::Faults(left));
        }
        for effect in &admission.effects {
            match effect {
                Effect::Exception { exception, message, when: When::Before } => {
                    admission.refused = Some(injected(*exception, message.as_deref()));
                }
                Effect::DropReply { when: When::Before } => admission.is_dropped = true,
                _ => {}
            }
        }
        if admission.refused.is_none()
            && let Some(rate) = self.settings.rate
            && !self.buckets.admit(target.place, rate, now)
        {
            admission.refused = Some(Refusal::new(Exception::Throttling, "Rate exceeded"));
        }
        admission
    }

    /// Decides, unless something stood before, and lets what comes after have its way.
    pub(super) fn conclude<T>(
        &mut self,
        admission: &Admission,
        decide: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Outcome<T> {
        if admission.is_dropped {
            return Outcome::Dropped;
        }
        if let Some(refused) = &admission.refused {
            return Outcome::Answered(Err(refused.clone()));
        }
        let decided = decide(self);
        for effect in &admission.effects {
            match effect {
                Effect::Exception { exception, message, when: When::After } => {
                    return Outcome::Answered(Err(injected(*exception, message.as_deref())));
                }
                Effect::DropReply { when: When::After } => return Outcome::Dropped,
                _ => {}
            }
        }
        Outcome::Answered(decided)
    }

    /// The type that a call is about: the one it names, or that of the request it names.
    fn type_of(&self, place: &Place, call: &Call) -> Option<Arc<str>> {
        if let Some(name) = call.type_name() {
            return Some(name.into());
        }
        let (_, request) = self.region(place)?.by_token(call.request_token()?)?;
        Some(Arc::clone(&request.type_name))
    }

    /// The identifier of the request that a call asks about.
    fn polled_identifier(&self, place: &Place, call: &Call) -> Option<String> {
        let (_, request) = self.region(place)?.by_token(call.request_token()?)?;
        request.identifier.as_deref().map(str::to_owned)
    }

    /// The identifier that a create states, looked for only where a fault waits for one.
    fn chosen_identifier(&mut self, call: &Call) -> Option<String> {
        let Call::CreateResource { type_name, desired_state, .. } = call else { return None };
        if self.state.faults.iter().all(|fault| fault.identifier.is_none()) {
            return None;
        }
        let schema = self.types.get(type_name).ok()?;
        let stated = serde_json::from_str(desired_state).ok()?;
        identifier_of(&schema, &stated).ok().map(|identifier| identifier.as_str().to_owned())
    }

    /// Remembers a call; what it came to even where the caller does not hear of it.
    fn record(
        &mut self,
        place: &Place,
        call: &Call,
        type_name: Option<&str>,
        progress: Option<(String, Option<String>)>,
        outcome: String,
        now: Timestamp,
    ) {
        let (token, identifier) = progress.unzip();
        self.log.add(CallRecord {
            type_name: type_name.map(str::to_owned),
            identifier: call.identifier().map(str::to_owned).or(identifier.flatten()),
            client_token: call.client_token().map(str::to_owned),
            request_token: call.request_token().map(str::to_owned).or(token),
            ..CallRecord::new(now, place, call.name(), outcome)
        });
    }

    /// Lets the clock run ahead by so much more; says whether it can: no client reads a year of
    /// five digits.
    pub fn advance_clock(&mut self, by: Duration, wall: Timestamp) -> bool {
        let millis = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        let offset = self.state.offset.saturating_add(millis);
        let is_possible = wall.millis().saturating_add(offset) <= LAST_INSTANT;
        if is_possible {
            self.commit(Change::Offset(offset));
        }
        is_possible
    }

    /// Arms a fault; gives its number.
    pub fn arm(&mut self, mut fault: Fault) -> u64 {
        let mut faults = self.state.faults.clone();
        fault.id = faults.iter().map(|fault| fault.id).max().unwrap_or(0) + 1;
        let id = fault.id;
        faults.push(fault);
        self.commit(Change::Faults(faults));
        id
    }

    /// Disarms one fault, or all; says how many there were.
    pub fn disarm(&mut self, id: Option<u64>) -> usize {
        let before = self.state.faults.len();
        let left: Vec<Fault> = self
            .state
            .faults
            .iter()
            .filter(|fault| id.is_some_and(|id| fault.id != id))
            .cloned()
            .collect();
        let gone = before - left.len();
        if gone > 0 {
            self.commit(Change::Faults(left));
        }
        gone
    }

    /// Forgets all resources, stacks, assets, requests, sessions, faults and calls; the clock stays.
    pub fn reset(&mut self) {
        self.commit(Change::Cleared);
        self.log.clear();
    }
}

pub(super) fn word<T>(outcome: &Outcome<T>) -> String {
    match outcome {
        Outcome::Answered(Ok(_)) => "ok".to_owned(),
        Outcome::Answered(Err(refusal)) => refusal.exception.as_str().to_owned(),
        Outcome::Dropped => "dropped".to_owned(),
    }
}

fn order(effect: &Effect) -> Option<Order> {
    match effect {
        Effect::Fail { code, message, with_identifier } => Some(Order::Fail {
            code: *code,
            message: message.clone(),
            with_identifier: *with_identifier,
        }),
        Effect::Hang => Some(Order::Hang),
        _ => None,
    }
}

fn injected(exception: Exception, message: Option<&str>) -> Refusal {
    let message = message.unwrap_or(match exception {
        Exception::Throttling => "Rate exceeded",
        _ => "A fault armed in the simulator",
    });
    Refusal::new(exception, message)
}
