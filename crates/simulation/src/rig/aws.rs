//! AWS in this process: the simulator's pure core, called without a wire.

use std::sync::Arc;
use std::time::Duration;

use hangar_provider::{
    Answer, ErrorClass, HandlerErrorCode, Identity, ListPage, Listed, Observation, Place, Progress,
    Provider, ProviderError, RequestFilter, RequestPage, RequestState, RequestVerb, Target,
};
use hangar_provider_aws::CallName;
use hangar_schema::Catalog;
use hangar_simulator::core::call::{self, Call, Common, Operation, Status};
use hangar_simulator::core::fault::{Effect, Fault};
use hangar_simulator::core::place::Place as AwsPlace;
use hangar_simulator::core::refusal::{Exception, Refusal};
use hangar_simulator::core::reply::{ProgressEvent, Reply};
use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::world::{Outcome, World};
use hangar_simulator::server::{Front, Signatures};
use serde_json::Value;

use super::clock::RunClock;

/// A simulated AWS, shared by all processes of a run.
#[derive(Debug, Clone)]
pub struct Aws {
    front: Arc<Front>,
    clock: RunClock,
}

impl Aws {
    /// An AWS with nothing in it.
    pub fn new(catalog: Catalog, settings: Settings, clock: RunClock) -> Self {
        Self::of(World::new(catalog, settings), clock)
    }

    /// An AWS with all that is in a world.
    pub fn of(world: World, clock: RunClock) -> Self {
        let wall = clock.clone();
        let front = Front::within(world, Signatures::Read, Arc::new(move || wall.wall()));
        Self { front: Arc::new(front), clock }
    }

    /// What takes requests of the wire, in this process.
    pub(super) fn front(&self) -> &Arc<Front> {
        &self.front
    }

    /// Its time.
    pub(super) fn clock(&self) -> &RunClock {
        &self.clock
    }

    /// Does something with the world; what it changes needs no keeping.
    pub fn with<T>(
        &self,
        deed: impl FnOnce(&mut World, hangar_simulator::core::time::Timestamp) -> T,
    ) -> T {
        self.front.perform(deed).expect("it fails where there is a file, and there is none")
    }

    /// What befalls the next call.
    pub(super) fn order(&self, effect: Effect) {
        let fault = Fault {
            id: 0,
            operation: None,
            type_name: None,
            identifier: None,
            account: None,
            region: None,
            nth: 1,
            times: 1,
            effect,
        };
        self.with(|world, _| world.arm(fault));
    }

    /// Takes back what befalls nobody any more.
    pub(super) fn disorder(&self) {
        self.with(|world, _| world.disarm(None));
    }

    fn call(&self, place: &Place, call: &Call) -> Result<Reply, ProviderError> {
        let at = AwsPlace::of_caller(place.account.as_str(), place.region.as_str());
        let answer = self.with(|world, wall| world.call(&at, call, wall));
        match answer.outcome {
            Outcome::Answered(Ok(reply)) => Ok(reply),
            Outcome::Answered(Err(refusal)) => Err(refused(call, &refusal)),
            Outcome::Dropped => Err(error(ErrorClass::Unanswered, "ConnectionLost", "dropped")),
        }
    }

    fn progress(&self, place: &Place, call: &Call) -> Result<Progress, ProviderError> {
        match self.call(place, call)? {
            Reply::Progress(event) => Ok(self.told(&event)),
            _ => Err(strange()),
        }
    }

    fn told(&self, event: &ProgressEvent) -> Progress {
        let now = self.clock.wall();
        let until = |at: hangar_simulator::core::time::Timestamp| {
            Duration::from_millis(at.millis().saturating_sub(now.millis()))
        };
        Progress {
            request_token: event.request_token.clone(),
            verb: match event.operation {
                Operation::Create => RequestVerb::Create,
                Operation::Update => RequestVerb::Update,
                Operation::Delete => RequestVerb::Delete,
            },
            state: match event.status {
                Status::Pending => RequestState::Pending,
                Status::InProgress => RequestState::InProgress,
                Status::Success => RequestState::Success,
                Status::Failed => RequestState::Failed,
                Status::CancelInProgress => RequestState::CancelInProgress,
                Status::CancelComplete => RequestState::Canceled,
            },
            type_name: event.type_name.clone(),
            identifier: event.identifier.clone(),
            error_code: event.error_code.map(|code| HandlerErrorCode(code.as_str().to_owned())),
            message: event.status_message.clone(),
            retry_after: event.retry_after.map(until),
            event_at_micros: i64::try_from(event.event_time.millis()).ok().map(|it| it * 1000),
        }
    }
}

fn error(class: ErrorClass, code: &str, message: &str) -> ProviderError {
    let (code, message) = (code.to_owned(), message.to_owned());
    ProviderError { class, code, message, retry_after: None, blocked_by: None }
}

fn strange() -> ProviderError {
    error(ErrorClass::Unanswered, "UnreadableAnswer", "an answer of another call")
}

/// What `provider-aws` makes of the same answer.
fn refused(call: &Call, refusal: &Refusal) -> ProviderError {
    let name = match call {
        Call::CreateResource { .. } => CallName::CreateResource,
        Call::UpdateResource { .. } => CallName::UpdateResource,
        Call::DeleteResource { .. } => CallName::DeleteResource,
        Call::GetResource { .. } => CallName::GetResource,
        Call::ListResources { .. } => CallName::ListResources,
        Call::GetResourceRequestStatus { .. } => CallName::GetResourceRequestStatus,
        Call::ListResourceRequests { .. } => CallName::ListResourceRequests,
        Call::CancelResourceRequest { .. } => CallName::CancelResourceRequest,
    };
    let Refusal { exception, message } = refusal;
    hangar_provider_aws::meaning(name, exception.status(), exception.as_str(), message)
}

fn common(token: &str) -> Common {
    Common { client_token: Some(token.to_owned()), ..Common::default() }
}

fn named(target: &Target) -> String {
    target.type_name.cloud_formation().clone()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

impl Provider for Aws {
    fn observe<'a>(&'a self, target: &'a Target, identifier: &'a str) -> Answer<'a, Observation> {
        Box::pin(async move {
            let call =
                Call::GetResource { type_name: named(target), identifier: identifier.to_owned() };
            match self.call(&target.place, &call) {
                Ok(Reply::Resource { description, .. }) => Ok(Observation::Present {
                    identifier: description.identifier,
                    properties: parsed(&description.properties),
                }),
                Ok(_) => Err(strange()),
                Err(failed) if failed.class == ErrorClass::NotFound => Ok(Observation::Absent),
                Err(failed) => Err(failed),
            }
        })
    }

    fn create<'a>(
        &'a self,
        target: &'a Target,
        desired: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        Box::pin(async move {
            let call = Call::CreateResource {
                type_name: named(target),
                desired_state: desired.to_string(),
                common: common(token),
            };
            self.progress(&target.place, &call)
        })
    }

    fn update<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        patch: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        Box::pin(async move {
            let call = Call::UpdateResource {
                type_name: named(target),
                identifier: identifier.to_owned(),
                patch_document: patch.to_string(),
                common: common(token),
            };
            self.progress(&target.place, &call)
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        Box::pin(async move {
            let call = Call::DeleteResource {
                type_name: named(target),
                identifier: identifier.to_owned(),
                common: common(token),
            };
            self.progress(&target.place, &call)
        })
    }

    fn poll<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        Box::pin(async move {
            let request_token = request_token.to_owned();
            self.progress(place, &Call::GetResourceRequestStatus { request_token })
        })
    }

    fn requests<'a>(
        &'a self,
        place: &'a Place,
        filter: &'a RequestFilter,
        next: Option<&'a str>,
    ) -> Answer<'a, RequestPage> {
        Box::pin(async move {
            let operations = filter.verbs.iter().map(|verb| match verb {
                RequestVerb::Create => Operation::Create,
                RequestVerb::Update => Operation::Update,
                RequestVerb::Delete => Operation::Delete,
            });
            let statuses = filter.states.iter().map(|state| match state {
                RequestState::Pending => Status::Pending,
                RequestState::InProgress => Status::InProgress,
                RequestState::Success => Status::Success,
                RequestState::Failed => Status::Failed,
                RequestState::CancelInProgress => Status::CancelInProgress,
                RequestState::Canceled => Status::CancelComplete,
            });
            let call = Call::ListResourceRequests {
                filter: call::RequestFilter {
                    operations: operations.collect(),
                    statuses: statuses.collect(),
                },
                max_results: 100,
                next_token: next.map(str::to_owned),
            };
            match self.call(place, &call)? {
                Reply::Requests { events, next_token } => Ok(RequestPage {
                    requests: events.iter().map(|event| self.told(event)).collect(),
                    next: next_token,
                }),
                _ => Err(strange()),
            }
        })
    }

    fn cancel<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        Box::pin(async move {
            let request_token = request_token.to_owned();
            self.progress(place, &Call::CancelResourceRequest { request_token })
        })
    }

    fn list<'a>(
        &'a self,
        target: &'a Target,
        parent: Option<&'a Value>,
        _limit: u32,
        next: Option<&'a str>,
    ) -> Answer<'a, ListPage> {
        Box::pin(async move {
            let call = Call::ListResources {
                type_name: named(target),
                resource_model: parent.map(Value::to_string),
                next_token: next.map(str::to_owned),
            };
            match self.call(&target.place, &call)? {
                Reply::Resources { descriptions, next_token, .. } => {
                    let listed = descriptions.into_iter().map(|it| Listed {
                        identifier: it.identifier,
                        properties: parsed(&it.properties),
                    });
                    Ok(ListPage { resources: listed.collect(), next: next_token })
                }
                _ => Err(strange()),
            }
        })
    }

    fn describe_type<'a>(&'a self, _target: &'a Target) -> Answer<'a, Value> {
        // Engines of a run use the bundled catalog.
        let refusal = Refusal::new(Exception::UnsupportedAction, "not simulated");
        let code = refusal.exception.as_str().to_owned();
        Box::pin(async move { Err(error(ErrorClass::Unsupported, &code, &refusal.message)) })
    }

    fn identity<'a>(&'a self, place: &'a Place) -> Answer<'a, Identity> {
        let account = place.account.padded();
        let arn = format!("arn:aws:iam::{account}:root");
        Box::pin(std::future::ready(Ok(Identity { account, arn })))
    }
}
