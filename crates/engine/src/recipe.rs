//! Drives a recipe: one run of Terraform, begun, followed and settled, whoever dies in between.
//!
//! Invariant: a run is written down before it is begun; only the run that is written down may touch the state.

mod begin;
mod check;
mod driven;
mod environment;
mod follow;
mod left;
mod local;
mod parts;
mod plan;
mod runner;
mod settings;
mod settle;
mod state;
mod status;
mod sweep;
mod terms;

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::operation::{Ending, Failure, FailureKind};
use hangar_plan::recipe::{Move, RecipeTask, RecipeWork, RunSight, Sight, decide};
use hangar_plan::record::{OperationRecord, RecipeRecord, Work};
use hangar_plan::{Timestamp, WaitCode, WaitReason};
use hangar_store::{
    Commit, DeploymentChange, GroupChange, Lease, RecipeChange, ReferenceChange, StoreError,
};

pub use check::recipe_problems;
pub use environment::RecipeAws;
pub use local::{LocalOptions, LocalRunner};
pub use runner::{
    Command, Environment, Exit, Files, Force, Look, RunId, Runner, RunnerAnswer, Tool,
};
pub use settings::{ProviderMirror, RECIPE_CONFIG, RecipeSettings, Setting, seal_secret};
pub use state::{STATE_LIMIT, StateContent, StateRefused};
pub use terms::{RecipeSource, RecipeTerms};

pub(crate) use check::directory;
pub(crate) use driven::Driven;
pub(crate) use plan::{PlannedRecipe, plan, plan_new};
pub(crate) use state::{admitted, current, of_number, write};
pub(crate) use status::secrets_of;
pub(crate) use sweep::run as sweep;
pub(crate) use terms::KeptTerms;

use crate::drive::{self, Stopped};
use crate::engine::Shared;

/// How an engine runs recipes.
#[derive(Debug, Clone)]
pub struct Recipes {
    /// What runs Terraform.
    pub runner: Arc<dyn Runner>,
    /// Where our API answers, with its base path: runs keep their state there.
    pub url: String,
    /// Whether it answers there again after a restart: a run whose server is away waits for it then.
    pub lasting: bool,
    /// Which AWS there is.
    pub aws: RecipeAws,
}

/// How long an operation that cannot be driven here is left alone.
const LEAVE_FOR: Duration = Duration::from_secs(10);

/// One recipe's operation while it is driven.
struct Course<'a> {
    shared: &'a Arc<Shared>,
    recipes: &'a Recipes,
    work: RecipeWork,
    record: OperationRecord,
    recipe: RecipeRecord,
    terms: RecipeTerms,
}

/// What becomes of an operation with a commit.
enum Next {
    /// Its worker goes on.
    GoOn,
    /// Its worker goes on, and the recipe is now this.
    GoOnWith(Box<RecipeRecord>),
    /// Its worker lets go, and somebody looks again after a while.
    LookAfter(Duration),
    /// It has ended.
    End(RecipeChange),
}

/// Drives a recipe's operation; says when it is due again.
pub(crate) async fn drive(
    shared: &Arc<Shared>,
    work: RecipeWork,
    record: OperationRecord,
) -> Option<Duration> {
    let kept = record.clone();
    let _driving = shared.recipe_runs.begin(work.id);
    match prepared(shared, work, record).await {
        Ok(mut course) => {
            let driven = run(&mut course).await;
            drive::due_after(shared, course.record, driven).await
        }
        Err(stopped) => drive::due_after(shared, kept, stopped).await,
    }
}

/// The course of an operation whose recipe and terms are there; else what became of it.
async fn prepared(
    shared: &Arc<Shared>,
    work: RecipeWork,
    record: OperationRecord,
) -> Result<Course<'_>, Result<Option<Duration>, Stopped>> {
    let found = shared.store.recipe_find(&work.recipe).await;
    let found = found.map_err(|error| Err(Stopped::Store(error)))?;
    let recipe = found.filter(|it| it.operation == work.id);
    let kept = recipe.as_ref().and_then(|it| KeptTerms::open(&shared.keys, &it.name, &it.sealed));
    match (recipe, kept, &shared.config.recipes) {
        (Some(recipe), Some(kept), Some(recipes)) => {
            let terms = kept.of(work.task).clone();
            Ok(Course { shared, recipes, work, record, recipe, terms })
        }
        // Another replica may run recipes.
        (Some(_), Some(_), None) => Err(Ok(leave(shared, record).await)),
        (Some(_), None, _) => {
            let message = "the stored inputs of the recipe cannot be decrypted; deploy it again";
            Err(give_up(
                shared,
                work,
                record,
                failure(FailureKind::Internal, "RecipeLost", message),
            )
            .await)
        }
        (None, ..) => {
            let message = "the recipe no longer exists";
            Err(give_up(
                shared,
                work,
                record,
                failure(FailureKind::NotFound, "RecipeGone", message),
            )
            .await)
        }
    }
}

fn failure(kind: FailureKind, code: &str, message: impl Into<String>) -> Failure {
    Failure { kind, code: code.to_owned(), message: message.into(), findings: Vec::new() }
}

async fn leave(shared: &Shared, mut record: OperationRecord) -> Option<Duration> {
    let now = shared.store.now().await.ok()?;
    record.due_at = Some(now.after(LEAVE_FOR));
    let commit = commit_of(record, RecipeChange::Keep, Lease::Release, None);
    shared.store.operation_commit(commit).await.ok()?;
    Some(LEAVE_FOR)
}

/// Ends an operation that has nothing to run.
async fn give_up(
    shared: &Arc<Shared>,
    mut work: RecipeWork,
    mut record: OperationRecord,
    failure: Failure,
) -> Result<Option<Duration>, Stopped> {
    let message = format!("failed: {}: {}", failure.code, failure.message);
    let ending = Ending::Failed(failure);
    let now = shared.store.now().await?;
    drive::count_end(shared, work.task.as_str(), &ending);
    work.ending = Some(ending);
    record.work = Work::Recipe(Box::new(work));
    (record.updated_at, record.ended_at, record.due_at) = (now, Some(now), None);
    let commit = commit_of(record, RecipeChange::Keep, Lease::Release, Some(message));
    drive::write(shared, commit).await?;
    Ok(None)
}

fn commit_of(
    record: OperationRecord,
    recipe: RecipeChange,
    lease: Lease,
    message: Option<String>,
) -> Commit {
    Commit {
        record,
        reference: ReferenceChange::Keep,
        deployment: DeploymentChange::Keep,
        recipe,
        group: GroupChange::Keep,
        lease,
        message,
    }
}

/// Looks, decides and does it, until it has to wait or has ended.
async fn run(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    loop {
        let now = course.now().await?;
        let state = course.shared.store.state_head(&course.recipe.name).await?;
        let sight = match course.sight().await {
            Ok(run) => run,
            Err(failure) => return course.put_off(&failure).await,
        };
        let expects_state = course.recipe.status.has_state;
        match decide(&course.work, &Sight { state: &state, run: sight, expects_state }, now) {
            Move::Begin if course.shared.is_stopping() => {
                let work = course.work.clone();
                return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
            }
            Move::Begin => match begin::begin(course).await? {
                begin::Begun::Running(started) => return follow::follow(course, started).await,
                begin::Begun::Refused(failure) => {
                    return settle::settle(course, Some(failure), None).await;
                }
                begin::Begun::Stopped => return settle::settle(course, None, None).await,
                begin::Begun::Left => {
                    let work = course.work.clone();
                    return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
                }
            },
            Move::Follow => return follow::follow(course, follow::Following::taken_over()).await,
            Move::Recover => settle::recover(course).await?,
            Move::Wait { after, why } => {
                let mut work = course.work.clone();
                let since = *work.waiting_since.get_or_insert(now);
                let reason = WaitReason::new(WaitCode::StateLocked, why.clone());
                work.waiting = Some(reason.since(since, Some(now.after(after)), 0));
                return course.commit(work, Next::LookAfter(after), Some(why)).await;
            }
            Move::End(ending) => return settle::end(course, ending).await,
        }
    }
}

impl Course<'_> {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.shared.store.now().await
    }

    /// The run that is written down.
    fn run_id(&self) -> Option<RunId> {
        let run = self.work.run.as_ref()?;
        Some(RunId { operation: self.work.id, number: run.number })
    }

    /// What can be seen of the run that is written down.
    async fn sight(&self) -> Result<RunSight, Failure> {
        let runner = &self.recipes.runner;
        match (&self.work.run, self.run_id()) {
            (Some(run), Some(_)) if run.host != runner.host() => Ok(RunSight::Elsewhere),
            (Some(_), Some(id)) => runner.sight(id).await,
            _ => Ok(RunSight::None),
        }
    }

    /// Whether its caller wants it stopped, as the store has it now.
    async fn is_stop_wanted(&mut self) -> bool {
        if !self.work.cancel_requested
            && let Ok(Some(kept)) = self.shared.store.operation_find(self.work.id).await
        {
            self.work.cancel_requested = kept.is_stop_wanted();
        }
        self.work.cancel_requested
    }

    /// The machine does not do as it is told: somebody tries again.
    async fn put_off(&mut self, failure: &Failure) -> Result<Option<Duration>, Stopped> {
        let work = self.work.clone();
        let message = format!("{}: {}", failure.code, failure.message);
        self.commit(work, Next::LookAfter(LEAVE_FOR), Some(message)).await
    }

    /// Writes what is true now; says when it is due again, where its worker lets go.
    async fn commit(
        &mut self,
        mut work: RecipeWork,
        next: Next,
        message: Option<String>,
    ) -> Result<Option<Duration>, Stopped> {
        let now = self.now().await?;
        if let Some(run) = work.run.as_mut().filter(|it| it.host == self.recipes.runner.host()) {
            run.heard_at = now;
        }
        let mut record = self.record.clone();
        record.work = Work::Recipe(Box::new(work.clone()));
        record.updated_at = now;
        let (lease, due_at, again_in, recipe) = match next {
            Next::GoOn => (Lease::Keep, Some(now), None, RecipeChange::Keep),
            Next::GoOnWith(recipe) => (Lease::Keep, Some(now), None, RecipeChange::Save(recipe)),
            Next::LookAfter(span) => {
                (Lease::Release, Some(now.after(span)), Some(span), RecipeChange::Keep)
            }
            Next::End(change) => {
                record.ended_at = Some(now);
                (Lease::Release, None, None, change)
            }
        };
        record.due_at = due_at;
        let commit = commit_of(record.clone(), recipe, lease, message.clone());
        let committed = drive::write(self.shared, commit).await?;
        self.record = record;
        self.record.version = committed.version;
        self.work = work;
        self.work.cancel_requested |= committed.cancel_requested;
        if let Some(message) = message {
            tracing::info!(
                operation.id = %self.work.id,
                operation.kind = self.work.task.as_str(),
                resource.id = self.work.recipe.id(),
                lease.epoch = self.record.epoch.0,
                "{message}"
            );
        }
        if let Some(ending) = &self.work.ending {
            drive::count_end(self.shared, self.work.task.as_str(), ending);
        }
        Ok(again_in)
    }

    /// What Terraform is run for.
    fn command(&self) -> Command {
        match self.work.task {
            RecipeTask::Deploy => Command::Apply,
            RecipeTask::Delete => Command::Destroy,
        }
    }
}
