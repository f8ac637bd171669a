//! Stacks are the same from the same seed, and are there again after a restart.

use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::state::{Change, State};
use hangar_simulator::journal::Journal;
use serde_json::json;

use super::{SHOP, create};
use crate::caller::Caller;

/// Stacks that are made, changed, broken and deleted; gives all answers and all changes.
fn run(seed: u64) -> (Vec<String>, Vec<Change>, Caller) {
    let mut caller = Caller::with(Settings { seed, ..Settings::default() });
    let mut answers = Vec::new();
    caller.world.put_asset("b", "k.json", Some(SHOP));
    let mut broken: serde_json::Value = serde_json::from_str(SHOP).unwrap();
    broken["Resources"]["Log"]["Properties"]["RetentionInDays"] = json!(2);
    let broken = broken.to_string();
    let id = create(&mut caller, "Shop", SHOP).unwrap();
    answers.push(id.clone());
    let small = json!({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}).to_string();
    for (action, parameters) in [
        ("CreateStack", vec![("StackName", "Url"), ("TemplateURL", "s3://b/k.json")]),
        ("DescribeStacks", vec![]),
        ("UpdateStack", vec![("StackName", "Shop"), ("TemplateBody", broken.as_str())]),
        ("DescribeStackEvents", vec![("StackName", "Shop")]),
        ("UpdateStack", vec![("StackName", "Url"), ("TemplateBody", small.as_str())]),
        ("ListStackResources", vec![("StackName", "Url")]),
        ("DeleteStack", vec![("StackName", "Url")]),
        ("ListStacks", vec![]),
        ("DescribeStackResources", vec![("StackName", id.as_str())]),
        ("ListExports", vec![]),
    ] {
        caller.now += 700;
        answers.push(caller.stacks(action, &parameters).unwrap_or_else(|it| format!("{it:?}")));
        caller.now += 60_000;
    }
    let changes = caller.world.take_changes();
    (answers, changes, caller)
}

#[test]
fn the_same_seed_and_calls_give_the_same_stacks() {
    let (first, ..) = run(1);
    assert_eq!(first, run(1).0);
    assert_ne!(first, run(2).0);
}

#[test]
fn stacks_and_assets_are_there_again_after_a_restart() {
    let (_, changes, caller) = run(3);
    assert!(changes.iter().any(|change| matches!(change, Change::Stack { .. })));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (mut journal, _) = Journal::open(&path).unwrap();
    journal.append(&changes).unwrap();
    drop(journal);
    let snapshot = |state: &State| state.snapshot().collect::<Vec<_>>();
    let (mut journal, state) = Journal::open(&path).unwrap();
    assert_eq!(snapshot(&state), snapshot(caller.world.state()));
    journal.rewrite(&state).unwrap();
    drop(journal);
    let (_journal, state) = Journal::open(&path).unwrap();
    assert_eq!(snapshot(&state), snapshot(caller.world.state()));
    assert_eq!(state.assets.len(), 1);
    assert_eq!(state.regions[&caller.place].stacks.len(), 2);
}

#[test]
fn a_reset_forgets_stacks_and_assets() {
    let (_, _, mut caller) = run(3);
    caller.world.reset();
    assert!(caller.world.state().regions.is_empty() && caller.world.state().assets.is_empty());
}
