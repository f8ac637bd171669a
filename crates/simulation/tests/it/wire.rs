//! The real SDK and real SQLite on one thread: nothing waits for the outside, and a run is the same again.

use std::fmt::Write as _;
use std::time::Duration;

use hangar_plan::operation::SuccessKind;
use hangar_provider::{ErrorClass, Place, Target};
use hangar_simulation::history;
use hangar_simulation::rig::aws::Aws;
use hangar_simulation::rig::clock::RunClock;
use hangar_simulation::rig::collect::collect;
use hangar_simulation::rig::fate::Fair;
use hangar_simulation::rig::wire::over_the_wire;
use hangar_simulator::core::call::CallName;
use hangar_simulator::core::fault::{Effect, Fault, When};
use serde_json::json;

use crate::stage::{Stage, Way, aws, on_one_thread};

/// The next call by that name meets an effect.
fn arm(aws: &Aws, operation: CallName, effect: Effect) {
    let fault = Fault {
        id: 0,
        operation: Some(operation),
        type_name: None,
        identifier: None,
        account: None,
        region: None,
        nth: 1,
        times: 1,
        effect,
    };
    aws.with(|world, _| world.arm(fault));
}

/// Every call that AWS got, one a line, with its instant.
fn calls(aws: &Aws) -> String {
    aws.with(|world, _| {
        let mut text = String::new();
        for record in world.log().after(0, 100_000) {
            let name = record.operation.as_str();
            let token = record.client_token.as_deref().or(record.request_token.as_deref());
            let (identifier, token) = (record.identifier.as_deref(), token.unwrap_or("-"));
            let (at, identifier) = (record.at.millis(), identifier.unwrap_or("-"));
            writeln!(text, "{at} {name} {identifier} {token} {}", record.outcome).unwrap();
        }
        text
    })
}

fn existing(aws: &Aws) -> usize {
    aws.with(|world, _| {
        let regions = world.state().regions.values();
        let resources = regions.flat_map(|region| region.resources.values()).flatten();
        resources.filter(|(_, resource)| resource.document.is_some()).count()
    })
}

/// A little of everything that can be done with an alias, and a reply that is lost; gives the calls.
fn story(way: Way) -> String {
    on_one_thread(async {
        let directory = tempfile::tempdir().unwrap();
        let clock = RunClock::new();
        let path = directory.path().join("store.db");
        let stage = Stage::open(&path, aws(&clock), &clock, way, Box::new(Fair));
        stage.make_group().await;
        let began = std::time::Instant::now();
        assert_eq!(stage.put("net", true).await, SuccessKind::Created);
        assert_eq!(stage.put("net", true).await, SuccessKind::Noop);
        assert_eq!(stage.put("net", false).await, SuccessKind::Updated);
        assert_eq!(existing(&stage.aws), 1);
        assert_eq!(stage.delete("net").await, SuccessKind::Deleted);
        assert_eq!(existing(&stage.aws), 0);
        arm(&stage.aws, CallName::CreateResource, Effect::DropReply { when: When::After });
        assert_eq!(stage.put("net", true).await, SuccessKind::Created);
        assert_eq!(existing(&stage.aws), 1);
        // Two creates were sent with one token.
        let history = collect(&*stage.store, &stage.aws).await.unwrap();
        assert_eq!(history::check(&history), []);
        assert!(began.elapsed() < Duration::from_secs(20), "it waits for the outside");
        calls(&stage.aws)
    })
}

#[test]
fn what_an_alias_goes_through_is_the_same_again() {
    let first = story(Way::Wire);
    let lost = first.lines().filter(|it| it.contains("CreateResource")).collect::<Vec<_>>();
    assert_eq!(lost.len(), 3, "{first}");
    assert!(lost[1].ends_with("dropped") && lost[2].ends_with("ok"), "{first}");
    assert_eq!(first, story(Way::Wire));
}

#[test]
fn the_sdk_makes_the_calls_that_are_made_without_it() {
    // What is searched with the core alone is found again with all that users run.
    assert_eq!(story(Way::Core), story(Way::Wire));
}

#[test]
fn a_reply_that_is_lost_or_late_leaves_a_write_unanswered() {
    on_one_thread(async {
        let clock = RunClock::new();
        let aws = aws(&clock);
        let provider = over_the_wire(&aws);
        let target = Target {
            place: Place {
                plane: "aws".to_owned(),
                account: "42".parse().unwrap(),
                region: "eu-central-1".parse().unwrap(),
            },
            type_name: "AWS::EC2::VPC".parse().unwrap(),
        };
        let desired = json!({"CidrBlock": "10.0.0.0/16"});
        for (token, effect, code) in [
            ("a", Effect::DropReply { when: When::Before }, "ConnectionLost"),
            ("b", Effect::DropReply { when: When::After }, "ConnectionLost"),
            ("c", Effect::Delay { millis: 31_000 }, "AnswerTimeout"),
        ] {
            arm(&aws, CallName::CreateResource, effect);
            let began = clock.now();
            let failed = provider.create(&target, &desired, token).await.unwrap_err();
            assert_eq!((failed.class, &*failed.code), (ErrorClass::Unanswered, code));
            let took = clock.now().since(began).as_secs();
            assert_eq!(took, if token == "c" { 30 } else { 0 });
        }
        // Time is AWS's: one that comes late comes by this clock.
        arm(&aws, CallName::CreateResource, Effect::Delay { millis: 7000 });
        let began = clock.now();
        let progress = provider.create(&target, &desired, "d").await.unwrap();
        assert_eq!(clock.now().since(began), Duration::from_secs(7));
        assert_eq!(progress.event_at_micros, Some(began.as_micros() / 1000 * 1000));
    });
}
