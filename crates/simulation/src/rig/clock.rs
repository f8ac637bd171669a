//! One time for the store and for AWS: the paused runtime's, which can be moved on by hours at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_store::clock::Clock;
use tokio::time::Instant;

/// 2026-01-01T00:00:00Z, in microseconds.
const EPOCH: i64 = 1_767_225_600_000_000;

/// The time of a run. Must be made, and read, within its runtime.
#[derive(Debug, Clone)]
pub struct RunClock {
    start: Instant,
    /// What was jumped over, in microseconds.
    jumped: Arc<AtomicU64>,
}

impl RunClock {
    /// A clock that begins now.
    pub fn new() -> Self {
        Self { start: Instant::now(), jumped: Arc::default() }
    }

    /// Moves it on at once: machines slept, and nobody's timers ran.
    pub fn jump(&self, span: Duration) {
        let micros = u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        self.jumped.fetch_add(micros, Ordering::SeqCst);
    }

    /// What it shows.
    pub fn now(&self) -> Timestamp {
        let jumped = Duration::from_micros(self.jumped.load(Ordering::SeqCst));
        Timestamp::from_micros(EPOCH).after(self.start.elapsed() + jumped)
    }

    /// The same for the simulator.
    pub fn wall(&self) -> hangar_simulator::core::time::Timestamp {
        let millis = u64::try_from(self.now().as_micros() / 1000).unwrap_or(0);
        hangar_simulator::core::time::Timestamp::from_millis(millis)
    }

    /// The same for a store.
    pub fn for_store(&self) -> Clock {
        let shared = self.clone();
        Clock::from_fn(move || shared.now())
    }
}

impl Default for RunClock {
    fn default() -> Self {
        Self::new()
    }
}
