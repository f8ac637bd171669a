//! Worlds in which resources are replaced, retire, and are adopted.

use super::configuration::{Ask, Configuration};
use super::world::Budget;
use super::{OTHER_PUT, PUT, no_story_breaks};
use crate::operation::state::Strategy::{CreateFirst, DeleteFirst};

/// Puts that differ from what the alias stands for in what only a create can set.
const DELETE_FIRST: Ask = Ask::Replace(8, DeleteFirst);
const CREATE_FIRST: Ask = Ask::Replace(8, CreateFirst);
/// A put of the same, that may not replace.
const SAME_PUT: Ask = Ask::Put(8);

/// A search that begins with a resource of ours.
fn standing(name: &'static str, asks: &[Ask], budget: Budget) -> Configuration {
    Configuration { standing: true, ..Configuration::new(name, asks, budget) }
}

/// The same, of a type whose resources their callers name, all of them alike.
fn named(name: &'static str, asks: &[Ask], budget: Budget) -> Configuration {
    Configuration { taken: true, ..standing(name, asks, budget) }
}

#[test]
fn replacements_that_crash_or_fail_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            standing(
                "delete-first and a delete; crash, theft, refusal, failure",
                &[DELETE_FIRST, Ask::Delete],
                Budget { crash: 1, theft: 1, refuse: 1, fail: 1, ..none },
            ),
            standing(
                "create-first and a delete; crash, theft, refusal, failure",
                &[CREATE_FIRST, Ask::Delete],
                Budget { crash: 1, theft: 1, refuse: 1, fail: 1, ..none },
            ),
            standing(
                "both orders; crash, theft, failure",
                &[DELETE_FIRST, Ask::Replace(16, CreateFirst)],
                Budget { crash: 1, theft: 1, fail: 1, ..none },
            ),
            Configuration::new(
                "put, create-first and a put of the same; lost answer, theft, failure",
                &[PUT, CREATE_FIRST, SAME_PUT],
                Budget { lose: 1, theft: 1, fail: 1, ..none },
            ),
        ],
        150_000,
    );
}

#[test]
fn replacements_over_time_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            standing(
                "create-first and a put of the same; lost answer, failure, 22 minutes",
                &[CREATE_FIRST, SAME_PUT],
                Budget { lose: 1, fail: 1, pass: 2, ..none },
            ),
            standing(
                "delete-first and a put of the same; lost answer, failure, 22 minutes",
                &[DELETE_FIRST, SAME_PUT],
                Budget { lose: 1, fail: 1, pass: 2, ..none },
            ),
            Configuration::new(
                "put and create-first; two lost answers, two refusals",
                &[PUT, CREATE_FIRST],
                Budget { lose: 2, refuse: 2, ..none },
            ),
            standing(
                "create-first and a delete; lost answer, 22 minutes, 37 hours",
                &[CREATE_FIRST, Ask::Delete],
                Budget { lose: 1, pass: 2, day: 1, ..none },
            ),
            standing(
                "delete-first and a put of the old; crash, 11 minutes, 37 hours",
                &[DELETE_FIRST, PUT],
                Budget { crash: 1, pass: 1, day: 1, ..none },
            ),
            Configuration {
                names_early: true,
                ..standing(
                    "create-first and a put of the old; requests that name early, fail and time out",
                    &[CREATE_FIRST, PUT],
                    Budget { fail: 1, crash: 1, pass: 3, ..none },
                )
            },
        ],
        1_000_000,
    );
}

#[test]
fn replacements_that_are_stopped_or_not_seen_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            Configuration {
                names_early: true,
                ..standing(
                    "create-first and a put of the old; cancel, lost answer, blindness, 22 minutes",
                    &[CREATE_FIRST, PUT],
                    Budget { cancel: 1, lose: 1, blind: 1, pass: 2, ..none },
                )
            },
            standing(
                "delete-first and a put of the old; cancel, blindness, failure, 11 minutes",
                &[DELETE_FIRST, PUT],
                Budget { cancel: 1, blind: 1, fail: 1, pass: 1, ..none },
            ),
            standing(
                "create-first and detach; look-ups that fail or cannot tell, lost answer, 22 minutes",
                &[CREATE_FIRST, Ask::Detach],
                Budget { undecided: 1, blind: 1, lose: 1, pass: 2, ..none },
            ),
            Configuration {
                readable: false,
                ..standing(
                    "delete-first and a put of the old, of a type that cannot be read; failure, lost answer",
                    &[DELETE_FIRST, PUT],
                    Budget { lose: 1, fail: 1, pass: 1, ..none },
                )
            },
            Configuration {
                readable: false,
                ..standing(
                    "create-first and a delete of a type that cannot be read; blindness, cancel",
                    &[CREATE_FIRST, Ask::Delete],
                    Budget { blind: 1, fail: 1, cancel: 1, pass: 1, ..none },
                )
            },
            standing(
                "both orders; late reads, deleted behind our back",
                &[CREATE_FIRST, DELETE_FIRST],
                Budget { late: 2, vanish: 1, pass: 2, ..none },
            ),
        ],
        500_000,
    );
}

#[test]
fn replacements_of_what_has_a_given_name_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            named(
                "named, delete-first and a put of the same; deleted behind our back, lost answer",
                &[DELETE_FIRST, SAME_PUT],
                Budget { vanish: 1, lose: 1, pass: 2, ..none },
            ),
            named(
                "named, create-first and a delete; crash, theft, failure",
                &[CREATE_FIRST, Ask::Delete],
                Budget { crash: 1, theft: 1, fail: 1, ..none },
            ),
            Configuration {
                reruns: true,
                ..named(
                    "named, delete-first and a put of the same where a failed token runs again",
                    &[DELETE_FIRST, SAME_PUT],
                    Budget { crash: 1, fail: 2, pass: 1, ..none },
                )
            },
            Configuration {
                reruns: true,
                ..standing(
                    "create-first and a delete where a failed token runs again",
                    &[CREATE_FIRST, Ask::Delete],
                    Budget { crash: 1, fail: 1, pass: 2, ..none },
                )
            },
        ],
        300_000,
    );
}

#[test]
fn replacements_of_what_was_imported_break_nothing() {
    let none = Budget::default();
    no_story_breaks(
        vec![
            Configuration::new(
                "import that is owned, create-first and delete; crash, lost answer, failure",
                &[Ask::Import { owned: true }, CREATE_FIRST, Ask::Delete],
                Budget { crash: 1, lose: 1, fail: 1, ..none },
            ),
            Configuration::new(
                "import that is owned, delete-first and detach; crash, theft, failure",
                &[Ask::Import { owned: true }, DELETE_FIRST, Ask::Detach],
                Budget { crash: 1, theft: 1, fail: 1, ..none },
            ),
            Configuration::new(
                "import that is not owned, both orders; lost answer, 22 minutes",
                &[Ask::Import { owned: false }, CREATE_FIRST, DELETE_FIRST],
                Budget { lose: 1, pass: 2, ..none },
            ),
        ],
        25_000,
    );
}

#[test]
fn adoptions_break_nothing() {
    let none = Budget::default();
    let taken = |name, asks: &[Ask], budget| Configuration {
        taken: true,
        ..Configuration::new(name, asks, budget)
    };
    let adopt = |owned| Ask::Adopt { doc: 1, owned };
    no_story_breaks(
        vec![
            taken(
                "adoption, put and delete; crash, theft, failure",
                &[adopt(false), PUT, Ask::Delete],
                Budget { crash: 1, theft: 1, fail: 1, ..none },
            ),
            taken(
                "adoption that owns, put and delete; lost answer, gone meanwhile, 11 minutes",
                &[adopt(true), OTHER_PUT, Ask::Delete],
                Budget { lose: 1, vanish: 1, pass: 1, ..none },
            ),
            taken(
                "two adoptions; lost answer, refusal, cancel, 11 minutes",
                &[adopt(false), adopt(true)],
                Budget { lose: 1, refuse: 1, cancel: 1, pass: 1, ..none },
            ),
        ],
        200_000,
    );
}

/// The same with more of everything; some minutes and gigabytes, so only where it is asked for.
#[test]
fn more_replacements_break_nothing() {
    if std::env::var_os("HANGAR_TEST_FULL").is_none() {
        return;
    }
    let none = Budget::default();
    no_story_breaks(
        vec![
            standing(
                "full: create-first and a delete; lost answer, crash, 22 minutes, 37 hours",
                &[CREATE_FIRST, Ask::Delete],
                Budget { lose: 1, crash: 1, pass: 2, day: 1, ..none },
            ),
            standing(
                "full: delete-first and a delete; lost answer, crash, 22 minutes, 37 hours",
                &[DELETE_FIRST, Ask::Delete],
                Budget { lose: 1, crash: 1, pass: 2, day: 1, ..none },
            ),
            standing(
                "full: both orders and a delete; crash, theft, lost answer, failure",
                &[CREATE_FIRST, Ask::Replace(16, DeleteFirst), Ask::Delete],
                Budget { crash: 1, theft: 1, lose: 1, fail: 1, ..none },
            ),
            Configuration {
                names_early: true,
                ..standing(
                    "full: create-first and a put of the old; cancel, blindness, failure, 33 minutes",
                    &[CREATE_FIRST, PUT],
                    Budget { cancel: 1, blind: 1, fail: 1, crash: 1, pass: 3, ..none },
                )
            },
            Configuration {
                readable: false,
                ..standing(
                    "full: delete-first and a put of the old, of a type that cannot be read",
                    &[DELETE_FIRST, PUT],
                    Budget { lose: 1, blind: 1, fail: 1, pass: 2, cancel: 1, ..none },
                )
            },
            Configuration {
                readable: false,
                ..standing(
                    "full: create-first and a delete of a type that cannot be read",
                    &[CREATE_FIRST, Ask::Delete],
                    Budget { lose: 1, blind: 1, fail: 1, pass: 2, cancel: 1, ..none },
                )
            },
            named(
                "full: named, both orders and a delete; deleted behind our back, lost answer, failure",
                &[DELETE_FIRST, CREATE_FIRST, Ask::Delete],
                Budget { vanish: 1, lose: 1, fail: 1, pass: 2, ..none },
            ),
        ],
        10_000_000,
    );
}
