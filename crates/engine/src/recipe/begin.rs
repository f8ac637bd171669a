//! Begins a run: its directory, the module, the configuration around it, and at last Terraform itself.

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_manifest::recipe::configuration::{Parts, configuration, skeleton};
use hangar_manifest::recipe::context::{Aws, Azure, Context, Kubernetes, Named, Resource};
use hangar_manifest::recipe::module::{Outline, modules_json, outline};
use hangar_plan::operation::{Failure, FailureKind, Finding};
use hangar_plan::recipe::{Run, Stage};
use hangar_plan::record::{AwsScope, Group};
use hangar_provider::{Credential, CredentialSource as _};
use hangar_store::keys::Secret;
use serde_json::{Map, Value};

use super::environment::{
    Backend, Known, SETTINGS_FILE, Surroundings, subscription_of, surroundings,
};
use super::follow::Following;
use super::runner::{Command, Exit, Files, Force, RunId};
use super::settings::{RecipeSettings, open_secrets};
use super::state::password;
use super::terms::{MODULE_DIRECTORY, RecipeSource};
use super::{Course, Next, Stopped, failure};
use crate::StoredCredentials;
use crate::hash::sha256;
use crate::read::unavailable;
use crate::redact::{collect_texts, take_out};
use crate::translate;

/// How often a program that fetches is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How much of what a failed program printed is told.
const TOLD_LINES: usize = 30;

/// What came of beginning a run.
pub(super) enum Begun {
    /// Terraform runs.
    Running(Following),
    /// It cannot be run so; nothing was changed.
    Refused(Failure),
    /// Its caller does not want it any more; nothing was changed.
    Stopped,
    /// The engine stops.
    Left,
}

/// Why Terraform was not started.
enum Halt {
    /// The engine stops: the next process begins another run.
    Left,
    For(Failure),
    Canceled,
    Stopped(Stopped),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// Begins a run.
pub(super) async fn begin(course: &mut Course<'_>) -> Result<Begun, Stopped> {
    let tool = match course.recipes.runner.tool().await {
        Ok(tool) => tool,
        Err(failure) => return Ok(Begun::Refused(failure)),
    };
    let now = course.now().await?;
    let mut work = course.work.clone();
    work.runs += 1;
    work.waiting_since = None;
    work.waiting = None;
    work.stage = Stage::Preparing;
    (work.rows, work.unlisted, work.summary) = (Vec::new(), 0, None);
    let host = course.recipes.runner.host().to_owned();
    work.run = Some(Run { number: work.runs, host, begun_at: now, heard_at: now });
    let run = RunId { operation: work.id, number: work.runs };
    course.recipe.status.tool = Some(tool.to_string());
    course.commit(work, Next::GoOn, Some(format!("run {} begins with {tool}", run.number))).await?;
    match start(course, run).await {
        Ok(following) => Ok(Begun::Running(following)),
        Err(Halt::For(failure)) => Ok(Begun::Refused(failure)),
        Err(Halt::Canceled) => Ok(Begun::Stopped),
        Err(Halt::Left) => Ok(Begun::Left),
        Err(Halt::Stopped(stopped)) => Err(stopped),
    }
}

async fn start(course: &mut Course<'_>, run: RunId) -> Result<Following, Halt> {
    let place = place(course, run).await?;
    let source = course.terms.source.parse();
    let source =
        source.map_err(|it| failure(FailureKind::Invalid, "InvalidSource", it.to_string()))?;
    // Before anything is known of the module: what fetching it needs is in the group's settings.
    let bare = place.surroundings(&[])?;
    let mut files: Files = vec![
        ("main.tf.json".to_owned(), skeleton(&source).to_string().into_bytes()),
        (SETTINGS_FILE.to_owned(), bare.settings_file.clone()),
    ];
    if let RecipeSource::Files { files: sent, .. } = &course.terms.source {
        let sent = sent.iter();
        files.extend(
            sent.map(|(path, content)| (format!("{MODULE_DIRECTORY}/{path}"), content.clone())),
        );
    }
    course.recipes.runner.write(run, &files).await?;
    let mut secrets = bare.secrets.clone();
    secrets.extend(secret_texts(course, None));
    // Modules and providers are kept for the next run in one place, which is not made for two at once.
    let turn = course.shared.recipe_fetches.acquire().await;
    fetch(course, run, Command::Get, &bare, &secrets).await?;
    let (module, nested) = outlines(course, run).await?;
    let modules: Vec<&Outline> = std::iter::once(&module).chain(&nested).collect();
    let around = place.surroundings(&modules)?;
    let given = course.terms.given();
    let context = context(course, &place);
    let parts = Parts {
        source: &source,
        module: &module,
        nested: &nested,
        parameters: &[&given],
        secret_parameters: &course.terms.secret_parameters,
        context: &context,
        providers: &around.providers,
        facts: &around.facts,
    };
    let made = configuration(&parts).map_err(|error| refused_parts(&error))?;
    let files: Files = vec![
        ("main.tf.json".to_owned(), pretty(&made.main_tf)),
        ("hangar.auto.tfvars.json".to_owned(), pretty(&made.variables)),
        (SETTINGS_FILE.to_owned(), around.settings_file.clone()),
    ];
    course.recipes.runner.write(run, &files).await?;
    let mut secrets = around.secrets.clone();
    secrets.extend(secret_texts(course, Some(&module)));
    (course.recipe.parameters, course.recipe.secret_parameters) = course.terms.shown(Some(&module));
    fetch(course, run, Command::Init, &around, &secrets).await?;
    drop(turn);
    let mut work = course.work.clone();
    if work.cancel_requested {
        return Err(Halt::Canceled);
    }
    work.stage = Stage::Applying;
    let command = course.command();
    let told = format!("{} is run", command.as_str());
    // Committed in the last moment before it starts: whoever lost the lease meanwhile does not start it.
    course.commit(work, Next::GoOn, Some(told)).await?;
    course.recipes.runner.start(run, command, &around.environment).await?;
    Ok(Following { secrets, own: true })
}

/// What is known of the group that a recipe runs for.
struct Place {
    group: Group,
    scope: Option<AwsScope>,
    credential: Option<Credential>,
    settings: RecipeSettings,
    secrets: BTreeMap<String, Secret<String>>,
    backend: Backend,
    aws: super::RecipeAws,
}

impl Place {
    fn surroundings(&self, modules: &[&Outline]) -> Result<Surroundings, Failure> {
        let known = Known {
            aws: &self.aws,
            scope: self.scope.as_ref(),
            credential: self.credential.as_ref(),
            group: &self.group,
            settings: &self.settings,
            secrets: &self.secrets,
            backend: &self.backend,
        };
        surroundings(&known, modules)
    }
}

async fn place(course: &Course<'_>, run: RunId) -> Result<Place, Halt> {
    let shared = course.shared;
    let found = shared.store.group_find(&course.recipe.name.group).await;
    let found = found.map_err(Stopped::Store)?;
    let group = found.ok_or_else(|| {
        failure(FailureKind::NotFound, "ResourceGroupNotFound", "the group is gone")
    })?;
    let scope = group.aws_scope.clone().or_else(|| shared.config.default_scope.clone());
    let credential = match &scope {
        Some(scope) => {
            let stored = StoredCredentials::new(shared.store.clone(), shared.keys.clone());
            let chosen = stored.credential(&translate::place(scope)).await;
            let chosen = chosen.map_err(|error| unavailable(&error.message))?;
            chosen.map(|it| it.credential)
        }
        None => None,
    };
    let backend = Backend {
        url: format!("{}{}/state", course.recipes.url, course.recipe.name.id()),
        lasting: course.recipes.lasting,
        user: run.to_string(),
        password: password(&shared.keys, &course.recipe.name, run),
    };
    Ok(Place {
        settings: RecipeSettings::of_group(&group),
        secrets: open_secrets(&shared.keys, &group),
        aws: course.recipes.aws.clone(),
        group,
        scope,
        credential,
        backend,
    })
}

/// What must not be told of the parameters.
fn secret_texts(course: &Course<'_>, module: Option<&Outline>) -> Vec<String> {
    let (_, secret) = course.terms.shown(module);
    let mut texts = course.terms.source.credentials();
    for value in secret.iter().filter_map(|name| course.terms.parameters.get(name)) {
        collect_texts(value, &mut texts);
    }
    texts
}

/// Runs a program that fetches to its end.
async fn fetch(
    course: &mut Course<'_>,
    run: RunId,
    command: Command,
    around: &Surroundings,
    secrets: &[String],
) -> Result<(), Halt> {
    let runner = course.recipes.runner.clone();
    runner.start(run, command, &around.environment).await?;
    let mut printed = Vec::new();
    let mut stopping = false;
    let exit = loop {
        let from = u64::try_from(printed.len()).unwrap_or(u64::MAX);
        let look = runner.look(run, command, from).await?;
        printed.extend(look.printed);
        if let Some(exit) = look.exit {
            break exit;
        }
        if course.shared.is_stopping() {
            return Err(Halt::Left);
        }
        if !stopping && course.is_stop_wanted().await {
            stopping = true;
            runner.stop(run, Force::Interrupt).await?;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    };
    match exit {
        _ if course.work.cancel_requested => Err(Halt::Canceled),
        Exit::Code(0) => Ok(()),
        Exit::Code(_) | Exit::Unheard => {
            let code =
                if command == Command::Get { "RecipeDownloadFailed" } else { "RecipeInitFailed" };
            let told = tail(&String::from_utf8_lossy(&printed));
            let told = course.terms.source.file_names().in_text(&told);
            let told = take_out(secrets.to_vec(), &told);
            let told = if told.is_empty() { "it said nothing".to_owned() } else { told };
            let message = format!("`{}` failed: {told}", command.as_str());
            Err(failure(FailureKind::Provider, code, message).into())
        }
    }
}

/// The last lines that say something, in one: Terraform draws a frame around its errors.
pub(super) fn tail(printed: &str) -> String {
    let bare = |line: &str| {
        line.trim_matches(|it: char| it.is_whitespace() || "│╷╵".contains(it)).to_owned()
    };
    let lines: Vec<String> = printed.lines().map(bare).filter(|it| !it.is_empty()).collect();
    lines[lines.len().saturating_sub(TOLD_LINES)..].join(" ")
}

/// What the module and those that it calls declare, as they were fetched.
async fn outlines(course: &Course<'_>, run: RunId) -> Result<(Outline, Vec<Outline>), Failure> {
    let runner = &course.recipes.runner;
    let odd = |what: String| failure(FailureKind::Provider, "RecipeDownloadFailed", what);
    let listed = runner.read(run, ".terraform/modules/modules.json").await?.unwrap_or_default();
    let listed: Value = serde_json::from_slice(&listed).unwrap_or_default();
    let directories = modules_json(&listed).map_err(|error| odd(error.to_string()))?;
    let module = outline_of(&runner.read_all(run, &directories.recipe).await?);
    let mut nested = Vec::new();
    for directory in &directories.nested {
        nested.push(outline_of(&runner.read_all(run, directory).await?));
    }
    Ok((module, nested))
}

fn outline_of(files: &Files) -> Outline {
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    outline(&files)
}

pub(crate) fn refused_parts(
    error: &hangar_manifest::recipe::configuration::ConfigurationError,
) -> Failure {
    let finding =
        |problem: &hangar_manifest::recipe::configuration::ConfigurationProblem| Finding {
            code: "InvalidParameter".to_owned(),
            path: "/properties/parameters".to_owned(),
            message: problem.to_string(),
        };
    Failure {
        kind: FailureKind::Invalid,
        code: "InvalidRecipeParameters".to_owned(),
        message: error.to_string(),
        findings: error.problems.iter().map(finding).collect(),
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    serde_json::to_vec_pretty(value).expect("text for keys, and numbers that print")
}

fn context(course: &Course<'_>, place: &Place) -> Context {
    let recipe = &course.recipe.name;
    let group = &place.group;
    let namespace =
        place.settings.kubernetes_namespace.clone().unwrap_or_else(|| "default".to_owned());
    let properties: Map<String, Value> = match &course.recipe.parameters {
        Value::Object(shown) => shown.clone(),
        _ => Map::new(),
    };
    let azure = group.properties.get("providers").and_then(|it| it.pointer("/azure/scope"));
    let azure = azure.and_then(Value::as_str).and_then(|scope| azure_of(scope, &recipe.id()));
    Context {
        resource: Resource {
            id: recipe.id(),
            name: recipe.name.clone(),
            kind: "Hangar.Recipes/recipes".to_owned(),
            properties,
        },
        connections: BTreeMap::new(),
        application: None,
        environment: Named { id: group.name.id(), name: group.name.group.clone() },
        kubernetes: Kubernetes { environment_namespace: namespace.clone(), namespace },
        azure,
        aws: place.scope.as_ref().map(|scope| Aws {
            region: scope.region.to_string(),
            account: scope.account.to_string(),
        }),
    }
}

fn azure_of(scope: &str, id: &str) -> Option<Azure> {
    let subscription = subscription_of(scope)?.to_owned();
    let name = scope.split('/').rfind(|it| !it.is_empty())?.to_owned();
    let hash = sha256(id).get(..13).unwrap_or_default().to_owned();
    Some(Azure {
        resource_group: Named { id: scope.to_owned(), name },
        subscription,
        resource_name_hash: hash,
    })
}
