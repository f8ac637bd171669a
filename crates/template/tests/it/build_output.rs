//! `build` writes the JSON that Bicep's compiler writes, or reports an error.

use hangar_template::arm::build;
use hangar_template::source::Sources;
use serde_json::{Value, json};

const SITE: &str = "'Microsoft.Web/sites@2024-04-01'";

fn sources(files: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::default();
    for (name, text) in files {
        sources.insert((*name).to_owned(), text.as_bytes().to_vec());
    }
    sources
}

/// The template of the first file.
fn built(files: &[(&str, &str)]) -> Value {
    let built = build(&sources(files), files[0].0);
    assert_eq!(built.problems, [], "{}", files[0].1);
    serde_json::from_str(&built.template.unwrap_or_default()).unwrap_or_default()
}

/// The code of the first error of the first file.
fn refusal(files: &[(&str, &str)]) -> String {
    let built = build(&sources(files), files[0].0);
    assert!(built.template.is_none(), "{}", files[0].1);
    built.problems[0].diagnostic.code.to_string()
}

fn with_module(text: &str) -> Value {
    let module = "param a string = 'a'\noutput x string = a\n";
    built(&[("main.bicep", text), ("m.bicep", module)])
}

#[test]
fn every_form_of_depends_on_is_written() {
    for list in ["c ? [q] : []", "concat([q], [])", "[...[q]]", "[q]"] {
        let text = format!(
            "param c bool\nresource q {SITE} = {{\n  name: 'q'\n}}\n\
             resource r {SITE} = {{\n  name: 'r'\n  dependsOn: {list}\n}}\n"
        );
        let json = built(&[("main.bicep", &text)]);
        assert_eq!(json["resources"]["r"]["dependsOn"], json!(["q"]), "{list}");
    }
}

#[test]
fn the_order_of_depends_on_ignores_case() {
    let text = format!(
        "resource hubVNET {SITE} = {{\n  name: 'a'\n}}\nresource hubrg {SITE} = {{\n  name: 'b'\n}}\n\
         resource r {SITE} = {{\n  name: 'r'\n  dependsOn: [hubVNET, hubrg]\n}}\n"
    );
    let json = built(&[("main.bicep", &text)]);
    assert_eq!(json["resources"]["r"]["dependsOn"], json!(["hubrg", "hubVNET"]));
}

#[test]
fn an_output_of_a_module_is_read_through_null_checks() {
    let head = "param c bool\nmodule m 'm.bicep' = if (c) {\n  name: 'm'\n}\n";
    let json = with_module(&format!("{head}output o string = m!.outputs.x\n"));
    assert_eq!(json["outputs"]["o"]["value"], "[reference('m').outputs.x.value]");
    let json = with_module(&format!("{head}output o string? = m.?outputs.x\n"));
    let value = "[tryGet(if(parameters('c'), reference('m'), null()), 'outputs', 'x', 'value')]";
    assert_eq!(json["outputs"]["o"]["value"], value);
}

#[test]
fn a_non_null_assertion_keeps_methods_and_ids() {
    let head =
        "resource s 'Microsoft.Storage/storageAccounts@2024-01-01' existing = {\n  name: 's'\n}\n";
    let output = |value: &str| {
        let text = format!("{head}output o object = {value}\n");
        built(&[("main.bicep", &text)])["outputs"]["o"]["value"].clone()
    };
    assert_eq!(output("s!.listKeys()"), "[listKeys('s', '2024-01-01')]");
    assert_eq!(output("s.listKeys('2021-04-01')"), "[listKeys('s', '2021-04-01')]");
    let id = "[resourceId('Microsoft.Storage/storageAccounts', 's')]";
    assert_eq!(output("any(s!.id)"), id);
}

#[test]
fn a_list_of_an_existing_resource_is_not_waited_for() {
    let text = format!(
        "resource ex {SITE} existing = {{\n  name: 'x'\n}}\n\
         resource r {SITE} = {{\n  name: 'r'\n  tags: {{ a: ex.listKeys().keys[0].value }}\n}}\n"
    );
    let json = built(&[("main.bicep", &text)]);
    assert_eq!(json["resources"]["r"].get("dependsOn"), None);
}

#[test]
fn the_last_member_of_a_union_may_be_nullable() {
    let json = built(&[("main.bicep", "type t = {\n  a: 'x' | 'y'?\n}\nparam p t = {}\n")]);
    let member = &json["definitions"]["t"]["properties"]["a"];
    assert_eq!(member["nullable"], true);
    assert_eq!(member["allowedValues"], json!(["x", "y"]));
}

#[test]
fn exported_variables_are_listed() {
    let json = built(&[("main.bicep", "@export()\nvar a string = 'x'\n")]);
    let exported = json!([{"name": "a", "type": {"type": "string"}}]);
    assert_eq!(json["metadata"]["__bicep_exported_variables!"], exported);
}

#[test]
fn surrogate_escapes_are_one_character() {
    let text = "var c = { 'a-b': '\\u{D801}\\u{DC37}' }\n";
    let json = built(&[("main.bicep", text)]);
    assert_eq!(json["variables"]["c"], json!({"a-b": "\u{10437}"}));
}

#[test]
fn a_module_for_a_subscription_takes_the_location_of_the_group() {
    let module = "targetScope = 'subscription'\n";
    let text = "module m 's.bicep' = {\n  name: 'm'\n  scope: subscription()\n}\n";
    let json = built(&[("main.bicep", text), ("s.bicep", module)]);
    assert_eq!(json["resources"]["m"]["location"], "[resourceGroup().location]");
}

#[test]
fn the_folder_of_a_project_does_not_change_its_output() {
    let main = "import { t } from 'types.bicep'\nparam p t\n";
    let types = "@export()\ntype t = string\n";
    let here = built(&[("main.bicep", main), ("types.bicep", types)]);
    let below = built(&[("a/b/main.bicep", main), ("a/b/types.bicep", types)]);
    assert_eq!(here, below);
}

#[test]
fn the_type_of_a_resource_part_is_known_or_refused() {
    let part = "resourceInput<'Microsoft.Web/sites@2024-04-01'>";
    let parameter = |text: &str| {
        built(&[("main.bicep", &text.replace("PART", part))])["parameters"]["p"]["type"].clone()
    };
    assert_eq!(parameter("param p PART.tags?\n"), "object");
    assert_eq!(parameter("param p PART.properties.x = []\n"), "array");
    for text in
        ["@secure()\nparam p PART.properties.x?\n", "type t = {\n  a: PART.properties.x\n}\n"]
    {
        assert_eq!(refusal(&[("main.bicep", &text.replace("PART", part))]), "TMPL0010");
    }
}

#[test]
fn types_of_unknown_extensions_and_registries_are_refused() {
    for (text, code) in [
        (
            "extension graph\nresource r 'Microsoft.Graph/groups@beta' = {\n  name: 'a'\n}\n",
            "BCP204",
        ),
        ("resource r 'Microsoft.Graph/groups@beta' = {\n  name: 'a'\n}\n", "TMPL0010"),
    ] {
        assert_eq!(refusal(&[("main.bicep", text)]), code);
    }
    let import = "import { a } from 'br/public:avm/a:1.0.0'\nvar x = a\n";
    let built = build(&sources(&[("main.bicep", import)]), "main.bicep");
    assert!(built.template.is_none());
    assert!(!built.problems[0].diagnostic.message.contains("was not found"));
}

#[test]
fn invalid_programs_are_refused() {
    for (text, code) in [
        ("var a = b\nvar b = a\n", "BCP080"),
        ("func f(x int) int => f(x)\n", "BCP079"),
        ("param p int = 'x'\n", "BCP033"),
        ("var a = nofunc(1)\n", "BCP057"),
        ("var a = 1\nvar a = 2\n", "BCP028"),
        ("var a = 1 + 'a'\n", "BCP045"),
        ("type t = t\nparam p t\n", "BCP298"),
        ("output o int = 'x'\n", "BCP033"),
        ("output o string = 1 ? 'a' : 'b'\n", "BCP046"),
        ("@secure()\nparam p int\n", "BCP124"),
    ] {
        assert_eq!(refusal(&[("main.bicep", text)]), code, "{text}");
    }
}

#[test]
fn modules_that_double_each_other_are_refused() {
    assert_eq!(errors_of_doubling(14), ["TMPL0041"]);
    let too_deep = errors_of_doubling(18);
    assert!(!too_deep.is_empty() && too_deep.iter().all(|it| it == "TMPL0041"), "{too_deep:?}");
}

/// What is wrong with a chain of files that each have the next one as a module twice.
fn errors_of_doubling(levels: usize) -> Vec<String> {
    let mut sources = sources(&[("m0.bicep", "param p string = 'x'\n")]);
    for level in 1..=levels {
        let below = level - 1;
        let text = format!(
            "module a 'm{below}.bicep' = {{\n  name: 'a'\n}}\nmodule b 'm{below}.bicep' = {{\n  name: 'b'\n}}\n"
        );
        sources.insert(format!("m{level}.bicep"), text.into_bytes());
    }
    let built = build(&sources, &format!("m{levels}.bicep"));
    assert!(built.template.is_none());
    built.problems.iter().map(|it| it.diagnostic.code.to_string()).collect()
}

#[test]
fn all_that_is_imported_is_written_out_by_the_order_of_the_paths() {
    let main = "import * as b from 'b.bicep'\nimport { t as u } from 'a.bicep'\n";
    let files = [
        ("main.bicep", main),
        ("a.bicep", "type own = int\n@export()\ntype t = own[]\n"),
        ("b.bicep", "@export()\ntype t = string\n@export()\nvar v = 1\nvar own = 2\n"),
    ];
    let json = built(&files);
    let origin =
        |name: &str| json["definitions"][name]["metadata"]["__bicep_imported_from!"].clone();
    assert_eq!(origin("u"), json!({"sourceTemplate": "a.bicep", "originalIdentifier": "t"}));
    assert_eq!(origin("_1.own"), json!({"sourceTemplate": "a.bicep"}));
    assert_eq!(origin("_2.t"), json!({"sourceTemplate": "b.bicep"}));
    assert_eq!(json["variables"], json!({"_2.v": 1}));
}

#[test]
fn a_decorator_that_cannot_be_written_is_refused() {
    for decorator in ["@retryOn(['ResourceNotFound'], 1)", "@waitUntil(x => true, 'PT20S')"] {
        let text = format!("{decorator}\nresource r {SITE} = {{\n  name: 'r'\n}}\n");
        assert_eq!(refusal(&[("main.bicep", &text)]), "TMPL0010");
    }
    let text = format!("@onlyIfNotExists()\nresource r {SITE} = {{\n  name: 'r'\n}}\n");
    let json = built(&[("main.bicep", &text)]);
    assert_eq!(json["resources"]["r"]["@options"], json!({"onlyIfNotExists": true}));
}

#[test]
fn names_of_several_segments_are_taken_apart_in_ids() {
    let text = "param n string\n\
                resource a 'Microsoft.Storage/storageAccounts@2024-01-01' existing = {\n  name: 'acc'\n}\n\
                resource c 'Microsoft.Storage/storageAccounts/blobServices/containers@2024-01-01' = {\n  \
                parent: a\n  name: n\n}\noutput id string = c.id\n";
    let json = built(&[("main.bicep", text)]);
    let id = "[resourceId('Microsoft.Storage/storageAccounts/blobServices/containers', 'acc', \
              split(parameters('n'), '/')[0], split(parameters('n'), '/')[1])]";
    assert_eq!(json["outputs"]["id"]["value"], id);
}

#[test]
fn a_subscription_file_that_names_its_own_scope_writes_none() {
    let text = "targetScope = 'subscription'\nmodule m 'm.bicep' = {\n  name: 'm'\n  scope: subscription()\n}\n";
    let json = built(&[("main.bicep", text), ("m.bicep", "targetScope = 'subscription'\n")]);
    assert_eq!(json["resources"]["m"].get("subscriptionId"), None);
    assert_eq!(json["resources"]["m"]["location"], "[deployment().location]");
}

#[test]
fn declarations_of_arm_json_are_imported_with_all_that_they_need() {
    let json = r##"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0", "contentVersion": "1.0.0.0",
  "metadata": {"__bicep_exported_variables!": [{"name": "all"}]},
  "definitions": {
    "inner": {"type": "string", "allowedValues": ["b", "a"]},
    "t": {"type": "array", "items": {"$ref": "#/definitions/inner"}, "metadata": {"__bicep_export!": true}}
  },
  "functions": [{"namespace": "__bicep", "members": {
    "own": {"parameters": [], "output": {"type": "int", "value": 2}},
    "f": {"parameters": [{"type": "int", "name": "n"}],
      "output": {"type": "int", "value": "[add(parameters('n'), __bicep.own())]"},
      "metadata": {"__bicep_export!": true}}}}],
  "variables": {
    "copy": [{"name": "loop", "count": 2, "input": "[copyIndex('loop')]"}],
    "all": "[variables('loop')]"
  },
  "resources": {}
}"##;
    let main = "import { t, f, all as every } from 'm.json'\nparam p t = ['a']\n\
                output n int = f(1)\noutput e array = every\n";
    let files = [("main.bicep", main), ("m.json", json)];
    let built = built(&files);
    assert_eq!(built["definitions"]["t"]["items"]["$ref"], "#/definitions/_1.inner");
    assert_eq!(built["definitions"]["_1.inner"]["allowedValues"], json!(["a", "b"]));
    assert_eq!(built["outputs"]["n"]["value"], "[__bicep.f(1)]");
    let functions = built["functions"].as_array().unwrap();
    let namespaces: Vec<&str> =
        functions.iter().filter_map(|it| it["namespace"].as_str()).collect();
    assert_eq!(namespaces, ["__bicep", "_1"]);
    let body = &functions[0]["members"]["f"]["output"]["value"];
    assert_eq!(*body, "[add(parameters('n'), _1.own())]");
    assert_eq!(built["variables"]["every"], "[variables('_1.loop')]");
    assert_eq!(built["variables"]["copy"][0]["input"], "[copyIndex('_1.loop')]");
    // A deployment reads the same values.
    let compiled = hangar_template::program::compile(&sources(&files), "main.bicep");
    let started = compiled.program.unwrap().start(&hangar_template::deployment::Inputs::default());
    let outputs = crate::language::outputs_of(
        &started.deployment.unwrap(),
        &hangar_template::deployment::NothingKnown,
    );
    assert_eq!(outputs, ["n=3", "e=[0,1]"]);
    // And what is not exported is not there.
    let files = [("main.bicep", "import { inner } from 'm.json'\n"), ("m.json", json)];
    assert_eq!(refusal(&files), "BCP360");
}

#[test]
fn a_description_has_no_indentation_of_its_file() {
    let text = "@description(\'\'\'A\n  b\n\n    c\'\'\')\nparam p string\n";
    let json = built(&[("main.bicep", text)]);
    assert_eq!(json["parameters"]["p"]["metadata"]["description"], "A\nb\n\n  c");
}
