//! Ctrl-C and SIGTERM, heard from before there is something to stop.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

/// Hears of every wish to stop.
#[derive(Debug)]
pub(crate) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    /// From now on, neither signal ends the process by itself.
    pub(crate) fn listen() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The wish to stop, where the work itself sees to it: the first interruption is told to the work, and only the next
/// one ends it.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    is_heeded: AtomicBool,
    was_made: AtomicBool,
    made: Notify,
}

impl Wish {
    /// From now on, or no more, the work sees to the first interruption.
    pub(super) fn set(&self, heed: Heed) {
        self.is_heeded.store(heed == Heed::ByTheWork, Ordering::SeqCst);
    }

    /// Tells the work of an interruption; says whether it sees to it.
    pub(super) fn make(&self) -> bool {
        if !self.is_heeded.load(Ordering::SeqCst) || self.was_made.swap(true, Ordering::SeqCst) {
            return false;
        }
        self.made.notify_one();
        true
    }

    /// Waits until somebody wants the work to stop; told once.
    pub(crate) async fn made(&self) {
        self.made.notified().await;
    }
}

/// Who sees to an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heed {
    /// The work, once.
    ByTheWork,
    /// The session: it ends the work.
    BySession,
}
