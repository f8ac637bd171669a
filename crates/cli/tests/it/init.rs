//! `hangar init`: a starter template that works as it is.

use std::fs;

use serde_json::json;

use crate::place::Place;
use crate::{shown_of, shown_output};

#[test]
fn the_starter_template_is_formatted_lints_clean_and_deploys() {
    let place = Place::new();
    insta::assert_snapshot!(shown_of(&mut place.command(&["init"])), @"
    exit: 0
    --- stdout
    created main.bicep
    created .gitignore

    Next:
      hangar plan main.bicep
      hangar deploy main.bicep
      hangar output main.bicep

    AWS is a built-in simulator unless you pass `--aws real`.
    `hangar destroy main.bicep` deletes the resources again.
    --- stderr
    ");
    assert_eq!(place.stdout(&["fmt", "--check", "."]), "0 of 1 file would change\n");
    assert_eq!(place.stdout(&["lint", "main.bicep"]), "1 file: no problems\n");
    let deployed = place.stdout(&["deploy", "main.bicep"]);
    assert!(deployed.contains("main: 2 created"), "{deployed}");
    let again = place.stdout(&["deploy", "main.bicep"]);
    assert!(again.contains("no changes (2 unchanged)"), "{again}");
    let other = place.stdout(&["deploy", "main.bicep", "-p", "environment=test", "--name", "t"]);
    assert!(other.contains("t: 2 created"), "{other}");
    let url = place.stdout(&["output", "main.bicep", "queueUrl"]);
    assert!(url.starts_with("https://sqs.us-east-1.amazonaws.com/"), "{url}");
}

#[test]
fn an_existing_template_is_not_overwritten_and_nothing_else_is_written() {
    let place = Place::new();
    fs::write(place.path().join("main.bicep"), "// mine\n").unwrap();
    insta::assert_snapshot!(shown_of(&mut place.command(&["init"])), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0120]: `main.bicep` already exists; nothing was written
    hint: choose another folder, for example `hangar init shop`
    ");
    assert_eq!(fs::read_to_string(place.path().join("main.bicep")).unwrap(), "// mine\n");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    // The suggested folder is another one than that which was named.
    place.stdout(&["init", "web"]);
    let again = shown_output(place.run(&["init", "web"]));
    assert!(again.contains("for example `hangar init web-2`"), "{again}");
    fs::remove_dir_all(place.path().join("web")).unwrap();
    insta::assert_snapshot!(shown_of(&mut place.command(&["init", "main.bicep"])), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0121]: `main.bicep` is a file, not a folder; nothing was written
    hint: choose a folder
    ");
}

#[test]
fn gitignore_gets_the_data_directory_once() {
    let place = Place::new();
    let ignore = place.path().join(".gitignore");
    fs::write(&ignore, "node_modules").unwrap();
    place.stdout(&["init"]);
    assert_eq!(fs::read_to_string(&ignore).unwrap(), "node_modules\n.hangar/\n");
    fs::remove_file(place.path().join("main.bicep")).unwrap();
    let written = place.json(&["init"]);
    assert_eq!(fs::read_to_string(&ignore).unwrap(), "node_modules\n.hangar/\n");
    assert_eq!(
        written,
        json!({
            "template": "main.bicep",
            "gitignore": {"path": ".gitignore", "outcome": "unchanged"},
            "next": ["hangar plan main.bicep", "hangar deploy main.bicep", "hangar output main.bicep"],
        })
    );
}

#[test]
fn a_folder_is_created_and_left_out_again_where_it_cannot_be_used() {
    let place = Place::new();
    let text = place.stdout(&["init", "my shop/infra"]);
    assert!(text.contains("\n  cd 'my shop/infra'\n"), "{text}");
    assert!(place.path().join("my shop/infra/main.bicep").is_file());
    // A folder in the place of `.gitignore` cannot be read: no template is left behind.
    fs::create_dir_all(place.path().join("odd/.gitignore")).unwrap();
    let text = shown_output(place.run(&["init", "odd"]));
    assert!(text.contains("error[CLI0033]: cannot write `odd/.gitignore`"), "{text}");
    assert!(!place.path().join("odd/main.bicep").exists());
}
