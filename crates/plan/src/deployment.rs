//! A deployment: the run of a template as one operation, with a row for each resource of it.
//!
//! It writes to no cloud itself: each resource is put by an operation of its own, whose `parent` it is and
//! whose name follows from it. `advance` decides what begins next. What rows depend on is told by their places in
//! the list.

mod advance;
mod earlier_reason;
mod fresh;
mod leave;
mod member;
mod order;
mod planned;
mod remove;
mod row;
mod stating;
#[cfg(test)]
mod tests;
mod tidy;

pub use advance::{Advance, Sight, advance, ending};
pub use fresh::Fresh;
pub use leave::{Fate, Left, OnRemove, Standing, fate};
pub use member::{Detached, Holdings, Leftover, Member, members_of};
pub use order::weights;
pub use planned::{
    Found, Holding, Planned, RowPlan, differences, output_differences, scope_difference, told,
};
pub use remove::{holdings_after, removal_rows};
pub use row::{AwsRow, Removal, Row, RowKind, RowState, RowTarget, SourcePlace, Stated};
pub use stating::{Stating, stating};
pub use tidy::{Broom, Tidying, tidy};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::operation::{Ending, OperationId};
use crate::record::DeploymentName;
use crate::{Timestamp, Waiting};

/// What is done with a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeploymentTask {
    /// Make it so.
    Deploy,
    /// Tell what that would do.
    Plan,
    /// Take away all that the deployment manages, and forget it: a run of a template that names nothing.
    Destroy,
}

impl DeploymentTask {
    /// The word used in answers, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deploy => "deploy",
            Self::Plan => "plan",
            Self::Destroy => "destroy",
        }
    }
}

/// One run of a template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeploymentWork {
    /// Its name as an operation.
    pub id: OperationId,
    /// The deployment that it is a run of.
    pub deployment: DeploymentName,
    /// What is done.
    pub task: DeploymentTask,
    /// The resources of it.
    pub rows: Vec<Row>,
    /// What becomes of what the template does not name any more.
    #[serde(default)]
    pub on_remove: OnRemove,
    /// Whether it is held to a plan, and whether that was found to hold.
    #[serde(default, skip_serializing_if = "Holding::is_free")]
    pub holding: Holding,
    /// What left and has no row, and what is still to be tidied up.
    #[serde(default)]
    pub holdings: Holdings,
    /// How far it is with what was replaced and is not deleted yet.
    #[serde(default)]
    pub tidying: Tidying,
    /// What came out: outputs of a run, changes of a plan; without secrets.
    pub result: Option<Value>,
    /// Why the run itself waits, before its rows begin or after the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Looks in a row in which nothing moved; makes the wait before the next one longer.
    pub tries: u32,
    /// Whether its caller wants it stopped.
    pub cancel_requested: bool,
    /// When it was accepted.
    pub started_at: Timestamp,
    /// How it ended.
    pub ending: Option<Ending>,
}

impl DeploymentWork {
    /// A new run.
    pub fn new(
        id: OperationId,
        deployment: DeploymentName,
        task: DeploymentTask,
        rows: Vec<Row>,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            deployment,
            task,
            rows,
            on_remove: OnRemove::Keep,
            holding: Holding::Free,
            holdings: Holdings::default(),
            tidying: Tidying::default(),
            result: None,
            waiting: None,
            tries: 0,
            cancel_requested: false,
            started_at: now,
            ending: None,
        }
    }

    /// Why the run waits: its own reason, else that of the first row which waits for more than its turn.
    pub fn waits(&self) -> Option<Waiting> {
        let mut rows = self.rows.iter().filter(|row| matches!(row.state, RowState::Begun { .. }));
        let of_row = |row: &Row| row.waiting.as_ref().map(|waiting| waiting.of(&row.address));
        self.waiting.clone().or_else(|| rows.find_map(of_row))
    }
}
