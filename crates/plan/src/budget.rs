//! How many calls of a cloud may be made just now: one bucket for a place, shared by all who call there.
//!
//! A bucket fills at the rate that is set, less a little for calls that are long on their way and arrive with
//! later ones, and holds what a tenth of a second brings. So in any span of time no more is granted than the
//! rate allows, and one bucketful. When the cloud says that it is asked too
//! often, the rate is halved, and comes back within half a minute. Looks for drift have a smaller
//! bucket within it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A bucket is counted in millionths of a call: a rate in calls a second brings that many each microsecond.
const CALL: i64 = 1_000_000;

/// What a full bucket brings forth: the calls of this span.
const SLICE: Duration = Duration::from_millis(100);

/// Of a hundred calls that the rate allows, so many are granted: those that are late on their way arrive with
/// those that were granted later.
const GRANTED: i64 = 96;

/// In which time a halved rate is the full one again.
const RECOVERS_IN: Duration = Duration::from_secs(30);

/// Calls that were on their way together are refused together: that halves once.
const HALVES_AT_MOST_EVERY: Duration = Duration::from_secs(1);

/// Clocks of replicas, and of one database after the other, may be apart by this much.
const STEPS_BACK: Duration = Duration::from_secs(1);

/// However often it is halved, this part of the rate stays.
const FLOOR: i64 = 16;

/// The part of all calls that looks for drift may have.
const DRIFT_SHARE: i64 = 5;

/// Calls a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(u32);

impl Rate {
    /// The most that can be set.
    pub const MAX: u32 = 100_000;

    /// A rate from 1 to [`Rate::MAX`].
    pub const fn per_second(calls: u32) -> Option<Self> {
        if calls >= 1 && calls <= Self::MAX { Some(Self(calls)) } else { None }
    }

    /// Calls a second.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The most calls that are granted at one instant.
    pub const fn burst(self) -> u32 {
        let calls = self.0 / 10;
        if calls == 0 { 1 } else { calls }
    }
}

/// What is asked of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetAsk {
    /// The rate that is set for the place.
    pub rate: Rate,
    /// Calls that wait.
    pub calls: u32,
    /// Calls that wait only to look for drift; not among `calls`.
    pub drift: u32,
}

/// What a budget gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// Calls that may be made now.
    pub calls: u32,
    /// Calls to look for drift that may be made now.
    pub drift: u32,
    /// When it is worth asking again for what was not granted.
    pub again_after: Duration,
}

/// What is left of a place's budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// In millionths of a call.
    left: i64,
    /// Of that, for drift.
    drift_left: i64,
    /// Until when it was filled.
    filled_at: Timestamp,
    /// When the cloud last said that it is asked too often, and the rate that was left then.
    slowed: Option<Slowed>,
}

/// A rate that comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Slowed {
    at: Timestamp,
    /// Thousandths of a call a second.
    milli_rate: i64,
}

impl Budget {
    /// A full one.
    pub fn new(rate: Rate, now: Timestamp) -> Self {
        Self {
            left: capacity(rate),
            drift_left: drift_capacity(rate),
            filled_at: now,
            slowed: None,
        }
    }

    /// Takes what there is of what is asked for.
    #[must_use]
    pub fn take(self, ask: &BudgetAsk, now: Timestamp) -> (Self, Grant) {
        let mut after = self.filled(ask.rate, now);
        let calls = whole(after.left).min(ask.calls);
        after.left -= i64::from(calls) * CALL;
        let drift = whole(after.left.min(after.drift_left)).min(ask.drift);
        after.left -= i64::from(drift) * CALL;
        after.drift_left -= i64::from(drift) * CALL;
        let again_after = after.wait(ask, calls, drift, now);
        (after, Grant { calls, drift, again_after })
    }

    /// The cloud said that it is asked too often.
    #[must_use]
    pub fn throttled(self, rate: Rate, now: Timestamp) -> Self {
        let after = self.filled(rate, now);
        if let Some(slowed) = after.slowed
            && now.since(slowed.at) < HALVES_AT_MOST_EVERY
        {
            return after;
        }
        let floor = (milli(rate) / FLOOR).max(1);
        let milli_rate = (after.milli_rate(rate, now) / 2).max(floor);
        Self {
            left: 0,
            drift_left: 0,
            slowed: Some(Slowed { at: now, milli_rate }),
            filled_at: after.filled_at,
        }
    }

    /// The rate just now, in thousandths of a call a second.
    pub fn milli_rate(&self, rate: Rate, now: Timestamp) -> i64 {
        let full = milli(rate) * GRANTED / 100;
        let Some(slowed) = self.slowed else { return full };
        let since = micros(now.since(slowed.at).min(RECOVERS_IN));
        full.min(slowed.milli_rate + full * since / micros(RECOVERS_IN))
    }

    fn filled(mut self, rate: Rate, now: Timestamp) -> Self {
        // A clock that was set back: what it said before must not hold all calls up until it says so again.
        if self.filled_at.since(now) > STEPS_BACK {
            self.filled_at = now;
        }
        if let Some(slowed) = &mut self.slowed {
            slowed.at = slowed.at.min(self.filled_at);
        }
        // What it was at the beginning, not what it has become: never more than was meant.
        let milli_rate = self.milli_rate(rate, self.filled_at);
        // Longer than it takes to fill a bucket makes no difference, and cannot overflow.
        let since = micros(now.since(self.filled_at).min(RECOVERS_IN * 60));
        let gained = milli_rate * since / 1000;
        Self {
            left: (self.left + gained).min(capacity(rate)),
            drift_left: (self.drift_left + gained / DRIFT_SHARE).min(drift_capacity(rate)),
            filled_at: now.max(self.filled_at),
            slowed: self
                .slowed
                .filter(|_| self.milli_rate(rate, now) < milli(rate) * GRANTED / 100),
        }
    }

    /// Until half a bucket, or all that still waits, can be had.
    fn wait(&self, ask: &BudgetAsk, calls: u32, drift: u32, now: Timestamp) -> Duration {
        let milli_rate = self.milli_rate(ask.rate, now).max(1);
        let until = |wanted: u32, left: i64, capacity: i64, milli_rate: i64| {
            let worth = (i64::from(wanted) * CALL).min((capacity / 2).max(CALL));
            let lacking = (worth - left).max(0);
            Duration::from_micros(
                u64::try_from(lacking * 1000 / milli_rate.max(1) + 1).unwrap_or(0),
            )
        };
        let (calls, drift) = (ask.calls - calls, ask.drift - drift);
        match (calls, drift) {
            (0, 0) => Duration::ZERO,
            (0, drift) => {
                let of_all = until(drift, self.left, capacity(ask.rate), milli_rate);
                let share = milli_rate / DRIFT_SHARE;
                of_all.max(until(drift, self.drift_left, drift_capacity(ask.rate), share))
            }
            (calls, _) => until(calls, self.left, capacity(ask.rate), milli_rate),
        }
    }
}

fn capacity(rate: Rate) -> i64 {
    (i64::from(rate.get()) * micros(SLICE)).max(CALL)
}

fn drift_capacity(rate: Rate) -> i64 {
    (capacity(rate) / DRIFT_SHARE).max(CALL)
}

fn milli(rate: Rate) -> i64 {
    i64::from(rate.get()) * 1000
}

fn whole(millionths: i64) -> u32 {
    u32::try_from(millionths / CALL).unwrap_or(0)
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
