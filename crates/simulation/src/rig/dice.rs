//! Chance that is the same again for the same seed (`SplitMix64`).

use std::time::Duration;

/// A sequence of numbers that its seed decides.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.roll() % end).unwrap_or(0)
    }

    /// Whether what happens `times` in 10,000 happens now.
    pub fn chance(&mut self, times: u32) -> bool {
        self.roll() % 10_000 < u64::from(times)
    }

    /// One of several.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        if of.is_empty() { None } else { of.get(self.below(of.len())) }
    }

    /// Anything from `least` to `most`.
    pub fn span(&mut self, least: Duration, most: Duration) -> Duration {
        let width = u64::try_from(most.saturating_sub(least).as_micros()).unwrap_or(u64::MAX);
        least + Duration::from_micros(self.roll() % width.saturating_add(1))
    }

    /// A sequence of its own for something else.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.roll())
    }
}
