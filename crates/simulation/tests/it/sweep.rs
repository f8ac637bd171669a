//! Every crash of every scenario, one by one; a part of those with two.

use hangar_simulation::rig::tier::Tier;
use hangar_simulation::sweep::{scenario, sweep};

/// How much of the pairs is played: all of them where somebody has the time.
fn every() -> usize {
    if std::env::var_os("HANGAR_TEST_FULL").is_some() { 1 } else { 97 }
}

fn swept(replicas: usize) {
    let mut schedules = 0;
    for scenario in scenario::ALL {
        let report = sweep(scenario, Tier::A, replicas, every()).unwrap();
        if let Some((crashes, swept)) = report.broken.first() {
            panic!("{scenario:?} {crashes:?}: {:?}\n{}", swept.wrong, swept.trace.join("\n"));
        }
        assert!(report.points > 5, "{scenario:?} has only {} calls", report.points);
        schedules += report.schedules;
    }
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
