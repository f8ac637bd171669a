//! Ctrl-C and SIGTERM, heard from before there is something to stop.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

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
    pub(crate) async fn next(&mut self) -> Interrupt {
        tokio::select! {
            _ = self.interrupt.recv() => Interrupt::CtrlC,
            _ = self.terminate.recv() => Interrupt::Terminate,
        }
    }
}

/// Who wants the command to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// A person, who waits as long as they like and presses it again otherwise.
    CtrlC,
    /// A program, which kills what has not ended after a while.
    Terminate,
}

/// How long the work may take to stop after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

/// How long the whole command may take to end after SIGTERM: `docker stop` and many others kill after ten seconds.
const END_WITHIN: Duration = Duration::from_secs(9);

/// When a command has to end: only after SIGTERM there is a limit.
#[derive(Debug, Default)]
pub(super) struct Departure {
    asked_at: Option<Instant>,
}

impl Departure {
    /// Notes an interruption.
    pub(super) fn note(&mut self, interrupt: Interrupt) {
        if interrupt == Interrupt::Terminate {
            self.asked_at.get_or_insert_with(Instant::now);
        }
    }

    /// Returns when the work has had its time to stop.
    pub(super) async fn grace_is_over(&self) {
        self.after(GRACE).await;
    }

    /// Returns when the process has to end, whatever is still open.
    pub(super) async fn is_due(&self) {
        self.after(END_WITHIN).await;
    }

    async fn after(&self, span: Duration) {
        match self.asked_at {
            Some(asked_at) => sleep_until(asked_at + span).await,
            None => std::future::pending().await,
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

    /// Whether the work was asked to stop.
    pub(super) fn was_made(&self) -> bool {
        self.was_made.load(Ordering::SeqCst)
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
