//! Numbers and names that look random and are a function of a seed and of what they are for.

/// A stream of numbers; the same seed and purpose give the same stream.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream for one purpose, which several words tell from others.
    pub fn new(seed: u64, purpose: &[&str]) -> Self {
        // FNV-1a over the words with a separator, so that ["ab", "c"] is not ["a", "bc"].
        let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed;
        for word in purpose {
            for byte in word.bytes().chain([0xff]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        Self(hash)
    }

    /// The next number (splitmix64).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub fn below(&mut self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.number() % limit }
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }

    /// So many characters out of an alphabet.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        let pick = |random: &mut Self| {
            letters[usize::try_from(random.below(letters.len() as u64)).unwrap_or(0)]
        };
        (0..length).map(|_| char::from(pick(self))).collect()
    }

    /// A version 4 UUID.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.number(), self.number());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | (low >> 48 & 0x3fff),
            low & 0xffff_ffff_ffff
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_purpose_give_the_same_stream_and_others_another() {
        let draw = |seed, purpose: &[&str]| Random::new(seed, purpose).uuid();
        assert_eq!(draw(1, &["a", "b"]), draw(1, &["a", "b"]));
        assert_ne!(draw(1, &["a", "b"]), draw(2, &["a", "b"]));
        assert_ne!(draw(1, &["a", "b"]), draw(1, &["ab"]));
        assert_eq!(draw(1, &["a"]).len(), 36);
    }
}
