//! Every interleaving of a small world, driven through the real `open` and `step`.
//!
//! One alias, a few requests, two workers, a store and a cloud that are as bad as they may be: see
//! `world` for the state, `model`, `worker` and `cloud` for what can happen, `invariant` for what must
//! hold. A rule that is taken out must break something, else it is not worth having.

mod cloud;
mod configuration;
mod invariant;
mod model;
mod search;
mod tables;
mod worker;
mod world;

use std::time::Instant;

use configuration::{Ask, Configuration};
use search::search;
use world::Budget;

const PUT: Ask = Ask::Put(0);
const OTHER_PUT: Ask = Ask::Put(1);

fn try_all(configurations: Vec<Configuration>) {
    let mut total = 0;
    for configuration in configurations {
        let name = configuration.name;
        let begun = Instant::now();
        let report = search(configuration);
        println!(
            "{name}: {} states{}, {} moves, {} followed to the end (longest {}), {:.1?}",
            report.states, if report.cut { " (cut)" } else { "" }, report.moves, report.lived, report.longest, begun.elapsed()
        );
        if let Some((violation, story)) = report.broken {
            println!("{name}: {violation}\n{story}");
        }
        total += report.states;
    }
    println!("{total} states in all");
}

#[test]
fn scratch() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let all = configurations();
    try_all(all.into_iter().filter(|it| it.name.contains(&only)).collect());
}

fn configurations() -> Vec<Configuration> {
    let puts = [PUT, OTHER_PUT, Ask::Delete];
    let none = Budget::default();
    vec![
        Configuration::new(
            "crashes, thefts and lost answers",
            &puts,
            Budget { crash: 1, theft: 1, refuse: 1, fail: 1, ..none },
        ),
        Configuration::new(
            "time passes",
            &puts,
            Budget { crash: 1, lose: 1, refuse: 1, pass: 3, day: 1, ..none },
        ),
        Configuration {
            names_early: true,
            ..Configuration::new("requests that time out", &puts, Budget { fail: 1, pass: 3, ..none })
        },
        Configuration::new(
            "cancels",
            &puts,
            Budget { cancel: 1, crash: 1, lose: 1, pass: 2, refuse: 1, ..none },
        ),
        Configuration {
            names_early: true,
            ..Configuration::new("cancels of named requests", &[PUT, Ask::Delete], Budget { cancel: 2, crash: 1, fail: 1, pass: 2, blind: 1, ..none })
        },
        Configuration::new(
            "deleted behind our back",
            &puts,
            Budget { vanish: 1, crash: 1, lose: 1, refuse: 1, pass: 2, ..none },
        ),
        Configuration::new(
            "deleted behind our back, cancels and blindness",
            &puts,
            Budget { vanish: 1, cancel: 1, blind: 1, pass: 2, fail: 1, ..none },
        ),
        Configuration::new(
            "blind reads and look-ups",
            &puts,
            Budget { blind: 2, undecided: 1, lose: 1, pass: 2, fail: 1, ..none },
        ),
        Configuration::new(
            "an import that is not owned",
            &[Ask::Import { owned: false }, PUT, Ask::Delete],
            Budget { crash: 1, lose: 1, refuse: 1, vanish: 1, pass: 2, ..none },
        ),
        Configuration::new(
            "an import that is owned",
            &[Ask::Import { owned: true }, PUT, Ask::Delete],
            Budget { crash: 1, theft: 1, lose: 1, fail: 1, vanish: 1, blind: 1, ..none },
        ),
        Configuration::new(
            "late reads",
            &puts,
            Budget { late: 3, lose: 1, pass: 2, blind: 1, crash: 1, ..none },
        ),
        Configuration {
            reruns: true,
            ..Configuration::new("failed tokens run again", &puts, Budget { crash: 1, theft: 1, lose: 1, fail: 2, pass: 2, ..none })
        },
        Configuration {
            readable: false,
            ..Configuration::new("a type that cannot be read", &puts, Budget { crash: 1, lose: 1, fail: 1, pass: 2, blind: 1, cancel: 1, ..none })
        },
    ]
}
