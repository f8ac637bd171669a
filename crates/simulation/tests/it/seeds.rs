//! Seeds: none breaks anything, and the same seed is the same run.

use hangar_simulation::rig::tier::{Lacking, Tier};
use hangar_simulation::seeds::play;

#[test]
fn a_seed_is_the_same_run_again() {
    for seed in [1, 7, 42, 4711] {
        let again = || play(seed, Tier::A, Lacking::NOTHING, true).unwrap();
        let (one, other) = (again(), again());
        assert_eq!(one.trace, other.trace, "seed {seed}");
        assert_eq!(one.fingerprint, other.fingerprint, "seed {seed}");
    }
}

#[test]
fn no_seed_breaks_anything() {
    let (mut operations, mut mishaps) = (0, 0);
    for seed in 0..300 {
        let outcome = play(seed, Tier::A, Lacking::NOTHING, false).unwrap();
        assert!(
            outcome.violations.is_empty(),
            "{:?}\n{}",
            outcome.violations,
            outcome.trace.join("\n")
        );
        operations += outcome.operations;
        mishaps += outcome.mishaps;
    }
    assert!(operations > 1500 && mishaps > 500, "{operations} operations, {mishaps} mishaps");
}
