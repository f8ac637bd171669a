//! Every interleaving of a small world, driven through the real `open` and `step`.
//!
//! One alias, a few requests, two workers, a store and a cloud that are as bad as they may be: see
//! `world` for the state, `model`, `worker` and `cloud` for what can happen, `invariant` for what must
//! hold. A rule that is taken out must break something, else it is not worth having.

mod cloud;
mod configuration;
mod invariant;
mod model;
mod replacing;
mod request;
mod search;
mod story;
mod tables;
mod tidy;
mod worker;
mod world;

use std::time::Instant;

use crate::operation::rules::Rules;
use crate::operation::state::Strategy;
use configuration::{Ask, Configuration};
use search::search;
use world::Budget;

const PUT: Ask = Ask::Put(0);
const OTHER_PUT: Ask = Ask::Put(1);

/// Searches each to the end; all together must be many.
fn no_story_breaks(configurations: Vec<Configuration>, at_least: usize) {
    let mut total = 0;
    for configuration in configurations {
        let name = configuration.name;
        let begun = Instant::now();
        let report = search(configuration);
        println!(
            "{name}: {} states, {} moves, {} followed to the end (the longest in {} moves), {:.1?}",
            report.states,
            report.moves,
            report.lived,
            report.longest,
            begun.elapsed()
        );
        if let Some((violation, story)) = report.broken {
            panic!("{name}: {violation}\n{story}");
        }
        assert!(!report.cut, "{name}: too many states to search them all");
        total += report.states;
    }
    println!("counted: operations explored without a violation: {total} states");
    assert!(total >= at_least, "{total} states are too few to mean much");
}

#[test]
fn crashes_thefts_and_refusals_break_nothing() {
    let none = Budget::default();
    let all = [PUT, OTHER_PUT, Ask::Delete];
    no_story_breaks(
        vec![
            Configuration::new(
                "two puts and a delete; crash, theft, refusal, failure",
                &all,
                Budget { crash: 1, theft: 1, refuse: 1, fail: 1, ..none },
            ),
            Configuration::new(
                "two equal puts and a delete; lost answer, theft, refusal",
                &[PUT, PUT, Ask::Delete],
                Budget { lose: 1, theft: 1, refuse: 1, ..none },
            ),
            Configuration::new(
                "one put; everything twice",
                &[PUT],
                Budget { crash: 2, theft: 2, lose: 2, refuse: 2, fail: 2, ..none },
            ),
            Configuration {
                reruns: true,
                ..Configuration::new(
                    "put and delete where a failed token runs again",
                    &[PUT, Ask::Delete],
                    Budget { crash: 1, fail: 2, pass: 2, ..none },
                )
            },
        ],
        400_000,
    );
}

#[test]
fn time_that_passes_breaks_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            Configuration::new(
                "two puts and a delete; refusal, crash, 22 minutes",
                &[PUT, OTHER_PUT, Ask::Delete],
                Budget { crash: 1, refuse: 1, pass: 2, ..none },
            ),
            Configuration::new(
                "put and delete; lost answer, crash, 22 minutes, 37 hours",
                &[PUT, Ask::Delete],
                Budget { crash: 1, lose: 1, pass: 2, day: 1, ..none },
            ),
            Configuration {
                names_early: true,
                ..Configuration::new(
                    "put and delete; requests that name early, fail and time out",
                    &[PUT, Ask::Delete],
                    Budget { fail: 1, pass: 3, crash: 1, ..none },
                )
            },
            Configuration::new(
                "two puts; late and refused reads",
                &[PUT, OTHER_PUT],
                Budget { late: 3, pass: 2, blind: 1, fail: 1, ..none },
            ),
        ],
        400_000,
    );
}

#[test]
fn cancels_and_blindness_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            Configuration::new(
                "put and delete; cancel, crash, lost answer, 22 minutes",
                &[PUT, Ask::Delete],
                Budget { cancel: 1, crash: 1, lose: 1, pass: 2, ..none },
            ),
            Configuration {
                names_early: true,
                ..Configuration::new(
                    "put and delete; cancels of requests that name early, blindness",
                    &[PUT, Ask::Delete],
                    Budget { cancel: 2, blind: 1, pass: 2, ..none },
                )
            },
            Configuration::new(
                "two puts; look-ups that fail or cannot tell",
                &[PUT, OTHER_PUT],
                Budget { blind: 1, undecided: 1, lose: 1, pass: 2, ..none },
            ),
            Configuration {
                readable: false,
                ..Configuration::new(
                    "put and delete of a type that cannot be read",
                    &[PUT, Ask::Delete],
                    Budget { lose: 1, blind: 1, pass: 2, cancel: 1, ..none },
                )
            },
        ],
        300_000,
    );
}

#[test]
fn imports_and_deletes_behind_our_back_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            Configuration::new(
                "two puts; deleted behind our back, lost answer, 22 minutes",
                &[PUT, OTHER_PUT],
                Budget { vanish: 1, lose: 1, pass: 2, ..none },
            ),
            Configuration::new(
                "two puts; deleted behind our back, cancel, blindness",
                &[PUT, OTHER_PUT],
                Budget { vanish: 1, cancel: 1, blind: 1, fail: 1, pass: 1, ..none },
            ),
            Configuration::new(
                "import that is not owned, put and delete; lost answer, 22 minutes",
                &[Ask::Import { owned: false }, PUT, Ask::Delete],
                Budget { lose: 1, vanish: 1, pass: 2, ..none },
            ),
            Configuration::new(
                "import that is owned, put and delete; crash, theft, failure",
                &[Ask::Import { owned: true }, PUT, Ask::Delete],
                Budget { crash: 1, theft: 1, fail: 1, vanish: 1, ..none },
            ),
        ],
        400_000,
    );
}

#[test]
fn names_that_are_taken_break_nothing() {
    let none = Budget::default();
    let taken = |name, asks: &[Ask], budget| Configuration {
        taken: true,
        ..Configuration::new(name, asks, budget)
    };
    no_story_breaks(
        vec![
            taken(
                "two puts and a delete of a name that is taken; crash, theft, refusal",
                &[PUT, OTHER_PUT, Ask::Delete],
                Budget { crash: 1, theft: 1, refuse: 1, ..none },
            ),
            taken(
                "put and delete of a name that is taken; lost answer, crash, 33 minutes",
                &[PUT, Ask::Delete],
                Budget { lose: 1, crash: 1, pass: 3, ..none },
            ),
            taken(
                "two puts and a delete of a name that gets free; lost answer, 22 minutes",
                &[PUT, OTHER_PUT, Ask::Delete],
                Budget { vanish: 1, lose: 1, pass: 2, ..none },
            ),
        ],
        50_000,
    );
}

/// The same with more of everything; some minutes and gigabytes, so only where it is asked for.
#[test]
fn more_of_everything_breaks_nothing() {
    if std::env::var_os("HANGAR_TEST_FULL").is_none() {
        return;
    }
    let none = Budget::default();
    let all = [PUT, OTHER_PUT, Ask::Delete];
    no_story_breaks(
        vec![
            Configuration::new(
                "full: two puts and a delete; crash, theft, lost answer, refusal, failure",
                &all,
                Budget { crash: 1, theft: 1, lose: 1, refuse: 1, fail: 1, ..none },
            ),
            Configuration::new(
                "full: put and delete; crash, theft, lost answer, refusal, 22 minutes",
                &[PUT, Ask::Delete],
                Budget { crash: 1, theft: 1, lose: 1, refuse: 1, pass: 2, ..none },
            ),
            Configuration {
                names_early: true,
                ..Configuration::new(
                    "full: put and delete; cancel, blindness, failure, 33 minutes",
                    &[PUT, Ask::Delete],
                    Budget { cancel: 1, blind: 1, fail: 1, crash: 1, pass: 3, ..none },
                )
            },
            Configuration::new(
                "full: two puts and a delete; deleted behind our back, lost answer, blindness",
                &all,
                Budget { vanish: 1, lose: 1, blind: 1, pass: 2, ..none },
            ),
            Configuration::new(
                "full: import, put and delete; deleted behind our back, crash, refusal, 22 minutes",
                &[Ask::Import { owned: false }, PUT, Ask::Delete],
                Budget { crash: 1, lose: 1, refuse: 1, vanish: 1, pass: 2, ..none },
            ),
        ],
        10_000_000,
    );
}

/// One rule taken out, and the harm that must come of it.
struct Mutation {
    rule: &'static str,
    falls: &'static str,
    configuration: Configuration,
}

/// Each rule, and what could show that it is gone. What only says that the rule is gone (a second
/// operation, an old token) is not watched: the harm is.
fn mutations() -> Vec<Mutation> {
    let none = Budget::default();
    let puts = [PUT, OTHER_PUT];
    let new = |budget| Configuration {
        unwatched: &["I5", "I6", "I8", "I12"],
        ..Configuration::new("mutation", &puts, budget)
    };
    let with = |change: fn(&mut Rules), budget| {
        let mut configuration = new(budget);
        change(&mut configuration.rules);
        configuration
    };
    let replacing = |strategy, configuration| Configuration {
        asks: vec![Ask::Replace(8, strategy)],
        standing: true,
        ..configuration
    };
    vec![
        Mutation {
            rule: "atomic reserve",
            falls: "I1",
            configuration: Configuration { atomic_reserve: false, ..new(none) },
        },
        Mutation {
            rule: "stored token",
            falls: "I1",
            configuration: with(|it| it.stored_token = false, Budget { theft: 1, ..none }),
        },
        Mutation {
            rule: "fence",
            falls: "I2",
            configuration: Configuration {
                fence: false,
                ..new(Budget { theft: 1, refuse: 1, ..none })
            },
        },
        Mutation {
            rule: "age guard",
            falls: "I1",
            configuration: with(|it| it.age_guard = false, Budget { crash: 1, day: 1, ..none }),
        },
        Mutation {
            rule: "identifier check",
            falls: "I2",
            configuration: with(|it| it.identifier_check = false, Budget { fail: 1, ..none }),
        },
        Mutation {
            rule: "taken check",
            falls: "I10",
            configuration: Configuration { taken: true, ..with(|it| it.taken_check = false, none) },
        },
        Mutation {
            rule: "first only",
            falls: "I2",
            configuration: with(|it| it.first_only = false, Budget { crash: 1, refuse: 1, ..none }),
        },
        Mutation {
            rule: "quarantine",
            falls: "I2",
            configuration: with(|it| it.quarantine = false, Budget { crash: 1, refuse: 1, ..none }),
        },
        Mutation {
            rule: "retire replaced",
            falls: "I1",
            configuration: replacing(
                Strategy::CreateFirst,
                with(|it| it.retire_replaced = false, none),
            ),
        },
        Mutation {
            rule: "confirmed absence",
            falls: "I1",
            configuration: replacing(
                Strategy::DeleteFirst,
                with(
                    |it| it.confirmed_absence = false,
                    Budget { fail: 1, blind: 1, pass: 1, ..none },
                ),
            ),
        },
    ]
}

#[test]
fn every_rule_that_is_taken_out_breaks_an_invariant() {
    for Mutation { rule, falls, configuration } in mutations() {
        let whole = Configuration {
            rules: Rules::ALL,
            fence: true,
            atomic_reserve: true,
            ..configuration.clone()
        };
        assert!(search(whole).broken.is_none(), "the rules do not hold without {rule} taken out");
        let report = search(configuration);
        let (violation, story) = report.broken.unwrap_or_else(|| panic!("{rule} is not needed"));
        println!(
            "counted: without {rule} {} falls after {} states",
            violation.number, report.states
        );
        println!("{story}");
        assert_eq!(violation.number, falls, "without {rule}");
    }
}
