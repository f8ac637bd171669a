//! How long to wait before the next try: a pure function of how often, why, and for whom.

use std::time::Duration;

use crate::operation::OperationId;

/// What is being waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A request of ours that runs.
    Poll,
    /// A cloud that is asked too often, or cannot be reached.
    Backoff,
    /// Another request on the same resource.
    Busy,
    /// A read that should show what was written.
    Consistency,
    /// A look-up that nobody waits for: to an hour, and after a day of that to a day.
    LookAgain,
}

/// The try from which on a look-up that nobody waits for is made hourly.
pub(crate) const HOURLY: u32 = 7;
/// The try from which on it is made daily.
const DAILY: u32 = HOURLY + 24;

/// The span before try number `tries` (from 0) of an operation; later ones are longer, and two
/// operations do not wait alike.
pub fn span(wait: Wait, tries: u32, operation: OperationId) -> Duration {
    let (first, cap, growth) = match wait {
        Wait::Poll => (0.2, 10.0, 1.5f64),
        Wait::Backoff => (0.5, 30.0, 2.0),
        Wait::Busy => (1.0, 15.0, 1.5),
        Wait::Consistency => (0.2, 5.0, 2.0),
        Wait::LookAgain if tries >= DAILY => (86_400.0, 86_400.0, 1.0),
        Wait::LookAgain => (30.0, 3_600.0, 2.0),
    };
    let exponent = i32::try_from(tries.min(60)).unwrap_or(60);
    let full = (first * growth.powi(exponent)).min(cap);
    // Between half and all of it, by a fraction that belongs to this operation and try.
    Duration::from_secs_f64(full * (0.5 + fraction(operation, tries) / 2.0))
}

/// A number from 0 to 1 that is the same for the same operation and try.
fn fraction(operation: OperationId, tries: u32) -> f64 {
    let bits = operation.as_u128() ^ u128::from(tries).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let folded = u64::try_from((bits ^ bits >> 64) & u128::from(u64::MAX)).unwrap_or(0);
    let mixed = folded.wrapping_mul(0xd6e8_feb8_6659_fd93);
    f64::from(u32::try_from(mixed >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_cap_and_differ_between_operations() {
        let one = OperationId::from_u128(0x0191_f3a8_7c2e_7abc_8def_0123_4567_89ab);
        let other = OperationId::from_u128(0x0191_f3a8_7c2e_7abc_8def_0123_4567_89ac);
        for wait in [Wait::Poll, Wait::Backoff, Wait::Busy, Wait::Consistency] {
            let first = span(wait, 0, one);
            let late = span(wait, 1_000_000, one);
            assert!(first < late && late <= Duration::from_secs(30), "{wait:?} {first:?} {late:?}");
            assert!(first >= Duration::from_millis(100));
        }
        assert_ne!(span(Wait::Backoff, 3, one), span(Wait::Backoff, 3, other));
        assert_eq!(span(Wait::Backoff, 3, one), span(Wait::Backoff, 3, one));
    }
}
