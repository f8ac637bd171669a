//! Word that something has happened in a store: a reason to look, never what is to be seen.
//!
//! It is sent after the commit and may be lost, so that it can only shorten a wait.

use hangar_plan::operation::OperationId;
use hangar_plan::record::OperationRecord;
use tokio::sync::broadcast;

use crate::write::{Commit, Committed, Lease};

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

/// What is to be told of a step when it is committed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfStep {
    moved: Option<Notice>,
    /// Let go of before it waits for anything: the next one may have it at once.
    is_due: bool,
    /// The one that it is a part of is due.
    wakes: bool,
    releases: bool,
}

impl OfStep {
    /// Nothing where nobody could see a difference.
    pub(crate) fn new(commit: &Commit) -> Self {
        let record = &commit.record;
        let (ends, releases) = (record.ended_at.is_some(), commit.lease == Lease::Release);
        let moved = (commit.message.is_some() || ends).then(|| Notice::Moved(record.id()));
        let due_now = record.due_at.is_some_and(|due_at| due_at <= record.updated_at);
        let wakes = ends && record.parent.is_some();
        Self { moved, is_due: releases && due_now, wakes, releases }
    }

    pub(crate) fn told(self, committed: &Committed) -> impl Iterator<Item = Notice> + use<> {
        let due = self.is_due || self.wakes || (self.releases && committed.hastened);
        self.moved.into_iter().chain(due.then_some(Notice::Due))
    }
}
