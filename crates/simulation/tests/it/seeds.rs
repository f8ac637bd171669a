//! Seeds: none breaks anything, and the same seed is the same run.

use std::collections::BTreeMap;

use hangar_simulation::rig::tier::{Lacking, Tier};
use hangar_simulation::seeds::play;

#[test]
fn a_seed_is_the_same_run_again() {
    for (tier, seeds) in [(Tier::A, 0..30), (Tier::B, 0..5)] {
        for seed in seeds {
            let again = || play(seed, tier, Lacking::NOTHING, true).unwrap();
            let (one, other) = (again(), again());
            assert_eq!(one.trace, other.trace, "seed {seed} of tier {tier:?}");
            assert_eq!(one.fingerprint, other.fingerprint, "seed {seed} of tier {tier:?}");
        }
    }
}

/// How many seeds are played: more where somebody has the time.
fn seeds(short: u64) -> u64 {
    if std::env::var_os("HANGAR_TEST_FULL").is_some() { short * 20 } else { short }
}

#[allow(clippy::print_stdout, reason = "how much was played is worth a line")]
fn played(tier: Tier, seeds: u64) {
    let (mut operations, mut mishaps) = (0, 0);
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..seeds {
        let outcome = play(seed, tier, Lacking::NOTHING, false).unwrap();
        let trace = || outcome.trace.join("\n");
        assert!(
            outcome.violations.is_empty(),
            "seed {seed}: {:?}\n{}",
            outcome.violations,
            trace()
        );
        operations += outcome.operations;
        mishaps += outcome.mishaps;
        for (ending, count) in outcome.endings {
            *endings.entry(ending).or_default() += count;
        }
    }
    println!(
        "tier {tier:?}: {seeds} seeds, {operations} operations, {mishaps} mishaps, {endings:?}"
    );
    for ending in ["put created", "put updated", "put noop", "put replaced", "put unknown"] {
        assert!(endings.contains_key(ending), "no {ending}");
    }
    for ending in ["delete deleted", "import imported", "unlink unlinked", "delete-group deleted"] {
        assert!(endings.contains_key(ending), "no {ending}");
    }
    let seeds = usize::try_from(seeds).unwrap();
    assert!(operations > seeds * 5, "{operations} operations");
    assert!(mishaps > u64::try_from(seeds).unwrap() * 2, "{mishaps} mishaps");
}

#[test]
fn no_seed_of_tier_a_breaks_anything() {
    played(Tier::A, seeds(300));
}

#[test]
fn no_seed_of_tier_b_breaks_anything() {
    played(Tier::B, seeds(50));
}
