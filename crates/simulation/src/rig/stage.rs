//! A whole control plane on a stage: one store, one AWS, some replicas of the real engine, and whoever died
//! is started again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hangar_engine::{
    Accepted, Config, DeploymentAsk, DeploymentRefused, Dice, Engine, GroupAsk, RecipeAsk,
    RecipeAws, Recipes, Submission,
};
use hangar_ids::TypeName;
use hangar_plan::operation::{Failure, FailureKind, OperationId, Rules};
use hangar_plan::record::{
    AwsScope, Group, GroupName, GroupState, OperationRecord, ReferenceName, Subject, Version,
};
use hangar_provider::Provider;
use hangar_store::keys::Keys;
use hangar_store::{Expect, OperationFilter, Store, StoreError};
use serde_json::Value;

use super::aws::Aws;
use super::collect::collect;
use super::fate::{Fair, Fates};
use super::process::{Process, Run, lock};
use super::provider::ProcessAws;
use super::store::of_process;
use super::terraform::{self, Machine, ProcessRunner};
use super::tier::Folder;
use crate::history::{History, Made, Told, Word};

/// What a stage is made of.
#[derive(Debug)]
pub struct Parts {
    /// What the processes share.
    pub run: Arc<Run>,
    /// The store, as it is without mishaps.
    pub store: Arc<dyn Store>,
    /// AWS.
    pub aws: Aws,
    /// How AWS is called.
    pub provider: Arc<dyn Provider>,
    /// How many processes there are.
    pub replicas: usize,
    /// What the names of operations are made from.
    pub seed: u64,
    /// The rules that the engines keep.
    pub rules: Rules,
    /// Where the store's files are; it goes with the stage.
    pub folder: Option<Folder>,
}

/// A control plane whose outside is held in one hand.
#[derive(Debug)]
pub struct Stage {
    parts: Parts,
    keys: Arc<Keys>,
    config: Config,
    replicas: Mutex<Vec<Replica>>,
    told: Mutex<Vec<Told>>,
    requests: AtomicUsize,
    machine: Arc<Machine>,
}

/// A running engine and the process that it is.
#[derive(Debug, Clone)]
pub struct Replica {
    /// Its life.
    pub process: Process,
    /// What can be asked of it.
    pub engine: Engine,
}

/// The key of every simulated store: nothing in it is worth hiding.
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// How often an idle engine looks for what is due: rarely, so that hours pass quickly.
const POLL_EVERY: Duration = Duration::from_secs(5);

impl Stage {
    /// Starts the replicas in a store that has the group of all aliases.
    pub async fn start(parts: Parts) -> Result<Arc<Self>, StoreError> {
        let keys =
            Keys::from_hex(KEY).map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let config = Config {
            poll_every: POLL_EVERY,
            clock: parts.run.clock.for_store(),
            dice: Dice::seeded(parts.seed),
            rules: parts.rules,
            ..Config::default()
        };
        let stage = Self {
            parts,
            keys: Arc::new(keys),
            config,
            replicas: Mutex::default(),
            told: Mutex::default(),
            requests: AtomicUsize::new(0),
            machine: Arc::default(),
        };
        stage.make_group().await?;
        for number in 0..stage.parts.replicas {
            let replica = stage.begin(number);
            lock(&stage.replicas).push(replica);
        }
        Ok(Arc::new(stage))
    }

    /// Makes the group anew where it was deleted.
    pub async fn make_group(&self) -> Result<(), StoreError> {
        let now = self.parts.store.now().await?;
        let group = Group {
            name: group(),
            state: GroupState::Ready,
            operation: None,
            location: None,
            tags: BTreeMap::new(),
            aws_scope: None,
            properties: BTreeMap::new(),
            secrets: BTreeMap::new(),
            created_at: now,
            updated_at: now,
            version: Version(0),
        };
        // Where it is there, or being deleted, it stays as it is.
        let _ = self.parts.store.group_put(&group, Expect::Absent).await;
        Ok(())
    }

    fn begin(&self, number: usize) -> Replica {
        let Parts { run, store, aws, provider, .. } = &self.parts;
        let process = run.begin(number);
        let store = Arc::new(of_process(process.clone(), store.clone()));
        let provider = ProcessAws::new(process.clone(), aws.clone(), provider.clone());
        let recipes = Recipes {
            runner: Arc::new(ProcessRunner::new(process.clone(), self.machine.clone())),
            url: format!("http://replica-{number}"),
            lasting: true,
            aws: RecipeAws::Real,
        };
        let worker = format!("worker-{number}");
        let config = Config { worker, recipes: Some(recipes), ..self.config.clone() };
        let engine = Engine::start(config, store, Arc::new(provider), self.keys.clone());
        self.machine.serve(&process, &engine);
        Replica { process, engine }
    }

    /// Starts those that have died.
    pub async fn revive(&self) -> Result<(), StoreError> {
        let dead: Vec<usize> = lock(&self.replicas)
            .iter()
            .filter(|replica| replica.process.is_dead())
            .map(|replica| replica.process.number)
            .collect();
        if dead.is_empty() {
            return Ok(());
        }
        if self.parts.replicas == 1 {
            // As the one process of a data directory does.
            self.parts.store.lease_end_all().await?;
        }
        for number in dead {
            self.parts.run.tell(&format!("{number} starts"));
            let replica = self.begin(number);
            lock(&self.replicas)[number] = replica;
        }
        Ok(())
    }

    /// A replica; the caller sees by its process whether it still lives.
    pub fn replica(&self, number: usize) -> Replica {
        let replicas = lock(&self.replicas);
        replicas[number % replicas.len()].clone()
    }

    /// A name for a request that no other has.
    pub fn request_id(&self) -> String {
        format!("request-{}", self.requests.fetch_add(1, Ordering::SeqCst))
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.parts.run
    }

    /// AWS.
    pub fn aws(&self) -> &Aws {
        &self.parts.aws
    }

    /// The store, as it is without mishaps.
    pub fn store(&self) -> &dyn Store {
        &*self.parts.store
    }

    /// Asks a replica for a write; nothing where its process died before it answered.
    pub async fn submit(
        &self,
        number: usize,
        submission: Submission,
    ) -> Option<Result<Accepted, Failure>> {
        let (replica, name) = (self.replica(number), submission.subject.reference.clone());
        self.parts.run.tell(&format!("ask {} {:?}", name_of(name.as_ref()), submission.ask));
        let answer = tokio::select! {
            biased;
            answer = replica.engine.submit(submission) => answer,
            () = replica.process.death() => return None,
        };
        self.note(name, &answer);
        Some(answer)
    }

    /// The same for a group.
    pub async fn submit_group(
        &self,
        number: usize,
        ask: GroupAsk,
    ) -> Option<Result<Accepted, Failure>> {
        let replica = self.replica(number);
        self.parts.run.tell(&format!("ask group {:?}", ask.task));
        let answer = tokio::select! {
            biased;
            answer = replica.engine.group_submit(ask) => answer,
            () = replica.process.death() => return None,
        };
        self.note(None, &answer);
        Some(answer)
    }

    /// Asks a replica to run a template; nothing where it died over it.
    pub async fn submit_deployment(
        &self,
        number: usize,
        ask: DeploymentAsk,
    ) -> Option<Result<Accepted, Failure>> {
        let replica = self.replica(number);
        self.parts.run.tell(&format!("ask {ask:?}"));
        let answer = tokio::select! {
            biased;
            answer = replica.engine.deployment_submit(ask) => answer,
            () = replica.process.death() => return None,
        };
        let answer = answer.map_err(|refused| match refused {
            DeploymentRefused::For(failure) => failure,
            DeploymentRefused::Running(id) => refusal("DeploymentRunning", id.to_string()),
            DeploymentRefused::Template(problems) => {
                refusal("InvalidTemplate", format!("{problems:?}"))
            }
        });
        self.note(None, &answer);
        Some(answer)
    }

    /// Asks a replica to run a recipe; nothing where it died over it.
    pub async fn submit_recipe(
        &self,
        number: usize,
        ask: RecipeAsk,
    ) -> Option<Result<Accepted, Failure>> {
        let replica = self.replica(number);
        self.parts.run.tell(&format!("ask {ask:?}"));
        let answer = tokio::select! {
            biased;
            answer = replica.engine.recipe_submit(ask) => answer,
            () = replica.process.death() => return None,
        };
        self.note(None, &answer);
        Some(answer)
    }

    /// What Terraform runs on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What recipes made, and what is known of it.
    async fn made(&self) -> Result<Made, StoreError> {
        let name = terraform::recipe();
        if !self.machine.left().is_empty() {
            // Their machines look through them now and then.
            tokio::time::sleep(Duration::from_secs(65)).await;
        }
        let head = self.parts.store.state_head(&name).await?;
        let kept = self.parts.store.recipe_find(&name).await?;
        let state = self.replica(0).engine.state_read(&name, None).await;
        let state = state.map_err(|failure| StoreError::Unavailable(failure.message))?;
        let document: Value =
            state.and_then(|it| serde_json::from_slice(it.expose()).ok()).unwrap_or_default();
        let instances = document["resources"][0]["instances"].as_array().into_iter().flatten();
        let in_state = instances.filter_map(|it| {
            let number = it["index_key"].as_u64()?;
            Some((it["attributes"]["id"].as_str()?.to_owned(), format!("made.thing[{number}]")))
        });
        Ok(Made {
            things: self.machine.things(),
            in_state: in_state.collect(),
            lock: head.lock.map(|lock| lock.id),
            runs: self.machine.left(),
            output_resources: kept.as_ref().map_or(0, |it| it.status.resources.len()),
            known: kept.is_some(),
        })
    }

    /// Asks a replica to stop an operation; nothing where it died over it.
    pub async fn cancel(&self, number: usize, id: OperationId) -> Option<()> {
        let replica = self.replica(number);
        self.parts.run.tell(&format!("cancel {id}"));
        tokio::select! {
            biased;
            _ = replica.engine.cancel(id) => Some(()),
            () = replica.process.death() => None,
        }
    }

    fn note(&self, name: Option<ReferenceName>, answer: &Result<Accepted, Failure>) {
        let what = match answer {
            Ok(accepted) => Word::Accepted(accepted.record.id()),
            Err(failure) => Word::Refused(failure.code.clone()),
        };
        self.parts.run.tell(&format!("answer {} {what:?}", name_of(name.as_ref())));
        lock(&self.told).push(Told { at: self.parts.run.clock.now(), name, what });
    }

    /// The operations that have not ended.
    pub async fn running(&self) -> Result<Vec<OperationRecord>, StoreError> {
        let filter = OperationFilter { running: true, ..OperationFilter::default() };
        self.parts.store.operation_list(&filter, None, 1000).await
    }

    /// From now on nothing happens to anybody; waits until nothing runs, at most so long.
    pub async fn calm(&self, at_most: Duration) -> Result<(), StoreError> {
        self.parts.run.tell("calm");
        self.parts.run.set_fates(Box::new(Fair));
        self.until_quiet(at_most).await
    }

    /// Waits until nothing runs, at most so long; whoever has died is started again.
    pub async fn until_quiet(&self, at_most: Duration) -> Result<(), StoreError> {
        let until = tokio::time::Instant::now() + at_most;
        let mut pause = Duration::from_millis(500);
        loop {
            self.revive().await?;
            if self.running().await?.is_empty() || tokio::time::Instant::now() >= until {
                return Ok(());
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(30));
        }
    }

    /// Compares every reference with its resource, as a user does who looks for drift.
    pub async fn check_references(&self) -> Result<(), StoreError> {
        let history = collect(&*self.parts.store, &self.parts.aws).await?;
        for reference in history.references {
            let replica = self.replica(0);
            // A resource that cannot be read has no drift.
            let _ = replica.engine.reference_check(&reference.name).await;
        }
        Ok(())
    }

    /// From now on calls meet these fates.
    pub fn set_fates(&self, fates: Box<dyn Fates>) {
        self.parts.run.set_fates(fates);
    }

    /// What has happened so far.
    pub async fn history(&self) -> Result<History, StoreError> {
        let mut history = collect(&*self.parts.store, &self.parts.aws).await?;
        history.terraform = self.made().await?;
        history.deployments = self.parts.store.deployment_list(&group(), None, 1000).await?;
        history.told.clone_from(&lock(&self.told));
        history.mishaps = self.parts.run.mishaps();
        Ok(history)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.machine.close();
    }
}

fn name_of(name: Option<&ReferenceName>) -> String {
    name.map_or_else(|| "group".to_owned(), |name| format!("{}/{}", name.type_name, name.alias))
}

/// The group that every alias of a run is in.
pub fn group() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "team".to_owned() }
}

/// An alias; a type that there is not stands for none.
pub fn name(type_name: &str, alias: &str) -> Option<ReferenceName> {
    let type_name = TypeName::parse(type_name).ok()?;
    Some(ReferenceName { group: group(), type_name, alias: alias.to_owned() })
}

/// The account and region of every run.
pub fn scope() -> Option<AwsScope> {
    Some(AwsScope {
        plane: "aws".to_owned(),
        account: "42".parse().ok()?,
        region: "eu-central-1".parse().ok()?,
    })
}

/// What a write on an alias is about.
pub fn subject(type_name: &str, alias: &str) -> Option<Subject> {
    let name = name(type_name, alias)?;
    Some(Subject::new(scope()?, name.type_name.clone(), Some(name)))
}

fn refusal(code: &str, message: String) -> Failure {
    Failure { kind: FailureKind::Conflict, code: code.to_owned(), message, findings: Vec::new() }
}
