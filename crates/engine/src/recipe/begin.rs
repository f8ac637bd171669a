//! Begins a run: its directory, the module, the configuration around it, and at last Terraform itself.

use std::time::Duration;

use hangar_manifest::recipe::configuration::skeleton;
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::recipe::{Run, Stage};

use super::environment::Surroundings;
use super::follow::Following;
use super::parts::{
    NoPlace, Place, configured, final_files, first_files, outlines, secret_texts, tail,
};
use super::runner::{Command, Exit, Force, RunId};
use super::{Course, Next, Stopped, failure};
use crate::redact::take_out;

/// How often a program that fetches is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

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

impl From<NoPlace> for Halt {
    fn from(why: NoPlace) -> Self {
        match why {
            NoPlace::Store(error) => Self::Stopped(Stopped::Store(error)),
            NoPlace::For(failure) => Self::For(failure),
        }
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
    course.commit(work, Next::GoOn, Some(format!("run {} starts with {tool}", run.number))).await?;
    match start(course, run).await {
        Ok(following) => Ok(Begun::Running(following)),
        Err(Halt::For(failure)) => Ok(Begun::Refused(failure)),
        Err(Halt::Canceled) => Ok(Begun::Stopped),
        Err(Halt::Left) => Ok(Begun::Left),
        Err(Halt::Stopped(stopped)) => Err(stopped),
    }
}

async fn start(course: &mut Course<'_>, run: RunId) -> Result<Following, Halt> {
    let place = Place::of_group(course.shared, course.recipes, &course.recipe.name, run).await?;
    let source = course.terms.source.parse();
    let source =
        source.map_err(|it| failure(FailureKind::Invalid, "InvalidSource", it.to_string()))?;
    // Before anything is known of the module: what fetching it needs is in the group's settings.
    let bare = place.surroundings(&[])?;
    let files = first_files(&course.terms, &skeleton(&source), &bare);
    course.recipes.runner.write(run, &files).await?;
    let mut secrets = bare.secrets.clone();
    secrets.extend(secret_texts(&course.terms, None));
    // Modules and providers are kept for the next run in one place, which is not made for two at once.
    let turn = course.shared.recipe_fetches.acquire().await;
    fetch(course, run, Command::Get, &bare, &secrets).await?;
    let fetched = outlines(&*course.recipes.runner, run).await?;
    let around = place.surroundings(&fetched.all())?;
    let recipe = &course.recipe;
    let context = place.context(&recipe.name, &recipe.parameters);
    let made = configured(&course.terms, &source, &fetched, &around, &context)?;
    let files = final_files(&made, &around);
    course.recipes.runner.write(run, &files).await?;
    let module = fetched.module;
    let mut secrets = around.secrets.clone();
    secrets.extend(secret_texts(&course.terms, Some(&module)));
    (course.recipe.parameters, course.recipe.secret_parameters) = course.terms.shown(Some(&module));
    fetch(course, run, Command::Init, &around, &secrets).await?;
    drop(turn);
    let mut work = course.work.clone();
    if work.cancel_requested {
        return Err(Halt::Canceled);
    }
    work.stage = Stage::Applying;
    let command = course.command();
    let told = format!("running `{}`", command.as_str());
    // Committed in the last moment before it starts: whoever lost the lease meanwhile does not start it.
    course.commit(work, Next::GoOn, Some(told)).await?;
    course.recipes.runner.start(run, command, &around.environment).await?;
    Ok(Following { secrets, own: true })
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
            let told = if told.is_empty() { "it printed nothing".to_owned() } else { told };
            let message = format!("`{}` failed: {told}", command.as_str());
            Err(failure(FailureKind::Provider, code, message).into())
        }
    }
}
