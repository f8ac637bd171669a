//! Who reads: threads of the store's own, or each caller on its own thread; with connections that cannot
//! write.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::database::Database;
use super::file;
use super::queue::{Next, Queue};
use crate::StoreError;

type Job = Box<dyn FnOnce(&Database<'_>) + Send>;

/// Takes questions.
pub(super) enum Readers {
    /// Lines them up for threads of its own.
    Threaded(Line),
    /// Answers them there and then, on the thread of whoever asks.
    Inline(Mutex<Connection>),
}

/// The way to the readers' threads.
pub(super) struct Line {
    queue: Arc<Queue<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Reads on `count` threads, or one.
    pub(super) fn start(path: &Path, count: usize) -> Result<Self, StoreError> {
        let mut line = Line { queue: Arc::new(Queue::new()), threads: Vec::new() };
        for number in 1..=count.max(1) {
            let connection = file::open_for_reading(path)?;
            let queue = Arc::clone(&line.queue);
            let thread = thread::Builder::new()
                .name(format!("store-reader-{number}"))
                .spawn(move || serve(&connection, &queue))
                .map_err(|error| {
                    StoreError::Unavailable(format!("cannot start a thread to read: {error}"))
                })?;
            line.threads.push(thread);
        }
        Ok(Self::Threaded(line))
    }

    /// Reads on the thread of whoever asks.
    pub(super) fn inline(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::Inline(Mutex::new(file::open_for_reading(path)?)))
    }

    /// Asks on one of the threads, or here.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let answered = match self {
            Self::Threaded(line) => {
                let (reply, answer) = oneshot::channel();
                line.queue.push(Box::new(move |database| {
                    // The caller may have gone.
                    let _ = reply.send(work(database));
                }));
                answer.await.ok()
            }
            Self::Inline(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                catch_unwind(AssertUnwindSafe(|| work(&Database(&connection)))).ok()
            }
        };
        answered.unwrap_or_else(|| {
            Err(StoreError::Unavailable("internal error: the read panicked".to_owned()))
        })
    }
}

fn serve(connection: &Connection, queue: &Queue<Job>) {
    while let Next::Jobs(jobs) = queue.take(1, None) {
        for job in jobs {
            // Its caller hears of a panic by the reply that never comes; the thread goes on.
            let _ = catch_unwind(AssertUnwindSafe(|| job(&Database(connection))));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            // Nothing can have panicked outside a job.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Readers")
    }
}
