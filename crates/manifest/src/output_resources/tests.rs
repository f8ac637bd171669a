//! Ids by their rules: the examples of the contract, and its edge cases by their numbers.

mod aws;
mod azure;
mod kubernetes;
mod links;
mod states;

use serde_json::{Value, json};

use super::{Ask, Report, Reported, report};
use crate::state::read;

const ACCOUNT: &str = "123456789012";

/// A resource of a raw state with one instance.
fn resource(provider: &str, type_name: &str, attributes: &Value) -> Value {
    resource_of(provider, type_name, &json!([{"schema_version": 0, "attributes": attributes}]))
}

fn resource_of(provider: &str, type_name: &str, instances: &Value) -> Value {
    let provider = if provider.contains('[') {
        provider.to_owned()
    } else {
        format!("provider[\"registry.terraform.io/{provider}\"]")
    };
    json!({"mode": "managed", "type": type_name, "name": "x", "provider": provider, "instances": instances})
}

fn state_of(resources: &[Value]) -> String {
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": resources})
        .to_string()
}

fn reported_with(resources: &[Value], ask: &Ask<'_>) -> Report {
    let report = report(&read(state_of(resources).as_bytes()).unwrap(), ask);
    for id in &report.resources {
        let parsed = hangar_ids::ResourceId::parse(id).unwrap_or_else(|odd| panic!("{id}: {odd}"));
        assert!(parsed.name().is_some(), "{id}");
    }
    report
}

fn reported(resources: &[Value]) -> Report {
    reported_with(resources, &Ask { aws_account: Some(ACCOUNT), ..Ask::default() })
}

/// What becomes of one resource.
fn one(provider: &str, type_name: &str, attributes: &Value) -> Reported {
    reported(&[resource(provider, type_name, attributes)]).instances.remove(0)
}

fn reason(reported: &Reported) -> &str {
    assert_eq!(reported.id, None);
    reported.reason.as_deref().unwrap()
}
