//! What is swept: each scenario is a file with what comes before, what is done, and what must be true then.

mod create;
mod delete;
mod deploy;
mod detach;
mod drift;
mod group_delete;
mod group_drift;
mod import;
mod noop;
mod prune;
mod recipe;
mod replace;
mod update;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use hangar_engine::{Accepted, Ask, Condition, GroupAsk, Submission};
use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Ending, EntryState, Failure, Kind};
use hangar_plan::record::{OperationRecord, Reference, Repeatability};
use hangar_simulator::core::place::Place;
use hangar_store::StoreError;
use serde_json::Value;

use crate::history::{Existing, History};
use crate::rig::stage::{Stage, group, name, subject};

/// Something that is done on a stage.
pub type Deed = for<'a> fn(&'a Stage) -> Pin<Box<dyn Future<Output = Result<(), StoreError>> + 'a>>;

/// Something that users do, from before to after.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What is there before.
    pub prepare: Deed,
    /// What is done.
    pub act: Deed,
    /// What must be true then; says what is not.
    pub end: fn(&Ended<'_>) -> Result<(), String>,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All of them. To add one, write its file and name it here.
pub const ALL: &[Scenario] = &[
    create::CREATE,
    create::CREATE_NAMED,
    update::UPDATE,
    noop::NOOP,
    delete::DELETE,
    detach::DETACH,
    import::IMPORT,
    import::IMPORT_AND_APPLY,
    replace::CREATE_FIRST,
    replace::DELETE_FIRST,
    drift::REPAIR,
    drift::REPAIR_RECREATE,
    drift::RECREATE,
    group_delete::GROUP_DELETE,
    group_drift::GROUP_DRIFT,
    deploy::DEPLOY,
    deploy::DEPLOY_CHANGE,
    deploy::DEPLOY_A_PLAN,
    deploy::DEPLOY_AND_FAIL,
    deploy::DEPLOY_AND_STOP,
    prune::PRUNE,
    prune::DETACH,
    prune::DESTROY,
    prune::AT_ONCE,
    prune::TAKE_OVER,
    prune::CASCADE,
    recipe::DEPLOY,
    recipe::DEPLOY_ELSEWHERE,
    recipe::CHANGE,
    recipe::STOP,
    recipe::DELETE,
    recipe::GROUP_DELETE,
];

const VPC: &str = "AWS.EC2/VPC";
const BUCKET: &str = "AWS.S3/Bucket";

/// How long somebody who heard nothing waits before asking again.
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// Asks until there is an answer, always under the same name.
async fn ask(stage: &Stage, type_name: &str, alias: &str, ask: Ask) -> Result<(), StoreError> {
    let Some(subject) = subject(type_name, alias) else {
        return Err(StoreError::Unavailable(format!("{type_name} is not a type")));
    };
    let submission =
        Submission { repeatability: Some(named(stage)), ..Submission::new(subject, ask) };
    let mut replica = 0;
    until_told(stage, async || {
        replica += 1;
        stage.submit(replica, submission.clone()).await
    })
    .await
}

/// The same for the group.
async fn ask_group(stage: &Stage, task: GroupTask) -> Result<(), StoreError> {
    let ask = GroupAsk {
        group: group(),
        task,
        condition: Condition::None,
        repeatability: Some(named(stage)),
        correlation_id: None,
    };
    until_told(stage, async || stage.submit_group(0, ask.clone()).await).await
}

fn named(stage: &Stage) -> Repeatability {
    Repeatability { request_id: stage.request_id(), body_hash: String::new() }
}

async fn until_told(
    stage: &Stage,
    mut once: impl AsyncFnMut() -> Option<Result<Accepted, Failure>>,
) -> Result<(), StoreError> {
    for _ in 0..10 {
        match once().await {
            Some(Ok(_)) => return stage.until_quiet(Duration::from_hours(3)).await,
            Some(Err(failure)) => return Err(StoreError::Unavailable(failure.message)),
            None => {
                tokio::time::sleep(AGAIN_AFTER).await;
                stage.revive().await?;
            }
        }
    }
    Err(StoreError::Unavailable("no replica answered in ten attempts".to_owned()))
}

fn put(properties: Value, replace: bool) -> Ask {
    Ask::Put { identifier: None, properties, secret_paths: Vec::new(), replace, adopt: None }
}

fn place() -> Place {
    Place::of_caller("42", "eu-central-1")
}

/// What a hand makes; gives its identifier.
fn made_by_hand(stage: &Stage, type_name: &str, document: &Value) -> Result<String, StoreError> {
    let made = stage
        .aws()
        .with(|world, wall| world.create_out_of_band(&place(), type_name, document, wall));
    made.map_err(|refusal| StoreError::Unavailable(refusal.message))
}

/// The resource that an alias stands for.
async fn present(stage: &Stage, type_name: &str, alias: &str) -> Result<String, StoreError> {
    let nothing = || StoreError::Unavailable(format!("{alias} maps to no resource"));
    let name = name(type_name, alias).ok_or_else(nothing)?;
    let found = stage.store().reference_find(&name).await?;
    found.and_then(|it| it.entry.identifier).ok_or_else(nothing)
}

/// How a scenario ended.
#[derive(Debug)]
pub struct Ended<'h> {
    /// All that happened.
    pub history: &'h History,
}

impl Ended<'_> {
    fn reference(&self, alias: &str) -> Option<&Reference> {
        self.history.references.iter().find(|it| it.name.alias == alias)
    }

    fn existing(&self, type_name: &str) -> Vec<&Existing> {
        self.history.resources.iter().filter(|it| it.type_name == type_name).collect()
    }

    /// The alias stands for the one resource of the type.
    fn stands_for_the_one(&self, type_name: &str, alias: &str) -> Result<(), String> {
        let reference = self.reference(alias).ok_or_else(|| format!("{alias} does not exist"))?;
        let existing: Vec<&str> =
            self.existing(type_name).iter().map(|it| it.identifier.as_str()).collect();
        let entry = &reference.entry;
        if entry.state != EntryState::Ready {
            return Err(format!("{alias} is {:?}", entry.state));
        }
        if existing != [entry.identifier.as_deref().unwrap_or_default()] {
            return Err(format!("{alias} maps to {:?} of {existing:?}", entry.identifier));
        }
        Ok(())
    }

    /// The deployment that manages an alias.
    fn manager(&self, alias: &str) -> Option<&str> {
        let manager = self.reference(alias)?.managed_by.as_ref();
        manager.map(|deployment| deployment.name.as_str())
    }

    /// How many deletions were begun on an alias.
    fn deletions(&self, alias: &str) -> usize {
        let is_one = |record: &&OperationRecord| {
            let kind = record.resource().map(|work| &work.operation.kind);
            matches!(kind, Some(Kind::Delete | Kind::Unlink))
                && record.reference().is_some_and(|name| name.alias == alias)
        };
        self.history.operations.iter().filter(is_one).count()
    }

    /// Neither the alias nor any resource of the type is there.
    fn is_gone(&self, type_name: &str, alias: &str) -> Result<(), String> {
        match (self.reference(alias), self.existing(type_name).first()) {
            (None, None) => Ok(()),
            (Some(_), _) => Err(format!("{alias} still exists")),
            (_, Some(existing)) => Err(format!("{} still exists", existing.identifier)),
        }
    }

    /// Every operation has ended well.
    fn all_succeeded(&self) -> Result<(), String> {
        for record in &self.history.operations {
            match record.ending() {
                Some(Ending::Succeeded(_)) => {}
                other => return Err(format!("{} ended as {other:?}", record.id())),
            }
        }
        Ok(())
    }
}
