//! A queue between callers and the threads of the store; it can be closed, and then runs dry.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a thread gets when it asks for work.
pub(super) enum Next<T> {
    /// What waited, in the order of arrival.
    Jobs(Vec<T>),
    /// Nothing came in the time that was given.
    Idle,
    /// Nothing waits and nothing will come.
    Closed,
}

/// Jobs that wait for a thread.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    arrived: Condvar,
}

struct State<T> {
    waiting: VecDeque<T>,
    closed: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        let state = State { waiting: VecDeque::new(), closed: false };
        Self { state: Mutex::new(state), arrived: Condvar::new() }
    }

    /// Adds a job; one that comes after the end is dropped, and its caller sees that.
    pub(super) fn push(&self, job: T) {
        let mut state = self.lock();
        if !state.closed {
            state.waiting.push_back(job);
            drop(state);
            self.arrived.notify_one();
        }
    }

    /// Up to `most` jobs, as soon as there is one; waits for at most `patience`, if there is any.
    pub(super) fn take(&self, most: usize, patience: Option<Duration>) -> Next<T> {
        let empty = |state: &mut State<T>| state.waiting.is_empty() && !state.closed;
        let state = self.lock();
        let mut state = match patience {
            None => self.arrived.wait_while(state, empty).unwrap_or_else(PoisonError::into_inner),
            Some(patience) => {
                self.arrived
                    .wait_timeout_while(state, patience, empty)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        if state.waiting.is_empty() {
            return if state.closed { Next::Closed } else { Next::Idle };
        }
        let count = state.waiting.len().min(most);
        Next::Jobs(state.waiting.drain(..count).collect())
    }

    /// Takes no more jobs; what waits is still done.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    /// Takes no more jobs and drops those that wait, so that their callers hear of it.
    pub(super) fn abandon(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.arrived.notify_all();
        drop(waiting);
    }

    // A thread that panicked while it held the lock left a queue that is whole: every change of it
    // is one call.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Abandons the queue when its thread ends, however it ends: nobody waits for the dead.
pub(super) struct AbandonAtEnd<'q, T>(pub(super) &'q Queue<T>);

impl<T> Drop for AbandonAtEnd<'_, T> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
