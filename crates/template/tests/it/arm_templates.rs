//! ARM JSON, claim by claim: what is printed, what is read, and what is said where it cannot be.

use std::fs;
use std::path::Path;

use hangar_template::arm::build;
use hangar_template::program::compile;
use hangar_template::source::Sources;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::arm::evaluated;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/arm");

fn own_sources() -> Sources {
    let mut sources = Sources::default();
    for name in ["app.bicep", "net.bicep", "shared.bicep"] {
        sources.insert(name, fs::read(Path::new(OWN).join(name)).unwrap());
    }
    sources
}

/// A template in Bicep, printed.
fn printed(text: &str) -> Value {
    let built = build(&Sources::of("main.bicep", text.as_bytes()), "main.bicep");
    assert_eq!(built.problems, []);
    serde_json::from_str(&built.template.unwrap()).unwrap()
}

/// The value of a variable `x`, printed.
fn variable(value: &str) -> Value {
    printed(&format!("param p object\nparam l array\nparam s string\nvar x = {value}\n"))["variables"]["x"]
        .clone()
}

/// What a template in ARM JSON comes to.
fn read(template: &Value) -> Result<String, Vec<String>> {
    let text = format!("{template:#}");
    evaluated(&Sources::of("main.json", text.into_bytes()), "main.json")
}

/// The mistakes of a template in ARM JSON, each with the text that it is shown at.
fn mistakes(text: &str) -> Vec<(String, String)> {
    let compiled = compile(&Sources::of("main.json", text.as_bytes()), "main.json");
    let shown = |it: &hangar_template::source::Problem| {
        let span = it.diagnostic.span().unwrap();
        (it.diagnostic.message.clone(), text[span.start..span.end].to_owned())
    };
    compiled.problems.iter().map(shown).collect()
}

fn bucket(alias: &str) -> Value {
    json!({"type": "AWS.S3/Bucket@default", "import": "aws",
           "properties": {"alias": alias, "properties": {"BucketName": alias}}})
}

fn template(resources: &Value) -> Value {
    json!({"languageVersion": "2.0", "imports": {"aws": {"provider": "AWS", "version": "latest"}},
           "resources": resources})
}

#[test]
fn a_template_is_printed_as_it_always_was() {
    let built = build(&own_sources(), "app.bicep");
    assert_eq!(built.problems, []);
    let golden = fs::read_to_string(Path::new(OWN).join("app.json")).unwrap_or_default();
    let version = concat!("\"version\": \"", env!("CARGO_PKG_VERSION"), "\"");
    let printed = built.template.unwrap().replace(version, "\"version\": \"ours\"");
    if std::env::var_os("HANGAR_WRITE_ARM").is_some() {
        fs::write(Path::new(OWN).join("app.json"), &printed).unwrap();
    }
    assert!(printed == golden, "HANGAR_WRITE_ARM=1 writes tests/arm/app.json; read what changed");
}

#[test]
fn what_is_printed_means_what_was_written() {
    let mut sources = own_sources();
    let wanted = evaluated(&sources, "app.bicep").unwrap();
    let compiled = build(&sources, "app.bicep").template.unwrap();
    sources.insert("app.json", compiled.into_bytes());
    assert_eq!(evaluated(&sources, "app.json").unwrap(), wanted);
    assert!(wanted.contains("net[1]/group AWS.EC2/SecurityGroup"), "{wanted}");
}

#[test]
fn expressions_are_spelled_as_bicep_spells_them() {
    for (written, wanted) in [
        ("'a${s}{b}'", json!("[format('a{0}{{b}}', parameters('s'))]")),
        ("'[x]'", json!("[[x]")),
        ("'[x'", json!("[x")),
        ("-5", json!(-5)),
        ("s != 'it''s'", json!("[not(equals(parameters('s'), 'it'))]")),
        ("p.?a.b[0]", json!("[tryGet(parameters('p'), 'a', 'b', 0)]")),
        ("(p.?a).b", json!("[tryGet(parameters('p'), 'a').b]")),
        ("p['a b']", json!("[parameters('p')['a b']]")),
        ("l[^1]", json!("[indexFromEnd(parameters('l'), 1)]")),
        ("l[?^2]", json!("[tryIndexFromEnd(parameters('l'), 2)]")),
        ("s =~ 'A'", json!("[equals(toLower(parameters('s')), toLower('A'))]")),
        ("s ?? 'x'", json!("[coalesce(parameters('s'), 'x')]")),
        ("[...l, 1]", json!("[flatten(createArray(parameters('l'), createArray(1)))]")),
        (
            "{...p, a: 1}",
            json!("[shallowMerge(createArray(parameters('p'), createObject('a', 1)))]"),
        ),
        ("map(l, x => x)", json!("[map(parameters('l'), lambda('x', lambdaVariables('x')))]")),
        ("any(true)", json!(true)),
        ("nameof(p.a)", json!("a")),
        ("3000000000 + 1", json!("[add(json('3000000000'), 1)]")),
        (
            "{'${s}': 1, copy: 2}",
            json!({"[format('{0}', parameters('s'))]": 1, "[string('copy')]": 2}),
        ),
    ] {
        let written = written.replace("it''s", "it");
        assert_eq!(variable(&written), wanted, "{written}");
    }
}

#[test]
fn a_variable_that_reads_a_resource_is_written_out() {
    let json = printed(
        "extension aws\nresource a 'AWS.S3/Bucket@default' = {\n  alias: 'a'\n}\n\
         var arn = { of: a.properties.Arn }\noutput x object = arn\n",
    );
    assert_eq!(json.get("variables"), None);
    assert_eq!(json["outputs"]["x"]["value"], json!({"of": "[reference('a').properties.Arn]"}));
}

#[test]
fn what_cannot_be_printed_is_told_where_it_stands() {
    let told = |text: &str| {
        let built = build(&Sources::of("main.bicep", text.as_bytes()), "main.bicep");
        assert!(built.template.is_none());
        let first = &built.problems[0].diagnostic;
        let span = first.span().unwrap();
        (first.message.clone(), text[span.start..span.end].to_owned())
    };
    for (text, message, place) in [
        ("var x = nmae\n", "the name `nmae` is not declared", "nmae"),
        ("module m 'a.bicep' = {\n}\n", "the file `a.bicep` was not found", "'a.bicep'"),
        ("module m '../a.bicep' = {\n}\n", "`../a.bicep` is outside the project", "'../a.bicep'"),
        ("module m 'main.bicep' = {\n}\n", "the file references itself", "'main.bicep'"),
        ("param x Missing\n", "the type `Missing` does not exist", "Missing"),
        ("var x = loadTextContent('a.txt')\n", "the file `a.txt` was not found", "'a.txt'"),
        (
            "import { a } from 'b.bicep'\nvar x = a\n",
            "the file `b.bicep` was not found",
            "'b.bicep'",
        ),
    ] {
        assert_eq!(told(text), (message.to_owned(), place.to_owned()));
    }
}

#[test]
fn names_written_out_in_names_do_not_grow_without_end() {
    let next = |at: usize| {
        let before = at - 1;
        format!(
            "resource r{at} 'A.B/c@1' = {{\n  name: '${{r{before}.name}}${{r{before}.name}}'\n}}\n"
        )
    };
    let first = "resource r0 'A.B/c@1' = {\n  name: 'x'\n}\n".to_owned();
    let text = first + &(1..60).map(next).collect::<String>();
    let built = build(&Sources::of("main.bicep", text.into_bytes()), "main.bicep");
    assert!(built.template.is_none());
    assert!(built.problems.iter().any(|it| it.diagnostic.message.contains("too large")));
}

#[test]
fn both_dialects_of_extensions_are_read() {
    let older = template(&json!({"a": bucket("a")}));
    let mut newer = json!({"languageVersion": "2.2-experimental",
        "extensions": {"aws": {"name": "aws", "version": "latest"}}, "resources": {"a": bucket("a")}});
    newer["resources"]["a"].as_object_mut().unwrap().remove("import");
    newer["resources"]["a"]["extension"] = json!("aws");
    assert_eq!(read(&older).unwrap(), read(&newer).unwrap());
    newer["extensions"]["aws"]["config"] = json!({"region": {"defaultValue": "eu-north-1"}});
    assert!(read(&newer).is_ok());
}

#[test]
fn resources_may_be_a_list() {
    let mut queue = json!({"type": "AWS.SQS/Queue@default", "import": "aws", "dependsOn": ["buckets"],
        "properties": {"alias": "[concat('q-', parameters('NAME'))]",
                       "properties": {"QueueName": "[variables('Names')[1]]"}}});
    queue["copy"] = json!({"name": "queues", "count": 2, "mode": "serial"});
    queue["properties"]["alias"] = json!("[concat('q-', parameters('NAME'), copyIndex(5))]");
    let mut buckets = bucket("x");
    buckets["copy"] = json!({"name": "buckets", "count": "[length(variables('names'))]"});
    buckets["properties"]["alias"] = json!("[variables('names')[copyIndex()]]");
    let mut list = template(&json!([buckets, queue]));
    list["parameters"] = json!({"name": {"type": "String", "defaultValue": "n"}});
    list["variables"] = json!({"copy": [
        {"name": "names", "count": 2, "input": "[format('b{0}', copyIndex('names', 1))]"}]});
    let text = read(&list).unwrap();
    assert!(text.contains("Bucket[1] AWS.S3/Bucket [] Managed { alias: \"b2\" }"), "{text}");
    let queue = "Queue[0] AWS.SQS/Queue [\"Bucket[0]\", \"Bucket[1]\"] Managed { alias: \"q-n5\" }";
    assert!(text.contains(queue), "{text}");
    assert!(text.contains("\"QueueName\": \"b2\""), "{text}");
}

#[test]
fn many_resources_in_a_list_have_names_of_their_own() {
    let one = |at: usize| {
        let mut one = bucket("x");
        one["properties"]["alias"] = json!(format!("[concat('b', '{at}')]"));
        one
    };
    let list: Vec<Value> = (0..3_000).map(one).collect();
    let text = read(&template(&json!(list))).unwrap();
    assert!(text.contains("Bucket3000 AWS.S3/Bucket [] Managed { alias: \"b2999\" }"));
}

#[test]
fn a_deployment_in_a_template_is_a_module() {
    let inner = json!({"parameters": {"name": {"type": "string"}},
        "imports": {"aws": {"provider": "AWS", "version": "latest"}},
        "resources": {"b": {"type": "AWS.S3/Bucket@default", "import": "aws", "properties": {
            "alias": "[parameters('name')]", "properties": {"BucketName": "[parameters('name')]"}}}},
        "outputs": {"name": {"type": "string", "value": "[reference('b').properties.BucketName]"}}});
    let deployment = |scope: &str| {
        json!({"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "m",
            "properties": {"mode": "Incremental", "expressionEvaluationOptions": {"scope": scope},
                "parameters": {"name": {"value": "inner"}}, "template": inner}})
    };
    let mut whole = template(&json!({"m": deployment("inner")}));
    whole["outputs"] =
        json!({"x": {"type": "string", "value": "[reference('m').outputs.name.value]"}});
    let text = read(&whole).unwrap();
    assert!(text.contains("m/b AWS.S3/Bucket"), "{text}");
    assert!(text.contains("output x \"inner\""), "{text}");

    let refused = read(&template(&json!({"m": deployment("outer")}))).unwrap_err();
    assert!(
        refused[0].contains("with `parameters` whose template is evaluated in the outer scope")
    );
    let mut outer = deployment("outer");
    outer["properties"].as_object_mut().unwrap().remove("expressionEvaluationOptions");
    outer["properties"]["template"] = json!({"resources": {"b": bucket("b")}});
    let mut after = bucket("after");
    after["dependsOn"] = json!(["m"]);
    let text = read(&template(&json!({"m": outer, "after": after}))).unwrap();
    assert!(text.contains("after AWS.S3/Bucket [\"b\"]"), "{text}");
}

#[test]
fn a_module_of_bicep_may_be_compiled() {
    let mut sources = own_sources();
    let compiled = build(&sources, "net.bicep").template.unwrap();
    sources.insert("net.json", compiled.into_bytes());
    let text = |file: &str| {
        format!(
            "module m '{file}' = {{\n  name: 'm'\n  params: {{ vpc: 'v', ports: [1] }}\n}}\noutput g string = m.outputs.group\n"
        )
    };
    sources.insert("a.bicep", text("net.bicep").into_bytes());
    sources.insert("b.bicep", text("net.json").into_bytes());
    assert_eq!(evaluated(&sources, "b.bicep"), evaluated(&sources, "a.bicep"));
    assert!(evaluated(&sources, "b.bicep").is_ok());
}

#[test]
fn mistakes_in_a_compiled_template_are_shown_where_they_stand() {
    let with = |resources: &str| {
        format!(
            "{{\"imports\": {{\"aws\": {{\"provider\": \"AWS\"}}}}, \"resources\": {resources}}}"
        )
    };
    let aws = |body: &str| {
        with(&format!(
            "{{\"a\": {{\"type\": \"AWS.S3/Bucket@default\", \"import\": \"aws\", {body}}}}}"
        ))
    };
    for (text, message, place) in [
        ("{", "expected the name of a property in double quotes here", ""),
        ("[]", "a template must be a JSON object", "[]"),
        (
            "{\"resources\": {}, \"paramters\": {}}",
            "the property `paramters` is not allowed in a template",
            "\"paramters\"",
        ),
        (&*with("{\"a\": {}}"), "the resource lacks the required property `type`", "\"a\""),
        (&*aws("\"properties\": {\"properties\": {}}"), "the resource `a` has no `alias`", "\"a\""),
        (
            &*aws("\"properties\": {\"alias\": \"[parameters('x')]\"}"),
            "the parameter `x` is not declared",
            "parameters('x')",
        ),
        (
            &*aws("\"properties\": {\"alias\": \"[concat('x', (]\"}"),
            "expected an expression here",
            "(",
        ),
        (
            &*aws("\"properties\": {\"alias\": \"[copyIndex()]\"}"),
            "`copyIndex` is used outside a loop",
            "copyIndex()",
        ),
        (
            &*aws("\"properties\": {\"alias\": \"[newGuid()]\"}"),
            "`newGuid` can only be used in the default of a parameter",
            "newGuid()",
        ),
        (
            &*aws("\"properties\": {\"alias\": \"[reference('b').x]\"}"),
            "the resource `b` does not exist in the template",
            "reference('b')",
        ),
        (
            &*aws("\"properties\": {\"alias\": \"a\"}, \"dependsOn\": [\"b\"]"),
            "this is not a resource of the template",
            "\"b\"",
        ),
        (
            &*aws("\"properties\": {\"alias\": \"a\", \"propertys\": 1}"),
            "the property `propertys` is not allowed on an AWS resource",
            "\"propertys\"",
        ),
        (
            &*with(
                "{\"a\": {\"type\": \"AWS.S3/Bucket@default\", \"import\": \"awz\", \"properties\": {}}}",
            ),
            "no extension with the name `awz` is declared",
            "\"awz\"",
        ),
        (
            "{\"resources\": {}, \"variables\": {\"a\": \"[variables('b')]\", \"b\": \"[variables('a')]\"}}",
            "the declarations form a cycle: `a`, `b`",
            "\"a\"",
        ),
        (
            "{\"resources\": {}, \"parameters\": {\"a\": {\"type\": \"strnig\"}}}",
            "`strnig` is not a valid type",
            "\"strnig\"",
        ),
        (
            "{\"resources\": {}, \"outputs\": {\"a\": {\"type\": \"string\", \"value\": \"[foo()]\"}}}",
            "the function `foo` does not exist",
            "foo()",
        ),
    ] {
        let found = mistakes(text);
        assert_eq!(
            found.first(),
            Some(&(message.to_owned(), place.to_owned())),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_place_in_a_text_with_escapes_is_the_whole_text() {
    let text = "{\"resources\": {}, \"variables\": {\"a\": \"[concat('\\n', parameters('x'))]\"}}";
    assert_eq!(mistakes(text)[0].1, "\"[concat('\\n', parameters('x'))]\"");
}

#[test]
fn secrets_stay_secret_in_a_compiled_template() {
    let json = json!({"resources": {}, "parameters": {"p": {"type": "secureString", "defaultValue": "canary"}},
        "outputs": {"p": {"type": "string", "value": "[parameters('p')]"}}});
    let shown = read(&json).unwrap();
    assert!(!shown.contains("=\"canary\""), "{shown}");
}

proptest! {
    #[test]
    fn a_broken_template_is_no_panic(from in 0_usize..12_000, length in 0_usize..400, with in "[\\[\\]{}\"',.()a-z0-9]{0,6}") {
        let text = fs::read_to_string(Path::new(OWN).join("app.json")).unwrap();
        let mut bytes = text.into_bytes();
        let from = from.min(bytes.len());
        let end = (from + length).min(bytes.len());
        bytes.splice(from..end, with.bytes());
        let sources = Sources::of("main.json", bytes);
        let _ = evaluated(&sources, "main.json");
    }

    #[test]
    fn a_broken_file_is_printed_without_a_panic(from in 0_usize..3_000, length in 0_usize..80) {
        let mut sources = own_sources();
        let mut bytes = sources.get("app.bicep").unwrap().to_vec();
        let from = from.min(bytes.len());
        let end = (from + length).min(bytes.len());
        bytes.drain(from..end);
        sources.insert("app.bicep", bytes);
        let _ = build(&sources, "app.bicep");
    }
}
