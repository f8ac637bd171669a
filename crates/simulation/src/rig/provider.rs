//! AWS as one process reaches it: every call meets its fate first.

use std::sync::Arc;
use std::time::Duration;

use hangar_provider::{
    Answer, ErrorClass, Identity, ListPage, Observation, Place, Progress, Provider, ProviderError,
    RequestFilter, RequestPage, Target,
};
use hangar_simulator::core::fault::Effect;
use hangar_simulator::core::fault::When as FaultWhen;
use serde_json::Value;

use super::aws::Aws;
use super::fate::{Fate, Site, When};
use super::process::Process;

/// A call that arrives later than this is refused: its signature is too old.
const SIGNED_FOR: Duration = Duration::from_mins(15);

/// The AWS of one process.
#[derive(Debug)]
pub struct ProcessAws {
    process: Process,
    /// For what happens at AWS itself.
    aws: Aws,
    inner: Arc<dyn Provider>,
}

impl ProcessAws {
    /// What a process reaches of AWS, through `inner`.
    pub fn new(process: Process, aws: Aws, inner: Arc<dyn Provider>) -> Self {
        Self { process, aws, inner }
    }

    /// A call that only asks.
    fn asked<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        what: &'a str,
        call: Answer<'a, T>,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            self.process.go_on().await;
            let fate = self.process.fate(Site::Ask(name), what);
            self.met(fate, call).await
        })
    }

    /// A write: where it lands later, its caller goes on without an answer.
    fn written<'a>(
        &'a self,
        name: &'static str,
        token: &'a str,
        call: Answer<'a, Progress>,
        again: impl FnOnce(Arc<dyn Provider>) -> Answer<'static, ()> + Send + 'a,
    ) -> Answer<'a, Progress> {
        Box::pin(async move {
            self.process.go_on().await;
            let fate = self.process.fate(Site::Act(name), token);
            if let Fate::Lands(after) = fate {
                let (later, run) = (again(self.inner.clone()), self.process.run.clone());
                let told = format!("  aws {name} {token} lands");
                let sent = run.clock.now();
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    if run.clock.now().since(sent) > SIGNED_FOR {
                        return;
                    }
                    run.tell(&told);
                    // Nobody waits for the answer.
                    let _ = later.await;
                });
                return Err(lost(When::After));
            }
            self.met(fate, call).await
        })
    }

    async fn met<T>(&self, fate: Fate, call: Answer<'_, T>) -> Result<T, ProviderError> {
        let effect = ordered(&fate);
        let (clock, signed) = (&self.process.run.clock, self.process.run.clock.now());
        // What AWS itself does is ordered there: it befalls the next call, which is this one.
        let call = async {
            if clock.now().since(signed) > SIGNED_FOR {
                return Err(expired());
            }
            let is_ordered = effect.is_some();
            if let Some(effect) = effect {
                self.aws.order(effect);
            }
            let answer = call.await;
            if is_ordered {
                self.aws.disorder();
            }
            answer
        };
        self.process.call(fate, call, lost).await
    }
}

/// What a fate is at AWS.
fn ordered(fate: &Fate) -> Option<Effect> {
    Some(match fate {
        Fate::Refused(exception, when) => Effect::Exception {
            exception: *exception,
            message: None,
            when: match when {
                When::Before => FaultWhen::Before,
                When::After => FaultWhen::After,
            },
        },
        Fate::HandlerFails { code, with_identifier } => {
            Effect::Fail { code: *code, message: None, with_identifier: *with_identifier }
        }
        Fate::Hangs => Effect::Hang,
        _ => return None,
    })
}

/// What AWS says of a call that was signed long ago.
fn expired() -> ProviderError {
    ProviderError {
        class: ErrorClass::Forbidden,
        code: "InvalidSignatureException".to_owned(),
        message: "Signature expired (simulated)".to_owned(),
        retry_after: None,
        blocked_by: None,
    }
}

/// A connection that could not be made, or that was lost.
fn lost(when: When) -> ProviderError {
    let (class, code) = match when {
        When::Before => (ErrorClass::Unreachable, "ConnectFailed"),
        When::After => (ErrorClass::Unanswered, "ConnectionLost"),
    };
    ProviderError {
        class,
        code: code.to_owned(),
        message: "simulated".to_owned(),
        retry_after: None,
        blocked_by: None,
    }
}

impl Provider for ProcessAws {
    fn observe<'a>(&'a self, target: &'a Target, identifier: &'a str) -> Answer<'a, Observation> {
        self.asked("observe", identifier, self.inner.observe(target, identifier))
    }

    fn create<'a>(
        &'a self,
        target: &'a Target,
        desired: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        let call = self.inner.create(target, desired, token);
        self.written("create", token, call, move |inner| {
            let (target, desired, token) = (target.clone(), desired.clone(), token.to_owned());
            Box::pin(async move { inner.create(&target, &desired, &token).await.map(drop) })
        })
    }

    fn update<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        patch: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        let call = self.inner.update(target, identifier, patch, token);
        self.written("update", token, call, move |inner| {
            let (target, identifier) = (target.clone(), identifier.to_owned());
            let (patch, token) = (patch.clone(), token.to_owned());
            Box::pin(
                async move { inner.update(&target, &identifier, &patch, &token).await.map(drop) },
            )
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        let call = self.inner.delete(target, identifier, token);
        self.written("delete", token, call, move |inner| {
            let (target, identifier) = (target.clone(), identifier.to_owned());
            let token = token.to_owned();
            Box::pin(async move { inner.delete(&target, &identifier, &token).await.map(drop) })
        })
    }

    fn poll<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        self.asked("poll", request_token, self.inner.poll(place, request_token))
    }

    fn requests<'a>(
        &'a self,
        place: &'a Place,
        filter: &'a RequestFilter,
        next: Option<&'a str>,
    ) -> Answer<'a, RequestPage> {
        self.asked("requests", "", self.inner.requests(place, filter, next))
    }

    fn cancel<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        self.asked("cancel", request_token, self.inner.cancel(place, request_token))
    }

    fn list<'a>(
        &'a self,
        target: &'a Target,
        parent: Option<&'a Value>,
        limit: u32,
        next: Option<&'a str>,
    ) -> Answer<'a, ListPage> {
        self.asked("list", "", self.inner.list(target, parent, limit, next))
    }

    fn describe_type<'a>(&'a self, target: &'a Target) -> Answer<'a, Value> {
        self.asked("describe_type", "", self.inner.describe_type(target))
    }

    fn identity<'a>(&'a self, place: &'a Place) -> Answer<'a, Identity> {
        self.asked("identity", "", self.inner.identity(place))
    }
}
