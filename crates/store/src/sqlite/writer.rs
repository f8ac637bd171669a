//! Who writes: a thread of the store's own, where what waits together is committed together, or each
//! caller on its own thread, one commit for each write. What a commit is, says `desk`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::desk::{Desk, Job, Pending, Writing};
use super::queue::{AbandonAtEnd, Next, Queue};
use crate::StoreError;
use crate::clock::StoreTime;
use crate::error::Refusal;

/// As many jobs as one commit takes at most.
const MOST: usize = 256;

/// However busy it is, the log is emptied this often.
const SETTLE_AT_LATEST_AFTER: Duration = Duration::from_secs(30);

/// Takes work that writes.
pub(super) enum Writer {
    /// Lines it up for a thread of its own.
    Threaded(Line),
    /// Does it there and then, on the thread of whoever asks.
    Inline(Mutex<Desk>),
}

/// The way to the writer's thread.
pub(super) struct Line {
    queue: Arc<Queue<Task>>,
    thread: Option<JoinHandle<()>>,
}

enum Task {
    Write(Box<dyn Job>),
    Settle(oneshot::Sender<Result<(), StoreError>>),
}

impl Writer {
    /// Writes on a thread of its own, which empties the log when nothing came for `settle_after`.
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
                serve(&mut Desk::new(connection, time), settle_after, &own);
            })
            .map_err(|error| {
                StoreError::Unavailable(format!("cannot start a thread to write: {error}"))
            })?;
        Ok(Self::Threaded(Line { queue, thread: Some(thread) }))
    }

    /// Writes on the thread of whoever asks.
    pub(super) fn inline(connection: Connection, time: Arc<StoreTime>) -> Self {
        Self::Inline(Mutex::new(Desk::new(connection, time)))
    }

    /// Does `work` in a transaction; what it gives is told when that is on disk.
    pub(super) async fn write<T: Send + 'static, E: Refusal + Send + 'static>(
        &self,
        work: impl FnOnce(&Writing<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (reply, mut answer) = oneshot::channel();
        self.submit(work, reply);
        let answered = match self {
            Self::Threaded(_) => answer.await.ok(),
            // It is there already: nothing waits.
            Self::Inline(_) => answer.try_recv().ok(),
        };
        answered.unwrap_or_else(|| Err(stopped().into()))
    }

    /// Lines `work` up, or does it; the answer comes by `reply`.
    pub(super) fn submit<T: Send + 'static, E: Refusal + Send + 'static>(
        &self,
        work: impl FnOnce(&Writing<'_>) -> Result<T, E> + Send + 'static,
        reply: oneshot::Sender<Result<T, E>>,
    ) {
        let job = Box::new(Pending::new(work, reply));
        match self {
            Self::Threaded(line) => line.queue.push(Task::Write(job)),
            Self::Inline(desk) => at(desk, |desk| desk.commit_together(vec![job])),
        }
    }

    /// Ends its thread's work, as a defect in it would.
    #[cfg(test)]
    pub(super) fn abandon(&self) {
        if let Self::Threaded(line) = self {
            line.queue.abandon();
        }
    }

    /// Empties the log into the file.
    pub(super) async fn settle(&self) -> Result<(), StoreError> {
        match self {
            Self::Threaded(line) => {
                let (reply, answer) = oneshot::channel();
                line.queue.push(Task::Settle(reply));
                answer.await.unwrap_or_else(|_| Err(stopped()))
            }
            Self::Inline(desk) => at(desk, Desk::settle),
        }
    }
}

fn at<T>(desk: &Mutex<Desk>, deed: impl FnOnce(&mut Desk) -> T) -> T {
    // A panic under the lock leaves a transaction that the next one finds ended: jobs are caught.
    deed(&mut desk.lock().unwrap_or_else(PoisonError::into_inner))
}

fn stopped() -> StoreError {
    StoreError::Unavailable("its writer has stopped".to_owned())
}

impl Drop for Line {
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

/// What the writer's thread does until the queue is closed.
fn serve(desk: &mut Desk, settle_after: Duration, queue: &Queue<Task>) {
    loop {
        let patience = desk.unsettled_for().map(|_| settle_after);
        match queue.take(MOST, patience) {
            Next::Jobs(tasks) => perform(desk, tasks),
            Next::Idle => desk.settle_quietly(),
            Next::Closed => return,
        }
        if desk.unsettled_for().is_some_and(|span| span > SETTLE_AT_LATEST_AFTER) {
            desk.settle_quietly();
        }
    }
}

fn perform(desk: &mut Desk, tasks: Vec<Task>) {
    let mut jobs = Vec::with_capacity(tasks.len());
    let mut settlers = Vec::new();
    for task in tasks {
        match task {
            Task::Write(job) => jobs.push(job),
            Task::Settle(reply) => settlers.push(reply),
        }
    }
    if !jobs.is_empty() {
        desk.commit_together(jobs);
    }
    for reply in settlers {
        let _ = reply.send(desk.settle());
    }
}
