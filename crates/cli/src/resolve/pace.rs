//! How fast questions are asked: without a pause until AWS says that it is asked too often, then one after the other
//! with a gap that follows from its answers.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The gap after the first refusal: twenty questions a second.
const FIRST_GAP: Duration = Duration::from_millis(50);

/// No gap is longer.
const LONGEST_GAP: Duration = Duration::from_secs(2);

/// So long is waited on the word of AWS.
const LONGEST_RETRY: Duration = Duration::from_secs(20);

/// A gap that is shorter is none.
const SHORTEST_GAP: Duration = Duration::from_millis(4);

/// How long refusals are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// While no question at all is answered.
    pub(crate) without_answer: Duration,
    /// Since the first refusal.
    pub(crate) in_all: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { without_answer: Duration::from_mins(1), in_all: Duration::from_mins(10) }
    }
}

/// What becomes of a question that AWS had no time for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It is asked again when its turn comes.
    AskAgain,
    /// It was waited for long enough: since the first refusal.
    GiveUp(Duration),
}

/// The gap between two questions. It has no clock.
#[derive(Debug, Default)]
struct Gap {
    length: Duration,
    /// When it was made longer. Questions that were on their way then say nothing new.
    changed: Option<Instant>,
    first_refusal: Option<Instant>,
    last_answer: Option<Instant>,
    /// Whether nothing was answered since it was made longer.
    is_untried: bool,
    /// When the next question may be asked.
    next: Option<Instant>,
    /// Whether refusals were waited for long enough; then nothing is waited for any more.
    is_over: bool,
}

impl Gap {
    fn answered(&mut self, now: Instant) {
        self.last_answer = Some(now);
        self.is_untried = false;
        self.length = self.length * 98 / 100;
        if self.length < SHORTEST_GAP {
            self.length = Duration::ZERO;
        }
    }

    fn refused(&mut self, asked: Instant, now: Instant, limits: Limits) -> Refused {
        if self.changed.is_none_or(|changed| asked >= changed) {
            self.length = match self.length {
                Duration::ZERO => FIRST_GAP,
                length if self.is_untried => length * 2,
                length => length * 7 / 5,
            };
            self.length = self.length.min(LONGEST_GAP);
            (self.changed, self.is_untried) = (Some(now), true);
        }
        let first = *self.first_refusal.get_or_insert(now);
        let last_answer = self.last_answer.map_or(first, |answer| answer.max(first));
        self.is_over |= now.duration_since(last_answer) >= limits.without_answer
            || now.duration_since(first) >= limits.in_all;
        if self.is_over { Refused::GiveUp(now.duration_since(first)) } else { Refused::AskAgain }
    }
}

/// The pace of all questions of one command.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    gap: Mutex<Gap>,
    /// Who holds it is the next to ask. It guards no data.
    turns: tokio::sync::Mutex<()>,
    limits: Limits,
}

impl Pace {
    fn gap(&self) -> MutexGuard<'_, Gap> {
        self.gap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another question may be asked, and gives the time at which it is.
    pub(crate) async fn turn(&self) -> Instant {
        let _turn = self.turns.lock().await;
        loop {
            let now = Instant::now();
            let wait = {
                let mut gap = self.gap();
                let wait = gap.next.map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
                if wait.is_zero() || gap.is_over {
                    gap.next = (!gap.length.is_zero()).then(|| now + jittered(gap.length));
                    return now;
                }
                wait
            };
            // Meanwhile it may have become later.
            tokio::time::sleep(wait).await;
        }
    }

    /// Takes note of an answer.
    pub(crate) fn answered(&self) {
        self.gap().answered(Instant::now());
    }

    /// Takes note of a question that AWS had no time for; AWS may say how long to wait.
    pub(crate) fn refused(&self, asked: Instant, retry_after: Option<Duration>) -> Refused {
        let (mut gap, now) = (self.gap(), Instant::now());
        let refused = gap.refused(asked, now, self.limits);
        let wait = retry_after.unwrap_or_default().min(LONGEST_RETRY).max(jittered(gap.length));
        gap.next = gap.next.max(Some(now + wait));
        refused
    }

    /// For how long AWS has refused questions for their number, while it does.
    pub(crate) fn is_slowed_since(&self) -> Option<Duration> {
        let gap = self.gap();
        gap.first_refusal.filter(|_| !gap.length.is_zero()).map(|first| first.elapsed())
    }
}

/// A time that is up to a quarter shorter or longer, so that several commands do not ask in step.
fn jittered(time: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish() % 512;
    let share = 768 + u32::try_from(random).unwrap_or_default();
    time * share / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks so many questions of an AWS that takes so many in any second, and gives the time that it took.
    fn asked(questions: usize, rate: usize) -> Option<Duration> {
        let begun = Instant::now();
        let (mut gap, mut now, mut taken) = (Gap::default(), begun, Vec::<Instant>::new());
        let mut left = questions;
        while left > 0 {
            let recent =
                taken.iter().filter(|at| now.duration_since(**at) < Duration::from_secs(1));
            if recent.count() < rate {
                taken.push(now);
                gap.answered(now);
                left -= 1;
            } else if let Refused::GiveUp(_) = gap.refused(now, now, Limits::default()) {
                return None;
            }
            now += gap.length.max(Duration::from_millis(1));
        }
        Some(now.duration_since(begun))
    }

    #[test]
    fn all_questions_are_answered_at_a_low_rate_in_little_more_time_than_needed() {
        for (questions, rate) in [(60, 5), (10, 2), (10, 1), (400, 5), (600, 20)] {
            let needed = Duration::from_secs((questions / rate) as u64);
            let took = asked(questions, rate).unwrap();
            assert!(
                took < needed * 2 + Duration::from_secs(5),
                "{questions} at {rate}/s: {took:?}"
            );
        }
    }

    #[test]
    fn an_aws_that_answers_nothing_is_given_up() {
        assert_eq!(asked(1, 0), None);
    }

    #[test]
    fn questions_that_were_on_their_way_together_count_once() {
        let (mut gap, begun) = (Gap::default(), Instant::now());
        for _ in 0..16 {
            gap.refused(begun, begun + Duration::from_millis(5), Limits::default());
        }
        assert_eq!(gap.length, FIRST_GAP);
    }
}
