//! Chance as an input: the system's, or a sequence that is the same again for the same seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;

/// Where an engine's chance comes from.
#[derive(Debug, Clone, Default)]
pub enum Dice {
    /// The operating system.
    #[default]
    System,
    /// A sequence that its seed decides, for simulations that are replayed.
    Seeded(Arc<AtomicU64>),
}

impl Dice {
    /// The sequence of a seed.
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(AtomicU64::new(seed)))
    }

    /// A UUID of version 7: ids sort by the store's time.
    pub(crate) fn new_id(&self, now: Timestamp) -> OperationId {
        let micros = u64::try_from(now.as_micros()).unwrap_or(0);
        let id = match self {
            Self::System => {
                let nanos = u32::try_from(micros % 1_000_000 * 1000).unwrap_or(0);
                let at = uuid::Timestamp::from_unix(uuid::NoContext, micros / 1_000_000, nanos);
                uuid::Uuid::new_v7(at)
            }
            Self::Seeded(state) => {
                let mut bytes = [0; 10];
                bytes[..8].copy_from_slice(&roll(state).to_be_bytes());
                bytes[8..].copy_from_slice(&roll(state).to_be_bytes()[..2]);
                uuid::Builder::from_unix_timestamp_millis(micros / 1000, &bytes).into_uuid()
            }
        };
        OperationId::from_u128(id.as_u128())
    }
}

/// The next number of a sequence (`SplitMix64`).
fn roll(state: &AtomicU64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut mixed = state.fetch_add(STEP, Ordering::SeqCst).wrapping_add(STEP);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_ids_again_and_each_only_once() {
        let now = Timestamp::from_micros(1_767_225_600_123_456);
        let ids = |seed| {
            let dice = Dice::seeded(seed);
            [dice.new_id(now), dice.new_id(now)]
        };
        assert_eq!(ids(7), ids(7));
        assert_ne!(ids(7)[0], ids(7)[1]);
        assert_ne!(ids(7), ids(8));
        let later = Dice::seeded(7).new_id(now.after(std::time::Duration::from_millis(1)));
        assert!(later > ids(7)[0], "ids sort by time");
    }
}
