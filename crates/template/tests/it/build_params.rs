//! A `.bicepparam` file is printed as the parameters JSON that Bicep's compiler writes.

use std::collections::BTreeMap;

use hangar_template::arm::build_parameters;
use hangar_template::source::Sources;
use serde_json::{Value, json};

use crate::language::told;

const FILE: &str = "main.bicepparam";

fn sources(text: &str) -> Sources {
    let mut sources = Sources::of(FILE, text.as_bytes());
    sources.insert("base.bicepparam", &b"using none\nparam a = 'base'\nparam b = 'base'\n"[..]);
    sources
}

/// The members of the document that tell something.
fn built(text: &str) -> Value {
    let environment = BTreeMap::from([("NAME".to_owned(), "env".to_owned())]);
    let built = build_parameters(&sources(text), FILE, &environment);
    let json = built.json.unwrap_or_else(|| panic!("{:#?}", told(text, &built.file.problems)));
    let mut json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["contentVersion"], "1.0.0.0");
    let schema = json["$schema"].as_str().unwrap();
    assert!(schema.ends_with("/2019-04-01/deploymentParameters.json#"), "{schema}");
    let inputs = json["externalInputDefinitions"].take();
    let parameters = json["parameters"].take();
    if inputs.is_null() { parameters } else { json!([parameters, inputs]) }
}

#[test]
fn values_are_evaluated_and_those_of_an_extended_file_come_last() {
    let text = "using none\nextends 'base.bicepparam'\nvar x = 1 + 2\nparam n = x\n\
                param e = readEnvironmentVariable('NAME')\nparam a = '[own]'\nparam o = { k: [true, null] }\n";
    let wanted = json!({
        "n": {"value": 3},
        "e": {"value": "env"},
        "a": {"value": "[own]"},
        "o": {"value": {"k": [true, null]}},
        "b": {"value": "base"},
    });
    assert_eq!(built(text), wanted);
}

#[test]
fn secrets_of_a_key_vault_are_references() {
    let text = "using none\nparam s = az.getSecret('sub', 'rg', 'kv', 'name')\n";
    let id = "/subscriptions/sub/resourceGroups/rg/providers/Microsoft.KeyVault/vaults/kv";
    let wanted = json!({"s": {"reference": {"keyVault": {"id": id}, "secretName": "name"}}});
    assert_eq!(built(text), wanted);
}

#[test]
fn values_of_external_inputs_are_expressions() {
    let text = "using none\nvar v = bool(externalInput('sys.cli', 'v'))\nparam p = v\nparam q = p\n\
                param t = '{${p}} ${1 + 1}'\nparam c = externalInput('my tool', { secure: true })\n";
    let parameters = json!({
        "p": {"expression": "[bool(externalInputs('sys_cli_0'))]"},
        "q": {"expression": "[bool(externalInputs('sys_cli_0'))]"},
        "t": {"expression": "[format('{{{0}}} {1}', bool(externalInputs('sys_cli_0')), 2)]"},
        "c": {"expression": "[externalInputs('my_tool_1')]"},
    });
    let inputs = json!({
        "sys_cli_0": {"kind": "sys.cli", "options": "v"},
        "my_tool_1": {"kind": "my tool", "options": {"secure": true}},
    });
    assert_eq!(built(text), json!([parameters, inputs]));
}

#[test]
fn a_deployment_of_values_that_only_azure_knows_is_told_what_to_write() {
    for call in ["externalInput('sys.cli', 'v')", "az.getSecret('s', 'g', 'v', 'n')"] {
        let text = format!("using none\nparam p = {call}\n");
        let read = hangar_template::parameters_file::parameters_file(
            &sources(&text),
            FILE,
            &BTreeMap::new(),
        );
        let told = told(&text, &read.problems);
        assert!(told[0].contains("readEnvironmentVariable"), "{told:?}");
    }
}
