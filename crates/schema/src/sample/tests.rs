//! What holds for every sample of a few telling types.

use serde_json::{Value, json};

use super::*;
use crate::catalog::Catalog;
use crate::type_schema::Source;

fn schema(document: &Value) -> TypeSchema {
    TypeSchema::compile(document, Source::File).unwrap()
}

#[test]
fn a_seed_gives_the_same_documents() {
    let bucket = Catalog::bundled().get("AWS::S3::Bucket").unwrap();
    let run = || {
        let mut sampler = Sampler::new(&bucket);
        let desired = sampler.desired(5, Size::Large);
        (sampler.live(&desired, 5), sampler.changed(&desired, 5), desired)
    };
    assert_eq!(run(), run());
}

#[test]
fn a_small_document_states_what_is_required_and_no_more() {
    let schema = schema(&json!({
        "typeName": "A::B::C",
        "properties": {
            "Name": {"type": "string", "pattern": "^[a-z]{3}[0-9]{2}$"},
            "Port": {"type": "integer", "minimum": 10, "maximum": 10},
            "Arn": {"type": "string"},
            "Extra": {"type": "string"}
        },
        "required": ["Name", "Port", "Arn"],
        "readOnlyProperties": ["/properties/Arn"]
    }));
    let desired = Sampler::new(&schema).desired(1, Size::Small);
    assert_eq!(desired.as_object().unwrap().len(), 2, "{desired}");
    assert_eq!(desired["Port"], 10);
    assert_eq!(desired["Name"].as_str().unwrap().len(), 5);
}

#[test]
fn exactly_one_branch_is_satisfied_and_dependencies_are_followed() {
    let schema = schema(&json!({
        "typeName": "A::B::C",
        "properties": {
            "A": {"type": "string"}, "B": {"type": "string"},
            "C": {"type": "string"}, "D": {"type": "string"}
        },
        "oneOf": [{"required": ["A"]}, {"required": ["B"]}],
        "dependencies": {"C": ["D"]}
    }));
    for seed in 0..50 {
        let desired = Sampler::new(&schema).desired(seed, Size::Medium);
        assert!(desired.get("A").is_some() != desired.get("B").is_some(), "{desired}");
        assert!(desired.get("C").is_none() || desired.get("D").is_some(), "{desired}");
    }
}

#[test]
fn recursive_definitions_end() {
    let schema = schema(&json!({
        "typeName": "A::B::C",
        "definitions": {"Tree": {"type": "object", "required": ["Trees"], "properties": {
            "Trees": {"type": "array", "minItems": 2, "items": {"$ref": "#/definitions/Tree"}}
        }}},
        "properties": {"Tree": {"$ref": "#/definitions/Tree"}},
        "required": ["Tree"]
    }));
    let desired = Sampler::new(&schema).desired(1, Size::Large);
    assert!(desired.to_string().len() < 2_000_000);
}

#[test]
fn a_pattern_out_of_reach_is_counted() {
    let schema = schema(&json!({
        "typeName": "A::B::C",
        "properties": {"Name": {"type": "string", "pattern": "^(?!.*).$"}},
        "required": ["Name"]
    }));
    let mut sampler = Sampler::new(&schema);
    assert!(sampler.desired(1, Size::Small)["Name"].is_string());
    assert_eq!(sampler.misfits(), 1);
}

#[test]
fn live_hides_secrets_and_shows_identifiers() {
    let schema = schema(&json!({
        "typeName": "A::B::C",
        "properties": {
            "Id": {"type": "string"}, "Password": {"type": "string"},
            "Ports": {"type": "array", "insertionOrder": false, "items": {"type": "integer"}}
        },
        "primaryIdentifier": ["/properties/Id"],
        "readOnlyProperties": ["/properties/Id"],
        "writeOnlyProperties": ["/properties/Password"]
    }));
    let mut sampler = Sampler::new(&schema);
    let live = sampler.live(&json!({"Password": "x", "Ports": [1, 2, 3]}), 1);
    assert!(live.get("Password").is_none() && live.get("Id").is_some());
    assert_eq!(live["Ports"].as_array().unwrap().len(), 3);
}
