//! Word that something has happened in a store: a reason to look, never what is to be seen.
//!
//! It is sent after the commit and may be lost, so that it can only shorten a wait.

use hangar_plan::operation::OperationId;
use hangar_plan::record::OperationRecord;
use tokio::sync::broadcast;

use crate::write::{Commit, Lease};

/// As many as one who listens may be behind; then it hears that it has missed some.
const KEPT: usize = 4096;

/// Something has happened in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notice {
    /// An operation may be due.
    Due,
    /// Something happened to an operation.
    Moved(OperationId),
}

/// Tells those who listen.
#[derive(Debug)]
pub(crate) struct Notices(broadcast::Sender<Notice>);

impl Default for Notices {
    fn default() -> Self {
        Self(broadcast::channel(KEPT).0)
    }
}

impl Notices {
    pub(crate) fn listen(&self) -> broadcast::Receiver<Notice> {
        self.0.subscribe()
    }

    pub(crate) fn tell(&self, notices: impl IntoIterator<Item = Notice>) {
        for notice in notices {
            // Nobody may be listening.
            let _ = self.0.send(notice);
        }
    }
}

/// What is told of an operation that was accepted, or whose stop is wanted.
pub(crate) fn of_wanted(record: &OperationRecord) -> [Notice; 2] {
    [Notice::Moved(record.id()), Notice::Due]
}

/// What is told of a step: nothing where nobody could see a difference.
pub(crate) fn of_commit(commit: &Commit) -> impl IntoIterator<Item = Notice> + use<> {
    let record = &commit.record;
    let seen = commit.message.is_some() || record.ended_at.is_some();
    let moved = seen.then(|| Notice::Moved(record.id()));
    // Let go of before it waits for anything: the next one may have it at once.
    let due_now = record.due_at.is_some_and(|due_at| due_at <= record.updated_at);
    let due = (commit.lease == Lease::Release && due_now).then_some(Notice::Due);
    moved.into_iter().chain(due)
}
