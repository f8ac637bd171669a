//! The contract with whatever runs Terraform: a program that outlives the process which began it.
//!
//! A run has a directory of its own and at most one program at a time. What a program prints goes to a file of the
//! run, not through a pipe: it must not die because nobody listens any more, and whoever takes over reads
//! on where the last one stopped.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use hangar_plan::operation::{Failure, OperationId};
use hangar_plan::recipe::RunSight;

/// What a runner gives.
pub type RunnerAnswer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// One run of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId {
    /// The operation.
    pub operation: OperationId,
    /// Which of its runs, from 1.
    pub number: u32,
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.operation, self.number)
    }
}

impl RunId {
    /// The run of this name; nothing where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (operation, number) = text.rsplit_once('-')?;
        Some(Self { operation: OperationId::parse(operation)?, number: number.parse().ok()? })
    }
}

/// The program that runs recipes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// `terraform` or `tofu`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// What the program is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Fetch modules.
    Get,
    /// Fetch modules and providers, and set up the backend.
    Init,
    /// Make it so.
    Apply,
    /// Destroy all of it.
    Destroy,
    /// See what applying would change, and change nothing.
    Plan,
    /// Print the plan as JSON.
    Show,
}

impl Command {
    /// The word used in messages, and the name of what it prints to.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Init => "init",
            Self::Apply => "apply",
            Self::Destroy => "destroy",
            Self::Plan => "plan",
            Self::Show => "show",
        }
    }
}

/// Variables of a program's environment; they may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(pub Vec<(String, String)>);

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        write!(f, "Environment({})", names.join(", "))
    }
}

/// Files of a run by their path in its directory.
pub type Files = Vec<(String, Vec<u8>)>;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// Killed, or ended while nobody listened.
    Unheard,
}

/// What is seen of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// What it has printed since the last look.
    pub printed: Vec<u8>,
    /// How it ended, if it has. All that it printed was given by then.
    pub exit: Option<Exit>,
}

/// How hard a program is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// It finishes what it has begun, and keeps its state. Asked for again, by whoever, it is asked once: a second
    /// interrupt means [`Force::Hurry`] to Terraform.
    Interrupt,
    /// It leaves what it has begun, and keeps its state as far as it knows it.
    Hurry,
    /// It ends at once.
    Kill,
}

/// Runs Terraform.
pub trait Runner: Send + Sync + fmt::Debug {
    /// Names the place that the runs are in: nobody sees those of another one.
    fn host(&self) -> &str;

    /// The program; the failure says what to do where there is none.
    fn tool(&self) -> RunnerAnswer<'_, Tool>;

    /// Whether a program of the run still goes on.
    fn sight(&self, run: RunId) -> RunnerAnswer<'_, RunSight>;

    /// Writes files of a run, whose directory is made if it is not there; only its owner can read them.
    fn write<'a>(&'a self, run: RunId, files: &'a Files) -> RunnerAnswer<'a, ()>;

    /// One file of a run.
    fn read<'a>(&'a self, run: RunId, path: &'a str) -> RunnerAnswer<'a, Option<Vec<u8>>>;

    /// The files of a directory of a run, without those of directories in it.
    fn read_all<'a>(&'a self, run: RunId, directory: &'a str) -> RunnerAnswer<'a, Files>;

    /// Starts the program.
    fn start<'a>(
        &'a self,
        run: RunId,
        command: Command,
        environment: &'a Environment,
    ) -> RunnerAnswer<'a, ()>;

    /// What it has printed after `from` bytes, and whether it has ended.
    fn look(&self, run: RunId, command: Command, from: u64) -> RunnerAnswer<'_, Look>;

    /// Asks it to stop.
    fn stop(&self, run: RunId, force: Force) -> RunnerAnswer<'_, ()>;

    /// Removes all of a run.
    fn discard(&self, run: RunId) -> RunnerAnswer<'_, ()>;

    /// Every run that has left something here.
    fn runs(&self) -> RunnerAnswer<'_, Vec<RunId>>;
}
