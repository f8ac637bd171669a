//! Where a store's time comes from: the wall, unless the one who opens it says otherwise.
//!
//! Nothing outside the process can set or move it; tests and simulations pass their own.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hangar_plan::Timestamp;

/// How far a clock may be behind what is stored before that is worth a line in the log.
const TOLD_FROM: Duration = Duration::from_secs(5);

type Read = Arc<dyn Fn() -> Timestamp + Send + Sync>;
type Steady = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A source of time, shared by those who hold a copy.
#[derive(Clone)]
pub struct Clock {
    read: Read,
    /// Goes on evenly whatever becomes of `read`; without one, time stands still while that is behind.
    steady: Option<Steady>,
}

impl Clock {
    /// The time of day, as the operating system has it, with the system's steady clock beside it.
    pub fn wall() -> Self {
        let started = Instant::now();
        Self::from_fn(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp::default().after(since)
        })
        .with_steady(move || started.elapsed())
    }

    /// Whatever `read` says.
    pub fn from_fn(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { read: Arc::new(read), steady: None }
    }

    /// The same clock with one beside it that never runs back: it says how long it has been since
    /// some instant, and time goes on by it while the clock itself is behind what was given before.
    #[must_use]
    pub fn with_steady(self, steady: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { steady: Some(Arc::new(steady)), ..self }
    }

    /// What it shows.
    pub fn read(&self) -> Timestamp {
        (self.read)()
    }

    /// What the steady clock says; always the same where there is none.
    fn steady(&self) -> Duration {
        self.steady.as_ref().map_or(Duration::ZERO, |steady| steady())
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
///
/// Where the clock is behind that mark (it was ahead once, and was corrected), time goes on from the
/// mark by the steady clock: what is due comes due, and leases end.
#[derive(Debug)]
pub(crate) struct StoreTime {
    clock: Clock,
    mark: Mutex<Mark>,
}

/// The latest time that was given, or found stored.
#[derive(Debug, Clone, Copy)]
struct Mark {
    latest: Timestamp,
    /// What the steady clock said then.
    steady: Duration,
}

impl Mark {
    /// The mark when a clock shows `read` and the steady one `steady`.
    fn moved(self, read: Timestamp, steady: Duration) -> Self {
        let latest = if read >= self.latest {
            read
        } else {
            self.latest.after(steady.saturating_sub(self.steady))
        };
        Self { latest, steady: steady.max(self.steady) }
    }
}

impl StoreTime {
    pub(crate) fn new(clock: Clock, stored: Timestamp) -> Self {
        if let Some(behind) = behind(&clock, stored) {
            tracing::warn!(
                behind_seconds = behind.as_secs(),
                "the clock is behind the latest time in the store; continuing from that time"
            );
        }
        let mark = Mark { latest: stored, steady: clock.steady() };
        Self { clock, mark: Mutex::new(mark) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        // A mark is replaced whole: a panic under the lock leaves the one before.
        let mut mark = self.mark.lock().unwrap_or_else(PoisonError::into_inner);
        *mark = mark.moved(self.clock.read(), self.clock.steady());
        mark.latest
    }
}

/// Time as a server tells it: never below any that it told before. While the server is behind that (its
/// clock was set back, or another took its place), time goes on by the steady clock.
#[derive(Debug)]
pub(crate) struct ToldTime {
    clock: Clock,
    told: Mutex<Told>,
}

#[derive(Debug, Clone, Copy)]
struct Told {
    mark: Mark,
    /// Whether the server was far behind when it was last heard.
    behind: bool,
}

impl ToldTime {
    /// Of the clock only the steady one is looked at.
    pub(crate) fn new(clock: Clock) -> Self {
        let mark = Mark { latest: Timestamp::default(), steady: clock.steady() };
        Self { clock, told: Mutex::new(Told { mark, behind: false }) }
    }

    /// The time when the server says that it is `told`.
    pub(crate) fn hear(&self, told: Timestamp) -> Timestamp {
        let mut last = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = last.mark.moved(told, self.clock.steady());
        // Answers that overtake each other are no reason to speak of it.
        let by = mark.latest.since(told);
        let behind = by > TOLD_FROM;
        if behind && !last.behind {
            tracing::warn!(
                behind_seconds = by.as_secs(),
                "the database's clock has gone back; continuing from its latest time"
            );
        }
        *last = Told { mark, behind };
        mark.latest
    }

    /// The time, where the server told its own within `span`. It was told before it was heard, so this is
    /// not ahead of the server.
    pub(crate) fn recent(&self, span: Duration) -> Option<Timestamp> {
        let Told { mark, .. } = *self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let since = self.clock.steady().saturating_sub(mark.steady);
        let was_told = mark.latest > Timestamp::default();
        (was_told && since < span).then(|| mark.latest.after(since))
    }

    /// The time, while the server is far behind it.
    pub(crate) fn ahead(&self) -> Option<Timestamp> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let Told { mark, behind } = *told;
        behind.then(|| mark.latest.after(self.clock.steady().saturating_sub(mark.steady)))
    }
}

/// By how much a clock is behind what is stored, if that is worth telling.
fn behind(clock: &Clock, stored: Timestamp) -> Option<Duration> {
    Some(stored.since(clock.read())).filter(|behind| *behind > TOLD_FROM)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock with a steady one beside it, each with hands of its own.
    fn pair(wall: i64) -> (HandClock, HandClock, Clock) {
        let hand = HandClock::at(Timestamp::from_micros(wall));
        let steady = HandClock::default();
        let beside = steady.clone();
        let clock = hand.reading().with_steady(move || beside.now().since(Timestamp::default()));
        (hand, steady, clock)
    }

    #[test]
    fn time_stands_still_when_a_clock_without_a_steady_one_is_set_back() {
        let hand = HandClock::at(Timestamp::from_micros(50));
        let time = StoreTime::new(hand.reading(), Timestamp::from_micros(70));
        assert_eq!(time.now().as_micros(), 70);
        hand.set(Timestamp::from_micros(90));
        assert_eq!(time.now().as_micros(), 90);
        hand.set(Timestamp::from_micros(10));
        assert_eq!(time.now().as_micros(), 90);
    }

    #[test]
    fn time_goes_on_when_the_clock_is_set_back() {
        let (hand, steady, clock) = pair(100);
        let time = StoreTime::new(clock, Timestamp::from_micros(70));
        assert_eq!(time.now().as_micros(), 100);
        // Ahead once, then corrected.
        hand.set(Timestamp::from_micros(1000));
        assert_eq!(time.now().as_micros(), 1000);
        hand.set(Timestamp::from_micros(110));
        assert_eq!(time.now().as_micros(), 1000);
        steady.set(Timestamp::from_micros(3));
        assert_eq!(time.now().as_micros(), 1003);
        assert_eq!(time.now().as_micros(), 1003, "a span counts once");
        steady.set(Timestamp::from_micros(5));
        assert_eq!(time.now().as_micros(), 1005);
        // When the clock has caught up it is believed again, and the steady one adds nothing.
        hand.set(Timestamp::from_micros(1010));
        steady.set(Timestamp::from_micros(500));
        assert_eq!(time.now().as_micros(), 1010);
    }

    #[test]
    fn time_goes_on_from_what_is_stored_since_it_was_found() {
        let (_hand, steady, clock) = pair(50);
        steady.set(Timestamp::from_micros(40));
        let time = StoreTime::new(clock, Timestamp::from_micros(70));
        assert_eq!(time.now().as_micros(), 70);
        steady.set(Timestamp::from_micros(44));
        assert_eq!(time.now().as_micros(), 74);
    }

    #[test]
    fn what_a_server_tells_never_runs_back_and_goes_on() {
        let (_hand, steady, clock) = pair(0);
        let time = ToldTime::new(clock);
        let hear = |told| time.hear(Timestamp::from_micros(told)).as_micros();
        assert_eq!((hear(70_000_000), time.ahead()), (70_000_000, None));
        // One answer has overtaken another.
        steady.set(Timestamp::from_micros(2));
        assert_eq!((hear(69_999_999), time.ahead()), (70_000_002, None));
        // Another server has taken its place.
        steady.set(Timestamp::from_micros(5));
        assert_eq!(hear(10_000_000), 70_000_005);
        steady.set(Timestamp::from_micros(9));
        assert_eq!(time.ahead(), Some(Timestamp::from_micros(70_000_009)));
        assert_eq!((hear(80_000_000), time.ahead()), (80_000_000, None));
    }

    #[test]
    fn what_a_server_told_is_counted_on_for_a_while() {
        let (_hand, steady, clock) = pair(0);
        let time = ToldTime::new(clock);
        let span = Duration::from_micros(10);
        assert_eq!(time.recent(span), None, "nothing was told");
        time.hear(Timestamp::from_micros(70));
        steady.set(Timestamp::from_micros(9));
        assert_eq!(time.recent(span), Some(Timestamp::from_micros(79)));
        steady.set(Timestamp::from_micros(10));
        assert_eq!(time.recent(span), None, "too long ago");
    }

    #[test]
    fn only_a_clock_that_is_far_behind_is_worth_telling() {
        let stored = Timestamp::from_micros(60_000_000);
        let told = |micros| behind(&pair(micros).2, stored);
        assert_eq!(told(70_000_000), None);
        assert_eq!(told(55_000_000), None);
        assert_eq!(told(40_000_000), Some(Duration::from_secs(20)));
    }
}
