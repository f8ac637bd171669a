//! Resolving all manifests of a command: evaluate, ask what is open, and again, until there is nothing to ask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hangar_diag::Diagnostic;
use hangar_manifest::reference::{Found, Place, Source, find};
use hangar_manifest::resolve::{
    Draft, Evaluated, Evaluator, Fact, Known, Lock, Need, References, RolledBack, SecretPolicy,
    States, Trouble, Use, Values, Which,
};

use super::aws::{self, Reached, Trace};
use super::cloud::Cloud;
use super::control_plane;
use super::how::HowArgs;
use super::states::{StateAsk, find_state};
use super::types::CatalogTypes;
use crate::aws::client::AwsClient;
use crate::connection::{Chosen, Connection, Environment, data_dir};
use crate::failure::Failure;
use crate::follow::vigil::rounded;
use crate::printer::Printer;
use crate::render::counted;
use crate::session::Session;

/// Nested stacks, templates and lists come one after the other; no reference needs more rounds.
const MOST_ROUNDS: usize = 64;

/// How often a person is told that AWS lets a command wait.
const BETWEEN_NOTES: Duration = Duration::from_secs(3);

/// How references are to be resolved.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    secrets: SecretPolicy,
    evaluation: hangar_manifest::resolve::Rules,
    /// How long a stack may take that is being changed.
    patience: Duration,
}

impl Rules {
    pub(crate) fn of(args: &HowArgs, homes: BTreeMap<String, Place>) -> Self {
        let secrets =
            if args.allow_secrets { SecretPolicy::Anywhere } else { SecretPolicy::SecretsOnly };
        let rolled_back =
            if args.allow_rolled_back { RolledBack::Accepted } else { RolledBack::Refused };
        let evaluation = hangar_manifest::resolve::Rules { rolled_back, homes };
        Self { secrets, evaluation, patience: args.wait.unwrap_or_default() }
    }
}

/// What became of the references of all manifests.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    uses: Vec<Use>,
    problems: Vec<Vec<Diagnostic>>,
    /// What is wrong with the credentials or the region, if nothing could be asked because of it.
    stopped: Option<Diagnostic>,
}

impl Outcome {
    /// What is wrong with the credentials or the region, if nothing could be asked because of it.
    pub(crate) fn stopped(&self) -> Option<&Diagnostic> {
        self.stopped.as_ref()
    }

    /// The references that have a value, and what is wrong in each manifest.
    pub(crate) fn parted(self) -> (Vec<Use>, Vec<Vec<Diagnostic>>) {
        (self.uses, self.problems)
    }
}

/// Manifests on their way, and what is known for them.
#[derive(Debug)]
pub(crate) struct Resolving<'d, 't, 'e> {
    drafts: &'d mut [Draft<'t>],
    rules: Rules,
    environment: &'e Environment,
    connection: &'e Connection,
    states: StateAsk,
    types: CatalogTypes,
    known: Known,
}

/// Who can be asked besides AWS and states.
enum Company<'s, 'p> {
    /// Nobody.
    None(&'s mut Printer),
    /// The control plane.
    Session(&'s mut Session<'p>),
}

impl Company<'_, '_> {
    fn printer(&mut self) -> &mut Printer {
        match self {
            Self::None(printer) => printer,
            Self::Session(session) => session.printer,
        }
    }
}

impl<'d, 't, 'e> Resolving<'d, 't, 'e> {
    pub(crate) fn new(
        drafts: &'d mut [Draft<'t>],
        rules: Rules,
        states: StateAsk,
        environment: &'e Environment,
        connection: &'e Connection,
    ) -> Self {
        let (types, known) = (CatalogTypes::bundled(), Known::default());
        Self { drafts, rules, environment, connection, states, types, known }
    }

    /// Whether a control plane is to be asked: a reference is to something of it, and there is one. A filter does not
    /// make one.
    pub(crate) fn asks_control_plane(&self) -> bool {
        let is_there = match &self.connection.to {
            Chosen::Server { .. } => true,
            Chosen::Directory { dir, .. } => dir.was_used(),
        };
        is_there && self.names_control_plane()
    }

    fn names_control_plane(&self) -> bool {
        let of_ucp = |found: &Found| match found {
            Found::Reference(reference) => match &reference.source {
                Source::Ucp(_) => true,
                Source::Expression { tree, .. } => tree.to_string().contains("\"$ucp\""),
                _ => false,
            },
            _ => false,
        };
        self.drafts.iter().flat_map(Draft::texts).any(|text| {
            let might = text.contains("${ucp:") || text.contains("${expr:");
            might && find(text).iter().any(|occurrence| of_ucp(&occurrence.found))
        })
    }

    /// Takes all values from a lock.
    pub(crate) fn offline(&mut self, lock: &Lock) -> Outcome {
        let mut values = lock;
        take(self.drafts, &mut values, self.rules.secrets)
    }

    /// Asks AWS and states.
    pub(crate) fn alone(&mut self, printer: &mut Printer) -> Result<Outcome, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(anyhow::Error::from)?;
        runtime.block_on(self.resolve(&mut Company::None(printer)))
    }

    /// Asks the control plane, too.
    pub(crate) async fn with_control_plane(
        &mut self,
        session: &mut Session<'_>,
    ) -> Result<Outcome, Failure> {
        self.resolve(&mut Company::Session(session)).await
    }

    /// All that was asked.
    pub(crate) fn into_known(self) -> Known {
        self.known
    }

    async fn resolve(&mut self, company: &mut Company<'_, '_>) -> Result<Outcome, Failure> {
        let mut reached = None;
        let settled = self.settle(company, &mut reached).await;
        company.printer().done();
        let mut stopped = None;
        if let Some((reached, cloud)) = reached {
            stopped = cloud.stopped();
            drop::<Arc<Cloud>>(cloud);
            Reached::close(reached).await?;
        }
        settled?;
        let states = States::of(&self.known);
        let evaluator = Evaluator::new(&self.known, &states, &self.types, &self.rules.evaluation);
        let mut values = Evaluated::new(evaluator);
        Ok(Outcome { stopped, ..take(self.drafts, &mut values, self.rules.secrets) })
    }

    /// Asks until nothing is open.
    async fn settle(
        &mut self,
        company: &mut Company<'_, '_>,
        reached: &mut Option<(Reached, Arc<Cloud>)>,
    ) -> Result<(), Failure> {
        for _ in 0..MOST_ROUNDS {
            let open = self.open();
            if open.is_empty() {
                break;
            }
            company.printer().begin_bar("asking", open.len());
            for (need, answer) in self.asked(open, company, reached).await? {
                self.known.learn(need, answer);
            }
        }
        Ok(())
    }

    /// What must be asked, as far as can be told by now.
    fn open(&self) -> BTreeSet<Need> {
        let states = States::of(&self.known);
        let evaluator = Evaluator::new(&self.known, &states, &self.types, &self.rules.evaluation);
        let mut values = Evaluated::new(evaluator);
        let mut needs = BTreeSet::new();
        for draft in self.drafts.iter() {
            let mut references = References::new(&mut values, self.rules.secrets);
            needs.extend(draft.probe(&mut references, Which::References).needs);
        }
        self.known.open(needs)
    }

    async fn asked(
        &self,
        open: BTreeSet<Need>,
        company: &mut Company<'_, '_>,
        reached: &mut Option<(Reached, Arc<Cloud>)>,
    ) -> Result<Vec<(Need, Result<Fact, Trouble>)>, Failure> {
        let (mut of_aws, mut answers) = (Vec::new(), Vec::new());
        for need in open {
            match &need {
                Need::State(name) => {
                    let answer = find_state(name, &self.states).await;
                    answers.push((need, answer));
                }
                Need::Ucp(id) => {
                    let answer = match company {
                        Company::Session(session) => control_plane::read(session, id).await?,
                        Company::None(_) => Err(Trouble::Failed {
                            message: "no control plane was found".to_owned(),
                            hint: Some(
                                "pass --server URL, or the data directory of a control plane: --data-dir DIR"
                                    .to_owned(),
                            ),
                        }),
                    };
                    answers.push((need, answer));
                }
                _ => of_aws.push(need),
            }
        }
        if !of_aws.is_empty() {
            let cloud = self.cloud(company, reached).await?;
            answers.extend(watched(&cloud, of_aws, company).await);
        }
        Ok(answers)
    }

    /// The AWS that is meant, reached when it is first asked.
    async fn cloud(
        &self,
        company: &mut Company<'_, '_>,
        reached: &mut Option<(Reached, Arc<Cloud>)>,
    ) -> Result<Arc<Cloud>, Failure> {
        if let Some((_, cloud)) = reached {
            return Ok(Arc::clone(cloud));
        }
        let origin = self.connection.directory_origin;
        let client = AwsClient::from_environment(&self.environment.variables)?;
        let (dir, wanted) = match &self.connection.to {
            Chosen::Directory { dir, aws, .. } => {
                (dir.clone(), aws::asked(aws.as_ref(), None, (dir, origin), &client).await?)
            }
            Chosen::Server { client: server, .. } => {
                let dir = data_dir(None, self.environment);
                let server = Some(server.endpoint());
                let wanted = aws::asked(None, server, (&dir, origin), &client).await?;
                (dir, wanted)
            }
        };
        let found = wanted.reach(&dir, Trace::None).await?;
        if let (Some(note), Company::None(printer)) = (found.note(), &mut *company) {
            printer.note(note);
        }
        let caller = (found.provider(&client), found.aws().clone(), client);
        let cloud = Arc::new(Cloud::new(caller, self.rules.patience, &self.rules.evaluation.homes));
        *reached = Some((found, Arc::clone(&cloud)));
        Ok(cloud)
    }
}

/// Asks AWS, and says so when AWS lets it wait.
async fn watched(
    cloud: &Arc<Cloud>,
    needs: Vec<Need>,
    company: &mut Company<'_, '_>,
) -> Vec<(Need, Result<Fact, Trouble>)> {
    let count = needs.len();
    let mut asking = std::pin::pin!(cloud.ask_all(needs));
    let mut is_silence_noted = false;
    loop {
        if let Ok(answers) = tokio::time::timeout(BETWEEN_NOTES, &mut asking).await {
            return answers;
        }
        if cloud.is_silent_since().is_some() && !is_silence_noted {
            is_silence_noted = true;
            company.printer().note("waiting for AWS: no answer so far");
        }
        if let Some(since) = cloud.is_slowed_since().filter(|it| *it >= BETWEEN_NOTES / 2) {
            company.printer().note(&format!(
                "AWS limits the rate of calls: sending {} more slowly, for {} so far",
                counted(count, "call"),
                rounded(since)
            ));
        }
    }
}

/// Puts the values into all manifests.
fn take(drafts: &mut [Draft<'_>], values: &mut dyn Values, secrets: SecretPolicy) -> Outcome {
    let mut outcome = Outcome::default();
    for draft in drafts {
        let mut references = References::new(values, secrets);
        let offered = draft.offer(&mut references, Which::References);
        outcome.uses.extend(references.into_uses());
        outcome.problems.push(offered.problems);
    }
    outcome
}
