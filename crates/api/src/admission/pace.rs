//! How many may be worked for at once so that each is done soon: fewer while it takes long, more when it does not.
//!
//! How fast a store is nobody can say beforehand; how long a request takes tells it.

use std::time::{Duration, Instant};

/// How long a request should be worked for at most: with the wait for its turn, well under a second.
const SOON: Duration = Duration::from_millis(250);

/// So few may always be worked for.
const FEWEST: usize = 8;

/// So many may be worked for before it is known how long they take.
const FIRST: usize = 32;

/// How many may be worked for at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pace {
    now: usize,
    least: usize,
    most: usize,
    /// What began before says nothing of how it is since.
    changed_at: Instant,
    /// So many were done soon since then.
    soon: usize,
}

/// What becomes of the number of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    More(usize),
    Fewer(usize),
}

impl Pace {
    /// One that changes between a few and this many.
    pub(super) fn new(most: usize, at: Instant) -> Self {
        let (now, least) = (most.min(FIRST), most.min(FEWEST));
        Self { now, least, most, changed_at: at, soon: 0 }
    }

    /// One that does not change: how long the work takes is not for us to say.
    pub(super) fn fixed(most: usize, at: Instant) -> Self {
        Self { now: most, least: most, ..Self::new(most, at) }
    }

    /// How many that is.
    pub(super) fn places(&self) -> usize {
        self.now
    }

    /// Notes that somebody was worked for while all places were taken.
    pub(super) fn done(&mut self, began_at: Instant, at: Instant) -> Change {
        if began_at < self.changed_at {
            return Change::None;
        }
        if at.duration_since(began_at) > SOON {
            let fewer = self.now - (self.now * 3 / 4).max(self.least);
            return self.change(at, self.now - fewer, Change::Fewer(fewer));
        }
        self.soon += 1;
        if self.soon < self.now {
            return Change::None;
        }
        let more = (1 + self.now / 16).min(self.most - self.now);
        self.change(at, self.now + more, Change::More(more))
    }

    fn change(&mut self, at: Instant, now: usize, change: Change) -> Change {
        let is_none = now == self.now;
        (self.now, self.changed_at, self.soon) = (now, at, 0);
        if is_none { Change::None } else { change }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of places after many rounds in which each takes as long as a store of that speed needs.
    fn settled(most: usize, a_second: u32) -> usize {
        let mut at = Instant::now();
        let mut pace = Pace::new(most, at);
        for _ in 0..20_000 {
            let took = Duration::from_secs(1) * u32::try_from(pace.now).unwrap() / a_second;
            let began_at = at;
            at += Duration::from_secs(1) / a_second;
            pace.done(began_at, began_at + took);
            assert!((pace.least..=pace.most).contains(&pace.now));
        }
        pace.now
    }

    #[test]
    fn there_are_as_many_places_as_are_served_in_time() {
        assert_eq!(settled(128, 100_000), 128);
        for a_second in [100, 200, 400] {
            let places = settled(128, a_second);
            let served_in = Duration::from_secs(1) * u32::try_from(places).unwrap() / a_second;
            assert!(served_in <= SOON * 5 / 4, "{places} at {a_second}/s: {served_in:?}");
            assert!(served_in >= SOON / 2, "{places} at {a_second}/s: {served_in:?}");
        }
        assert_eq!(settled(128, 1), FEWEST);
        assert_eq!(settled(2, 1), 2);
    }

    #[test]
    fn what_began_before_a_change_does_not_change_it_again_and_a_fixed_one_never_does() {
        let at = Instant::now();
        let late = at + SOON * 2;
        let mut pace = Pace::new(100, at);
        assert_eq!(pace.done(at, late), Change::Fewer(8));
        assert_eq!(pace.done(at, late), Change::None);
        assert_eq!(pace.done(late, late + SOON * 2), Change::Fewer(6));
        let mut fixed = Pace::fixed(100, at);
        assert_eq!(fixed.done(at, late), Change::None);
    }
}
