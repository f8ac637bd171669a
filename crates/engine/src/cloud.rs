//! Every call of the cloud goes through here: rationed by what it is for, counted, and shared where one
//! answer serves many.
//!
//! `ration` makes calls wait for the budget of their place; `requests` asks for many requests at once;
//! `flight` lets those who read the same thing at the same time share a read.

mod contact;
mod flight;
mod ration;
mod requests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::budget::Rate;
use hangar_plan::record::{CallClass, Calls};
use hangar_provider::{
    ErrorClass, ListPage, Observation, Place, Progress, Provider, ProviderError, RequestFilter,
    RequestPage, Target,
};
use hangar_store::Store;
use hangar_store::clock::Clock;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::metrics::Metrics;
pub use contact::AwsOutage;
use contact::Contact;
use flight::Flights;
pub(crate) use ration::NotMade;
use ration::Rations;
use requests::Requests;

/// The cloud, as this engine may use it.
#[derive(Debug)]
pub(crate) struct Cloud {
    provider: Arc<dyn Provider>,
    rations: Rations,
    requests: Requests,
    flights: Flights,
    contact: Contact,
    /// The clock on the wall.
    clock: Clock,
    metrics: Metrics,
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// It was certainly not made.
    NotMade(NotMade),
    /// It was made, and failed.
    Failed(ProviderError),
}

impl From<ProviderError> for CallError {
    fn from(error: ProviderError) -> Self {
        Self::Failed(error)
    }
}

impl From<CallError> for ProviderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Failed(error) => error,
            CallError::NotMade(why) => why.into(),
        }
    }
}

/// What is known of a request.
#[derive(Debug)]
pub(crate) enum Polled {
    /// The cloud says so.
    Told(Box<Progress>),
    /// Nothing new; it is not worth asking before this has passed.
    NotYet(Duration),
}

/// Counts the calls that are made for one operation, and shows whether one waits for the budget.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    calls: Mutex<Calls>,
    waits_for_budget: AtomicBool,
}

impl Tally {
    pub(crate) fn from(calls: Calls) -> Self {
        Self { calls: Mutex::new(calls), waits_for_budget: AtomicBool::new(false) }
    }

    pub(crate) fn calls(&self) -> Calls {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a call waits for the budget now.
    pub(crate) fn waits_for_budget(&self) -> bool {
        self.waits_for_budget.load(Ordering::Relaxed)
    }

    fn add(&self, class: CallClass) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).add(class);
    }

    fn set_waits_for_budget(&self, waits: bool) {
        self.waits_for_budget.store(waits, Ordering::Relaxed);
    }
}

/// For whom calls are made, and how long they may wait for their turn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Errand<'a> {
    /// The operation that pays.
    pub(crate) tally: Option<&'a Tally>,
    /// Reads only look for drift.
    pub(crate) looks: bool,
    /// A call that has not had its turn by then is not made.
    pub(crate) until: Option<Instant>,
    /// The same by the clock on the wall, which goes on while the machine sleeps.
    pub(crate) until_wall: Option<Timestamp>,
}

impl Cloud {
    pub(crate) fn new(
        provider: Arc<dyn Provider>,
        store: Arc<dyn Store>,
        rate: Option<Rate>,
        metrics: Metrics,
        clock: Clock,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let rations = Rations::new(store, rate, metrics.clone(), stopping);
        Self {
            provider,
            rations,
            requests: Requests::default(),
            flights: Flights::default(),
            contact: Contact::default(),
            clock,
            metrics,
        }
    }

    /// Returns the current outage of AWS, as seen by the calls of this process.
    pub(crate) fn outage(&self) -> Option<AwsOutage> {
        self.contact.outage()
    }

    /// Calls on an errand.
    pub(crate) const fn on<'a>(&'a self, errand: Errand<'a>) -> Calling<'a> {
        Calling { cloud: self, errand }
    }

    /// Calls for whoever asks, who will not wait for ever.
    pub(crate) fn for_a_caller(&self, patience: Duration) -> Calling<'_> {
        self.on(Errand { until: Some(Instant::now() + patience), ..Errand::default() })
    }
}

/// The cloud on somebody's errand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calling<'a> {
    cloud: &'a Cloud,
    errand: Errand<'a>,
}

impl Calling<'_> {
    pub(crate) async fn observe(
        &self,
        target: &Target,
        identifier: &str,
    ) -> Result<Observation, CallError> {
        let call = self.cloud.provider.observe(target, identifier);
        self.made("get-resource", self.reads_as(), &target.place, call).await
    }

    /// As `observe`, but those who ask for the same at the same time share the answer. It is of a read that
    /// began after each of them had asked.
    pub(crate) async fn observe_together(
        &self,
        target: &Target,
        identifier: &str,
    ) -> Result<Observation, ProviderError> {
        let read = || self.observe(target, identifier);
        self.cloud.flights.join(target, identifier, read).await
    }

    pub(crate) async fn create(
        &self,
        target: &Target,
        desired: &Value,
        token: &str,
    ) -> Result<Progress, CallError> {
        let call = self.cloud.provider.create(target, desired, token);
        self.written("create-resource", target, call).await
    }

    pub(crate) async fn update(
        &self,
        target: &Target,
        identifier: &str,
        patch: &Value,
        token: &str,
    ) -> Result<Progress, CallError> {
        let call = self.cloud.provider.update(target, identifier, patch, token);
        self.written("update-resource", target, call).await
    }

    pub(crate) async fn delete(
        &self,
        target: &Target,
        identifier: &str,
        token: &str,
    ) -> Result<Progress, CallError> {
        let call = self.cloud.provider.delete(target, identifier, token);
        self.written("delete-resource", target, call).await
    }

    pub(crate) async fn cancel(
        &self,
        place: &Place,
        request_token: &str,
    ) -> Result<Progress, CallError> {
        let call = self.cloud.provider.cancel(place, request_token);
        self.made("cancel-resource-request", CallClass::Write, place, call).await
    }

    /// How a request is doing: asked for alone, or read from a list of all that are under way.
    pub(crate) async fn poll(
        &self,
        place: &Place,
        request_token: &str,
    ) -> Result<Polled, CallError> {
        self.cloud.requests.poll(self, place, request_token).await
    }

    async fn poll_alone(&self, place: &Place, request_token: &str) -> Result<Progress, CallError> {
        let call = self.cloud.provider.poll(place, request_token);
        self.made("get-resource-request-status", CallClass::Poll, place, call).await
    }

    pub(crate) async fn requests(
        &self,
        place: &Place,
        filter: &RequestFilter,
        next: Option<&str>,
    ) -> Result<RequestPage, CallError> {
        let call = self.cloud.provider.requests(place, filter, next);
        self.made("list-resource-requests", CallClass::Poll, place, call).await
    }

    pub(crate) async fn list(
        &self,
        target: &Target,
        parent: Option<&Value>,
        limit: u32,
        next: Option<&str>,
    ) -> Result<ListPage, CallError> {
        let call = self.cloud.provider.list(target, parent, limit, next);
        self.made("list-resources", self.reads_as(), &target.place, call).await
    }

    pub(crate) async fn describe_type(&self, target: &Target) -> Result<Value, CallError> {
        let call = self.cloud.provider.describe_type(target);
        self.made("describe-type", self.reads_as(), &target.place, call).await
    }

    const fn reads_as(&self) -> CallClass {
        if self.errand.looks { CallClass::Drift } else { CallClass::Read }
    }

    /// A write: what it is answered with is a request to follow.
    async fn written(
        &self,
        name: &'static str,
        target: &Target,
        call: impl Future<Output = Result<Progress, ProviderError>>,
    ) -> Result<Progress, CallError> {
        let progress = self.made(name, CallClass::Write, &target.place, call).await?;
        if !progress.state.is_terminal() {
            self.cloud.requests.begun(&target.place, &progress.request_token);
        }
        Ok(progress)
    }

    /// Makes a call when its turn has come, and counts it.
    async fn made<T>(
        &self,
        name: &'static str,
        class: CallClass,
        place: &Place,
        call: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, CallError> {
        let Cloud { rations, metrics, .. } = self.cloud;
        let note = |waits| self.errand.tally.inspect(|tally| tally.set_waits_for_budget(waits));
        note(true);
        let taken = rations.take(place, class, self.errand.until).await;
        note(false);
        taken.map_err(CallError::NotMade)?;
        if self.errand.until_wall.is_some_and(|until| self.cloud.clock.read() > until) {
            return Err(CallError::NotMade(NotMade::Late));
        }
        if let Some(tally) = self.errand.tally {
            tally.add(class);
        }
        self.cloud.contact.begin(Instant::now());
        let answer = call.await;
        metrics.answered(name, &answer);
        self.cloud.contact.note(&answer, Instant::now());
        if let Err(error) = &answer
            && error.class == ErrorClass::Throttled
        {
            rations.slow_down(place).await;
        }
        Ok(answer?)
    }
}
