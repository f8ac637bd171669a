//! The one thread that writes. What waits together is committed together: one transaction, one
//! savepoint for each job, so that a refusal touches no other job, one sync of the disk for all.
//!
//! Nobody is answered before the commit: if it fails, every job of it fails, the refused ones too,
//! because what they were refused for may be what was lost.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hangar_plan::Timestamp;
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use super::database::Database;
use super::fault::fault;
use super::file::BUSY_FOR;
use super::queue::{AbandonAtEnd, Next, Queue};
use crate::StoreError;
use crate::clock::StoreTime;
use crate::error::Refusal;

/// As many jobs as one commit takes at most.
const MOST: usize = 256;

/// However busy it is, the log is emptied this often.
const SETTLE_AT_LATEST_AFTER: Duration = Duration::from_secs(30);

/// How long emptying the log may wait for readers; they are quick, and there is a next time.
const SETTLE_WAITS: Duration = Duration::from_millis(100);

const CLOCK_KEEP: &str = "UPDATE clock SET latest_at = ?1 WHERE id = 1 AND latest_at < ?1";

/// A job in its transaction.
pub(super) struct Writing<'c> {
    pub(super) database: Database<'c>,
    /// The store's time; one for the whole job.
    pub(super) now: Timestamp,
}

/// The writer's thread, for those who have work for it.
pub(super) struct Writer {
    queue: Arc<Queue<Task>>,
    thread: Option<JoinHandle<()>>,
}

enum Task {
    Write(Box<dyn Job>),
    Settle(oneshot::Sender<Result<(), StoreError>>),
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        time: Arc<StoreTime>,
        settle_after: Duration,
    ) -> Result<Self, StoreError> {
        let queue = Arc::new(Queue::new());
        let own = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                let _end = AbandonAtEnd(&own);
                let unsettled_since = None;
                Loop { connection, time, settle_after, unsettled_since }.run(&own);
            })
            .map_err(|error| StoreError::Unavailable(format!("no thread to write: {error}")))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// Does `work` in a transaction; what it gives is told when that is on disk.
    pub(super) async fn write<T: Send + 'static, E: Refusal + Send + 'static>(
        &self,
        work: impl FnOnce(&Writing<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (reply, answer) = oneshot::channel();
        self.submit(work, reply);
        answer.await.unwrap_or_else(|_| Err(stopped().into()))
    }

    /// Lines `work` up; the answer comes by `reply`.
    pub(super) fn submit<T: Send + 'static, E: Refusal + Send + 'static>(
        &self,
        work: impl FnOnce(&Writing<'_>) -> Result<T, E> + Send + 'static,
        reply: oneshot::Sender<Result<T, E>>,
    ) {
        let job = Pending { work: Some(work), result: None, reply };
        self.queue.push(Task::Write(Box::new(job)));
    }

    /// Ends its thread's work, as a defect in it would.
    #[cfg(test)]
    pub(super) fn abandon(&self) {
        self.queue.abandon();
    }

    /// Empties the log into the file.
    pub(super) async fn settle(&self) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.queue.push(Task::Settle(reply));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable("its writer has stopped".to_owned())
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // A panic has been told where it happened; here it ends.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

/// What becomes of what a job did.
enum Fate {
    /// It stays.
    Keep,
    /// It goes: the job refused, or panicked.
    Undo,
    /// It goes: the store failed.
    Fail(StoreError),
}

trait Job: Send {
    /// Does the work and holds the result back.
    fn run(&mut self, writing: &Writing<'_>) -> Fate;

    /// Tells the caller, after the commit, what came of it.
    fn answer(self: Box<Self>, lost: Option<&StoreError>);
}

struct Pending<F, T, E> {
    work: Option<F>,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
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
                let why = "a defect: the write panicked and was undone".to_owned();
                Err(StoreError::Unavailable(why).into())
            }
        };
        // The caller may have gone; the work is done all the same.
        let _ = self.reply.send(result);
    }
}

struct Loop {
    connection: Connection,
    time: Arc<StoreTime>,
    settle_after: Duration,
    /// Since when there is something in the log that the file does not have.
    unsettled_since: Option<Instant>,
}

impl Loop {
    fn run(&mut self, queue: &Queue<Task>) {
        loop {
            let patience = self.unsettled_since.map(|_| self.settle_after);
            match queue.take(MOST, patience) {
                Next::Jobs(tasks) => self.perform(tasks),
                Next::Idle => self.settle_quietly(),
                Next::Closed => return,
            }
            if self.unsettled_since.is_some_and(|since| since.elapsed() > SETTLE_AT_LATEST_AFTER) {
                self.settle_quietly();
            }
        }
    }

    fn perform(&mut self, tasks: Vec<Task>) {
        let mut jobs = Vec::with_capacity(tasks.len());
        let mut settlers = Vec::new();
        for task in tasks {
            match task {
                Task::Write(job) => jobs.push(job),
                Task::Settle(reply) => settlers.push(reply),
            }
        }
        if !jobs.is_empty() {
            self.commit_together(jobs);
        }
        for reply in settlers {
            let _ = reply.send(self.settle());
        }
    }

    fn commit_together(&mut self, mut jobs: Vec<Box<dyn Job>>) {
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

    fn settle_quietly(&mut self) {
        if let Err(error) = self.settle() {
            tracing::debug!(%error, "the log of the store is not emptied yet");
            // Once more when it has been idle again, or busy for long.
            self.unsettled_since = Some(Instant::now());
        }
    }

    fn settle(&mut self) -> Result<(), StoreError> {
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
