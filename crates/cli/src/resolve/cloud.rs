//! Questions to CloudFormation and Cloud Control, each asked once and many at one time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hangar_diag::Diagnostic;
use hangar_ids::{AccountId, Region, TypeName};
use hangar_manifest::cloudformation::text;
use hangar_manifest::reference::Place as Asked;
use hangar_manifest::resolve::{
    Caller, Export, Fact, ListEntry, Need, Origin, StackDescription, StackOutput, StackParameter,
    StackResource, Trouble,
};
use hangar_provider::{ErrorClass, Observation, Place, Provider, ProviderError, Target};
use hangar_provider_aws::{AwsProvider, Stack, Whereabouts};
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use super::pace::{Pace, Refused};
use super::silence::Silence;
use crate::aws::Aws;
use crate::aws::client::AwsClient;
use crate::aws::credentials;
use crate::codes;
use crate::follow::vigil::rounded;

/// So many questions are on their way at one time: less than AWS lets one account ask.
const AT_ONCE: usize = 16;

/// How often a question is asked that could not be sent, or got no answer.
const TRIES: u32 = 3;

/// A list longer than this is not looked through.
const LONGEST_LIST: usize = 20_000;

/// How long to wait between two looks at a stack that is being changed.
const BETWEEN_LOOKS: Duration = Duration::from_secs(2);

/// An AWS that answers questions.
#[derive(Debug)]
pub(crate) struct Cloud {
    own: Arc<AwsProvider>,
    /// One for each role that a reference names.
    roles: Mutex<BTreeMap<String, Arc<AwsProvider>>>,
    whereabouts: OnceCell<Result<Whereabouts, Trouble>>,
    aws: Aws,
    client: AwsClient,
    pace: Pace,
    /// How long there is no answer to any question.
    silence: Silence,
    /// Set once AWS never answered for too long: the other questions are not asked.
    never_answered: OnceLock<Trouble>,
    /// Set once AWS refused questions for their rate too long: the others are not asked.
    too_often: OnceLock<Trouble>,
    /// What is wrong with the credentials or the region, whatever is asked: no other question can be answered.
    stopped: Mutex<Option<Diagnostic>>,
    /// Roles that only another account's caller needs.
    for_others: BTreeSet<String>,
    /// How long a stack may take that is being changed.
    patience: Duration,
}

type Answer = Result<Fact, Trouble>;

impl Cloud {
    /// An AWS that is asked with what the machine has. The roles of assemblies are taken where a stack is in
    /// another account than that.
    pub(crate) fn new(
        (provider, aws, client): (AwsProvider, Aws, AwsClient),
        patience: Duration,
        homes: &BTreeMap<String, Asked>,
    ) -> Self {
        let (own, roles, stopped) = (Arc::new(provider), Mutex::default(), Mutex::default());
        let for_others = homes.values().filter_map(|home| home.role.clone()).collect();
        let (whereabouts, pace, too_often) = (OnceCell::new(), Pace::default(), OnceLock::new());
        let (silence, never_answered) = (Silence::default(), OnceLock::new());
        Self {
            own,
            roles,
            whereabouts,
            aws,
            client,
            pace,
            silence,
            never_answered,
            too_often,
            stopped,
            for_others,
            patience,
        }
    }

    /// For how long AWS has refused questions for their number, while it does.
    pub(crate) fn is_slowed_since(&self) -> Option<Duration> {
        self.pace.is_slowed_since()
    }

    /// For how long AWS has answered nothing, if it has never answered.
    pub(crate) fn is_silent_since(&self) -> Option<Duration> {
        self.silence.lasts()
    }

    /// What is wrong with the credentials or the region, if no question can be answered because of it.
    pub(crate) fn stopped(&self) -> Option<Diagnostic> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stop(&self, diagnostic: Diagnostic) -> Trouble {
        let trouble = Trouble::Failed {
            message: diagnostic.message.clone(),
            hint: diagnostic.hints.first().cloned(),
        };
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(diagnostic);
        trouble
    }

    /// Asks all of these.
    pub(crate) async fn ask_all(self: &Arc<Self>, needs: Vec<Need>) -> Vec<(Need, Answer)> {
        let (mut running, mut answers) = (JoinSet::new(), Vec::with_capacity(needs.len()));
        let mut waiting = needs.into_iter();
        loop {
            while running.len() < AT_ONCE
                && let Some(need) = waiting.next()
            {
                let cloud = Arc::clone(self);
                running.spawn(async move {
                    let answer = cloud.ask(&need).await;
                    (need, answer)
                });
            }
            match running.join_next().await {
                // A task that panicked gives no answer; whoever asked finds its question open.
                Some(answer) => answers.extend(answer.ok()),
                None => return answers,
            }
        }
    }

    async fn ask(&self, need: &Need) -> Answer {
        match need {
            Need::Caller(place) => self.caller(place).await,
            Need::Stack { place, stack } => self.stack(place, stack).await,
            Need::Resources { place, stack } => self.resources(place, stack).await,
            Need::Template { place, stack } => self.template(place, stack).await,
            Need::Exports(place) => self.exports(place).await,
            Need::Resource { place, type_name, identifier } => {
                self.resource(place, type_name, identifier).await
            }
            Need::List { place, type_name, parent } => {
                self.list(place, type_name, parent.as_deref()).await
            }
            Need::State(_) | Need::Ucp(_) => {
                Err(failed("it is not a query for AWS; this is a bug in Hangar"))
            }
        }
    }

    async fn caller(&self, place: &Asked) -> Answer {
        let (_, found) = self.at(place).await?;
        let origin = self.origin(place).await?;
        let region = Some(found.region.as_str().to_owned());
        Ok(Fact::Caller(Caller { account: found.account.as_str().to_owned(), region, origin }))
    }

    /// What named the account and the region that a question does not name itself.
    async fn origin(&self, place: &Asked) -> Result<Origin, Trouble> {
        let own = self.whereabouts().await?;
        let Origin { account, region } = self.client.origin(&self.aws, own.region_from);
        let account = match (&place.account, &place.role) {
            (Some(_), _) => None,
            (None, Some(_)) => Some("the role's account".to_owned()),
            (None, None) => account,
        };
        Ok(Origin { account, region: region.filter(|_| place.region.is_none()) })
    }

    /// Who calls, and where.
    async fn whereabouts(&self) -> Result<&Whereabouts, Trouble> {
        let explain = |error: &ProviderError| {
            if is_unreached(error) {
                self.stop(credentials::explain(error))
            } else {
                self.trouble(error)
            }
        };
        let ask = async || {
            if self.client.signs_as_caller(&self.aws) {
                return self.again_or(|| self.own.whereabouts(), explain).await;
            }
            // Nothing is asked, so that this is no answer.
            self.own.whereabouts().await.map_err(|error| explain(&error))
        };
        self.whereabouts.get_or_init(ask).await.as_ref().map_err(Clone::clone)
    }

    async fn stack(&self, place: &Asked, stack: &str) -> Answer {
        let (provider, place) = self.at(place).await?;
        let begun = Instant::now();
        loop {
            let found = self.again(|| provider.stack(&place, stack)).await?;
            let is_changing =
                found.as_ref().is_some_and(|stack| stack.status.ends_with("_IN_PROGRESS"));
            if !is_changing || begun.elapsed() >= self.patience {
                return Ok(Fact::Stack(found.map(described)));
            }
            let left = self.patience.saturating_sub(begun.elapsed());
            tokio::time::sleep(BETWEEN_LOOKS.min(left)).await;
        }
    }

    async fn resources(&self, place: &Asked, stack: &str) -> Answer {
        let (provider, place) = self.at(place).await?;
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let page =
                self.again(|| provider.stack_resources(&place, stack, next.as_deref())).await?;
            all.extend(page.resources.into_iter().map(|resource| StackResource {
                logical_id: resource.logical_id,
                physical_id: resource.physical_id,
                type_name: resource.type_name,
                status: resource.status,
            }));
            next = page.next;
            if next.is_none() || all.len() > LONGEST_LIST {
                return Ok(Fact::Resources(all));
            }
        }
    }

    async fn template(&self, place: &Asked, stack: &str) -> Answer {
        let (provider, place) = self.at(place).await?;
        let template = self.again(|| provider.stack_template(&place, stack)).await?;
        let parsed = text::parse(&template);
        parsed.map(Fact::Template).map_err(|wrong| failed(&format!("it cannot be read: {wrong}")))
    }

    async fn exports(&self, place: &Asked) -> Answer {
        let (provider, place) = self.at(place).await?;
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let page = self.again(|| provider.exports(&place, next.as_deref())).await?;
            let exports = page.exports.into_iter();
            all.extend(exports.map(|export| Export { name: export.name, value: export.value }));
            next = page.next;
            if next.is_none() || all.len() > LONGEST_LIST {
                return Ok(Fact::Exports(all));
            }
        }
    }

    async fn resource(&self, place: &Asked, type_name: &str, identifier: &str) -> Answer {
        let (provider, place) = self.at(place).await?;
        let target = target(place, type_name)?;
        let found = self.again(|| provider.observe(&target, identifier)).await?;
        Ok(Fact::Resource(match found {
            Observation::Present { properties, .. } => Some(properties),
            Observation::Absent => None,
        }))
    }

    async fn list(&self, place: &Asked, type_name: &str, parent: Option<&str>) -> Answer {
        let (provider, place) = self.at(place).await?;
        let target = target(place, type_name)?;
        let parent: Option<Value> = match parent.map(serde_json::from_str).transpose() {
            Ok(parent) => parent,
            Err(wrong) => return Err(failed(&wrong.to_string())),
        };
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let page = self
                .again(|| provider.list(&target, parent.as_ref(), 100, next.as_deref()))
                .await?;
            all.extend(page.resources.into_iter().map(|listed| ListEntry {
                identifier: listed.identifier,
                properties: listed.properties,
            }));
            next = page.next;
            if next.is_none() || all.len() > LONGEST_LIST {
                return Ok(Fact::List(all));
            }
        }
    }

    /// Who asks, and where: what a reference does not say is the machine's own.
    async fn at(&self, asked: &Asked) -> Result<(Arc<AwsProvider>, Place), Trouble> {
        let of_role = asked.role.as_deref().and_then(|role| role.split(':').nth(4));
        let account = asked.account.as_deref().or(of_role);
        let (account, region) = match (account, &asked.region) {
            (Some(account), Some(region)) => (account.to_owned(), region.clone()),
            (account, region) => {
                let own = self.whereabouts().await?;
                let region = region.clone().or_else(|| own.region.clone());
                let region = region.ok_or_else(|| {
                    self.stop(Diagnostic::error(codes::NO_REGION, "no AWS region is set").hint(
                        "set AWS_REGION, or `region` in the profile, or the region in the reference: `?region=…`",
                    ))
                })?;
                (account.map_or_else(|| own.account.clone(), str::to_owned), region)
            }
        };
        let provider = match &asked.role {
            Some(role) if !self.is_needless(role, &account).await? => self.as_role(role)?,
            _ => Arc::clone(&self.own),
        };
        let account = AccountId::parse(&account).map_err(|wrong| failed(&wrong.message))?;
        let region = Region::parse(&region).map_err(|wrong| failed(&wrong.message))?;
        Ok((provider, Place { plane: "aws".to_owned(), account, region }))
    }

    /// Whether a role is one of an assembly, for an account that is the caller's own.
    async fn is_needless(&self, role: &str, account: &str) -> Result<bool, Trouble> {
        if !self.for_others.contains(role) {
            return Ok(false);
        }
        Ok(self.whereabouts().await?.account == account)
    }

    fn as_role(&self, role: &str) -> Result<Arc<AwsProvider>, Trouble> {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = roles.get(role) {
            return Ok(Arc::clone(known));
        }
        let provider = Arc::new(self.own.as_role(role).map_err(|error| self.trouble(&error))?);
        roles.insert(role.to_owned(), Arc::clone(&provider));
        Ok(provider)
    }

    /// Asks, and asks again where AWS had no time or could not be reached: reads may be repeated.
    async fn again<T, Asked>(&self, ask: impl FnMut() -> Asked) -> Result<T, Trouble>
    where
        Asked: Future<Output = Result<T, ProviderError>>,
    {
        self.again_or(ask, |error| self.trouble(error)).await
    }

    /// The same, with the trouble of an error that stays.
    async fn again_or<T, Asked>(
        &self,
        mut ask: impl FnMut() -> Asked,
        explain: impl Fn(&ProviderError) -> Trouble,
    ) -> Result<T, Trouble>
    where
        Asked: Future<Output = Result<T, ProviderError>>,
    {
        let mut tries = 1;
        loop {
            let asked = self.pace.turn().await;
            if let Some(trouble) = self.too_often.get().or(self.never_answered.get()) {
                return Err(trouble.clone());
            }
            self.silence.begin();
            let error = match ask().await {
                Ok(answer) => {
                    self.silence.end();
                    self.pace.answered();
                    return Ok(answer);
                }
                Err(error) => error,
            };
            if !is_unreached(&error) {
                self.silence.end();
            } else if self.silence.is_hopeless() {
                return Err(self.never_answered.get_or_init(|| explain(&error)).clone());
            }
            match error.class {
                ErrorClass::Throttled | ErrorClass::Busy => {
                    let refused = self.pace.refused(asked, error.retry_after);
                    if let Refused::GiveUp(waited) = refused {
                        return Err(self
                            .too_often
                            .get_or_init(|| too_often(&error, waited))
                            .clone());
                    }
                }
                ErrorClass::Unreachable | ErrorClass::Unanswered if tries < TRIES => {
                    let pause = Duration::from_millis(200).saturating_mul(1 << tries);
                    let pause = error.retry_after.unwrap_or(pause);
                    tokio::time::sleep(pause.min(Duration::from_secs(20))).await;
                    tries += 1;
                }
                ErrorClass::Unreachable | ErrorClass::Unanswered => {
                    return Err(explain(&error));
                }
                _ => {
                    self.pace.answered();
                    return Err(explain(&error));
                }
            }
        }
    }

    /// What an error of AWS means for who asks.
    fn trouble(&self, error: &ProviderError) -> Trouble {
        let message = format!("{}: {}", error.code, error.message);
        match error.class {
            ErrorClass::Forbidden if error.code == "AccountMismatch" => Trouble::Failed {
                message,
                hint: Some(
                    "use credentials of that account, or pass a role there: `?role=arn:aws:iam::ACCOUNT:role/NAME`, \
                     or `--assembly cdk.out`"
                        .to_owned(),
                ),
            },
            ErrorClass::Forbidden => match credentials::explain_code(&error.code, &error.message) {
                Some(diagnostic) => self.stop(diagnostic),
                None => Trouble::Denied { message },
            },
            _ if error.code == "InvalidRegion" => self.stop(credentials::explain(error)),
            ErrorClass::Unreachable | ErrorClass::Unanswered => {
                let hint =
                    "check that AWS is reachable from this machine; `--aws http://HOST:PORT` uses another endpoint";
                Trouble::Failed { message, hint: Some(hint.to_owned()) }
            }
            _ => Trouble::Failed { message, hint: None },
        }
    }
}

/// Whether there was no connection, or no answer.
fn is_unreached(error: &ProviderError) -> bool {
    matches!(error.class, ErrorClass::Unreachable | ErrorClass::Unanswered)
}

/// AWS refused questions for their number until there was no more waiting.
fn too_often(error: &ProviderError, waited: Duration) -> Trouble {
    let message = format!(
        "{}: {} (AWS limits the rate of calls; gave up after {})",
        error.code,
        error.message,
        rounded(waited)
    );
    let hint = "try again when fewer calls run in this account and region, resolve fewer manifests at a time, or use \
        stack outputs, which need no read of each resource";
    Trouble::Failed { message, hint: Some(hint.to_owned()) }
}

fn described(stack: Stack) -> StackDescription {
    let output = |output: hangar_provider_aws::StackOutput| StackOutput {
        key: output.key,
        value: output.value,
    };
    let parameter = |it: hangar_provider_aws::StackParameter| StackParameter {
        key: it.key,
        value: it.resolved_value.or(it.value).unwrap_or_default(),
    };
    StackDescription {
        id: stack.id,
        name: stack.name,
        status: stack.status,
        reason: stack.status_reason,
        outputs: stack.outputs.into_iter().map(output).collect(),
        parameters: stack.parameters.into_iter().map(parameter).collect(),
        notification_arns: stack.notification_arns,
    }
}

fn target(place: Place, type_name: &str) -> Result<Target, Trouble> {
    let type_name = TypeName::parse(type_name).map_err(|wrong| failed(&wrong.message))?;
    Ok(Target { place, type_name })
}

fn failed(message: &str) -> Trouble {
    Trouble::Failed { message: message.to_owned(), hint: None }
}
