//! Follows Terraform to its end: what it does to which resource, and a stop that waits for its own.

use std::time::Duration;

use hangar_manifest::recipe::progress::{self, Diagnostic, Severity};
use hangar_plan::recipe::{Progress, RecipeRow, RecipeWork, Stage, Summary};
use tokio::time::Instant;

use super::runner::{Exit, Force, RunId};
use super::settings::open_secrets;
use super::state::password;
use super::terms::FileNames;
use super::{Course, Next, Stopped, settle};
use crate::redact::{collect_texts, take_out};

/// How often Terraform is looked at, and how often what it does is written down.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const WRITE_EVERY: Duration = Duration::from_millis(400);
/// A run that is silent is still told to go on.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// How often the store is asked whether it is to stop.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// When Terraform, which finishes what it has begun, is told to leave it, and when it is killed.
const HURRY_AFTER: Duration = Duration::from_mins(12);
const KILL_AFTER: Duration = Duration::from_mins(14);

/// How many resources of a run are listed, and how many problems are told.
const LISTED: usize = 500;
const TOLD: usize = 20;

/// A run while it is followed.
#[derive(Default)]
pub(super) struct Following {
    /// What must not be told; found out where it is not known.
    pub(super) secrets: Vec<String>,
    /// Whether this process began it: only then does it hear how it ends.
    pub(super) own: bool,
}

impl Following {
    /// One that another process began, or that nothing is known of yet.
    pub(super) fn taken_over() -> Self {
        Self::default()
    }
}

/// How a run ended, and what it said.
pub(super) struct Outcome {
    pub(super) exit: Exit,
    pub(super) own: bool,
    /// Errors, without secrets: where, and what.
    pub(super) errors: Vec<(Option<String>, String)>,
    /// Warnings, without secrets.
    pub(super) warnings: Vec<String>,
    /// The last lines that are no JSON: Terraform itself broke.
    pub(super) noise: String,
}

/// Follows a run to its end, and settles what came of it.
pub(super) async fn follow(
    course: &mut Course<'_>,
    mut following: Following,
) -> Result<Option<Duration>, Stopped> {
    let Some(run) = course.run_id() else { return Ok(Some(Duration::ZERO)) };
    if following.secrets.is_empty() {
        following.secrets = secrets(course, run).await?;
    }
    let files = course.terms.source.file_names();
    let mut tracker = Tracker::new(course.work.clone(), following.secrets, files);
    let mut stop = Stop::default();
    let mut asked = Instant::now();
    let exit = loop {
        let look = match course.recipes.runner.look(run, course.command(), tracker.read).await {
            Ok(look) => look,
            Err(failure) => return course.put_off(&failure).await,
        };
        tracker.take(&look.printed);
        // What it printed last may be more than is read at once.
        if let Some(exit) = look.exit.filter(|_| look.printed.is_empty()) {
            break exit;
        }
        if asked.elapsed() > ASK_EVERY {
            asked = Instant::now();
            course.is_stop_wanted().await;
        }
        if course.work.cancel_requested {
            tracker.work.stage = Stage::Stopping;
            if let Err(failure) = stop.press(course, run).await {
                return course.put_off(&failure).await;
            }
        }
        if course.shared.is_stopping() {
            // It goes on by itself, and the next process follows it: whoever reads something and leaves must not
            // stop what somebody else has begun.
            let mut work = tracker.work.clone();
            work.run.clone_from(&course.work.run);
            work.cancel_requested = course.work.cancel_requested;
            return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
        }
        tracker.write(course).await?;
        if look.exit.is_none() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let work = RecipeWork { cancel_requested: course.work.cancel_requested, ..tracker.work };
    course.work = RecipeWork { stage: Stage::Recording, ..work };
    let outcome = Outcome {
        exit,
        own: following.own,
        errors: tracker.errors,
        warnings: tracker.warnings,
        noise: tracker.noise,
    };
    settle::settle(course, None, Some(outcome)).await
}

/// What must not be told of a run that somebody else began.
async fn secrets(course: &Course<'_>, run: RunId) -> Result<Vec<String>, Stopped> {
    let (_, names) = course.terms.shown(course.terms.source.outline().as_ref());
    let mut texts = course.terms.source.credentials();
    texts.push(password(&course.shared.keys, &course.recipe.name, run));
    for value in names.iter().filter_map(|name| course.terms.parameters.get(name)) {
        collect_texts(value, &mut texts);
    }
    if let Some(group) = course.shared.store.group_find(&course.recipe.name.group).await? {
        let opened = open_secrets(&course.shared.keys, &group);
        texts.extend(opened.values().map(|it| it.expose().clone()));
    }
    Ok(texts)
}

/// A stop that was asked for.
#[derive(Default)]
struct Stop {
    since: Option<Instant>,
    hurried: bool,
}

impl Stop {
    /// Asks Terraform to stop: once, in a hurry when it takes very long, and at last by force.
    async fn press(
        &mut self,
        course: &Course<'_>,
        run: RunId,
    ) -> Result<(), hangar_plan::operation::Failure> {
        let runner = &course.recipes.runner;
        match self.since {
            None => {
                self.since = Some(Instant::now());
                runner.stop(run, Force::Interrupt).await
            }
            Some(since) if since.elapsed() > KILL_AFTER => runner.stop(run, Force::Kill).await,
            Some(since) if since.elapsed() > HURRY_AFTER && !self.hurried => {
                self.hurried = true;
                runner.stop(run, Force::Hurry).await
            }
            Some(_) => Ok(()),
        }
    }
}

/// What a run has said so far.
struct Tracker {
    work: RecipeWork,
    secrets: Vec<String>,
    files: FileNames,
    /// Bytes that were read.
    read: u64,
    /// The line that is not whole yet.
    rest: Vec<u8>,
    errors: Vec<(Option<String>, String)>,
    warnings: Vec<String>,
    noise: String,
    /// What happened since it was last written down.
    news: Vec<String>,
    changed: bool,
    written: Instant,
}

impl Tracker {
    fn new(work: RecipeWork, secrets: Vec<String>, files: FileNames) -> Self {
        Self {
            work,
            secrets,
            files,
            read: 0,
            rest: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            noise: String::new(),
            news: Vec::new(),
            changed: false,
            written: Instant::now(),
        }
    }

    fn take(&mut self, printed: &[u8]) {
        self.read += u64::try_from(printed.len()).unwrap_or_default();
        self.rest.extend_from_slice(printed);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.line(String::from_utf8_lossy(&line).trim());
        }
    }

    fn line(&mut self, line: &str) {
        match progress::read(line) {
            Some(progress) => self.heard(progress),
            None if line.is_empty() => {}
            None => {
                let line = take_out(self.secrets.clone(), line);
                self.noise = super::parts::tail(&format!("{}\n{line}", self.noise));
            }
        }
    }

    fn heard(&mut self, told: progress::Progress) {
        use progress::{Progress as Told, Stage as Step};
        match told {
            Told::PlannedChange { address, action, .. } if action != "noop" && action != "read" => {
                self.row(&address, &action, Progress::Planned);
            }
            Told::Apply(step, work) => {
                let (progress, word) = match step {
                    Step::Start => (Progress::Running, Some("begins")),
                    Step::Progress => (Progress::Running, None),
                    Step::Complete => (Progress::Done, Some("done")),
                    Step::Errored => (Progress::Failed, Some("failed")),
                };
                self.row(&work.address, &work.action, progress);
                if let Some(word) = word {
                    let news = format!("{} {}: {word}", work.action, work.address);
                    self.news.push(take_out(self.secrets.clone(), &news));
                }
            }
            // Of a plan it tells what will be, at the end what was.
            Told::ChangeSummary { add, change, remove, .. } => {
                self.work.summary = Some(Summary { add, change, remove });
                self.changed = true;
            }
            Told::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            _ => {}
        }
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        let Diagnostic { severity, summary, detail, address, place } = diagnostic;
        let place = place.map(|it| format!(" ({}:{})", self.files.name(&it.file), it.line));
        let place = place.unwrap_or_default();
        let text = if detail.is_empty() { summary } else { format!("{summary}: {detail}") };
        let text = text.trim_end();
        let text = take_out(self.secrets.clone(), &format!("{text}{place}"));
        match severity {
            Severity::Error if self.errors.len() < TOLD => {
                let address = address.map(|it| take_out(self.secrets.clone(), &it));
                self.errors.push((address, text));
            }
            Severity::Warning if self.warnings.len() < TOLD => {
                let about = address.map(|it| format!("{it}: ")).unwrap_or_default();
                self.warnings.push(format!("{about}{text}"));
            }
            Severity::Error | Severity::Warning => {}
        }
    }

    /// A replacement is planned as one and done as two: its row says how far it is with the second.
    fn row(&mut self, address: &str, action: &str, progress: Progress) {
        self.changed = true;
        let address = take_out(self.secrets.clone(), address);
        let address = address.as_str();
        if let Some(row) = self.work.rows.iter_mut().find(|row| row.address == address) {
            if row.action != "replace" {
                action.clone_into(&mut row.action);
            } else if action == "delete" && progress == Progress::Done {
                row.progress = Progress::Running;
                return;
            }
            row.progress = progress;
        } else if self.work.rows.len() < LISTED {
            let (address, action) = (address.to_owned(), action.to_owned());
            self.work.rows.push(RecipeRow { address, action, progress });
        } else if progress == Progress::Planned {
            self.work.unlisted += 1;
        }
    }

    /// Writes down what is new, not too often.
    async fn write(&mut self, course: &mut Course<'_>) -> Result<(), Stopped> {
        let due = if self.changed { WRITE_EVERY } else { HEARTBEAT };
        if self.written.elapsed() < due {
            return Ok(());
        }
        let message = match self.news.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            [first, rest @ ..] => Some(format!("{first} (and {} more)", rest.len())),
        };
        let mut work = self.work.clone();
        work.run.clone_from(&course.work.run);
        work.cancel_requested = course.work.cancel_requested;
        course.commit(work, Next::GoOn, message).await?;
        (self.changed, self.written) = (false, Instant::now());
        self.news.clear();
        Ok(())
    }
}
