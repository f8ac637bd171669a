//! What a command says of a small slip: a missing value, a near name, a file of another kind.

use std::fs;

use crate::backup::refused;
use crate::place::Place;
use crate::world::World;

const QUEUE: &str = "extension aws

resource q 'AWS.SQS/Queue@default' = {
  alias: 'q'
  properties: {
    QueueName: 'q'
  }
}
";

const PARAMETERS: &str = "param environment string
param count int
param name string
output all string = '${environment}${count}${name}'
";

fn place(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

#[test]
fn each_slip_has_the_hint_that_helps() {
    let place = place(&[("main.bicep", QUEUE), ("p.bicep", PARAMETERS)]);
    for (arguments, says) in [
        (&["plan", "p.bicep", "-p", "environment"][..], "-p environment=VALUE"),
        (&["plan", "p.bicep", "-p", "hunter2"], "NAME=VALUE"),
        (&["plan", "mian.bicep"], "did you mean `main.bicep`?"),
        (&["plan", "--plan-file", "plan.json"], "`hangar deploy --plan-file FILE`"),
        (&["schema", "show", "SQS"], "`hangar schema list SQS`"),
    ] {
        let said = refused(&place, arguments);
        assert!(said.contains(says), "{arguments:?}: {said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn destroy_in_an_unknown_group_suggests_no_new_group() {
    let place = place(&[("main.bicep", QUEUE)]);
    place.stdout(&["group", "create", "prod"]);
    let said = refused(&place, &["destroy", "main.bicep", "-g", "prd", "--yes"]);
    assert!(said.contains("group `prd` does not exist"), "{said}");
    assert!(said.contains("did you mean `prod`?") && !said.contains("group create"), "{said}");
}

#[test]
fn all_mistakes_of_a_parameter_file_are_in_one_run() {
    let values = "using 'p.bicep'\nparam nmae = 'x'\nparam count = 'three'\nparam extra = 1\n";
    let json = "{\n  \"nmae\": \"hunter2\",\n  \"count\": \"three\",\n  \"extra\": 1\n}\n";
    let arm = "{\"parameters\": {\"nmae\": {\"value\": \"hunter2\"}, \"extra\": {\"value\": 1},\n  \
               \"count\": {\"value\": \"three\"}}}\n";
    let files =
        [("p.bicep", PARAMETERS), ("v.bicepparam", values), ("v.json", json), ("a.json", arm)];
    let place = place(&files);
    for (arguments, places) in [
        (
            &["plan", "v.bicepparam"][..],
            ["v.bicepparam:2:7", "v.bicepparam:3:15", "v.bicepparam:4:7"],
        ),
        (&["plan", "p.bicep", "--params", "v.json"], ["v.json:2:3", "v.json:3:12", "v.json:4:3"]),
        (&["plan", "p.bicep", "--params", "a.json"], ["a.json:1:17", "a.json:2:22", "a.json:1:47"]),
    ] {
        let said = refused(&place, arguments);
        assert!(places.iter().all(|it| said.contains(it)), "{said}");
        assert!(
            said.contains("no parameter `nmae`") && said.contains("no parameter `extra`"),
            "{said}"
        );
        assert!(said.contains("expected `int`, found `string`"), "{said}");
        assert!(said.contains("the parameter `environment` has no value"), "{said}");
        // The misspelled name is reported once.
        assert_eq!(said.matches("error[").count(), 4, "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_parameter_file_of_another_tool_is_recognised() {
    let terraform = "variable \"x\" {\n  type = string\n}\n";
    let place = place(&[("p.bicep", PARAMETERS), ("m.tf", terraform)]);
    let said = refused(&place, &["plan", "p.bicep", "--params", "m.tf"]);
    assert!(said.contains("this is a Terraform configuration"), "{said}");
}

#[test]
fn a_plan_has_the_place_that_the_template_names_in_its_first_line() {
    let text = QUEUE.replace(
        "extension aws\n",
        "extension aws with {\n  account: '111122223333'\n  region: 'eu-central-1'\n}\n",
    );
    let place = place(&[("main.bicep", &text)]);
    let output = place.run(&["plan", "main.bicep"]);
    let plan = String::from_utf8(output.stdout).unwrap();
    assert!(plan.starts_with("main: account 111122223333, region eu-central-1\n"), "{plan}");
    assert_eq!(plan.matches("111122223333").count(), 1, "{plan}");
}

#[test]
fn a_module_above_the_working_directory_belongs_to_the_project() {
    let main = "module m '../shared/queue.bicep' = {\n  name: 'm'\n}\n";
    let place = place(&[("app/main.bicep", main), ("shared/queue.bicep", QUEUE)]);
    let run = |folder: &str, arguments: &[&str]| {
        let output = place.command(arguments).current_dir(place.path().join(folder)).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // Without a project there is nothing above.
    assert_eq!(run("app", &["plan", "main.bicep"]).0, Some(1));
    fs::create_dir(place.path().join(".git")).unwrap();
    let (code, said) = run("app", &["deploy", "main.bicep"]);
    assert_eq!(code, Some(0), "{said}");
    for (folder, file) in
        [("", "app/main.bicep"), ("app", "main.bicep"), ("shared", "../app/main.bicep")]
    {
        let (code, said) = run(folder, &["plan", file]);
        assert_eq!(code, Some(0), "{folder}: {said}");
    }
    fs::write(place.path().join("shared/queue.bicep"), QUEUE.replace("alias:", "alais:")).unwrap();
    let (_, said) = run("app", &["plan", "main.bicep"]);
    assert!(said.contains("--> ../shared/queue.bicep:"), "{said}");
}

#[test]
fn destroy_names_the_deployment_that_a_parameter_file_means() {
    let values = "using 'main.bicep'\n";
    let place = place(&[("main.bicep", QUEUE), ("dev.bicepparam", values)]);
    let said = place.stdout(&["destroy", "dev.bicepparam", "--yes", "--if-exists"]);
    assert_eq!(said, "deployment `main` does not exist; nothing to destroy\n");
}

#[test]
fn a_group_with_unknown_resources_is_not_all_in_sync() {
    let world = World::new();
    world.put("AWS.SQS/Queue", "applied", &["QueueName=a"]);
    let made = world.make("AWS::SQS::Queue", &serde_json::json!({"QueueName": "b"}));
    world.stdout(&["resource", "import", "AWS.SQS/Queue", &made, "--alias", "imported"]);
    let output = world.run(&["drift"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said, "no drift found in group `default`: 1 in sync, 1 unknown\n");
    let hint = String::from_utf8(output.stderr).unwrap();
    assert!(hint.contains("`hangar resource list --drift unknown`"), "{hint}");
}

#[test]
fn an_unchanged_deploy_leaves_no_open_line() {
    let place = place(&[("main.bicep", QUEUE)]);
    let first = place.run(&["deploy", "main.bicep"]);
    assert!(String::from_utf8(first.stdout).unwrap().contains("created"));
    let again = place.run(&["deploy", "main.bicep"]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(again.status.success() && !said.contains("running"), "{said}");
}
