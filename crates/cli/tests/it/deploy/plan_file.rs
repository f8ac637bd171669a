//! Plans as files: the real binary writes one, and does just that or nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::http::Connection;
use crate::world::{Host, World};

const TEMPLATE: &str = "extension aws

param days int = 7
@secure()
param pass string = 'canary-default'

var both = 'of ${pass}'

resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: { LogGroupName: 'logs', RetentionInDays: days }
}

resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: 'secret'
  properties: { Name: 'db', SecretString: pass, Description: both }
}

@secure()
output again string = pass
output name string = logs.properties.LogGroupName
";

fn world() -> World {
    let world = World::with(Host::Server, &[]);
    write(&world, "app.bicep", TEMPLATE);
    world
}

fn write(world: &World, name: &str, text: &str) {
    fs::write(world.place.path().join(name), text).unwrap();
}

/// How many writes AWS was asked for.
fn writes(world: &World) -> usize {
    let mut connection = Connection::open(world.simulator.address()).unwrap();
    let answer = connection.call("ListResourceRequests", &json!({"MaxResults": 100})).unwrap();
    answer.body["ResourceRequestStatusSummaries"].as_array().unwrap().len()
}

/// Plans into `plan.json`; gives the exit code and what was said.
fn plan(world: &World, arguments: &[&str]) -> (i32, String) {
    let output = world.run(&[&["plan", "app.bicep", "--out", "plan.json"][..], arguments].concat());
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

fn saved(world: &World) -> Value {
    let text = fs::read_to_string(world.place.path().join("plan.json")).unwrap();
    assert!(!text.contains("canary"), "{text}");
    serde_json::from_str(&text).unwrap()
}

const APPLY: [&str; 3] = ["deploy", "--plan-file", "plan.json"];

fn apply<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&APPLY[..], more].concat()
}

#[test]
fn a_plan_is_written_without_secrets_and_applied_just_so() {
    let world = world();
    world.stdout(&["deploy", "app.bicep", "-p", "pass=canary-1"]);
    let (code, told) = plan(&world, &["-p", "days=14", "-p", "pass=canary-2"]);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("`hangar deploy --plan-file plan.json -p pass=@FILE`"), "{told}");
    let file = saved(&world);
    assert_eq!((&file["kind"], &file["version"]), (&json!("HangarPlan"), &json!(1)));
    assert_eq!(file["template"]["file"], "app.bicep");
    assert_eq!(file["parameters"]["values"], json!({"days": 14}));
    assert_eq!(file["parameters"]["secure"], json!(["pass"]));
    assert!(file["seal"].is_string());
    let mode = fs::metadata(world.place.path().join("plan.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(world.place.path()).unwrap().flatten().collect();
    let names: Vec<String> =
        left.iter().map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    assert!(
        !names.iter().any(|name| name.contains(".tmp") || name.contains("canary")),
        "{names:?}"
    );

    let output = world.run(&["plan", "--show", "plan.json"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("plan: 2 to update"), "{shown}");

    let said = world.refused(&APPLY);
    assert!(said.contains("error[CLI0043]") && said.contains("-p pass=@FILE"), "{said}");
    let said = world.refused(&apply(&["-p", "pass=canary-3"]));
    assert!(said.contains("error[CLI0044]") && said.contains("nothing was changed"), "{said}");
    assert!(!said.contains("canary"), "{said}");
    assert_eq!(writes(&world), 2);
    let told = world.stdout(&apply(&["-p", "pass=canary-2"]));
    assert!(told.contains("app: 2 updated in "), "{told}");
    assert_eq!(writes(&world), 4);
    assert_eq!(world.live("AWS::Logs::LogGroup", "logs")["RetentionInDays"], 14);
    let said = world.refused(&apply(&["-p", "pass=canary-2"]));
    assert!(said.contains("planned: update logs; now: no-op logs"), "{said}");
    let again = "`hangar plan app.bicep -p days=14 -p pass=@FILE --out plan.json`";
    assert!(said.contains(again), "{said}");
    // What was refused is told, and what was deployed is still there.
    let shown = world.json(&["deployment", "show", "app"]);
    assert_eq!(shown["properties"]["error"]["code"], "PlanMoved");
    assert_eq!(shown["properties"]["outputs"]["name"]["value"], "logs");
    assert_eq!(shown["properties"]["managedResources"].as_array().unwrap().len(), 2);
}

#[test]
fn a_template_that_comes_to_something_else_is_refused_and_a_comment_is_not() {
    let world = world();
    world.stdout(&["deploy", "app.bicep"]);
    assert_eq!(plan(&world, &["-p", "days=14"]).0, 2);
    write(&world, "app.bicep", &TEMPLATE.replace("Name: 'db'", "Name: 'db2'"));
    let said = world.refused(&APPLY);
    assert!(
        said.contains("error[CLI0044]: cannot apply `plan.json`: `app.bicep` has changed"),
        "{said}"
    );
    write(&world, "app.bicep", &format!("// why\n{TEMPLATE}"));
    let output = world.run(&APPLY);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("has changed since the plan"), "{said}");
    assert_eq!(writes(&world), 3);
}

#[test]
fn a_plan_for_a_group_that_does_not_exist_makes_it() {
    let world = world();
    let (code, told) = plan(&world, &["-g", "fresh", "--create-group"]);
    assert_eq!(code, 2, "{told}");
    assert!(saved(&world).get("seal").is_none());
    write(&world, "app.bicep", &TEMPLATE.replace("days int = 7", "days int = 14"));
    let said = world.refused(&APPLY);
    assert!(said.contains("logs: /RetentionInDays: planned: 7; now: 14"), "{said}");
    assert!(said.contains("the result is different; nothing was changed"), "{said}");
    assert!(
        said.contains("`hangar plan app.bicep -g fresh --create-group --out plan.json`"),
        "{said}"
    );
    assert_eq!(writes(&world), 0);
    write(&world, "app.bicep", TEMPLATE);
    let told = world.stdout(&APPLY);
    assert!(told.contains("app: 2 created in "), "{told}");
}

#[test]
fn what_contradicts_a_plan_is_refused_by_name() {
    let world = world();
    world.stdout(&["deploy", "app.bicep"]);
    plan(&world, &["-p", "days=14"]);
    write(&world, "other.bicep", TEMPLATE);
    write(&world, "values.json", "{}");
    for (more, name) in [
        (&["other.bicep"][..], "FILE"),
        (&["--params", "values.json"], "--params"),
        (&["-g", "prod"], "--group"),
        (&["--name", "web"], "--name"),
        (&["--aws-region", "eu-west-1"], "--aws-region"),
        (&["--on-remove", "delete"], "--on-remove"),
        (&["--adopt"], "--adopt"),
        (&["--replace"], "--replace"),
        (&["--take-over"], "--take-over"),
        (&["-p", "days=30"], "-p days"),
    ] {
        let said = world.refused(&apply(more));
        assert!(said.contains(&format!("error[CLI0042]: {name} ")), "{more:?}: {said}");
    }
    assert_eq!(writes(&world), 2);
    // Said again as it was, it contradicts nothing; and from another folder it is the same plan.
    fs::create_dir(world.place.path().join("ci")).unwrap();
    let moved = world.place.path().join("ci/plan.json");
    let output =
        world.run(&["plan", "app.bicep", "-p", "days=14", "--out", moved.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = fs::read_to_string(&moved).unwrap();
    assert!(text.contains("\"../app.bicep\""), "{text}");
    let told =
        world.stdout(&["deploy", "app.bicep", "--plan-file", "ci/plan.json", "-g", "default"]);
    assert!(told.contains("app: 1 updated, 1 unchanged in "), "{told}");
}

#[test]
fn a_plan_that_deletes_does_not_ask_and_says_what_goes() {
    let world = world();
    world.stdout(&["deploy", "app.bicep"]);
    let less = TEMPLATE.split("resource secret").next().unwrap();
    write(&world, "app.bicep", less);
    let (code, told) = plan(&world, &["--on-remove", "delete"]);
    assert_eq!(code, 2, "{told}");
    let output = world.run(&APPLY);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("1 to delete") && said.contains("delete (no longer in the template)"),
        "{said}"
    );
    assert!(world.existing("AWS::SecretsManager::Secret").is_empty());
}

#[test]
fn a_file_that_is_no_plan_is_told_apart() {
    let world = world();
    world.stdout(&["deploy", "app.bicep"]);
    plan(&world, &["-p", "days=14"]);
    let whole = fs::read_to_string(world.place.path().join("plan.json")).unwrap();
    let mut other: Value = serde_json::from_str(&whole).unwrap();
    other["version"] = json!(2);
    let mut half: Value = serde_json::from_str(&whole).unwrap();
    half.as_object_mut().unwrap().remove("options");
    let large = format!("{}{whole}", " ".repeat(17 << 20));
    for (text, told) in [
        (
            "",
            "error[CLI0040]: `plan.json` is not a plan file: it is not valid JSON, or it is truncated",
        ),
        (
            &whole[..whole.len() / 2],
            "error[CLI0040]: `plan.json` is not a plan file: it is not valid JSON",
        ),
        ("{}", "error[CLI0040]: `plan.json` is not a plan file: its `kind` is not"),
        ("[1]", "error[CLI0040]: `plan.json` is not a plan file: its `kind` is not"),
        (&other.to_string(), "error[CLI0041]: `plan.json` has plan version 2"),
        (&half.to_string(), "error[CLI0040]: `plan.json` is not a plan file: it is incomplete"),
        (&large, "error[CLI0040]: `plan.json` is not a plan file: it is larger than 16 MiB"),
    ] {
        write(&world, "plan.json", text);
        for command in [&APPLY[..], &["plan", "--show", "plan.json"]] {
            let said = world.refused(command);
            assert!(said.contains(told), "{told}: {said}");
        }
    }
    let said = world.refused(&["deploy", "--plan-file", "missing.json"]);
    assert!(said.contains("error[CLI0002]"), "{said}");
    assert_eq!(writes(&world), 2);
}

#[test]
fn a_plan_that_would_fail_is_not_applied_and_one_that_cannot_be_written_is_not_made() {
    let world = world();
    world.stdout(&["deploy", "app.bicep"]);
    write(&world, "app.bicep", &TEMPLATE.replace("LogGroupName: 'logs'", "LogGroupName: 'other'"));
    assert_eq!(plan(&world, &[]).0, 2);
    let said = world.refused(&APPLY);
    assert!(said.contains("error[CLI0043]") && said.contains("--replace"), "{said}");
    assert_eq!(plan(&world, &["--replace"]).0, 2);
    let told = world.stdout(&APPLY);
    assert!(told.contains("app: 1 replaced, 1 unchanged in "), "{told}");
    let said = world.refused(&["plan", "app.bicep", "--out", "nowhere/plan.json"]);
    assert!(said.contains("error[CLI0033]"), "{said}");
    assert!(!Path::new("nowhere").exists());
    let said = world.refused(&["plan", "-", "--name", "x", "--out", "p.json"]);
    assert!(said.contains("error[CLI0001]") && said.contains("standard input"), "{said}");
}

const TYPED: &str = "extension aws

type creds = { user: string, @secure() pass: string }
@secure()
type word = string
param c creds
param w word?
param l word[] = []

resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: 'secret'
  properties: { Name: c.user, SecretString: '${c.pass}${w}${length(l)}' }
}
";

#[test]
fn secrets_of_declared_types_are_not_written_and_given_again() {
    let world = world();
    for built in [false, true] {
        write(&world, "app.bicep", TYPED);
        let template = if built { "app.json" } else { "app.bicep" };
        if built {
            world.stdout(&["build", "app.bicep"]);
        }
        let values = [
            "-p",
            "c={\"user\": \"u\", \"pass\": \"canary-1\"}",
            "-p",
            "w=canary-2",
            "-p",
            "l=[\"canary-3\"]",
        ];
        let group = if built { "two" } else { "one" };
        let name = ["plan", template, "--out", "plan.json", "-g", group];
        let output = world.run(&[&name[..], &values[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(saved(&world)["parameters"]["secure"], json!(["c", "l", "w"]));
        let said = world.refused(&APPLY);
        assert!(
            said.contains("error[CLI0043]") && said.contains("-p c=@FILE -p l=@FILE -p w=@FILE"),
            "{said}"
        );
        if built {
            continue;
        }
        let other: Vec<&str> =
            values.iter().map(|it| if *it == "w=canary-2" { "w=canary-4" } else { *it }).collect();
        let said = world.refused(&apply(&[&other[..], &["--create-group"]].concat()));
        assert!(said.contains("error[CLI0044]") && said.contains("secure parameter"), "{said}");
        assert!(!said.contains("canary"), "{said}");
        let told = world.stdout(&apply(&[&values[..], &["--create-group"]].concat()));
        assert!(told.contains("app: 1 created in "), "{told}");
    }
}

const HIDDEN: &str = "extension aws

resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: 'secret'
  properties: { Name: 'db', SecretString: 'canary-1' }
}
resource user 'AWS.IAM/User@default' = {
  alias: 'user'
  properties: { UserName: 'u', LoginProfile: { Password: 'canary-2', PasswordResetRequired: true } }
}
";

#[test]
fn what_a_schema_calls_secret_is_in_no_plan_for_a_new_group_and_such_a_plan_is_applied() {
    let world = world();
    write(&world, "app.bicep", HIDDEN);
    let (code, told) = plan(&world, &["-g", "fresh", "--create-group"]);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("/SecretString: «secret»") && !told.contains("canary"), "{told}");
    saved(&world);
    let told = world.stdout(&APPLY);
    assert!(told.contains("app: 2 created in "), "{told}");
}

/// Writes the plan with something of it changed.
fn edit(world: &World, change: impl Fn(&mut Value)) {
    let mut plan = saved(world);
    change(&mut plan);
    write(world, "edited.json", &plan.to_string());
}

#[test]
fn an_edited_plan_does_nothing() {
    let world = world();
    plan(&world, &["-g", "fresh", "--create-group"]);
    fs::copy(world.place.path().join("plan.json"), world.place.path().join("fresh.json")).unwrap();
    world.stdout(&["deploy", "app.bicep"]);
    plan(&world, &["-p", "days=14"]);
    let before = writes(&world);
    let after = "/plan/properties/changes/0/changed/0/after";
    let place = json!("/planes/aws/aws/accounts/1/regions/eu-west-1");
    for (edited, told) in [
        (json!([after, 9]), "/RetentionInDays: planned: 7 to 9; now: 7 to 14"),
        (
            json!(["/plan/properties/changes/0/action", "no-op"]),
            "planned: no-op logs; now: update logs",
        ),
        (json!(["/plan/properties/scope", place]), "planned scope: "),
        (json!(["/plan/properties/outputs/name/value", "x"]), "output name: planned"),
        (json!(["/options/onRemove", "delete"]), "a secret value differs"),
        (json!(["/seal", null]), "but the group is not empty now"),
    ] {
        edit(&world, |plan| {
            *plan.pointer_mut(edited[0].as_str().unwrap()).unwrap() = edited[1].clone();
        });
        let said = world.refused(&["deploy", "--plan-file", "edited.json"]);
        assert!(said.contains("error[CLI0044]") && said.contains(told), "{told}: {said}");
    }
    // A group that was made meanwhile, to go elsewhere.
    world.stdout(&["group", "create", "fresh", "--aws-account", "7", "--aws-region", "eu-west-3"]);
    let said = world.refused(&["deploy", "--plan-file", "fresh.json"]);
    assert!(said.contains("error[CLI0044]") && said.contains("eu-west-3"), "{said}");
    assert_eq!(writes(&world), before);
    // A byte order mark changes nothing.
    let text = fs::read_to_string(world.place.path().join("plan.json")).unwrap();
    write(&world, "plan.json", &format!("\u{feff}{text}"));
    world.stdout(&APPLY);
}

#[test]
fn a_plan_is_written_over_nothing_that_it_is_made_of() {
    let world = world();
    let at = |name: &str| world.place.path().join(name);
    write(&world, "values.json", "{}");
    write(&world, "part.bicep", "");
    write(&world, "whole.bicep", "module part 'part.bicep' = { name: 'part' }\n");
    std::os::unix::fs::symlink("values.json", at("link.json")).unwrap();
    for (template, out) in [
        ("app.bicep", "app.bicep"),
        ("app.bicep", "./values.json"),
        ("app.bicep", "link.json"),
        ("whole.bicep", "part.bicep"),
    ] {
        let kept = fs::read(at(out)).unwrap();
        let said = world.refused(&["plan", template, "--params", "values.json", "--out", out]);
        assert!(
            said.contains("error[CLI0001]") && said.contains("is one of the input files"),
            "{out}: {said}"
        );
        assert_eq!(fs::read(at(out)).unwrap(), kept);
    }
    let said = world.refused(&["build", "whole.bicep", "--out", "part.bicep"]);
    assert!(said.contains("error[CLI0001]"), "{said}");
    let said = world.refused(&["plan", "app.bicep", "--out", "/dev/null"]);
    assert!(said.contains("error[CLI0033]") && said.contains("not a regular file"), "{said}");
    // A link stays one.
    write(&world, "there.json", "{}");
    std::os::unix::fs::symlink("there.json", at("plan.json")).unwrap();
    assert_eq!(plan(&world, &[]).0, 2);
    assert!(at("plan.json").symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(at("there.json")).unwrap().contains("HangarPlan"));
    let said = world.refused(&["plan", "app.bicep", "-g", "bad grp!"]);
    assert!(said.contains("is not a valid group name"), "{said}");
}
