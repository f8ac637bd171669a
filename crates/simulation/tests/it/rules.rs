//! Tests of the tests: each of the nine rules is taken out of the real code in turn, and the search must find
//! a run that breaks a promise.

use std::time::Instant;

use hangar_plan::operation::{Rule, Rules};
use hangar_simulation::rig::tier::{Lacking, Tier};
use hangar_simulation::seeds::play;
use hangar_store::memory::Check;

/// So many seeds are played at most: each rule is caught well before.
const SEEDS: u64 = 3000;

#[allow(clippy::print_stdout, reason = "how it was caught is worth a line")]
fn caught(name: &str, lacking: Lacking) {
    let began = Instant::now();
    for seed in 0..SEEDS {
        let outcome = play(seed, Tier::A, lacking, false).unwrap();
        if let Some(violation) = outcome.violations.first() {
            println!("without {name}: seed {seed} after {:.1?}: {violation}", began.elapsed());
            return;
        }
    }
    panic!("{SEEDS} seeds without {name}, and nothing was noticed");
}

fn without(rule: Rule) -> Lacking {
    Lacking { rules: Rules::ALL.without(rule), ..Lacking::NOTHING }
}

fn unchecked(check: Check) -> Lacking {
    Lacking { unchecked: Some(check), ..Lacking::NOTHING }
}

#[test]
fn an_alias_that_two_may_take_is_noticed() {
    caught("atomic reserve", unchecked(Check::Reservation));
}

#[test]
fn a_token_that_is_not_stored_is_noticed() {
    caught("stored token", without(Rule::StoredToken));
}

#[test]
fn steps_without_a_lease_are_noticed() {
    caught("fence", unchecked(Check::Lease));
}

#[test]
fn a_create_with_an_old_token_is_noticed() {
    caught("age guard", without(Rule::AgeGuard));
}

#[test]
fn a_failed_create_that_left_something_is_noticed() {
    caught("identifier check", without(Rule::IdentifierCheck));
}

#[test]
fn an_alias_that_is_freed_too_early_is_noticed() {
    caught("first-only freeing", without(Rule::FirstOnly));
}

#[test]
fn a_call_that_lands_late_is_noticed() {
    caught("quarantine", without(Rule::Quarantine));
}

#[test]
fn a_form_that_is_learned_from_a_late_read_is_noticed() {
    caught("learned effect", without(Rule::LearnedEffect));
}

#[test]
fn a_change_by_others_that_is_learned_as_a_form_is_noticed() {
    caught("learned soon", without(Rule::LearnedSoon));
}
