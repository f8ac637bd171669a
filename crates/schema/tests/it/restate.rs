//! What is restated of a resource that exists changes nothing, and is what the schema takes.

use std::collections::BTreeMap;

use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Inputs, Outcome, Purpose, patch, restate, validate};
use serde_json::{Value, json};

#[test]
fn the_live_documents_of_every_type_are_restated_without_a_difference() {
    let catalog = Catalog::bundled();
    let (mut count, mut clean, mut unseen) = (0, 0, 0);
    let mut differing = Vec::new();
    let mut said: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        if schema.handlers().read.is_none() {
            continue;
        }
        let mut sampler = Sampler::new(&schema);
        for (seed, size) in [(1, Size::Small), (2, Size::Medium)] {
            let desired = sampler.desired(seed, size);
            let live = sampler.live(&desired, seed);
            let restated = restate(&schema, &live, None);
            count += 1;
            unseen += usize::from(!restated.unseen.is_empty());
            let inputs = Inputs { live: &live, desired: &restated.properties, applied: None };
            let outcome = patch(&schema, &inputs).map(|it| it.outcome);
            assert_eq!(restated.differs.is_empty(), outcome == Ok(Outcome::Noop), "{name}");
            if !restated.differs.is_empty() {
                differing.push(format!("{name} {seed}: {:?}", restated.differs));
            }
            // Of one that was put, what was applied stays stated.
            let inputs = Inputs { live: &live, desired: &desired, applied: Some(&desired) };
            let is_applied = patch(&schema, &inputs).is_ok_and(|it| it.outcome == Outcome::Noop);
            let again = restate(&schema, &live, Some(&desired));
            if is_applied && !again.differs.is_empty() {
                differing.push(format!("{name} {seed} applied: {:?}", again.differs));
            }
            let found = validate(&schema, &restated.properties, Purpose::Desired);
            let others = found.iter().filter(|it| {
                !restated.unseen.iter().any(|unseen| it.message.contains(&last(&unseen.pointer)))
            });
            let mut is_clean = true;
            for it in others {
                is_clean = false;
                said.entry(it.code.to_string())
                    .or_default()
                    .push(format!("{name} {seed} {:?}: {}", it.pointer, it.message));
            }
            clean += usize::from(is_clean);
        }
    }
    println!("documents {count}, clean {clean}, with unseen {unseen}, differing {differing:?}");
    for (code, all) in &said {
        println!("{code}: {} {:#?}", all.len(), all.iter().take(6).collect::<Vec<_>>());
    }
    assert!(count > 2_000, "{count}");
    assert_eq!(differing, Vec::<String>::new());
    assert!(count - clean < 30, "{clean} of {count}");
}

fn last(pointer: &str) -> String {
    pointer.rsplit('/').next().unwrap_or_default().to_owned()
}

fn restated(type_name: &str, live: &Value) -> Value {
    let restated = restate(&Catalog::bundled().get(type_name).unwrap(), live, None);
    assert_eq!(restated.differs, Vec::<String>::new());
    restated.properties
}

#[test]
fn what_only_the_service_says_is_left_out() {
    let live = json!({"BucketName": "logs", "Arn": "arn:aws:s3:::logs", "Tags": [
        {"Key": "aws:x", "Value": "1"}, {"Key": "hangar:operation", "Value": "2"}],
        "NotInTheSchema": {"a": 1}});
    assert_eq!(restated("AWS::S3::Bucket", &live), json!({"BucketName": "logs"}));
}

#[test]
fn a_required_value_that_no_read_returns_is_told() {
    let schema = Catalog::bundled().get("AWS::Lambda::Function").unwrap();
    let live = json!({"FunctionName": "f", "Role": "arn:aws:iam::123456789012:role/r",
        "Arn": "arn:aws:lambda:us-east-1:123456789012:function:f"});
    let restated = restate(&schema, &live, None);
    let pointers: Vec<&str> = restated.unseen.iter().map(|it| it.pointer.as_str()).collect();
    assert_eq!(pointers, ["/Code"]);
    assert_eq!(restated.properties["FunctionName"], "f");
    assert_eq!(restated.differs, Vec::<String>::new());
}

#[test]
fn what_was_applied_stays_stated() {
    let schema = Catalog::bundled().get("AWS::EC2::VPC").unwrap();
    let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true,
        "Tags": []});
    let applied = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true, "Tags": []});
    let restated = restate(&schema, &live, Some(&applied));
    assert_eq!(restated.properties["EnableDnsSupport"], true);
    assert_eq!(restated.differs, Vec::<String>::new());
}
