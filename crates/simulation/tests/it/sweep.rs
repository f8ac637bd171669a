//! Every crash of every scenario, one by one; a part of those with two.

use hangar_simulation::rig::tier::Tier;
use hangar_simulation::sweep::scenario::{self, Scenario};
use hangar_simulation::sweep::sweep;

/// How much of the pairs is played: all of them where somebody has the time. Of a deployment or a recipe there are so many
/// that a hundredth is still long.
fn every(scenario: &Scenario) -> usize {
    match std::env::var_os("HANGAR_TEST_FULL") {
        Some(_) => 1,
        None if scenario.name.starts_with("deploy") || scenario.name.starts_with("recipe") => 997,
        None => 97,
    }
}

#[allow(clippy::print_stdout, reason = "how much was played is worth a line")]
fn swept(replicas: usize) {
    let mut schedules = 0;
    for scenario in scenario::ALL {
        let report = sweep(scenario, Tier::A, replicas, every(scenario)).unwrap();
        if let Some((crashes, swept)) = report.broken.first() {
            panic!("{scenario:?} {crashes:?}: {:?}\n{}", swept.wrong, swept.trace.join("\n"));
        }
        assert!(report.points > 5, "{scenario:?} has only {} calls", report.points);
        println!(
            "{scenario:?}, {replicas} at once: {} calls, {} schedules, none broken",
            report.points, report.schedules
        );
        schedules += report.schedules;
    }
    println!("{replicas} at once: {schedules} schedules, none broken");
    assert!(schedules > 1000, "{schedules}");
}

#[test]
fn one_process_dies_at_every_call_and_is_started_again() {
    swept(1);
}

#[test]
fn one_of_two_replicas_dies_at_every_call() {
    swept(2);
}
