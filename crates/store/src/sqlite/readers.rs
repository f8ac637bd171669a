//! The threads that read, each with a connection that cannot write.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::database::Database;
use super::file;
use super::queue::{Next, Queue};
use crate::StoreError;

type Job = Box<dyn FnOnce(&Database<'_>) + Send>;

/// The readers' threads, for those who have a question.
pub(super) struct Readers {
    queue: Arc<Queue<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    pub(super) fn start(path: &Path, count: usize) -> Result<Self, StoreError> {
        let mut readers = Self { queue: Arc::new(Queue::new()), threads: Vec::new() };
        for number in 1..=count.max(1) {
            let connection = file::open_for_reading(path)?;
            let queue = Arc::clone(&readers.queue);
            let thread = thread::Builder::new()
                .name(format!("store-reader-{number}"))
                .spawn(move || serve(&connection, &queue))
                .map_err(|error| StoreError::Unavailable(format!("no thread to read: {error}")))?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    /// Asks on one of the threads.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.queue.push(Box::new(move |database| {
            // The caller may have gone.
            let _ = reply.send(work(database));
        }));
        answer.await.unwrap_or_else(|_| {
            Err(StoreError::Unavailable("a defect: the read panicked".to_owned()))
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

impl Drop for Readers {
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
