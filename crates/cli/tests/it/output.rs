//! `hangar output`: values of a deployment for scripts.

use std::fs;

use serde_json::json;

use crate::place::Place;
use crate::shown_of;

const TEMPLATE: &str = "extension aws

@secure()
param password string = newGuid()

resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: { LogGroupName: 'logs' }
}

output name string = logs.properties.LogGroupName
output days int = 14
output tags array = ['a', 'b']
output text string = 'two\\nlines'
@secure()
output password string = password
";

fn deployed() -> Place {
    let place = Place::new();
    fs::write(place.path().join("main.bicep"), TEMPLATE).unwrap();
    place.stdout(&["deploy", "main.bicep"]);
    place
}

#[test]
fn outputs_are_printed_for_scripts() {
    let place = deployed();
    for target in ["main", "main.bicep"] {
        assert_eq!(
            place.stdout(&["output", target]),
            "days = 14\nname = logs\npassword = «secret»\ntags = [\"a\",\"b\"]\ntext = two\\nlines\n"
        );
    }
    let value = |key: &str| place.stdout(&["output", "main", key]);
    assert_eq!(value("name"), "logs\n");
    assert_eq!(value("days"), "14\n");
    assert_eq!(value("tags"), "[\"a\",\"b\"]\n");
    assert_eq!(value("text"), "two\nlines\n");
    let all = json!({"days": 14, "name": "logs", "password": null, "tags": ["a", "b"], "text": "two\nlines"});
    assert_eq!(place.json(&["output", "main"]), all);
    assert_eq!(place.json(&["output", "main", "name"]), json!("logs"));
}

#[test]
fn what_does_not_exist_is_an_error_that_lists_what_does() {
    let place = deployed();
    let said = |arguments: &[&str]| {
        let text = shown_of(&mut place.command(arguments));
        text.replace("note: AWS is the built-in simulator (state in .hangar/simulator.db)\n", "")
    };
    insta::assert_snapshot!(said(&["output", "mian"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0060]: deployment `mian` does not exist in group `default`
    hint: deployments of the group: `main`
    ");
    insta::assert_snapshot!(said(&["output", "main", "nmae"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0123]: deployment `main` has no output `nmae`
    hint: did you mean `name`?
    hint: outputs: `days`, `name`, `password`, `tags`, `text`
    ");
    insta::assert_snapshot!(said(&["output", "main", "password"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0124]: output `password` of deployment `main` is secure, and secure values are not stored
    hint: read the value from AWS, or from where you store it
    ");
}

#[test]
fn a_new_folder_has_no_deployments() {
    let place = Place::new();
    assert_eq!(
        place.stdout(&["deployment", "list"]),
        "no deployments yet; `hangar deploy FILE` creates one\n"
    );
    assert_eq!(place.json(&["deployment", "list"]), json!([]));
    let missing = String::from_utf8(place.run(&["output", "main"]).stderr).unwrap();
    assert!(missing.contains("hint: the group has no deployments"), "{missing}");
    assert!(place.stdout(&["recipe", "list"]).starts_with("no recipes"));
    // A group that was named, and is not there, may be a slip.
    let named = place.run(&["deployment", "list", "-g", "prod"]);
    assert_eq!(named.status.code(), Some(1));
}
