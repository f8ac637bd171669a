//! What left a template, what another deployment manages, and `hangar destroy`: the real binary all the way.

use std::fs;

use serde_json::{Value, json};

use crate::world::{Host, World};

/// Log groups of these names.
fn template(names: &[&str]) -> String {
    let resources = names.iter().map(|name| {
        format!(
            "resource {name} 'AWS.Logs/LogGroup@default' = {{\n  alias: '{name}'\n  properties: {{ LogGroupName: '{name}' }}\n}}\n"
        )
    });
    std::iter::once("extension aws\n".to_owned()).chain(resources).collect()
}

fn world() -> World {
    World::with(Host::Server, &[])
}

fn write(world: &World, file: &str, names: &[&str]) {
    fs::write(world.place.path().join(file), template(names)).unwrap();
}

fn logs(world: &World) -> Vec<String> {
    let mut found = world.existing("AWS::Logs::LogGroup");
    found.sort();
    found
}

fn plan(world: &World, arguments: &[&str]) -> (i32, String) {
    let output = world.run(&[&["plan"][..], arguments].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn what_left_is_listed_and_kept_until_somebody_says_that_it_may_go() {
    let world = world();
    write(&world, "app.bicep", &["a", "b", "c"]);
    world.stdout(&["deploy", "app.bicep"]);
    write(&world, "app.bicep", &["a"]);
    let (code, told) = plan(&world, &["app.bicep"]);
    assert_eq!(code, 0, "{told}");
    assert!(
        told.contains(".   b  AWS.Logs/LogGroup  keep (no longer in the template)  b\n"),
        "{told}"
    );
    assert!(told.contains("plan: no changes (1 unchanged, 2 kept)\n"), "{told}");
    let told = world.stdout(&["deploy", "app.bicep"]);
    assert!(told.contains("2 resources are no longer in the template and were kept: AWS.Logs/LogGroup b, AWS.Logs/LogGroup c; "), "{told}");
    let shown = world.stdout(&["deployment", "show", "app"]);
    assert!(
        shown.contains("no longer in the template and were kept: AWS.Logs/LogGroup b, "),
        "{shown}"
    );
    assert_eq!(logs(&world), ["a", "b", "c"]);

    let (code, told) = plan(&world, &["app.bicep", "--on-remove", "delete"]);
    assert_eq!(code, 2, "{told}");
    assert!(
        told.contains("-   b  AWS.Logs/LogGroup  delete (no longer in the template)  b\n"),
        "{told}"
    );
    assert!(told.contains("plan: 2 to delete, 1 unchanged\n"), "{told}");
    let (code, told) = plan(&world, &["app.bicep", "--on-remove", "detach"]);
    assert_eq!((code, told.contains("plan: 2 to detach, 1 unchanged\n")), (2, true), "{told}");
    let said = world.refused(&["deploy", "app.bicep", "--on-remove", "delete"]);
    assert!(said.contains("error[CLI0012]: deploying `app` may delete resources"), "{said}");
    assert_eq!(logs(&world), ["a", "b", "c"]);

    let told = world.stdout(&["deploy", "app.bicep", "--on-remove", "delete", "--yes"]);
    assert!(told.contains("app: 2 deleted, 1 unchanged in "), "{told}");
    assert_eq!(logs(&world), ["a"]);
    let again = world.stdout(&["deploy", "app.bicep", "--on-remove", "delete", "--yes"]);
    assert!(again.contains("app: no changes (1 unchanged) in "), "{again}");
}

#[test]
fn an_alias_of_another_deployment_is_refused_at_its_line_and_changes_hands_when_told_to() {
    let world = world();
    write(&world, "app.bicep", &["a", "b"]);
    write(&world, "web.bicep", &["a"]);
    world.stdout(&["deploy", "app.bicep"]);
    let listed = world.stdout(&["resource", "list"]);
    assert!(listed.contains("MANAGED BY") && listed.contains("  app"), "{listed}");
    let said = world.refused(&["deploy", "web.bicep"]);
    assert!(
        said.contains("error[TMPL0230]: the alias `a` is managed by the deployment `app`"),
        "{said}"
    );
    assert!(said.contains("web.bicep:2:") && said.contains("--take-over"), "{said}");
    let told = world.stdout(&["deploy", "web.bicep", "--take-over"]);
    assert!(told.contains("web: no changes (1 unchanged) in "), "{told}");
    let shown = world.stdout(&["resource", "show", "AWS.Logs/LogGroup", "a"]);
    assert!(shown.contains("managed by") && shown.contains("deployment web"), "{shown}");
    write(&world, "app.bicep", &["b"]);
    let told = world.stdout(&["deploy", "app.bicep", "--on-remove", "delete", "--yes"]);
    assert!(told.contains("AWS.Logs/LogGroup a was taken over by deployment web\n"), "{told}");
    world.stdout(&["destroy", "app", "--yes"]);
    assert_eq!(logs(&world), ["a"]);
}

#[test]
fn what_a_failed_deployment_has_not_taken_over_is_not_told_to_go() {
    let world = world();
    write(&world, "app.bicep", &["a"]);
    world.stdout(&["deploy", "app.bicep"]);
    let text = "extension aws\nresource b 'AWS.Logs/LogGroup@default' = {\n  alias: 'b'\n  properties: { LogGroupName: 'b!' }\n}\nresource a 'AWS.Logs/LogGroup@default' = {\n  alias: 'a'\n  properties: { LogGroupName: 'a' }\n  dependsOn: [b]\n}\n";
    fs::write(world.place.path().join("web.bicep"), text).unwrap();
    // AWS takes no such name, and `a` is not begun.
    world.refused(&["deploy", "web.bicep", "--take-over"]);
    let said = world.refused(&["destroy", "web"]);
    assert!(said.contains("destroying deployment `web` deletes no resources"), "{said}");
    let said = world.refused(&["destroy", "app"]);
    assert!(said.contains("destroying deployment `app` deletes 1 resource;"), "{said}");
    world.stdout(&["destroy", "web", "--yes"]);
    assert_eq!(logs(&world), ["a"]);
}

#[test]
fn destroying_needs_a_yes_takes_all_away_and_forgets_the_deployment() {
    let world = world();
    write(&world, "app.bicep", &["a", "b"]);
    world.stdout(&["deploy", "app.bicep"]);
    let said = world.refused(&["destroy", "app"]);
    assert!(
        said.contains("error[CLI0012]: destroying deployment `app` deletes 2 resources;"),
        "{said}"
    );
    world.fault(&json!({"operation": "DeleteResource", "identifier": "a", "effect": "fail",
                        "code": "InvalidRequest", "message": "in use"}));
    let said = world.refused(&["destroy", "app.bicep", "--yes"]);
    assert!(
        said.contains("error[API0013]: cannot destroy `app`: 1 of 2 resources failed"),
        "{said}"
    );
    assert!(said.contains("AWS.Logs/LogGroup `a`: in use (InvalidRequest)"), "{said}");
    assert_eq!(logs(&world), ["a"]);
    assert_eq!(
        world.json(&["deployment", "show", "app"])["properties"]["managedResources"][0]["alias"],
        "a"
    );

    let text = world.stdout(&["destroy", "app.bicep", "--yes", "-o", "json"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["event"], "started", "{text}");
    let [.., finished, last] = lines.as_slice() else { panic!("{text}") };
    assert_eq!(finished["counts"], json!({"deleted": 1}), "{text}");
    assert_eq!(last["properties"]["provisioningState"], "Succeeded", "{text}");
    assert!(logs(&world).is_empty());
    assert_eq!(world.json(&["deployment", "list"]), json!([]));
    let told = world.stdout(&["destroy", "app", "--yes", "--if-exists"]);
    assert_eq!(told, "deployment `app` does not exist; nothing to destroy\n");
}

#[test]
fn a_detached_deployment_leaves_its_resources_and_their_names_are_free() {
    let world = world();
    write(&world, "app.bicep", &["a"]);
    world.stdout(&["deploy", "app.bicep"]);
    let told = world.stdout(&["destroy", "app", "--detach", "--yes"]);
    assert!(told.contains("app: 1 detached in "), "{told}");
    assert_eq!(logs(&world), ["a"]);
    let told = world.stdout(&["deploy", "app.bicep", "--adopt"]);
    assert!(told.contains("1 imported"), "{told}");
}
