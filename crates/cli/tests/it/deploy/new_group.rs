//! A group that does not exist: asked for on a terminal, refused elsewhere, and nothing is left by a refusal.

use std::fs;

use crate::backup::refused;
use crate::place::Place;
use crate::terminal::{self, Answer};

const TEMPLATE: &str = "extension aws

resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: { LogGroupName: 'logs' }
}
";

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path().join("app.bicep"), TEMPLATE).unwrap();
    place
}

fn groups(place: &Place) -> Vec<String> {
    let listed = place.json(&["group", "list"]);
    let names = listed.as_array().unwrap().iter();
    names.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_unknown_group_is_refused_and_not_created() {
    let place = place();
    place.stdout(&["group", "create", "prod"]);
    let said = refused(&place, &["deploy", "app.bicep", "-g", "prd"]);
    assert!(said.contains("error[CLI0111]: group `prd` does not exist"), "{said}");
    assert!(said.contains("did you mean `prod`?") && said.contains("--create-group"), "{said}");
    let said = refused(&place, &["deploy", "app.bicep", "-g", "prd", "--yes"]);
    assert!(said.contains("error[CLI0111]"), "{said}");
    assert_eq!(groups(&place), ["prod"]);
    let output = place.run(&["plan", "app.bicep", "-g", "prd"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("creates the group with --create-group"), "{said}");
    assert_eq!(groups(&place), ["prod"]);
    let told = place.stdout(&["deploy", "app.bicep", "-g", "prd", "--create-group"]);
    assert!(told.contains("app: 1 created"), "{told}");
    assert_eq!(groups(&place), ["prd", "prod"]);
    // The default one is created on demand.
    fs::write(place.path().join("app.bicep"), TEMPLATE.replace("'logs' }", "'other' }")).unwrap();
    place.stdout(&["deploy", "app.bicep"]);
    assert_eq!(groups(&place), ["default", "prd", "prod"]);
}

#[test]
fn an_unknown_group_of_a_recipe_is_refused_and_not_created() {
    let place = place();
    fs::create_dir(place.path().join("module")).unwrap();
    fs::write(place.path().join("module/main.tf"), "output \"x\" { value = 1 }\n").unwrap();
    let said = refused(&place, &["recipe", "deploy", "--source", "./module", "-g", "nosuch"]);
    assert!(said.contains("error[CLI0111]: group `nosuch` does not exist"), "{said}");
    assert!(groups(&place).is_empty());
}

#[test]
fn a_terminal_asks_whether_to_create_the_group() {
    let place = place();
    let name = "a_terminal_asks_whether_to_create_the_group";
    let question = "group `nosuch` does not exist. Create it? [y/N] ";
    let deploy = ["deploy", "app.bicep", "-g", "nosuch"];
    let no = Answer::Shown { question, text: "n" };
    let Some(session) = terminal::run(name, place.path(), &deploy, &[no]) else { return };
    assert_eq!(session.code, 1, "{}", session.screen);
    assert!(session.screen.contains("error[CLI0013]"), "{}", session.screen);
    assert!(groups(&place).is_empty());
    let yes = Answer::Shown { question, text: "y" };
    let session = terminal::run(name, place.path(), &deploy, &[yes]).unwrap();
    assert_eq!(session.code, 0, "{}", session.screen);
    assert_eq!(groups(&place), ["nosuch"]);
}

#[test]
fn a_plan_that_does_not_hold_leaves_no_group() {
    let place = place();
    let plan = ["plan", "app.bicep", "-g", "fresh", "--create-group", "--out", "plan.json"];
    assert_eq!(place.run(&plan).status.code(), Some(2));
    fs::write(place.path().join("app.bicep"), TEMPLATE.replace("'logs' }", "'other' }")).unwrap();
    let said = refused(&place, &["deploy", "--plan-file", "plan.json"]);
    assert!(said.contains("error[CLI0044]") && said.contains("nothing was changed"), "{said}");
    assert!(groups(&place).is_empty());
}

#[test]
fn confirm_shows_the_plan_and_asks_before_any_change() {
    let place = place();
    let said = refused(&place, &["deploy", "app.bicep", "--confirm"]);
    assert!(said.contains("error[CLI0012]") && said.contains("pass --yes"), "{said}");
    let name = "confirm_shows_the_plan_and_asks_before_any_change";
    let question = "deploy `app` to group `default`? [y/N] ";
    let deploy = ["deploy", "app.bicep", "--confirm"];
    let no = Answer::Shown { question, text: "n" };
    let Some(session) = terminal::run(name, place.path(), &deploy, &[no]) else { return };
    assert_eq!(session.code, 1, "{}", session.screen);
    assert!(session.screen.contains("LogGroupName"), "{}", session.screen);
    assert!(session.screen.contains("error[CLI0013]"), "{}", session.screen);
    assert!(groups(&place).is_empty());
    let yes = Answer::Shown { question, text: "y" };
    let session = terminal::run(name, place.path(), &deploy, &[yes]).unwrap();
    assert!(session.code == 0 && session.screen.contains("app: 1 created"), "{}", session.screen);
    // Without a change there is no question.
    let session = terminal::run(name, place.path(), &deploy, &[]).unwrap();
    assert!(
        session.code == 0 && session.screen.contains("app: no changes (1 unchanged)"),
        "{}",
        session.screen
    );
    let output = place.run(&["deploy", "app.bicep", "--confirm", "--yes"]);
    assert!(output.status.success());
}

#[test]
fn a_refused_command_leaves_no_data_directory() {
    let place = place();
    let has_directory = || place.path().join(".hangar").exists();
    let said = refused(&place, &["deploy", "app.bicep", "-g", "nosuch"]);
    assert!(said.contains("error[CLI0111]"), "{said}");
    assert!(!has_directory(), "{said}");

    // A directory that holds something stays.
    place.stdout(&["group", "create", "prod"]);
    refused(&place, &["deploy", "app.bicep", "-g", "nosuch"]);
    assert!(has_directory());
    assert_eq!(groups(&place), ["prod"]);
}
