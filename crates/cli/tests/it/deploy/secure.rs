//! Secure parameters: from a file, the environment or a prompt, and the error if one is missing.

use std::fs;

use crate::place::Place;
use crate::terminal::{self, Answer};

const TEMPLATE: &str = "extension aws

@secure()
@description('of the shop')
param apiKey string
param note string = 'none'

resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: 'secret'
  properties: { Name: 'shop', Description: note, SecretString: apiKey }
}
";

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path().join("app.bicep"), TEMPLATE).unwrap();
    place
}

/// The exit code of a deployment, and all that it said.
fn deploy(place: &Place, arguments: &[&str]) -> (i32, String) {
    let mut command = place.command(&[&["deploy", "app.bicep"][..], arguments].concat());
    let output = command.env("SHOP_KEY", "canary-1").output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!said.contains("canary"), "{said}");
    (output.status.code().unwrap(), said)
}

#[test]
fn a_missing_secure_parameter_names_the_safe_ways_only() {
    let place = place();
    let (code, said) = deploy(&place, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("error[BCP258]: the parameter `apiKey` has no value"), "{said}");
    for way in ["-p apiKey=@FILE", "-p apiKey=env:VARIABLE", "readEnvironmentVariable('VARIABLE')"]
    {
        assert!(said.contains(way), "{way}: {said}");
    }
    assert!(!said.contains("apiKey=…") && !said.contains("write a default"), "{said}");
}

#[test]
fn a_secure_value_comes_from_a_file_or_the_environment_and_any_text_can_be_literal() {
    let place = place();
    fs::write(place.path().join("key.txt"), "canary-1\n").unwrap();
    fs::write(place.path().join("at.txt"), "@canary-2").unwrap();
    let (code, said) = deploy(&place, &["-p", "apiKey=@key.txt"]);
    assert!(code == 0 && said.contains("app: 1 created"), "{said}");
    // The same value by other ways changes nothing: the line end was removed.
    for same in ["apiKey=env:SHOP_KEY", "apiKey=text:canary-1", "apiKey=canary-1"] {
        let (code, said) = deploy(&place, &["-p", same]);
        assert!(code == 0 && said.contains("app: no changes (1 unchanged)"), "{same}: {said}");
    }
    let (_, said) = deploy(&place, &["-p", "apiKey=@at.txt"]);
    assert!(said.contains("app: 1 updated"), "{said}");
    let (_, said) = deploy(&place, &["-p", "apiKey=text:@canary-2"]);
    assert!(said.contains("app: no changes (1 unchanged)"), "{said}");
    // An ordinary parameter takes its text as it is.
    for note in ["@me", "env:HOME", "text:x"] {
        let value = format!("note={note}");
        let (code, said) = deploy(&place, &["-p", "apiKey=text:@canary-2", "-p", &value]);
        assert!(code == 0 && said.contains("app: 1 updated"), "{said}");
        let shown = place.json(&["resource", "show", "AWS.SecretsManager/Secret", "secret"]);
        assert_eq!(shown["properties"]["Description"], note);
    }
}

#[test]
fn a_source_that_cannot_be_read_is_refused_without_its_text() {
    let place = place();
    let (code, said) = deploy(&place, &["-p", "apiKey=@canary-file"]);
    assert!(code == 1 && said.contains("error[CLI0110]"), "{said}");
    assert!(said.contains("the file does not exist") && said.contains("text:@"), "{said}");
    let (code, said) = deploy(&place, &["-p", "apiKey=env:canary"]);
    assert!(code == 1 && said.contains("error[CLI0110]") && said.contains("is not set"), "{said}");
}

#[test]
fn a_terminal_prompts_for_a_missing_secure_parameter_without_echo() {
    let place = place();
    let question = "value of secure parameter `apiKey` (of the shop): ";
    let typed = Answer::Hidden { question, text: "canary-typed" };
    let name = "a_terminal_prompts_for_a_missing_secure_parameter_without_echo";
    let Some(session) = terminal::run(name, place.path(), &["deploy", "app.bicep"], &[typed])
    else {
        return;
    };
    assert_eq!(session.code, 0, "{}", session.screen);
    assert!(session.screen.contains("app: 1 created"), "{}", session.screen);
    assert!(!session.screen.contains("canary"), "{}", session.screen);
    let (_, said) = deploy(&place, &["-p", "apiKey=canary-typed"]);
    assert!(said.contains("app: no changes (1 unchanged)"), "{said}");
    // Nothing typed is no value.
    let typed = Answer::Hidden { question, text: "" };
    let session = terminal::run(name, place.path(), &["deploy", "app.bicep"], &[typed]).unwrap();
    assert_eq!(session.code, 1, "{}", session.screen);
    assert!(session.screen.contains("error[BCP258]"), "{}", session.screen);
}

#[test]
fn a_plan_withholds_a_prompted_value_and_asks_for_it_again() {
    let place = place();
    let typed = Answer::Hidden { question: "value of secure parameter `apiKey`", text: "canary-1" };
    let name = "a_plan_withholds_a_prompted_value_and_asks_for_it_again";
    let plan = ["plan", "app.bicep", "--out", "plan.json"];
    let Some(session) = terminal::run(name, place.path(), &plan, &[typed]) else { return };
    assert_eq!(session.code, 2, "{}", session.screen);
    let text = fs::read_to_string(place.path().join("plan.json")).unwrap();
    assert!(!text.contains("canary"), "{text}");
    let apply = ["deploy", "--plan-file", "plan.json"];
    let other = Answer::Hidden { text: "canary-2", question: "value of secure parameter `apiKey`" };
    let session = terminal::run(name, place.path(), &apply, &[other]).unwrap();
    assert_eq!(session.code, 1, "{}", session.screen);
    assert!(session.screen.contains("error[CLI0044]"), "{}", session.screen);
    let session = terminal::run(name, place.path(), &apply, &[typed]).unwrap();
    assert_eq!(session.code, 0, "{}", session.screen);
}
