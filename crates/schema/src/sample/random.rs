//! A small generator of numbers that looks random and repeats for a seed (splitmix64).
//!
//! Ours, because samples must stay the same between releases of any crate. Not for security.

use serde_json::Value;

/// The state of the generator.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// The generator of a seed; `purpose` keeps streams of one seed apart.
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        let mut random = Self(seed);
        for byte in purpose.bytes() {
            random.0 = random.0.wrapping_add(u64::from(byte));
            random.next();
        }
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; zero when the limit is zero.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let limit = limit as u64;
        // The remainder is smaller than the limit, which came from a `usize`.
        self.next().checked_rem(limit).and_then(|rest| usize::try_from(rest).ok()).unwrap_or(0)
    }

    /// True once in `times` on average.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times.max(1)) == 0
    }

    /// One of them.
    pub(super) fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.below(choices.len()))
    }

    /// Any order, each as likely.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// Four letters and digits, for a text that should differ from others.
    pub(super) fn tail(&mut self) -> String {
        format!("{:04x}", self.next() & 0xffff)
    }

    /// Any short text or number, for places of which the schema says nothing.
    pub(super) fn anything(&mut self) -> Value {
        format!("value-{}", self.tail()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_purposes_differ() {
        let stream = |seed, purpose| {
            let mut random = Random::new(seed, purpose);
            [random.next(), random.next()]
        };
        assert_eq!(stream(7, "a"), stream(7, "a"));
        assert_ne!(stream(7, "a"), stream(7, "b"));
        assert_ne!(stream(7, "a"), stream(8, "a"));
    }

    #[test]
    fn an_empty_choice_is_none_and_a_shuffle_keeps_every_item() {
        let mut random = Random::new(1, "");
        assert_eq!(random.pick::<u8>(&[]), None);
        let mut items: Vec<usize> = (0..20).collect();
        random.shuffle(&mut items);
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }
}
