//! The table of expressions, by us and by Terraform itself.

use std::fs;

use hangar_manifest::deployed::Deployed;
use hangar_manifest::hcl::{parse_expression, parse_template};
use hangar_manifest::state;
use serde_json::{Map, Value, json};

use super::table::TABLE;
use crate::recipe::terraform::workspace;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hcl");

/// Expressions of the table that are sensitive here though Terraform does not take them for it: what
/// they were asked of is.
const STRICTER: &[&str] = &["[sensitive(\"a\")]"];

#[test]
fn expressions_have_the_values_that_terraform_gives_them() {
    let mut wrong = Vec::new();
    for file in ["terraform.tfstate", "show.json"] {
        let text = fs::read(format!("{OWN}/{file}")).unwrap();
        let state = state::read(&text).unwrap();
        let deployed = Deployed::new(&state);
        for (expression, expected, sensitive) in TABLE {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let tree = match parse_expression(expression) {
                Ok(tree) => tree,
                Err(error) => {
                    wrong.push(format!("{expression}: {error} {:?}", error.span));
                    continue;
                }
            };
            let whole = parse_template(&format!("${{{expression}}}")).unwrap();
            match (deployed.evaluate(&tree), deployed.evaluate(&whole)) {
                (Ok(found), Ok(again)) => {
                    if found.value != expected {
                        wrong.push(format!("{expression}: {} instead of {expected}", found.value));
                    }
                    assert_eq!(found, again, "{expression}");
                    if *sensitive && !found.sensitive {
                        wrong.push(format!("{expression}: not sensitive"));
                    }
                    if found.sensitive && !sensitive && !STRICTER.contains(expression) {
                        wrong.push(format!("{expression}: sensitive"));
                    }
                }
                (Err(error), _) | (_, Err(error)) => wrong.push(format!("{expression}: {error}")),
            }
        }
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

#[test]
fn the_table_is_what_terraform_says() {
    let Some(workspace) = workspace("the_table_is_what_terraform_says") else { return };
    let text = fs::read_to_string(format!("{OWN}/main.tf.json")).unwrap();
    let mut configuration: Value = serde_json::from_str(&text).unwrap();
    let mut outputs = Map::new();
    for (at, (expression, ..)) in TABLE.iter().enumerate() {
        let output = |value: String| json!({"value": value, "sensitive": true});
        outputs.insert(format!("v{at}"), output(format!("${{{expression}}}")));
        outputs.insert(format!("s{at}"), output(format!("${{issensitive({expression})}}")));
    }
    configuration["output"] = outputs.into();
    workspace.write("all/main.tf.json", configuration.to_string());
    workspace.succeed("all", &["init", "-no-color"]);
    workspace.succeed("all", &["apply", "-auto-approve", "-no-color"]);
    let outputs = workspace.json("all", &["output", "-json"]);
    for (at, (expression, expected, sensitive)) in TABLE.iter().enumerate() {
        let expected: Value = serde_json::from_str(expected).unwrap();
        let value = outputs.get(format!("v{at}")).map_or(&Value::Null, |it| &it["value"]);
        assert_eq!(*value, expected, "{expression}");
        assert_eq!(outputs[format!("s{at}")]["value"], *sensitive, "{expression}");
    }
}
