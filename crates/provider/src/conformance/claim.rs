//! A claim, the reason why one does not hold, and the deeds that claims are made of.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use serde_json::{Value, json};

use super::{Pace, Subject};
use crate::{ErrorClass, Observation, Progress, ProviderError, RequestState, Target};

/// A claim that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{claim}: {why}")]
pub struct Broken {
    /// What should be so.
    pub claim: &'static str,
    /// What is so instead.
    pub why: String,
}

/// Whether a claim holds, or why not.
pub(super) type Checked = Result<(), String>;

pub(super) type Checking<'a> = Pin<Box<dyn Future<Output = Checked> + Send + 'a>>;

/// One thing that every provider does.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    pub(super) name: &'static str,
    pub(super) pace: Pace,
    pub(super) check: for<'a> fn(&'a Subject) -> Checking<'a>,
}

impl Claim {
    /// A claim on a cloud that works at its usual pace.
    pub(super) const fn new(
        name: &'static str,
        check: for<'a> fn(&'a Subject) -> Checking<'a>,
    ) -> Self {
        Self { name, pace: Pace::Usual, check }
    }

    /// A claim on requests that do not end by themselves.
    pub(super) const fn held(
        name: &'static str,
        check: for<'a> fn(&'a Subject) -> Checking<'a>,
    ) -> Self {
        Self { name, pace: Pace::Held, check }
    }
}

/// So often a request is asked about before it counts as stuck.
const MAX_POLLS: usize = 2000;

impl Subject {
    /// A type whose identifier the caller chooses.
    pub(super) fn log_groups(&self) -> Result<Target, String> {
        self.target("AWS::Logs::LogGroup")
    }

    /// A type whose identifier the cloud makes up.
    pub(super) fn networks(&self) -> Result<Target, String> {
        self.target("AWS::EC2::VPC")
    }

    pub(super) fn target(&self, type_name: &str) -> Result<Target, String> {
        let type_name = type_name.parse().map_err(|wrong| format!("{wrong:?}"))?;
        Ok(Target { place: self.place.clone(), type_name })
    }

    /// A name that only this run uses.
    pub(super) fn name(&self, word: &str) -> String {
        format!("{}-{word}", self.mark)
    }

    /// What a request comes to.
    pub(super) async fn ended(&self, begun: &Progress) -> Result<Progress, String> {
        for _ in 0..MAX_POLLS {
            let polled = self.provider.poll(&self.place, &begun.request_token).await;
            let progress = polled.map_err(|error| format!("a poll failed: {error}"))?;
            if progress.state.is_terminal() {
                return Ok(progress);
            }
            (self.pause)().await;
        }
        Err(format!("request {} does not end", begun.request_token))
    }

    /// The identifier that a request ends with, which must be well.
    pub(super) async fn succeeded(&self, begun: &Progress) -> Result<String, String> {
        let ended = self.ended(begun).await?;
        same("the state of the request", &ended.state, &RequestState::Success)?;
        same("its request token", &ended.request_token, &begun.request_token)?;
        ended.identifier.ok_or_else(|| "a request ended well and names no identifier".to_owned())
    }

    /// Makes a resource and gives its identifier.
    pub(super) async fn made(
        &self,
        target: &Target,
        desired: &Value,
        token: &str,
    ) -> Result<String, String> {
        let begun = self.provider.create(target, desired, token).await;
        self.succeeded(&begun.map_err(|error| format!("a create was refused: {error}"))?).await
    }

    /// Makes a log group of that name, which is its identifier.
    pub(super) async fn made_log_group(&self, name: &str) -> Result<(), String> {
        let identifier = self.made(&self.log_groups()?, &log_group(name), name).await?;
        same("the identifier", &identifier.as_str(), &name)
    }

    /// The properties of a resource that must be there.
    pub(super) async fn read(&self, target: &Target, identifier: &str) -> Result<Value, String> {
        let observed = self.provider.observe(target, identifier).await;
        match observed.map_err(|error| format!("a read failed: {error}"))? {
            Observation::Present { identifier: shown, properties } => {
                same("the identifier that a read shows", &shown.as_str(), &identifier)?;
                Ok(properties)
            }
            Observation::Absent => Err(format!("`{identifier}` is not there")),
        }
    }
}

/// A log group as it is asked for.
pub(super) fn log_group(name: &str) -> Value {
    json!({"LogGroupName": name, "RetentionInDays": 30})
}

/// A network as it is asked for.
pub(super) fn network() -> Value {
    json!({"CidrBlock": "10.0.0.0/16"})
}

/// That two things are the same.
pub(super) fn same<T: PartialEq + Debug>(what: &str, found: &T, wanted: &T) -> Checked {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?} in place of {wanted:?}")) }
}

/// That a thing is so.
pub(super) fn is_so(it: bool, otherwise: &str) -> Checked {
    if it { Ok(()) } else { Err(otherwise.to_owned()) }
}

/// That a call failed, and in which way.
pub(super) fn failed<T: Debug>(
    result: Result<T, ProviderError>,
    wanted: ErrorClass,
) -> Result<ProviderError, String> {
    match result {
        Err(error) if error.class == wanted => Ok(error),
        Err(error) => Err(format!("{:?} in place of {wanted:?}: {error}", error.class)),
        Ok(answer) => Err(format!("{wanted:?} was expected, and there is {answer:?}")),
    }
}
