//! Threads that go through many runs, with a line that says how far they are.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hangar_store::StoreError;

/// How often the line is written.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// Some threads.
pub(crate) struct Crew {
    threads: usize,
    /// So many that are broken end the search.
    enough: usize,
    failed: AtomicBool,
}

struct Shared<I, B, F> {
    all: I,
    add: F,
    broken: Vec<B>,
    done: u64,
    told: Instant,
}

impl Crew {
    pub(crate) fn new(threads: usize, enough: usize) -> Self {
        Self { threads: threads.max(1), enough, failed: AtomicBool::new(false) }
    }

    /// Whether a run could not be played at all.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Plays all; `add` counts an outcome and gives it back where it is broken.
    pub(crate) fn go_through<T, O, B>(
        &self,
        all: impl IntoIterator<Item = T, IntoIter: Send>,
        count: u64,
        what: &str,
        play: impl Fn(T) -> Result<O, StoreError> + Sync,
        add: impl FnMut(O) -> Option<B> + Send,
    ) -> Vec<B>
    where
        T: Send,
        B: Send,
    {
        let (all, broken) = (all.into_iter(), Vec::new());
        let shared = Mutex::new(Shared { all, add, broken, done: 0, told: Instant::now() });
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    while let Some(next) = self.next(&shared) {
                        let outcome = play(next);
                        self.end(&shared, outcome, count, what);
                    }
                });
            }
        });
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
        match shared.into_inner() {
            Ok(shared) => shared.broken,
            Err(poisoned) => poisoned.into_inner().broken,
        }
    }

    fn next<T, B, F>(&self, shared: &Mutex<Shared<impl Iterator<Item = T>, B, F>>) -> Option<T> {
        let mut shared = shared.lock().ok()?;
        let goes_on = shared.broken.len() < self.enough && !self.has_failed();
        goes_on.then(|| shared.all.next()).flatten()
    }

    fn end<I, O, B>(
        &self,
        shared: &Mutex<Shared<I, B, impl FnMut(O) -> Option<B>>>,
        outcome: Result<O, StoreError>,
        count: u64,
        what: &str,
    ) {
        let Ok(mut shared) = shared.lock() else { return };
        match outcome {
            Ok(outcome) => {
                let broken = (shared.add)(outcome);
                shared.broken.extend(broken);
            }
            Err(error) => {
                eprintln!("error: {what}: {error}");
                self.failed.store(true, Ordering::Relaxed);
            }
        }
        shared.done += 1;
        if shared.told.elapsed() >= TELL_EVERY && std::io::stderr().is_terminal() {
            shared.told = Instant::now();
            eprint!(
                "\r\x1b[K{what}: {} of {count}, {} with violations",
                shared.done,
                shared.broken.len()
            );
            // The line is for people only.
            let _ = std::io::stderr().flush();
        }
    }
}
