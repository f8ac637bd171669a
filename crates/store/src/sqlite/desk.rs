//! The connection that writes, and what is done with it: one transaction for the jobs that came
//! together, one savepoint for each job, so that a refusal touches no other job, one sync of the disk
//! for all.
//!
//! Nobody is answered before the commit: if it fails, every job of it fails, the refused ones too,
//! because what they were refused for may be what was lost.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hangar_plan::Timestamp;
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use super::database::Database;
use super::fault::fault;
use super::file::BUSY_FOR;
use crate::StoreError;
use crate::clock::StoreTime;
use crate::error::Refusal;

/// How long emptying the log may wait for readers; they are quick, and there is a next time.
const SETTLE_WAITS: Duration = Duration::from_millis(100);

const CLOCK_KEEP: &str = "UPDATE clock SET latest_at = ?1 WHERE id = 1 AND latest_at < ?1";

/// A job in its transaction.
pub(super) struct Writing<'c> {
    pub(super) database: Database<'c>,
    /// The store's time; one for the whole job.
    pub(super) now: Timestamp,
}

/// What becomes of what a job did.
pub(super) enum Fate {
    /// It stays.
    Keep,
    /// It goes: the job refused, or panicked.
    Undo,
    /// It goes: the store failed.
    Fail(StoreError),
}

pub(super) trait Job: Send {
    /// Does the work and holds the result back.
    fn run(&mut self, writing: &Writing<'_>) -> Fate;

    /// Tells the caller, after the commit, what came of it.
    fn answer(self: Box<Self>, lost: Option<&StoreError>);
}

pub(super) struct Pending<F, T, E> {
    work: Option<F>,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Pending<F, T, E> {
    /// A job that does `work` and answers by `reply`.
    pub(super) fn new(work: F, reply: oneshot::Sender<Result<T, E>>) -> Self {
        Self { work: Some(work), result: None, reply }
    }
}

impl<F, T, E> Job for Pending<F, T, E>
where
    F: FnOnce(&Writing<'_>) -> Result<T, E> + Send,
    T: Send,
    E: Refusal + Send,
{
    fn run(&mut self, writing: &Writing<'_>) -> Fate {
        self.result = self.work.take().map(|work| work(writing));
        match &self.result {
            Some(Ok(_)) => Fate::Keep,
            Some(Err(refusal)) => refusal.store_error().cloned().map_or(Fate::Undo, Fate::Fail),
            None => Fate::Undo,
        }
    }

    fn answer(self: Box<Self>, lost: Option<&StoreError>) {
        let result = match (lost, self.result) {
            (Some(lost), _) => Err(lost.clone().into()),
            (None, Some(result)) => result,
            (None, None) => {
                let why = "internal error: the write panicked and was rolled back".to_owned();
                Err(StoreError::Unavailable(why).into())
            }
        };
        // The caller may have gone; the work is done all the same.
        let _ = self.reply.send(result);
    }
}

/// The one connection that writes.
pub(super) struct Desk {
    connection: Connection,
    time: Arc<StoreTime>,
    /// Since when there is something in the log that the file does not have.
    unsettled_since: Option<Instant>,
}

impl Desk {
    pub(super) fn new(connection: Connection, time: Arc<StoreTime>) -> Self {
        Self { connection, time, unsettled_since: None }
    }

    /// For how long the log has held something that the file does not have.
    pub(super) fn unsettled_for(&self) -> Option<Duration> {
        self.unsettled_since.map(|since| since.elapsed())
    }

    /// Commits jobs in one transaction, and then answers them.
    pub(super) fn commit_together(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let lost = self.transact(&mut jobs).err();
        if !self.connection.is_autocommit() {
            // Whatever cannot be undone now is undone by the next opening of the log.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        if let Some(lost) = &lost {
            tracing::error!(error = %lost, jobs = jobs.len(), "a commit of the store failed");
        }
        for job in jobs {
            job.answer(lost.as_ref());
        }
    }

    fn transact(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        self.say("BEGIN IMMEDIATE")?;
        let before = self.connection.total_changes();
        for job in jobs {
            self.run_apart(job.as_mut())?;
        }
        // A claim that finds nothing must not cost a sync of the disk.
        if self.connection.total_changes() != before {
            let latest = self.time.now().as_micros();
            Database(&self.connection).change(CLOCK_KEEP, params![latest])?;
            self.unsettled_since.get_or_insert_with(Instant::now);
        }
        self.say("COMMIT")
    }

    /// Runs one job in a savepoint, and undoes what it did if it refuses or panics.
    fn run_apart(&self, job: &mut dyn Job) -> Result<(), StoreError> {
        self.say("SAVEPOINT job")?;
        let writing = Writing { database: Database(&self.connection), now: self.time.now() };
        let fate = catch_unwind(AssertUnwindSafe(|| job.run(&writing))).unwrap_or(Fate::Undo);
        if self.connection.is_autocommit() {
            // SQLite gives the whole transaction up when the disk is full or fails.
            return Err(match fate {
                Fate::Fail(error) => error,
                Fate::Keep | Fate::Undo => {
                    StoreError::Unavailable("the commit was lost".to_owned())
                }
            });
        }
        if !matches!(fate, Fate::Keep) {
            self.say("ROLLBACK TO job")?;
        }
        self.say("RELEASE job")
    }

    fn say(&self, sql: &str) -> Result<(), StoreError> {
        Database(&self.connection).change(sql, []).map(drop)
    }

    pub(super) fn settle_quietly(&mut self) {
        if let Err(error) = self.settle() {
            tracing::debug!(%error, "the log of the store is not truncated yet");
            // Once more when it has been idle again, or busy for long.
            self.unsettled_since = Some(Instant::now());
        }
    }

    /// Empties the log into the file.
    pub(super) fn settle(&mut self) -> Result<(), StoreError> {
        let empty = |connection: &Connection| {
            connection.busy_timeout(SETTLE_WAITS)?;
            let busy = connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
            connection.busy_timeout(BUSY_FOR)?;
            busy
        };
        if empty(&self.connection).map_err(fault)? {
            return Err(StoreError::Unavailable("a reader still needs the log".to_owned()));
        }
        self.unsettled_since = None;
        Ok(())
    }
}
