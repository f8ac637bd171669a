//! How long an answer is waited for while a server starts, and how often it is asked.

use std::time::{Duration, Instant};

/// How long a server that was never reached may take to start.
const FIRST: Duration = Duration::from_secs(3);

/// How long one that was reached may be away: it is being restarted.
const AGAIN: Duration = Duration::from_secs(30);

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);

/// What is left of the patience with one call.
#[derive(Debug)]
pub(super) struct Patience {
    since: Instant,
    until: Instant,
    next: Duration,
}

impl Patience {
    /// For a call to a server that was, or was not, reached before.
    pub(super) fn new(now: Instant, was_reached: bool) -> Self {
        let until = now + if was_reached { AGAIN } else { FIRST };
        Self { since: now, until, next: SHORTEST }
    }

    /// The server is there after all, and only has no time.
    pub(super) fn was_reached(&mut self) {
        self.until = self.since + AGAIN;
    }

    /// How long to wait before the next try; nothing when there should be none. `chance` is any
    /// number: callers that failed together do not come back together.
    pub(super) fn pause(&mut self, now: Instant, chance: u32) -> Option<Duration> {
        if now >= self.until {
            return None;
        }
        let part = self.next / 2;
        let pause = part + part * (chance % 1_000) / 1_000;
        self.next = (self.next * 2).min(LONGEST);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_grows_and_ends() {
        let now = Instant::now();
        let mut patience = Patience::new(now, false);
        let pauses: Vec<_> = (0..6).filter_map(|_| patience.pause(now, 999)).collect();
        assert!(pauses.is_sorted() && pauses.iter().all(|pause| *pause <= LONGEST), "{pauses:?}");
        assert_eq!(patience.pause(now + FIRST, 0), None);
        assert!(Patience::new(now, true).pause(now + FIRST, 0).is_some());
        patience.was_reached();
        assert!(patience.pause(now + FIRST, 0).is_some());
        assert_eq!(patience.pause(now + AGAIN, 0), None);
    }
}
