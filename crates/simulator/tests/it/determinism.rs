//! The same seed and the same calls give the same answers, and kept changes give the same state.

use hangar_schema::Catalog;
use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::state::{Change, State};
use serde_json::{Value, json};

use crate::caller::Caller;

/// A life with some of everything; gives all answers and all changes.
fn run(seed: u64) -> (Vec<Value>, Vec<Change>, Caller) {
    let mut caller = Caller::with(Settings { seed, ..Settings::default() });
    let mut answers = Vec::new();
    let mut changes = Vec::new();
    let mut call = |caller: &mut Caller, operation: &str, body: Value| {
        let answer = caller.call(operation, &body).unwrap_or_else(|refused| json!([refused.0]));
        caller.now += 150;
        changes.extend(caller.world.take_changes());
        answers.push(answer.clone());
        answer
    };
    for (round, name) in
        ["AWS::EC2::VPC", "AWS::SQS::Queue", "AWS::EC2::Subnet", "AWS::EC2::VPC"].iter().enumerate()
    {
        let schema = Catalog::bundled().get(name).unwrap();
        let desired = hangar_schema::sample::Sampler::new(&schema)
            .desired(round as u64, hangar_schema::sample::Size::Medium);
        let create = json!({"TypeName": name, "DesiredState": desired.to_string()});
        let begun = call(&mut caller, "CreateResource", create);
        let token = begun["ProgressEvent"]["RequestToken"].clone();
        let mut event = Value::Null;
        for _ in 0..9 {
            event = call(&mut caller, "GetResourceRequestStatus", json!({"RequestToken": token}));
        }
        let identifier = event["ProgressEvent"]["Identifier"].clone();
        call(&mut caller, "GetResource", json!({"TypeName": name, "Identifier": identifier}));
        call(&mut caller, "DeleteResource", json!({"TypeName": name, "Identifier": identifier}));
        if round % 2 == 0 {
            call(&mut caller, "CancelResourceRequest", json!({"RequestToken": token}));
        }
    }
    (answers, changes, caller)
}

#[test]
fn the_same_seed_and_calls_give_the_same_answers() {
    assert_eq!(run(1).0, run(1).0);
    assert_ne!(run(1).0, run(2).0);
}

#[test]
fn kept_changes_give_the_same_state() {
    let (_, changes, caller) = run(3);
    let mut again = State::default();
    for change in changes {
        again.apply(change);
    }
    let snapshot = |state: &State| state.snapshot().collect::<Vec<_>>();
    assert_eq!(snapshot(&again), snapshot(caller.world.state()));
    let mut rebuilt = State::default();
    again.snapshot().for_each(|change| rebuilt.apply(change));
    assert_eq!(snapshot(&rebuilt), snapshot(&again));
}
