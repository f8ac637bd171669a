//! `hangar build`, and compiled templates in the place of Bicep.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{hangar, shown_of};

const MAIN: &str = "extension aws
param name string = 'jobs'
module inner 'inner.bicep' = {
  name: 'inner'
  params: { name: name }
}
output url string = inner.outputs.url
";

const INNER: &str = "extension aws
param name string
resource queue 'AWS.SQS/Queue@default' = {
  alias: name
  properties: {
    QueueName: '${name}-queue'
  }
}
output url string = queue.properties.QueueUrl
";

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.bicep"), MAIN).unwrap();
    fs::write(folder.path().join("inner.bicep"), INNER).unwrap();
    folder
}

fn said(folder: &Path, arguments: &[&str]) -> String {
    shown_of(hangar(arguments).current_dir(folder))
}

#[test]
fn a_template_is_built_beside_itself_and_can_be_linted() {
    let folder = project();
    let told = said(folder.path(), &["build", "main.bicep"]);
    assert_eq!(told, "exit: 0\n--- stdout\nmain.json\n--- stderr\n");
    let text = fs::read_to_string(folder.path().join("main.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["languageVersion"], "2.0");
    let told = said(folder.path(), &["lint", "main.json"]);
    assert_eq!(told, "exit: 0\n--- stdout\n1 file: no problems\n--- stderr\n");
    let told = said(folder.path(), &["build", "main.bicep", "--stdout"]);
    assert_eq!(told, format!("exit: 0\n--- stdout\n{text}--- stderr\n"));
}

#[test]
fn a_file_that_is_no_template_is_not_written_over_unless_it_is_named() {
    let folder = project();
    fs::write(folder.path().join("main.json"), "{}").unwrap();
    let told = said(folder.path(), &["build", "main.bicep"]);
    assert!(told.starts_with("exit: 1\n"), "{told}");
    assert!(told.contains("`main.json` exists and is not a template"), "{told}");
    let told = said(folder.path(), &["build", "main.bicep", "--out", "main.json"]);
    assert!(told.starts_with("exit: 0\n"), "{told}");
}

#[test]
fn a_mistake_in_a_compiled_template_is_shown_in_its_line() {
    let folder = project();
    said(folder.path(), &["build", "main.bicep"]);
    let path = folder.path().join("main.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("[format('{0}-queue', parameters('name'))]", "[concat(parameters('nmae'))]"),
    )
    .unwrap();
    let told = said(folder.path(), &["lint", "main.json", "--format", "line"]);
    assert!(told.contains("Error BCP057: the parameter `nmae` is not declared"), "{told}");
}

#[test]
fn a_compiled_template_deploys_what_its_bicep_would() {
    let folder = project();
    said(folder.path(), &["build", "main.bicep"]);
    let told = said(folder.path(), &["deploy", "main.json"]);
    assert!(told.starts_with("exit: 0\n"), "{told}");
    let told = said(folder.path(), &["plan", "main.bicep"]);
    assert!(told.starts_with("exit: 0\n") && told.contains("no changes (1 unchanged)"), "{told}");
}

#[test]
fn names_of_parameters_of_compiled_templates_are_the_same_in_any_case() {
    let folder = project();
    said(folder.path(), &["build", "main.bicep", "--out", "app.json"]);
    let values = folder.path().join("values.json");
    fs::write(&values, r#"{"nAmE": "from-a-file"}"#).unwrap();
    let planned = |arguments: &[&str]| {
        let told = said(folder.path(), &[&["plan", "app.json"][..], arguments].concat());
        assert!(told.starts_with("exit: 2\n"), "{told}");
        told
    };
    assert!(planned(&["-p", "NAME=other"]).contains("other-queue"));
    assert!(planned(&["--params", "values.json"]).contains("from-a-file-queue"));
    let both = planned(&["--params", "values.json", "-p", "Name=typed"]);
    assert!(both.contains("typed-queue") && !both.contains("from-a-file"), "{both}");
    // Those of Bicep are not.
    let told = said(folder.path(), &["plan", "main.bicep", "-p", "NAME=other"]);
    assert!(told.contains("the template has no parameter `NAME`"), "{told}");
}

#[test]
fn what_no_server_takes_is_refused_by_every_command() {
    let folder = project();
    let large = format!("{MAIN}// {}\n", "x".repeat(5 << 20));
    fs::write(folder.path().join("main.bicep"), large).unwrap();
    for command in ["lint", "build", "plan", "deploy"] {
        let told = said(folder.path(), &[command, "main.bicep"]);
        assert!(told.starts_with("exit: 1\n"), "{command}: {told}");
        assert!(told.contains("CLI0028"), "{command}: {told}");
        assert!(told.contains("`main.bicep` has 5243"), "{command}: {told}");
    }
    assert!(!folder.path().join("main.json").exists());
}

/// A template of Azure with a file of its parameters.
fn with_values(values: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let template = "param size int\nparam name string = 'n'\n\
                    resource s 'Microsoft.Web/sites@2024-04-01' = {\n  name: name\n}\n";
    fs::write(folder.path().join("main.bicep"), template).unwrap();
    fs::write(folder.path().join("main.bicepparam"), values).unwrap();
    folder
}

#[test]
fn a_file_of_parameters_is_built_and_checked_against_its_template() {
    let folder = with_values("using 'main.bicep'\nparam size = 1 + 1\n");
    let told = said(folder.path(), &["build-params", "main.bicepparam"]);
    assert_eq!(told, "exit: 0\n--- stdout\nmain.json\n--- stderr\n");
    let text = fs::read_to_string(folder.path().join("main.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["parameters"], serde_json::json!({"size": {"value": 2}}));
    // A template that stands there is not replaced.
    fs::write(folder.path().join("main.json"), "{\"$schema\": \"deploymentTemplate.json#\"}")
        .unwrap();
    let told = said(folder.path(), &["build-params", "main.bicepparam"]);
    assert!(told.starts_with("exit: 1\n") && told.contains("--out"), "{told}");
    let told = said(folder.path(), &["build-params", "main.bicepparam", "--stdout"]);
    assert_eq!(told, format!("exit: 0\n--- stdout\n{text}--- stderr\n"));
}

#[test]
fn values_that_do_not_fit_the_template_are_not_built() {
    for (values, code) in [
        ("using 'main.bicep'\nparam size = 'x'\n", "BCP260"),
        ("using 'main.bicep'\nparam size = 1\nparam other = 1\n", "BCP259"),
        ("using 'main.bicep'\n", "BCP258"),
        ("using 'absent.bicep'\n", "BCP091"),
    ] {
        let folder = with_values(values);
        let told = said(folder.path(), &["build-params", "main.bicepparam", "--stdout"]);
        assert!(told.starts_with("exit: 1\n") && told.contains(code), "{values}: {told}");
    }
    let folder = with_values("using 'main.bicep'\nparam size = externalInput('sys.cli', 'size')\n");
    let told = said(folder.path(), &["build-params", "main.bicepparam", "--stdout"]);
    assert!(told.contains("externalInputs('sys_cli_0')"), "{told}");
}

/// The codes of the errors that a command prints as JSON.
fn error_codes(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = hangar(arguments).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let text = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
    let json: Value = serde_json::from_slice(text).unwrap();
    let list = match json.pointer("/error/details").and_then(Value::as_array) {
        Some(details) if !details.is_empty() => details.clone(),
        _ => json
            .get("error")
            .map_or_else(|| json.as_array().unwrap().clone(), |error| vec![error.clone()]),
    };
    let errors = list.iter().filter(|it| it["severity"] == "error");
    errors.map(|it| it["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn build_reports_the_errors_of_lint_and_writes_no_file() {
    const QUEUE: &str = "resource queue 'AWS.SQS/Queue@default' = {\n  alias: 'jobs'\n";
    for text in [
        format!("extension aws\n{QUEUE}  properties: {{\n    QueueNam: 'x'\n  }}\n}}\n"),
        format!("extension aws\n{QUEUE}  properties: {{\n    DelaySeconds: 1 / 0\n  }}\n}}\n"),
        format!("extension aws\n{QUEUE}}}\noutput o string = queue.properties.Foo\n"),
        format!("{QUEUE}}}\n"),
        format!("extension aws\n{QUEUE}}}\noutput o string = subscription().id\n"),
        format!("targetScope = 'subscription'\nextension aws\n{QUEUE}}}\n"),
        format!("extension aws\n{}}}\n", QUEUE.replace("  alias: 'jobs'\n", "")),
        "metadata a = 'x'\nmetadata a = 'y'\n".to_owned(),
        "param p string\nmetadata a = p\n".to_owned(),
        "param p resourceInput<'Microsoft.Web/sites@2024-04-01'> = {}\n".to_owned(),
        "var list = [1]\nvar object = { ...list }\n".to_owned(),
        "@minLength(2)\n@maxLength(1)\nparam p string\n".to_owned(),
        "param p string\nvar text = loadTextContent(p)\n".to_owned(),
        "var text = loadTextContent('missing.txt')\n".to_owned(),
        "param p { a: string }\nvar n int = p.a\n".to_owned(),
        "assert a = true\n".to_owned(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.bicep"), &text).unwrap();
        let by_lint = error_codes(folder.path(), &["lint", "main.bicep", "-o", "json"]);
        let by_build = error_codes(folder.path(), &["build", "main.bicep", "-o", "json"]);
        assert_eq!(by_build, by_lint, "{text}");
        assert!(!folder.path().join("main.json").exists(), "{text}");
    }
}

#[test]
fn build_accepts_what_only_azure_can_deploy() {
    let folder = tempfile::tempdir().unwrap();
    let text = "targetScope = 'subscription'
resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: 'app'
  location: deployment().location
}
output id string = subscription().id
output never int = 1 / 0
";
    fs::write(folder.path().join("main.bicep"), text).unwrap();
    error_codes(folder.path(), &["lint", "main.bicep", "-o", "json"]);
    let told = said(folder.path(), &["build", "main.bicep"]);
    assert_eq!(told, "exit: 0\n--- stdout\nmain.json\n--- stderr\n");
}

#[test]
fn imports_are_as_deep_for_build_as_for_lint() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m0.bicep"), "@export()\nvar a = 1\n").unwrap();
    for level in 1..=18 {
        let below = level - 1;
        let text = format!("import {{ a }} from 'm{below}.bicep'\n@export()\nvar b = a\n");
        let text = text.replace("{ a }", if level == 1 { "{ a }" } else { "{ b as a }" });
        fs::write(folder.path().join(format!("m{level}.bicep")), text).unwrap();
    }
    for level in [14, 18] {
        let file = format!("m{level}.bicep");
        let exits = ["lint", "build"].map(|command| {
            hangar(&[command, &file]).current_dir(folder.path()).output().unwrap().status.code()
        });
        assert_eq!(exits[0], exits[1], "{file}");
    }
}
