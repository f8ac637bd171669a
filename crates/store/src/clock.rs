//! Where a store's time comes from: the wall, unless the one who opens it says otherwise.
//!
//! Nothing outside the process can set or move it; tests and simulations pass their own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_plan::Timestamp;

/// A source of time, shared by those who hold a copy.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The time of day, as the operating system has it.
    pub fn wall() -> Self {
        Self(Arc::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp::default().after(since)
        }))
    }

    /// Whatever `read` says.
    pub fn from_fn(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(crate) fn read(&self) -> Timestamp {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::wall()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// A clock that stands still until it is moved, for simulations and for the conformance suite.
#[derive(Debug, Clone, Default)]
pub struct HandClock(Arc<AtomicI64>);

impl HandClock {
    /// A clock that shows `start`.
    pub fn at(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.as_micros())))
    }

    /// Moves it on.
    pub fn advance(&self, span: Duration) {
        self.set(self.now().after(span));
    }

    /// Moves it anywhere, backwards too.
    pub fn set(&self, instant: Timestamp) {
        self.0.store(instant.as_micros(), Ordering::SeqCst);
    }

    /// What it shows.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    /// The same clock, for a store to read.
    pub fn reading(&self) -> Clock {
        let shared = self.clone();
        Clock::from_fn(move || shared.now())
    }
}

/// Time as a store gives it: never below any that it gave before or found stored.
#[derive(Debug)]
pub(crate) struct StoreTime {
    clock: Clock,
    latest: AtomicI64,
}

impl StoreTime {
    pub(crate) fn new(clock: Clock, stored: Timestamp) -> Self {
        Self { clock, latest: AtomicI64::new(stored.as_micros()) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let read = self.clock.read().as_micros();
        let before = self.latest.fetch_max(read, Ordering::SeqCst);
        Timestamp::from_micros(read.max(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_when_the_clock_is_set_back() {
        let hand = HandClock::at(Timestamp::from_micros(50));
        let time = StoreTime::new(hand.reading(), Timestamp::from_micros(70));
        assert_eq!(time.now().as_micros(), 70);
        hand.set(Timestamp::from_micros(90));
        assert_eq!(time.now().as_micros(), 90);
        hand.set(Timestamp::from_micros(10));
        assert_eq!(time.now().as_micros(), 90);
    }
}
