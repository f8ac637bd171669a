//! How long AWS has answered no question of a command: an endpoint that never answers is not asked for long.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long an AWS that never answered is asked: a call that gets no answer ends after 30 seconds.
const GIVE_UP_AFTER: Duration = Duration::from_secs(28);

/// The time before the first answer.
#[derive(Debug, Default)]
pub(super) struct Silence {
    since: OnceLock<Instant>,
    is_over: AtomicBool,
}

impl Silence {
    /// Notes that a question is sent.
    pub(super) fn begin(&self) {
        self.since.get_or_init(Instant::now);
    }

    /// Notes that there was an answer.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// How long it lasts; `None` before the first question and after the first answer.
    pub(super) fn lasts(&self) -> Option<Duration> {
        let since = self.since.get().filter(|_| !self.is_over.load(Ordering::Relaxed))?;
        Some(since.elapsed())
    }

    /// Whether no further question is worth it.
    pub(super) fn is_hopeless(&self) -> bool {
        self.lasts().is_some_and(|lasts| lasts >= GIVE_UP_AFTER)
    }
}
