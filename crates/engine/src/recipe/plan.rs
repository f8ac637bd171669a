//! Plans a recipe: what a run of it would change, as Terraform tells it.
//!
//! Invariant: a plan changes nothing. Terraform works on a copy of the state in a directory of the plan's own, which is
//! removed at the end; it takes no lock and does not reach the state that is kept.

use std::time::Duration;

use hangar_manifest::recipe::configuration::skeleton;
use hangar_manifest::recipe::plan::{AttributeChange, Plan, ResourceChange, Values, read};
use hangar_plan::operation::{Failure, FailureKind, OperationId};
use hangar_plan::record::{AwsScope, RecipeName};
use hangar_store::keys::Secret;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::environment::Surroundings;
use super::parts::{
    NoPlace, Place, configured, final_files, first_files, outlines, secret_texts, tail,
};
use super::runner::{Command, Exit, Force, RunId, Runner};
use super::state::current;
use super::terms::RecipeTerms;
use super::{Recipes, failure};
use crate::engine::Shared;
use crate::read::unavailable;
use crate::redact::take_out;

/// How often a program is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How long each of Terraform's commands may take.
const COMMAND_WITHIN: Duration = Duration::from_mins(15);

/// A plan as JSON holds the state and more.
const MOST_PRINTED: usize = 256 << 20;

/// How many resources of a plan are listed.
const LISTED: usize = 500;

/// Where Terraform's local backend looks for the state.
const STATE_FILE: &str = "terraform.tfstate";

/// What a run of a recipe would change.
#[derive(Debug, Clone)]
pub(crate) struct PlannedRecipe {
    /// The resources, as callers read them; no secret is in them.
    pub(crate) changes: Vec<Value>,
    /// How many more there are.
    pub(crate) unlisted: usize,
    /// Whether an output would change.
    pub(crate) changes_outputs: bool,
}

impl PlannedRecipe {
    /// Whether nothing would change.
    pub(crate) const fn is_empty(&self) -> bool {
        self.changes.is_empty() && !self.changes_outputs
    }
}

/// Plans a recipe of a group. `operation` names the plan's directory; no operation of that name has to exist.
///
/// # Errors
///
/// A failure of the kind [`FailureKind::Unavailable`] says why it cannot be planned here; any other one, why a run would
/// fail, too.
pub(crate) async fn plan(
    shared: &Shared,
    name: &RecipeName,
    terms: &RecipeTerms,
    operation: OperationId,
) -> Result<PlannedRecipe, Failure> {
    let Some(recipes) = &shared.config.recipes else {
        return Err(unavailable("this control plane does not run recipes"));
    };
    let runner = &*recipes.runner;
    runner.tool().await?;
    // The runs of an operation begin with 1.
    let run = RunId { operation, number: 0 };
    let place = Place::of_group(shared, recipes, name, run).await.map_err(|why| match why {
        NoPlace::Store(error) => unavailable(&error.to_string()),
        NoPlace::For(failure) => failure,
    })?;
    let away = |error: hangar_store::StoreError| unavailable(&error.to_string());
    let record = shared.store.recipe_find(name).await.map_err(away)?;
    let state = current(&*shared.store, &shared.keys, name).await?;
    if state.is_none() && record.is_some_and(|record| record.status.has_state) {
        let message = "its Terraform state is missing; push it again with `hangar recipe state \
                       push`";
        return Err(failure(FailureKind::Conflict, "StateMissing", message));
    }
    let _turn = shared.recipe_plans.acquire().await;
    // What it leaves is not swept away before its end.
    let _driving = shared.recipe_runs.begin(operation);
    let planning = Planning {
        runner,
        run,
        place: &place,
        fetches: &shared.recipe_fetches,
        is_stopping: &|| shared.is_stopping(),
    };
    let planned = planning.perform(name, terms, state).await;
    if let Err(failure) = runner.discard(run).await {
        tracing::warn!(run = %run, error = failure.message, "cannot delete the files of a plan; trying again later");
    }
    planned
}

/// Plans a recipe of a group that does not exist, in the runner's own directory.
///
/// # Errors
///
/// As of [`plan`].
pub(crate) async fn plan_new(
    recipes: &Recipes,
    scope: Option<&AwsScope>,
    name: &RecipeName,
    terms: &RecipeTerms,
    operation: OperationId,
) -> Result<PlannedRecipe, Failure> {
    let runner = &*recipes.runner;
    runner.tool().await?;
    let run = RunId { operation, number: 0 };
    let place = Place::of_new_group(recipes, &name.group, scope);
    let fetches = Semaphore::new(1);
    let planning =
        Planning { runner, run, place: &place, fetches: &fetches, is_stopping: &|| false };
    let planned = planning.perform(name, terms, None).await;
    runner.discard(run).await?;
    planned
}

/// One plan while it is made.
struct Planning<'a> {
    runner: &'a dyn Runner,
    run: RunId,
    place: &'a Place,
    fetches: &'a Semaphore,
    is_stopping: &'a (dyn Fn() -> bool + Sync),
}

impl Planning<'_> {
    async fn perform(
        &self,
        name: &RecipeName,
        terms: &RecipeTerms,
        state: Option<Secret<Vec<u8>>>,
    ) -> Result<PlannedRecipe, Failure> {
        let Self { runner, run, place, .. } = *self;
        // An earlier look was cut off.
        runner.discard(run).await?;
        let source = terms.source.parse();
        let source =
            source.map_err(|it| failure(FailureKind::Invalid, "InvalidSource", it.to_string()))?;
        let bare = place.surroundings(&[])?;
        let mut main_tf = skeleton(&source);
        keep_state_here(&mut main_tf);
        runner.write(run, &first_files(terms, &main_tf, &bare)).await?;
        let mut secrets = bare.secrets.clone();
        secrets.extend(secret_texts(terms, None));
        let turn = self.fetches.acquire().await;
        self.run_command(Command::Get, &bare, terms, &secrets).await?;
        let fetched = outlines(runner, run).await?;
        let around = place.surroundings(&fetched.all())?;
        let (shown, _) = terms.shown(terms.source.outline().as_ref());
        let context = place.context(name, &shown);
        let mut made = configured(terms, &source, &fetched, &around, &context)?;
        keep_state_here(&mut made.main_tf);
        let mut files = final_files(&made, &around);
        files.extend(state.map(|state| (STATE_FILE.to_owned(), state.expose().clone())));
        runner.write(run, &files).await?;
        let mut secrets = around.secrets.clone();
        secrets.extend(secret_texts(terms, Some(&fetched.module)));
        self.run_command(Command::Init, &around, terms, &secrets).await?;
        drop(turn);
        self.run_command(Command::Plan, &around, terms, &secrets).await?;
        let printed = self.run_command(Command::Show, &around, terms, &secrets).await?;
        let odd = || {
            let message = "Terraform's plan has an unknown format";
            failure(FailureKind::Unavailable, "RecipePlanUnreadable", message)
        };
        let document = printed.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"{"));
        let document: Value =
            serde_json::from_slice(document.ok_or_else(odd)?).map_err(|_| odd())?;
        let plan = read(&document).map_err(|_| odd())?;
        Ok(told(&plan, &secrets))
    }

    /// Runs a command to its end; gives what it printed.
    async fn run_command(
        &self,
        command: Command,
        around: &Surroundings,
        terms: &RecipeTerms,
        secrets: &[String],
    ) -> Result<Vec<u8>, Failure> {
        let Self { runner, run, .. } = *self;
        runner.start(run, command, &around.environment).await?;
        let until = Instant::now() + COMMAND_WITHIN;
        let mut printed = Vec::new();
        let mut ended = None;
        let exit = loop {
            let from = u64::try_from(printed.len()).unwrap_or(u64::MAX);
            let look = runner.look(run, command, from).await?;
            let is_all = look.printed.is_empty();
            printed.extend(look.printed);
            ended = ended.or(look.exit);
            match ended {
                Some(exit) if is_all => break exit,
                _ if printed.len() > MOST_PRINTED || Instant::now() > until => {
                    runner.stop(run, Force::Kill).await?;
                    let message =
                        format!("`{}` took too long or printed too much", command.as_str());
                    return Err(unavailable(&message));
                }
                _ if (self.is_stopping)() => {
                    runner.stop(run, Force::Kill).await?;
                    return Err(unavailable("the control plane is stopping"));
                }
                Some(_) => {}
                None => tokio::time::sleep(LOOK_EVERY).await,
            }
        };
        if exit == Exit::Code(0) {
            return Ok(printed);
        }
        let said = tail(&String::from_utf8_lossy(&printed));
        let said = terms.source.file_names().in_text(&said);
        let said = take_out(secrets.to_vec(), &said);
        let said = if said.is_empty() { "it printed nothing".to_owned() } else { said };
        let message = format!("`{}` failed: {said}", command.as_str());
        Err(failure(FailureKind::Provider, "RecipePlanFailed", message))
    }
}

/// Has Terraform keep the state in its own directory.
fn keep_state_here(main_tf: &mut Value) {
    if let Some(Value::Object(terraform)) = main_tf.get_mut("terraform") {
        terraform.remove("backend");
    }
}

/// A plan as callers read it, without any of the secrets.
fn told(plan: &Plan, secrets: &[String]) -> PlannedRecipe {
    let listed = plan.changes.iter().take(LISTED);
    PlannedRecipe {
        changes: listed.map(|change| resource_change(change, secrets)).collect(),
        unlisted: plan.changes.len().saturating_sub(LISTED),
        changes_outputs: plan.changes_outputs,
    }
}

fn resource_change(change: &ResourceChange, secrets: &[String]) -> Value {
    let changed = change.changed.iter().map(|part| attribute_change(part, secrets));
    json!({
        "address": take_out(secrets.to_vec(), &change.address),
        "type": change.kind,
        "action": change.action.as_str(),
        "changed": changed.collect::<Vec<_>>(),
    })
}

fn attribute_change(change: &AttributeChange, secrets: &[String]) -> Value {
    let mut told = Map::new();
    let name = change.name.replace('~', "~0").replace('/', "~1");
    told.insert("path".to_owned(), format!("/{name}").into());
    let mut tell = |name: &str, value: &Option<Value>| {
        if let Some(value) = value {
            told.insert(name.to_owned(), without_secrets(value, secrets));
        }
    };
    match &change.values {
        Values::Known { before, after } => {
            tell("before", before);
            tell("after", after);
        }
        Values::Unknown { before, because } => {
            tell("before", before);
            told.insert("unknown".to_owned(), (*because).into());
        }
        Values::Secret => drop(told.insert("secret".to_owned(), true.into())),
    }
    if change.forces_replacement {
        told.insert("requiresReplacement".to_owned(), true.into());
    }
    Value::Object(told)
}

/// A value whose texts hold none of the secrets.
fn without_secrets(value: &Value, secrets: &[String]) -> Value {
    match value {
        Value::String(text) => take_out(secrets.to_vec(), text).into(),
        Value::Array(items) => items.iter().map(|item| without_secrets(item, secrets)).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, item)| {
                (take_out(secrets.to_vec(), name), without_secrets(item, secrets))
            });
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}
