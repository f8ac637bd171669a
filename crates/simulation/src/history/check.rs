//! The invariants over a history, each a function of its own: by what they look at, in the files below.

mod calls;
mod forms;
mod index;
mod ownership;
mod progress;
mod resources;
#[cfg(test)]
mod tests;
mod turns;

use super::{History, Invariant, Violation};
use index::Index;

/// All invariants that a history breaks; none where all is well.
pub fn check(history: &History) -> Vec<Violation> {
    let index = Index::of(history);
    let mut violations = Vec::new();
    for (number, test) in TESTS {
        let mut found = Vec::new();
        test(&index, &mut found);
        let invariant = Invariant(*number);
        violations.extend(found.into_iter().map(|what| Violation { invariant, what }));
    }
    violations
}

type Test = fn(&Index<'_>, &mut Vec<String>);

const TESTS: &[(u8, Test)] = &[
    (1, resources::one_for_an_alias),
    (2, resources::everything_is_remembered),
    (3, resources::what_succeeded_is_there),
    (4, progress::nothing_is_stuck),
    (5, turns::nobody_else_writes),
    (6, progress::what_was_told_stays),
    (6, progress::events_are_whole_and_end),
    (7, progress::what_was_accepted_is_found),
    (8, calls::no_create_with_an_old_token),
    (9, calls::a_token_is_one_request),
    (10, ownership::a_group_takes_only_what_it_owns),
    (11, calls::no_more_writes_than_needed),
    (12, turns::one_at_a_time),
    (13, calls::within_the_budget),
    (14, ownership::a_deployment_takes_away_only_what_it_manages),
    (15, forms::what_is_learned_is_true),
    (15, forms::no_form_hides_a_change),
];
