//! A recipe: a run of Terraform as one operation, which outlives the process that began it.
//!
//! Terraform is a program of its own: it goes on when we die, and holds the lock of its state. So the machine is
//! small: a run is written down before it is begun, with where it runs; `decide` tells what is to be done
//! from what can be seen of that run and of the lock. Whoever takes over does not guess: a run that may
//! still go on is waited for.

mod decide;
#[cfg(test)]
mod tests;

pub use decide::{Move, RUN_PATIENCE, RunSight, Sight, decide, stopped};

use serde::{Deserialize, Serialize};

use crate::operation::{Ending, OperationId};
use crate::record::RecipeName;
use crate::{Timestamp, Waiting};

/// What is done with a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecipeTask {
    /// Make it so.
    Deploy,
    /// Destroy what it made, and forget it.
    Delete,
}

impl RecipeTask {
    /// The word used in answers, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deploy => "deploy-recipe",
            Self::Delete => "delete-recipe",
        }
    }
}

/// How far a run is, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// It waits for its turn, or for the lock of the state.
    Waiting,
    /// The module and its providers are fetched.
    Preparing,
    /// Terraform changes things.
    Applying,
    /// Terraform was asked to stop and finishes what it has begun.
    Stopping,
    /// What came of it is read from the state.
    Recording,
}

impl Stage {
    /// The word used in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Preparing => "preparing",
            Self::Applying => "applying",
            Self::Stopping => "stopping",
            Self::Recording => "recording",
        }
    }
}

/// One run of Terraform, written down before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Counts from 1 in its operation. Only the current one may take the lock or write the state.
    pub number: u32,
    /// The data directory that it runs in: only there can be seen whether it still does.
    pub host: String,
    /// When it was begun.
    pub begun_at: Timestamp,
    /// When its machine last told that it goes on.
    pub heard_at: Timestamp,
}

/// How far one resource is in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// It will be changed.
    Planned,
    /// It is being changed.
    Running,
    /// It was changed.
    Done,
    /// That failed.
    Failed,
}

/// One resource that a run changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeRow {
    /// Terraform's address of it.
    pub address: String,
    /// Terraform's word for what is done (`create`, `update`, `replace`, `delete`).
    pub action: String,
    /// How far it is.
    pub progress: Progress,
}

/// How much a run changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Made.
    pub add: u64,
    /// Changed.
    pub change: u64,
    /// Destroyed.
    pub remove: u64,
}

impl Summary {
    /// Whether there was nothing to do.
    pub const fn is_empty(self) -> bool {
        self.add == 0 && self.change == 0 && self.remove == 0
    }
}

/// One run of a recipe as an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeWork {
    /// Its name as an operation.
    pub id: OperationId,
    /// The recipe.
    pub recipe: RecipeName,
    /// What is done.
    pub task: RecipeTask,
    /// How far it is.
    pub stage: Stage,
    /// The run of Terraform that was begun and has not been settled.
    pub run: Option<Run>,
    /// How many runs were begun.
    pub runs: u32,
    /// The resources that are changed; many are counted only.
    pub rows: Vec<RecipeRow>,
    /// Rows that are not listed, for there are too many.
    #[serde(default)]
    pub unlisted: u64,
    /// What was changed, once that is known.
    pub summary: Option<Summary>,
    /// Since when it has waited for a lock.
    pub waiting_since: Option<Timestamp>,
    /// Why it waits, for callers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Whether its caller wants it stopped.
    pub cancel_requested: bool,
    /// When it was accepted.
    pub started_at: Timestamp,
    /// How it ended.
    pub ending: Option<Ending>,
}

impl RecipeWork {
    /// A new run.
    pub fn new(id: OperationId, recipe: RecipeName, task: RecipeTask, now: Timestamp) -> Self {
        Self {
            id,
            recipe,
            task,
            stage: Stage::Waiting,
            run: None,
            runs: 0,
            rows: Vec::new(),
            unlisted: 0,
            summary: None,
            waiting_since: None,
            waiting: None,
            cancel_requested: false,
            started_at: now,
            ending: None,
        }
    }
}
