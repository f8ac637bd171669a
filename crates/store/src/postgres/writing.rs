//! Writes: one job is one transaction, done again when it met another, and answered with the truth when
//! the answer to its commit was lost.
//!
//! A job takes its locks, looks, decides, and says what is to be written; that is sent together with the
//! commit, two ways to the server and back for all of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use deadpool_postgres::{ClientWrapper, Object};
use hangar_plan::Timestamp;
use tokio_postgres::types::ToSql;

use super::database::Database;
use super::fault::Trouble;
use super::lock::{self, Locks};
use super::session::Sessions;
use super::time::Time;
use crate::StoreError;
use crate::error::Refusal;

/// How long one transaction may take, whatever the server does.
const ATTEMPT_WITHIN: Duration = Duration::from_secs(15);

/// How often a transaction is done again because it met another.
const MEETS: u32 = 10;

/// The time of the database.
pub(super) const NOW: &str =
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now";

const BEGIN: &str = "BEGIN";
const BEGIN_LIGHTLY: &str = "BEGIN; SET LOCAL synchronous_commit = off";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// A value that a statement is given.
pub(super) type Value = Box<dyn ToSql + Sync + Send>;

/// Values for a statement, each owned until it is sent.
macro_rules! given {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as $crate::postgres::writing::Value),*] };
}
pub(super) use given;

/// Whether an earlier try of the same job may have been committed without our knowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    No,
    Yes,
}

/// What is done when nobody knows whether a job was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InDoubt {
    /// It is done again: it sees by itself whether it was done, or it may be done twice.
    Again,
    /// Its caller is told.
    Tell,
}

/// A write.
pub(super) trait Job: Sync {
    type Output: Send;
    type Error: Refusal + Send;

    /// Statements that it sends one behind the other.
    const STATEMENTS: &'static [&'static str];
    const IN_DOUBT: InDoubt;

    fn run(
        &self,
        writing: &mut Writing<'_>,
    ) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

/// A job in its transaction.
pub(super) struct Writing<'c> {
    pub(super) database: Database<'c>,
    pub(super) doubt: Doubt,
    time: &'c Time,
    writes: Vec<Write>,
}

struct Write {
    sql: &'static str,
    given: Vec<Value>,
}

impl Writing<'_> {
    /// Begins the transaction and takes the locks; gives the store's time then.
    pub(super) async fn begin(&self, locks: &Locks) -> Result<Timestamp, StoreError> {
        self.begin_with(BEGIN, locks).await
    }

    /// The same for what may be lost when the server crashes.
    pub(super) async fn begin_lightly(&self, locks: &Locks) -> Result<Timestamp, StoreError> {
        self.begin_with(BEGIN_LIGHTLY, locks).await
    }

    async fn begin_with(&self, begin: &str, locks: &Locks) -> Result<Timestamp, StoreError> {
        let (keys, alone) = locks.numbers();
        let locked = async {
            if keys.is_empty() {
                return self.database.query(NOW, &[]).await;
            }
            self.database.query(lock::TAKE, &[&keys, &alone]).await
        };
        let (begun, locked) = tokio::join!(biased; self.database.say(begin), locked);
        begun?;
        self.time.of(&locked?)
    }

    /// The store's time, where it is not the database's.
    pub(super) fn own_time(&self) -> Option<i64> {
        self.time.own()
    }

    /// The store's time, where the database has fallen behind it.
    pub(super) fn time_ahead(&self) -> Option<i64> {
        self.time.ahead()
    }

    /// Writes with the commit.
    pub(super) fn put(&mut self, sql: &'static str, given: Vec<Value>) {
        self.writes.push(Write { sql, given });
    }

    /// Sends what is to be written and the commit behind it. Where a write fails the commit undoes all.
    async fn commit(&self) -> Result<(), StoreError> {
        let mut statements = Vec::with_capacity(self.writes.len());
        for write in &self.writes {
            let prepared = self.database.client.prepare_cached(write.sql).await;
            statements.push(prepared.map_err(|error| self.database.failed(&error))?);
        }
        let client: &ClientWrapper = self.database.client;
        let mut sent: Vec<Sending<'_>> = Vec::with_capacity(statements.len() + 1);
        for (write, statement) in self.writes.iter().zip(&statements) {
            sent.push(Box::pin(async move {
                let given: Vec<&(dyn ToSql + Sync)> =
                    write.given.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
                client.execute(statement, &given).await.map(drop)
            }));
        }
        sent.push(Box::pin(client.batch_execute(COMMIT)));
        let mut failed = None;
        for error in in_order(sent).await.into_iter().filter_map(Result::err) {
            // The first tells why, but one that broke the session counts wherever it is.
            let told = self.database.failed(&error);
            failed.get_or_insert(told);
        }
        failed.map_or(Ok(()), Err)
    }
}

type Sending<'s> = Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send + 's>>;

/// Polls all, always the first one first: what they send is sent in their order, before any is answered.
async fn in_order<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut all = true;
        for (future, answer) in futures.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *answer = Some(value),
                    Poll::Pending => all = false,
                }
            }
        }
        if all { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

/// How a try ended.
enum Ended<T, E> {
    Done(T),
    Refused(E),
    /// It met another and is undone.
    Met(StoreError),
    /// The session broke before anything was to be committed.
    Gone(StoreError),
    /// The session broke, and the commit may have been done.
    InDoubt(StoreError),
}

/// A session that goes back to the others only when its transaction has ended.
struct Held {
    session: Option<Object>,
    is_clean: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(session) = self.session.take()
            && !self.is_clean
        {
            // Its caller went away, or it broke: the server undoes what was not committed.
            drop(Object::take(session));
        }
    }
}

/// Where jobs are done.
#[derive(Clone, Copy)]
pub(super) struct Place<'s> {
    pub(super) sessions: &'s Sessions,
    pub(super) time: &'s Time,
    /// How long the truth about a commit is looked for.
    pub(super) patience: Duration,
}

/// Does a job, and gives whether it is still in doubt when it fails.
pub(super) async fn write<J: Job>(
    place: Place<'_>,
    job: &J,
    mut doubt: Doubt,
) -> (Result<J::Output, J::Error>, Doubt) {
    let started = Instant::now();
    let (mut meets, mut breaks, mut doubted_here) = (0, 0, false);
    loop {
        let Place { sessions, time, patience } = place;
        let session = if breaks > 0 { sessions.get_fresh().await } else { sessions.get().await };
        let ended = match session {
            Ok(session) => attempt(session, time, job, doubt).await,
            Err(error) => Ended::Gone(error),
        };
        let error = match ended {
            Ended::Done(value) => return (Ok(value), Doubt::No),
            Ended::Refused(refusal) => {
                // A store that fails now tells nothing of an earlier try; a refusal by the rules does.
                return match refusal.store_error().cloned() {
                    Some(error) => (Err(with_doubt(error, doubt).into()), doubt),
                    None => (Err(refusal), Doubt::No),
                };
            }
            Ended::Met(error) => {
                meets += 1;
                if meets > MEETS {
                    return (Err(with_doubt(error, doubt).into()), doubt);
                }
                pause(Duration::from_millis(2) * meets).await;
                continue;
            }
            Ended::Gone(error) => error,
            Ended::InDoubt(error) => {
                (doubt, doubted_here) = (Doubt::Yes, true);
                error
            }
        };
        breaks += 1;
        let patient = doubted_here && J::IN_DOUBT == InDoubt::Again;
        let go_on =
            if patient { started.elapsed() < patience } else { breaks < 2 && !doubted_here };
        if !go_on {
            return (Err(with_doubt(error, doubt).into()), doubt);
        }
        if patient {
            pause(Duration::from_millis(50) * breaks.min(10)).await;
        }
    }
}

fn with_doubt(error: StoreError, doubt: Doubt) -> StoreError {
    match (error, doubt) {
        (StoreError::Unavailable(why), Doubt::Yes) => StoreError::Unavailable(format!(
            "{why}; the response to a commit was lost, and the commit may have succeeded"
        )),
        (error, _) => error,
    }
}

/// Waits for up to twice as long, so that those who met do not meet again.
async fn pause(least: Duration) {
    let mut dice = [0];
    // Without dice it is the least: only less even.
    let _ = getrandom::fill(&mut dice);
    tokio::time::sleep(least + least.mul_f64(f64::from(dice[0]) / 255.0)).await;
}

async fn attempt<J: Job>(
    session: Object,
    time: &Time,
    job: &J,
    doubt: Doubt,
) -> Ended<J::Output, J::Error> {
    let committing = AtomicBool::new(false);
    let trying = try_once(session, time, job, doubt, &committing);
    tokio::time::timeout(ATTEMPT_WITHIN, trying).await.unwrap_or_else(|_| {
        let within = ATTEMPT_WITHIN.as_secs();
        let silent = StoreError::Unavailable(format!("it did not answer within {within} s"));
        let may_be_done = committing.load(Ordering::Acquire);
        if may_be_done { Ended::InDoubt(silent) } else { Ended::Gone(silent) }
    })
}

async fn try_once<J: Job>(
    session: Object,
    time: &Time,
    job: &J,
    doubt: Doubt,
    committing: &AtomicBool,
) -> Ended<J::Output, J::Error> {
    let mut held = Held { session: Some(session), is_clean: false };
    let Some(client) = held.session.as_deref() else {
        return Ended::Gone(StoreError::Unavailable("internal error: no session".to_owned()));
    };
    let database = Database::new(client);
    let mut writing = Writing { database, doubt, time, writes: Vec::new() };
    let decided = match writing.database.prepare(J::STATEMENTS).await {
        Ok(()) => job.run(&mut writing).await,
        Err(error) => Err(error.into()),
    };
    let database = &writing.database;
    let value = match decided {
        Ok(value) => value,
        Err(refusal) => {
            let met = database.trouble();
            let is_clean = met != Some(Trouble::Gone) && database.say(ROLLBACK).await.is_ok();
            let told = || refusal.store_error().cloned();
            let ended = match (met, told()) {
                (Some(Trouble::Met), Some(error)) => Ended::Met(error),
                (Some(Trouble::Gone), Some(error)) => Ended::Gone(error),
                _ => Ended::Refused(refusal),
            };
            held.is_clean = is_clean;
            return ended;
        }
    };
    committing.store(true, Ordering::Release);
    let committed = writing.commit().await;
    let met = writing.database.trouble();
    let Err(error) = committed else {
        held.is_clean = true;
        return Ended::Done(value);
    };
    if matches!(met, Some(Trouble::Gone) | None) {
        return Ended::InDoubt(error);
    }
    // A write failed, and so the commit undid the transaction; or it was never sent.
    held.is_clean = writing.database.say(ROLLBACK).await.is_ok();
    if met == Some(Trouble::Met) { Ended::Met(error) } else { Ended::Refused(error.into()) }
}
