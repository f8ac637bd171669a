//! Standard output that nobody reads: nothing is printed, and everything else is as it would be.

use std::fs;
use std::io::pipe;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::hangar;
use crate::world::World;

const TEMPLATE: &str = "extension aws

resource one 'AWS.Logs/LogGroup@default' = {
  alias: 'one'
  properties: { LogGroupName: 'one' }
}

resource two 'AWS.Logs/LogGroup@default' = {
  alias: 'two'
  properties: { LogGroupName: one.properties.LogGroupName == 'one' ? 'two' : 'three' }
}
";

/// The exit code of a command whose stdout is a pipe that nobody reads, and what it says on stderr.
fn unread(command: &mut Command) -> (Option<i32>, String) {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_unread_lint_and_format_end_as_what_they_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.bicep"), "var a = nothing\n").unwrap();
    fs::write(folder.path().join("rough.bicep"), "var a={b:1}\n").unwrap();
    let unread = |arguments: &[&str]| unread(hangar(arguments).current_dir(folder.path()));
    assert_eq!(unread(&["lint", "bad.bicep"]), (Some(1), String::new()));
    assert_eq!(unread(&["lint", "bad.bicep", "-o", "json"]), (Some(1), String::new()));
    assert_eq!(unread(&["fmt", "rough.bicep", "--check"]), (Some(2), String::new()));
    assert_eq!(unread(&["fmt", "rough.bicep"]), (Some(0), String::new()));
    let text = fs::read_to_string(folder.path().join("rough.bicep")).unwrap();
    assert_eq!(text, "var a = { b: 1 }\n");
}

#[test]
fn what_is_unread_plans_deploys_and_destroys_to_the_end() {
    let world = World::new();
    fs::write(world.place.path().join("app.bicep"), TEMPLATE).unwrap();
    let unread = |arguments: &[&str]| unread(&mut world.place.command(arguments));
    for format in ["table", "json"] {
        let plan = format!("{format}.plan");
        let (code, said) = unread(&["plan", "app.bicep", "--out", &plan, "-o", format]);
        assert_eq!(code, Some(2), "{said}");
        assert!(world.place.path().join(&plan).exists(), "{said}");
        let (code, said) = unread(&["deploy", "app.bicep", "-o", format]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(world.existing("AWS::Logs::LogGroup").len(), 2, "{format}");
        let shown = world.json(&["deployment", "show", "app"]);
        assert_eq!(shown["properties"]["provisioningState"], "Succeeded", "{format}");
        let (code, said) = unread(&["destroy", "app", "--yes", "-o", format]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(world.existing("AWS::Logs::LogGroup").len(), 0, "{format}");
    }
}

#[test]
fn an_unread_deployment_that_fails_says_why_and_ends_with_1() {
    let world = World::new();
    fs::write(world.place.path().join("app.bicep"), TEMPLATE).unwrap();
    world.fault(&json!({"operation": "CreateResource", "type": "AWS::Logs::LogGroup",
                        "effect": "fail", "code": "InvalidRequest", "message": "no"}));
    let (code, said) = unread(&mut world.place.command(&["deploy", "app.bicep"]));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("(InvalidRequest)"), "{said}");
}

#[test]
fn an_unread_watch_ends() {
    let world = World::new();
    let (code, said) = unread(&mut world.place.command(&["drift", "--watch"]));
    assert_eq!(code, Some(0), "{said}");
}
