//! How many calls an account may make in a region: a bucket that fills with time.

use std::collections::HashMap;

use super::place::Place;
use super::time::Timestamp;

/// The buckets of all places.
#[derive(Debug, Default)]
pub struct Buckets(HashMap<Place, Bucket>);

#[derive(Debug)]
struct Bucket {
    /// Thousandths of a call that may still be made.
    left: u64,
    filled_at: Timestamp,
}

/// What one call takes, in thousandths.
const CALL: u64 = 1000;

impl Buckets {
    /// Whether a call may be made now; if so it is counted. A bucket holds one second's calls.
    pub fn admit(&mut self, place: &Place, rate: u32, now: Timestamp) -> bool {
        let full = u64::from(rate) * CALL;
        let bucket = self.0.entry(place.clone()).or_insert(Bucket { left: full, filled_at: now });
        let passed = now.millis().saturating_sub(bucket.filled_at.millis());
        // A call per millisecond and a thousand calls per second are the same number.
        bucket.left = full.min(bucket.left.saturating_add(passed.saturating_mul(u64::from(rate))));
        bucket.filled_at = now;
        let may = bucket.left >= CALL;
        if may {
            bucket.left -= CALL;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_admits_as_many_calls_as_the_rate_says() {
        let mut buckets = Buckets::default();
        let place = Place::default();
        let mut admitted = |millis| {
            (0..100).filter(|_| buckets.admit(&place, 10, Timestamp::from_millis(millis))).count()
        };
        assert_eq!(admitted(0), 10);
        assert_eq!(admitted(500), 5);
        assert_eq!(admitted(600), 1);
        assert_eq!(admitted(60_000), 10);
    }
}
