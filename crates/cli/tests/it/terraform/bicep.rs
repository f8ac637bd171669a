//! Recipes as resources of templates, by the real binary with a real Terraform and the built-in simulator.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::rig::Binary;
use crate::hangar;

/// It tells what it was given and an id of its author's, and keeps a secret; that its password is one only the
/// template says.
const MODULE: &str = r#"
variable "context" { type = any }
variable "size" { type = number }
variable "password" { type = string }
resource "terraform_data" "made" {
  input = "${var.context.resource.name}-${var.size}"
}
output "result" {
  sensitive = true
  value = {
    resources = ["/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.SNS/Topic/t"]
    values    = { name = terraform_data.made.output }
    secrets   = { password = var.password }
  }
}
"#;

const TEMPLATE: &str = "\
extension aws
extension hangar
param size int = 2
@secure()
param password string
resource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'net'
  properties: {
    source: './modules/network'
    parameters: { size: size, password: password }
  }
}
resource message 'AWS.SSM/Parameter@default' = {
  alias: 'message'
  properties: { Name: '/message', Type: 'String', Value: net.properties.status.values.name }
}
resource kept 'AWS.SecretsManager/Secret@default' = {
  alias: 'kept'
  properties: { Name: 'kept', SecretString: net.listSecrets().password }
}
output name string = net.properties.status.values.name
output ids array = net.properties.status.outputResources
@secure()
output password string = net.listSecrets().password
";

const RECIPE: &str =
    "/planes/radius/local/resourceGroups/default/providers/Hangar.Recipes/recipes/net";

fn folder(template: &str, module: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("modules/network/.terraform")).unwrap();
    fs::write(folder.path().join("app.bicep"), template).unwrap();
    fs::write(folder.path().join("modules/network/main.tf"), module).unwrap();
    fs::write(folder.path().join("modules/network/terraform.tfstate"), "no state").unwrap();
    fs::write(folder.path().join("modules/network/.terraform/x"), "no part of it").unwrap();
    folder
}

fn command(binary: &Binary, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = hangar(arguments);
    command.args(["--data-dir", "data"]).current_dir(folder);
    command.env("HANGAR_TERRAFORM", &binary.path);
    command
}

/// What a command printed, with what it said beside it; it must have ended so.
fn told(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    (stdout, stderr)
}

/// The deployment that a command with `-o json` tells last.
fn deployment(stdout: &str) -> Value {
    serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
}

fn rows(deployment: &Value) -> Vec<String> {
    let rows = deployment["properties"]["resources"].as_array().unwrap().iter();
    let word = |row: &Value| row["action"].as_str().or(row["state"].as_str()).unwrap().to_owned();
    rows.map(|row| format!("{} {}", row["address"].as_str().unwrap(), word(row))).collect()
}

#[test]
fn a_recipe_and_what_reads_it_are_one_deployment() {
    let Some(binary) = Binary::find_or_skip("a_recipe_and_what_reads_it_are_one_deployment") else {
        return;
    };
    let folder = folder(TEMPLATE, MODULE);
    let deploy = |size: &str| {
        let arguments = ["deploy", "app.bicep", "-o", "json", "-p", "password=canary", "-p", size];
        told(&mut command(&binary, folder.path(), &arguments), 0)
    };
    let (stdout, stderr) = deploy("size=2");
    let first = deployment(&stdout);
    assert_eq!(rows(&first), ["net deployed", "message created", "kept created"]);
    let properties = &first["properties"];
    let topic = "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.SNS/Topic/t";
    assert_eq!(
        properties["outputs"],
        json!({
            "name": {"type": "string", "value": "net-2"},
            "ids": {"type": "array", "value": [{"id": topic}]},
            "password": {"type": "securestring"},
        })
    );
    let made = properties["outputResources"].as_array().unwrap();
    assert_eq!(made[..2], [json!({"id": RECIPE}), json!({"id": topic})]);
    assert_eq!(properties["resources"][0]["id"], RECIPE);
    assert_eq!(properties["resources"][0].get("scope"), None);
    assert!(!stdout.contains("canary") && !stderr.contains("canary"), "{stdout}\n{stderr}");

    // Of the recipe itself the secret parameter is only named.
    let (shown, _) =
        told(&mut command(&binary, folder.path(), &["recipe", "show", "net", "-o", "json"]), 0);
    let recipe: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(recipe["properties"]["secretParameters"], json!(["password"]));
    assert_eq!(recipe["properties"]["source"], "./modules/network");
    assert!(!shown.contains("canary"), "{shown}");

    assert_eq!(
        rows(&deployment(&deploy("size=2").0)),
        ["net unchanged", "message unchanged", "kept unchanged"]
    );
    let later = deployment(&deploy("size=3").0);
    assert_eq!(rows(&later), ["net deployed", "message updated", "kept unchanged"]);
    assert_eq!(later["properties"]["outputs"]["name"]["value"], "net-3");
}

#[test]
fn a_recipe_that_left_is_kept_or_deleted_and_is_destroyed_after_what_reads_it() {
    let name = "a_recipe_that_left_is_kept_or_deleted_and_is_destroyed_after_what_reads_it";
    let Some(binary) = Binary::find_or_skip(name) else { return };
    let folder = folder(TEMPLATE, MODULE);
    let run = |arguments: &[&str]| {
        let arguments = [arguments, &["-o", "json"]].concat();
        deployment(&told(&mut command(&binary, folder.path(), &arguments), 0).0)
    };
    let whole = ["deploy", "app.bicep", "-p", "password=canary"];
    let with = |more: &[&'static str]| -> Vec<&'static str> { [&whole[..], more].concat() };
    run(&whole);
    let recipe = || {
        let output = command(&binary, folder.path(), &["recipe", "list", "-o", "json"]).output();
        serde_json::from_slice::<Value>(&output.unwrap().stdout).unwrap()
    };
    let manager = recipe()[0]["properties"]["managedBy"].as_str().unwrap().to_owned();
    assert!(manager.ends_with("/deployments/app"), "{manager}");
    fs::write(folder.path().join("app.bicep"), "param password string\n").unwrap();
    // Nothing else has its state, so that it is not let go of.
    let detached = run(&with(&["--on-remove", "detach"]));
    assert_eq!(rows(&detached), ["message detached", "kept detached"]);
    assert_eq!(detached["properties"]["leftResources"][0]["name"], "net");
    let deleted = run(&with(&["--on-remove", "delete", "--yes"]));
    assert_eq!(rows(&deleted), ["net deleted"]);
    assert_eq!(recipe(), json!([]));

    fs::write(folder.path().join("app.bicep"), TEMPLATE).unwrap();
    run(&with(&["--adopt"]));
    let gone = run(&["destroy", "app", "--yes"]);
    assert_eq!(rows(&gone), ["net deleted", "message deleted", "kept deleted"]);
    let at = |index: usize, member: &str| {
        gone["properties"]["resources"][index][member].as_str().unwrap().to_owned()
    };
    assert!(at(1, "endedAt") <= at(0, "startedAt") && at(2, "endedAt") <= at(0, "startedAt"));
    assert_eq!(recipe(), json!([]));
}

#[test]
fn a_plan_shows_what_terraform_would_change_and_changes_nothing() {
    let name = "a_plan_shows_what_terraform_would_change_and_changes_nothing";
    let Some(binary) = Binary::find_or_skip(name) else { return };
    let folder = folder(TEMPLATE, MODULE);
    let ask = |command_name: &str, size: &str, more: &[&str], code: i32| {
        let arguments = [command_name, "app.bicep", "-p", "password=canary-1", "-p", size];
        let arguments = [&arguments[..], more].concat();
        let (stdout, stderr) = told(&mut command(&binary, folder.path(), &arguments), code);
        assert!(!stdout.contains("canary") && !stderr.contains("canary"), "{stdout}{stderr}");
        stdout
    };
    // Before there is a group, and what it is given is known.
    let first = ask("plan", "size=2", &[], 2);
    assert!(first.contains(">   net  Hangar.Recipes/recipes  run\n"), "{first}");
    assert!(first.contains("+   module.recipe.terraform_data.made  create"), "{first}");
    assert!(first.contains("/input: \"net-2\""), "{first}");
    assert!(first.contains("/Value: (known after net)"), "{first}");
    ask("deploy", "size=2", &[], 0);
    let kept = || {
        let of = |arguments: &[&str]| told(&mut command(&binary, folder.path(), arguments), 0).0;
        let operations = of(&["operation", "list", "-o", "json"]);
        let runs = operations.matches("Hangar.Recipes/recipes/net").count();
        (runs, of(&["recipe", "state", "list", "net", "-o", "json"]))
    };
    let before = kept();
    let same = ask("plan", "size=2", &[], 0);
    assert!(same.contains("plan: no changes (3 unchanged)"), "{same}");
    let later = ask("plan", "size=3", &["--out", "plan.json"], 2);
    assert!(later.contains("~ /parameters/size: 2 → 3"), "{later}");
    assert!(later.contains("~   module.recipe.terraform_data.made  update"), "{later}");
    assert!(later.contains("~ /input: \"net-2\" → \"net-3\""), "{later}");
    assert!(later.contains("/Value: (known after net)"), "{later}");
    assert!(later.contains("plan: 1 to run, 2 not known yet"), "{later}");
    let document: Value = serde_json::from_str(&ask("plan", "size=3", &["-o", "json"], 2)).unwrap();
    let change = &document["properties"]["changes"][0]["resourceChanges"][0];
    assert_eq!((&change["action"], &change["type"]), (&json!("update"), &json!("terraform_data")));
    assert_eq!(kept(), before, "no run, no state and no lock are left");
    let left = fs::read_dir(folder.path().join("data/recipes")).unwrap().flatten();
    let left = left.filter(|it| it.file_name().to_str().is_some_and(|it| it.ends_with("-0")));
    assert_eq!(left.count(), 0, "no directory of a plan is left");
    let apply = ["deploy", "--plan-file", "plan.json", "-p", "password=canary-1"];
    let (applied, _) = told(&mut command(&binary, folder.path(), &apply), 0);
    assert!(applied.contains("app: 1 deployed, 1 updated, 1 unchanged"), "{applied}");
}

#[test]
fn a_recipe_that_cannot_be_planned_says_why() {
    let Some(binary) = Binary::find_or_skip("a_recipe_that_cannot_be_planned_says_why") else {
        return;
    };
    let template = "extension aws
resource vpc 'AWS.EC2/VPC@default' = { alias: 'net', properties: { CidrBlock: '10.0.0.0/16' } }
resource waits 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'waits'
  properties: { source: './modules/network', parameters: { id: vpc.properties.VpcId } }
}
resource free 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'free'
  properties: { source: './modules/network', parameters: { id: 'x' } }
}
";
    let folder =
        folder(template, "variable \"id\" { type = string }\noutput \"id\" { value = var.id }\n");
    let plan = |program: &Path, group: &str, code: i32| {
        let arguments = ["plan", "app.bicep", "-g", group];
        let mut command = command(&binary, folder.path(), &arguments);
        told(command.env("HANGAR_TERRAFORM", program).env("PATH", "/nowhere"), code).0
    };
    told(&mut command(&binary, folder.path(), &["group", "create", "prod"]), 0);
    for group in ["prod", "missing"] {
        let text = plan(&binary.path, group, 2);
        assert!(
            text.contains("waits  Hangar.Recipes/recipes  run: to run (depends on vpc)"),
            "{text}"
        );
        assert!(
            text.contains(
                "free  Hangar.Recipes/recipes  run: Terraform plans to change only its outputs"
            ),
            "{text}"
        );
        let none = plan(Path::new("/nowhere/terraform"), group, 2);
        let why = "free  Hangar.Recipes/recipes  run: cannot be planned: /nowhere/terraform cannot be run";
        assert!(none.contains(why), "{none}");
    }
    fs::write(
        folder.path().join("modules/network/main.tf"),
        "variable \"id\" { type = number }\nresource \"terraform_data\" \"a\" { input = var.id }\n",
    )
    .unwrap();
    let wrong = plan(&binary.path, "prod", 1);
    assert!(wrong.contains("!   free  Hangar.Recipes/recipes  would fail:"), "{wrong}");
}

#[test]
fn a_recipe_that_fails_is_told_and_what_reads_it_is_not_begun() {
    let name = "a_recipe_that_fails_is_told_and_what_reads_it_is_not_begun";
    let Some(binary) = Binary::find_or_skip(name) else { return };
    let wrong = MODULE.replace(
        "input = \"${var.context.resource.name}-${var.size}\"",
        "input = \"x\"\n  lifecycle {\n    precondition {\n      condition     = var.size < 0\n      \
         error_message = \"it is too large\"\n    }\n  }",
    );
    let folder = folder(TEMPLATE, &wrong);
    let arguments = ["deploy", "app.bicep", "-p", "password=canary"];
    let (stdout, stderr) = told(&mut command(&binary, folder.path(), &arguments), 1);
    assert!(stderr.contains("it is too large"), "{stdout}\n{stderr}");
    assert!(stderr.contains("app.bicep:6:10"), "{stderr}");
    assert!(stdout.contains("1 failed, 2 skipped"), "{stdout}");
    assert!(!stdout.contains("canary") && !stderr.contains("canary"), "{stdout}\n{stderr}");
}

/// A recipe that takes until a file is there; what it does is written down.
const SLOW: &str = r#"
variable "log" { type = string }
resource "terraform_data" "made" {
  provisioner "local-exec" {
    command = "echo began >> '${var.log}'; for i in $(seq 300); do test -e '${var.log}.go' && break; sleep 0.1; done"
  }
}
resource "terraform_data" "after" {
  input = terraform_data.made.id
  provisioner "local-exec" { command = "echo after >> '${var.log}'" }
}
output "result" {
  value = { values = { id = terraform_data.after.id } }
}
"#;

const SLOW_TEMPLATE: &str = "\
extension aws
param log string
resource slow 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'slow'
  properties: { source: './modules/network', parameters: { log: log } }
}
resource message 'AWS.SSM/Parameter@default' = {
  alias: 'message'
  properties: { Name: '/message', Type: 'String', Value: slow.properties.status.values.id }
}
";

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < until, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_deployment_that_is_canceled_stops_its_recipe() {
    let Some(binary) = Binary::find_or_skip("a_deployment_that_is_canceled_stops_its_recipe")
    else {
        return;
    };
    let folder = folder(SLOW_TEMPLATE, SLOW);
    let log = folder.path().join("log");
    let given = format!("log={}", log.display());
    let mut deploy = command(&binary, folder.path(), &["deploy", "app.bicep", "-p", &given]);
    let deploy = deploy.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the recipe", || log.exists());
    let interrupted = Command::new("kill").args(["-INT", &deploy.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    let ended = deploy.wait_with_output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("deployment `app` was canceled"), "{stderr}");
    assert_eq!(fs::read_to_string(&log).unwrap(), "began\n", "nothing was begun after it");
    let show = |arguments: &[&str]| told(&mut command(&binary, folder.path(), arguments), 0).0;
    let app: Value =
        serde_json::from_str(&show(&["deployment", "show", "app", "-o", "json"])).unwrap();
    assert_eq!(app["properties"]["provisioningState"], "Canceled", "{app}");
    let recipe: Value =
        serde_json::from_str(&show(&["recipe", "show", "slow", "-o", "json"])).unwrap();
    assert_eq!(recipe["properties"]["provisioningState"], "Canceled");
    assert!(recipe["properties"]["state"]["lock"].is_null(), "Terraform stopped in good order");
}

#[test]
fn a_recipe_that_is_busy_is_waited_for() {
    let Some(binary) = Binary::find_or_skip("a_recipe_that_is_busy_is_waited_for") else { return };
    let folder = folder(SLOW_TEMPLATE, SLOW);
    let log = folder.path().join("log");
    let given = format!("log={}", log.display());
    let begin = |arguments: &[&str]| {
        let mut command = command(&binary, folder.path(), arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let source =
        ["recipe", "deploy", "--source", "modules/network", "--name", "slow", "-p", &given];
    let first = begin(&source);
    wait_for("the recipe", || log.exists());
    let second = begin(&["deploy", "app.bicep", "-p", &given, "-o", "json"]);
    // It is there, and its recipe is begun for it as far as the other one lets it.
    let begun = || {
        let arguments = ["deployment", "show", "app", "-o", "json"];
        let shown = command(&binary, folder.path(), &arguments).output().unwrap();
        String::from_utf8_lossy(&shown.stdout).contains("\"Running\"")
    };
    wait_for("the deployment", begun);
    fs::write(folder.path().join("log.go"), "").unwrap();
    let (first, second) = (first.wait_with_output().unwrap(), second.wait_with_output().unwrap());
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    let stdout = String::from_utf8(second.stdout).unwrap();
    assert_eq!(rows(&deployment(&stdout)), ["slow unchanged", "message created"]);
    assert_eq!(fs::read_to_string(&log).unwrap(), "began\nafter\n", "made once");
}

#[test]
fn a_run_that_was_killed_goes_on_with_its_recipe() {
    let Some(binary) = Binary::find_or_skip("a_run_that_was_killed_goes_on_with_its_recipe") else {
        return;
    };
    let folder = folder(SLOW_TEMPLATE, SLOW);
    let log = folder.path().join("log");
    let given = format!("log={}", log.display());
    let mut deploy = command(&binary, folder.path(), &["deploy", "app.bicep", "-p", &given]);
    let mut deploy = deploy.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the recipe", || log.exists());
    deploy.kill().unwrap();
    deploy.wait().unwrap();
    fs::write(folder.path().join("log.go"), "").unwrap();
    let arguments = ["deploy", "app.bicep", "-p", &given, "-o", "json"];
    let (stdout, _) = told(&mut command(&binary, folder.path(), &arguments), 0);
    assert_eq!(rows(&deployment(&stdout)), ["slow unchanged", "message unchanged"]);
    assert_eq!(fs::read_to_string(&log).unwrap(), "began\nafter\n", "made once");
}

#[test]
fn a_recipe_that_another_made_can_be_read_and_one_that_is_not_there_is_told() {
    let name = "a_recipe_that_another_made_can_be_read_and_one_that_is_not_there_is_told";
    let Some(binary) = Binary::find_or_skip(name) else { return };
    let reading = "\
resource net 'Hangar.Recipes/recipes@2023-10-01-preview' existing = {
  name: 'NET'
}
@nullIfNotFound()
resource none 'Hangar.Recipes/recipes@2023-10-01-preview' existing = {
  name: 'none'
}
output name string = net.properties.status.values.name
output state string = net.properties.provisioningState
output id string = net.id
output none string? = none.?properties.status.values.name
";
    let folder = folder(TEMPLATE, MODULE);
    fs::write(folder.path().join("read.bicep"), reading).unwrap();
    let read = || command(&binary, folder.path(), &["deploy", "read.bicep", "-o", "json"]);
    let (_, stderr) = told(&mut read(), 1);
    assert!(stderr.contains("there is no Hangar.Recipes/recipes named NET in"), "{stderr}");
    told(&mut command(&binary, folder.path(), &["deploy", "app.bicep", "-p", "password=x"]), 0);
    let (stdout, _) = told(&mut read(), 0);
    let found = deployment(&stdout);
    assert_eq!(rows(&found), ["net read", "none absent"]);
    let value = |name: &str| found["properties"]["outputs"][name]["value"].clone();
    assert_eq!(value("name"), "net-2");
    assert_eq!(
        (value("state"), value("id"), value("none")),
        (json!("Succeeded"), json!(RECIPE), Value::Null)
    );
}
