//! `hangar recipe` with the real Terraform: what is made, what is told, what is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::kitchen::{Kitchen, SLOW, lines, processes_below};
use super::rig::{ACCOUNT, Binary, Contents, REGION, aws, aws_provider};

const RECIPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/recipes");

fn example(name: &str) -> String {
    Path::new(RECIPES).join(name).to_str().unwrap().to_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_recipe_hello_is_deployed_left_alone_shown_and_deleted() {
    let Some(kitchen) = Kitchen::open("the_recipe_hello_is_deployed_left_alone_shown_and_deleted")
    else {
        return;
    };
    let hello = example("hello");
    let deploy = ["recipe", "deploy", "--source", &hello, "--secret", "password=hush-word"];
    let first = kitchen.stdout(&deploy);
    assert!(first.contains("+   terraform_data.greeting  created\n"), "{first}");
    assert!(first.contains("hello: 2 added in "), "{first}");
    assert!(first.contains("  greeting  hello, hello\n"), "{first}");
    assert!(first.contains("secrets: password (`hangar recipe show hello --secrets`"), "{first}");
    assert!(!first.contains("hush-word"), "{first}");

    let again = kitchen.stdout(&deploy);
    assert!(again.contains("hello: no changes in "), "{again}");

    let shown = kitchen.json(&["recipe", "show", "hello"]);
    assert_eq!(shown["properties"]["provisioningState"], "Succeeded");
    assert_eq!(shown["properties"]["outcome"], "noop");
    assert_eq!(shown["properties"]["status"]["values"], json!({"greeting": "hello, hello"}));
    assert_eq!(shown["properties"]["secretParameters"], json!(["password"]));
    assert!(!shown.to_string().contains("hush-word"), "{shown}");
    let open = kitchen.json(&["recipe", "show", "hello", "--secrets"]);
    assert_eq!(open["secrets"], json!({"password": "hush-word"}));
    assert_eq!(kitchen.json(&["recipe", "outputs", "hello"]), json!({"greeting": "hello, hello"}));

    let states = kitchen.json(&["recipe", "state", "list", "hello"]);
    assert_eq!((&states["current"], &states["lock"]), (&json!(1), &Value::Null), "{states}");
    let listed = kitchen.stdout(&["group", "show", "default"]);
    assert!(listed.contains("hello   succeeded  0\n"), "{listed}");

    let unsure = kitchen.run(&["recipe", "delete", "hello"]);
    assert!(said(&unsure).contains("error[CLI0012]"), "{}", said(&unsure));
    let deleted = kitchen.stdout(&["recipe", "delete", "hello", "--yes"]);
    assert!(deleted.ends_with("deleted recipe `hello`\n"), "{deleted}");
    assert_eq!(kitchen.json(&["recipe", "list"]), json!([]));
    let gone = kitchen.run(&["recipe", "state", "show", "hello"]);
    assert_eq!(gone.status.code(), Some(1), "{}", said(&gone));
    let absent = kitchen.stdout(&["recipe", "delete", "hello", "--yes"]);
    assert_eq!(absent, "recipe `hello` does not exist; nothing to delete\n");
    assert_eq!(kitchen.left_behind(), [""; 0]);
}

#[test]
fn a_secret_is_in_no_store_log_command_line_or_file_that_stays() {
    let Some(kitchen) =
        Kitchen::open("a_secret_is_in_no_store_log_command_line_or_file_that_stays")
    else {
        return;
    };
    let words = ["hush-parameter-7f3a", "hush-group-7f3a"];
    kitchen.module("slow", SLOW);
    let started = kitchen.path("started");
    fs::write(kitchen.path("secret.txt"), words[0]).unwrap();
    fs::write(kitchen.path("group.txt"), words[1]).unwrap();
    fs::write(kitchen.path("config.json"), r#"{"env": {"TF_VAR_other": {"secret": "OTHER"}}}"#)
        .unwrap();
    let mut server = kitchen.serve(&["--log-level", "debug"]);
    let config = ["--recipe-config", "config.json", "--recipe-secret", "OTHER=@group.txt"];
    kitchen.stdout(&[&["group", "create", "default"][..], &config].concat());
    let file = format!("file={}", started.display());
    let deploy = ["recipe", "deploy", "--source", "slow", "-p", &file, "-p", "seconds=2"];
    let deploying = kitchen.start(&[&deploy[..], &["--secret-file", "secret=secret.txt"]].concat());
    wait_until("Terraform runs", || started.exists());
    let running = processes_below(&kitchen.runs());
    assert!(!running.is_empty(), "no process of Terraform was found");
    let mut seen = String::new();
    for process in &running {
        seen.push_str(&fs::read_to_string(process.join("cmdline")).unwrap_or_default());
    }
    let (code, told) = deploying.end();
    assert_eq!(code, Some(0), "{told}");
    seen.push_str(&told);
    server.stop();
    assert!(fs::read_to_string(kitchen.path("log")).unwrap().contains("accepted"));
    assert_eq!(kitchen.left_behind(), [""; 0]);
    for word in words {
        assert!(!seen.contains(word), "{word} is told: {seen}");
        for file in kitchen.files() {
            // Those that we wrote ourselves.
            if file.extension().is_some_and(|it| it == "txt") {
                continue;
            }
            let content = fs::read(&file).unwrap();
            let is_there = content.windows(word.len()).any(|it| it == word.as_bytes());
            assert!(!is_there, "{word} is in {}", file.display());
        }
    }
}

#[test]
fn a_failing_apply_tells_what_failed_and_what_there_is() {
    let Some(kitchen) = Kitchen::open("a_failing_apply_tells_what_failed_and_what_there_is") else {
        return;
    };
    kitchen.module(
        "half",
        r#"
        variable "fine" { type = bool }
        resource "terraform_data" "good" {}
        resource "terraform_data" "bad" {
          depends_on = [terraform_data.good]
          input = var.fine
          triggers_replace = var.fine
          provisioner "local-exec" { command = var.fine ? "true" : "echo what went wrong >&2; exit 7" }
        }
        output "result" {
          value = { resources = ["/planes/aws/aws/accounts/1/regions/x/providers/AWS.S3/Bucket/b"] }
        }
        "#,
    );
    kitchen.stdout(&["recipe", "deploy", "--source", "half", "-p", "fine=true"]);
    let failing = ["recipe", "deploy", "--source", "half", "-p", "fine=false"];
    let output = kitchen.run(&failing);
    assert_eq!(output.status.code(), Some(1));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("half: failed in "), "{stdout}");
    assert!(stdout.contains("AWS.S3/Bucket/b"), "{stdout}");
    let told = said(&output);
    assert!(
        told.contains("error[API0015]: cannot deploy recipe `half`: terraform_data.bad"),
        "{told}"
    );
    assert!(told.contains("exit status 7"), "{told}");
    let output = kitchen.run(&[&failing[..], &["-o", "json"]].concat());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["properties"]["provisioningState"], "Failed");
    assert_eq!(document["properties"]["status"]["outputResources"].as_array().unwrap().len(), 1);
    let rows = document["properties"]["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["progress"] == "failed"), "{document}");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["cause"]["code"], "RecipeDeploymentFailed", "{error}");
}

#[test]
fn a_cancel_waits_until_terraform_itself_has_stopped() {
    let Some(kitchen) = Kitchen::open("a_cancel_waits_until_terraform_itself_has_stopped") else {
        return;
    };
    kitchen.module("slow", SLOW);
    let started = kitchen.path("started");
    let file = format!("file={}", started.display());
    let deploy = ["recipe", "deploy", "--source", "slow", "-p", &file];
    let deploying = kitchen.start(&[&deploy[..], &["-p", "seconds=60"]].concat());
    wait_until("Terraform runs", || started.exists());
    let running = processes_below(&kitchen.runs());
    deploying.signal("-INT");
    let (code, told) = deploying.end();
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("canceling: Terraform finishes the changes in progress"), "{told}");
    assert!(
        told.contains("error[API0007]: cannot deploy recipe `slow`: Terraform was stopped"),
        "{told}"
    );
    assert!(!running.is_empty() && running.iter().all(|it| !it.exists()), "Terraform still runs");
    let shown = kitchen.json(&["recipe", "show", "slow"]);
    assert_eq!(shown["properties"]["provisioningState"], "Canceled");
    assert_eq!(shown["properties"]["state"]["lock"], Value::Null);
    assert_eq!(kitchen.left_behind(), [""; 0]);
    // What it had begun is in its state, and goes on from there.
    kitchen.stdout(&[&deploy[..], &["-p", "seconds=0"]].concat());
    assert_eq!(kitchen.json(&["recipe", "show", "slow"])["properties"]["state"]["instances"], 2);
}

#[test]
fn of_two_deploys_at_once_the_second_is_refused() {
    let Some(kitchen) = Kitchen::open("of_two_deploys_at_once_the_second_is_refused") else {
        return;
    };
    kitchen.module("slow", SLOW);
    let started = kitchen.path("started");
    let _server = kitchen.serve(&[]);
    let file = format!("file={}", started.display());
    let deploy = ["recipe", "deploy", "--source", "slow", "-p", &file, "-p", "seconds=2"];
    let first = kitchen.start(&deploy);
    wait_until("Terraform runs", || started.exists());
    let second = kitchen.run(&[&deploy[..], &["-o", "json"]].concat());
    assert_eq!(second.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&second.stderr).unwrap();
    assert_eq!(error["error"]["cause"]["status"], 409, "{error}");
    assert!(error.to_string().contains("hangar operation wait "), "{error}");
    let deleting = kitchen.run(&["recipe", "delete", "slow", "--yes"]);
    assert_eq!(deleting.status.code(), Some(1));
    let (code, told) = first.end();
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(lines(&started), ["first", "second"]);
}

#[test]
fn the_lock_of_a_stranger_is_told_and_can_be_freed() {
    let Some(kitchen) = Kitchen::open("the_lock_of_a_stranger_is_told_and_can_be_freed") else {
        return;
    };
    let hello = example("hello");
    kitchen.stdout(&["recipe", "deploy", "--source", &hello]);
    let server = kitchen.serve(&[]);
    let path =
        "/planes/radius/local/resourceGroups/default/providers/Hangar.Recipes/recipes/hello/state";
    let lock = json!({"ID": "l-1", "Operation": "OperationTypeApply", "Who": "ann@laptop", "Info": "",
                      "Version": "1.0", "Created": "2026-01-02T03:04:05Z", "Path": ""});
    assert_eq!(server.ask("LOCK", path, &lock), 200);
    let listed = kitchen.stdout(&["recipe", "state", "list", "hello"]);
    assert!(listed.contains("locked (l-1) by ann@laptop (OperationTypeApply) for "), "{listed}");

    kitchen.stdout(&["recipe", "state", "show", "hello", "--out", "hello.tfstate"]);
    let pushed = kitchen.run(&["recipe", "state", "push", "hello", "hello.tfstate"]);
    assert!(said(&pushed).contains("error[CLI0032]"), "{}", said(&pushed));
    assert!(said(&pushed).contains("held by ann@laptop"), "{}", said(&pushed));
    let wrong = kitchen.run(&["recipe", "unlock", "hello", "--lock-id", "l-2"]);
    assert_eq!(wrong.status.code(), Some(1), "{}", said(&wrong));
    let freed = kitchen.stdout(&["recipe", "unlock", "hello", "--lock-id", "l-1"]);
    assert!(freed.starts_with("released lock l-1 of recipe hello, held by ann@laptop"), "{freed}");
    let freed = kitchen.stdout(&["recipe", "unlock", "hello"]);
    assert_eq!(freed, "the state of recipe hello is not locked\n");

    let pushed = kitchen.stdout(&["recipe", "state", "push", "hello", "hello.tfstate"]);
    assert_eq!(pushed, "wrote version 2 of the state of recipe hello\n");
    let kept = kitchen.run(&["recipe", "state", "show", "hello", "--version", "2"]).stdout;
    assert_eq!(kept, fs::read(kitchen.path("hello.tfstate")).unwrap());
    let again = kitchen.stdout(&["recipe", "deploy", "--source", &hello]);
    assert!(again.contains("hello: no changes in "), "{again}");
}

#[test]
fn without_terraform_it_is_told_how_to_get_it() {
    let Some(kitchen) = Kitchen::open("without_terraform_it_is_told_how_to_get_it") else { return };
    let hello = example("hello");
    let deploy = ["recipe", "deploy", "--source", &hello];
    let told = |command: &mut Command| {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        said(&output)
    };
    let bare =
        told(kitchen.command(&deploy).env_remove("HANGAR_TERRAFORM").env("PATH", "/nowhere"));
    assert!(bare.contains("neither `terraform` nor `tofu` is on PATH"), "{bare}");
    assert!(bare.contains("HANGAR_TERRAFORM="), "{bare}");
    let wrong = told(kitchen.command(&deploy).env("HANGAR_TERRAFORM", "/nowhere/terraform"));
    assert!(wrong.contains("/nowhere/terraform cannot be run"), "{wrong}");
    kitchen.stdout(&deploy);
}

#[test]
fn a_wrong_parameter_is_told_before_anything_runs() {
    let Some(kitchen) = Kitchen::open("a_wrong_parameter_is_told_before_anything_runs") else {
        return;
    };
    let hello = example("hello");
    let output = kitchen.run(&["recipe", "deploy", "--source", &hello, "-p", "greting=hi"]);
    assert_eq!(output.status.code(), Some(1));
    let told = said(&output);
    assert!(told.contains("no variable `greting`; did you mean `greeting`?"), "{told}");
    assert_eq!(kitchen.json(&["operation", "list"]), json!([]));
    assert_eq!(kitchen.json(&["recipe", "list"]), json!([]));
}

/// What kill -9 in the middle of an apply leaves, ended by whoever comes next; everything was made once.
#[test]
fn an_apply_whose_server_was_killed_is_ended_by_the_next_one() {
    let test = "an_apply_whose_server_was_killed_is_ended_by_the_next_one";
    let Some(binary) = Binary::find_or_skip(test) else { return };
    let kitchen = Kitchen::with(binary.clone());
    kitchen.module("slow", SLOW);
    let started = kitchen.path("started");
    let file = format!("file={}", started.display());
    let deploy = ["recipe", "deploy", "--source", "slow", "-p", &file, "-p", "seconds=2"];
    let mut server = kitchen.serve(&[]);
    let url = server.url().to_owned();
    let deploying = kitchen.start(&[&deploy[..], &["--server", &url]].concat());
    wait_until("Terraform runs", || started.exists());
    server.kill();
    let mut next = kitchen.serve_at(server.address(), &[]);
    // The command itself finds the next one.
    let (code, told) = deploying.end();
    assert_eq!(code, Some(0), "{told}");
    let again = kitchen.stdout(&deploy);
    assert!(again.contains("slow: no changes in "), "{again}");
    assert_eq!(lines(&started), ["first", "second"]);
    // The end is told before the files of the run are removed.
    next.stop();
    assert_eq!(kitchen.left_behind(), [""; 0]);
    if std::env::var_os("HANGAR_TEST_FULL").is_some() {
        an_apply_whose_command_was_killed_is_ended_by_the_next_one(&Kitchen::with(binary));
    }
}

/// The same with no server: Terraform asks nobody for its state any more, and gives up only after a while.
fn an_apply_whose_command_was_killed_is_ended_by_the_next_one(kitchen: &Kitchen) {
    kitchen.module("slow", SLOW);
    let started = kitchen.path("started");
    let file = format!("file={}", started.display());
    let deploy = ["recipe", "deploy", "--source", "slow", "-p", &file, "-p", "seconds=2"];
    let deploying = kitchen.start(&deploy);
    wait_until("Terraform runs", || started.exists());
    deploying.signal("-KILL");
    assert_eq!(deploying.end().0, None);
    let output = kitchen.run(&deploy);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("a run of `slow` is unfinished"), "{told}");
    assert_eq!(lines(&started), ["first", "second"]);
    assert_eq!(kitchen.left_behind(), [""; 0]);
}

#[test]
fn deleting_a_group_destroys_its_recipes() {
    let Some(kitchen) = Kitchen::open("deleting_a_group_destroys_its_recipes") else { return };
    let destroyed = kitchen.path("destroyed");
    kitchen.module(
        "loud",
        r#"
        variable "file" { type = string }
        resource "terraform_data" "it" {
          input = var.file
          provisioner "local-exec" {
            when = destroy
            command = "echo gone >> ${self.input}"
          }
        }
        "#,
    );
    let file = format!("file={}", destroyed.display());
    kitchen.stdout(&["group", "create", "test"]);
    kitchen.stdout(&["recipe", "deploy", "--source", "loud", "-g", "test", "-p", &file]);
    let unsure = said(&kitchen.run(&["group", "delete", "test"]));
    assert!(unsure.contains("destroys 1 recipe"), "{unsure}");
    kitchen.stdout(&["group", "delete", "test", "--yes"]);
    assert_eq!(lines(&destroyed), ["gone"]);
    assert_eq!(kitchen.json(&["group", "list"]), json!([]));
    assert_eq!(kitchen.left_behind(), [""; 0]);
}

#[test]
fn a_group_says_how_its_recipes_run_and_never_tells_its_secrets() {
    let Some(kitchen) =
        Kitchen::open("a_group_says_how_its_recipes_run_and_never_tells_its_secrets")
    else {
        return;
    };
    kitchen.module(
        "told",
        r#"
        variable "name" { type = string }
        resource "terraform_data" "it" {
          triggers_replace = var.name
          provisioner "local-exec" { command = "echo \"$GREETING $TOKEN\" > ${var.name}" }
        }
        "#,
    );
    fs::write(kitchen.path("config.json"), r#"{"env": {"TOKEN": {"secret": "TOKEN"}}}"#).unwrap();
    let create = ["group", "create", "test", "--recipe-config", "config.json"];
    let lacking = kitchen.run(&create);
    assert!(
        said(&lacking).contains("/secrets/TOKEN is used by the settings"),
        "{}",
        said(&lacking)
    );
    assert!(
        said(&lacking).contains("hint: set it with --recipe-secret NAME"),
        "{}",
        said(&lacking)
    );
    kitchen.stdout(&[&create[..], &["--recipe-secret", "TOKEN=hush"]].concat());
    let config = r#"{"env": {"TOKEN": {"secret": "TOKEN"}, "GREETING": "hello"}}"#;
    fs::write(kitchen.path("config.json"), config).unwrap();
    kitchen.stdout(&["group", "update", "test", "--recipe-config", "config.json", "--tag", "a=b"]);
    let group = kitchen.json(&["group", "show", "test"]);
    assert_eq!(group["properties"]["recipeConfig"]["secrets"], json!({"TOKEN": null}));
    assert_eq!(group["tags"], json!({"a": "b"}));
    let (file, deploy) =
        (kitchen.path("out"), ["recipe", "deploy", "--source", "told", "-g", "test"]);
    let name = format!("name={}", file.display());
    kitchen.stdout(&[&deploy[..], &["-p", &name]].concat());
    assert_eq!(lines(&file), ["hello hush"]);
}

#[test]
fn the_recipe_network_is_deployed_to_aws_by_the_groups_settings() {
    let test = "the_recipe_network_is_deployed_to_aws_by_the_groups_settings";
    let Some((binary, mirror, moto)) = aws(test) else { return };
    let kitchen = Kitchen::with(binary);
    let before = moto.contents();
    let config = json!({"terraform": {
        "providers": {"aws": [aws_provider(moto.url())]},
        "providerMirror": {"path": mirror.path()},
    }});
    fs::write(kitchen.path("config.json"), config.to_string()).unwrap();
    let place = ["--aws-account", ACCOUNT, "--aws-region", REGION];
    let create = ["group", "create", "prod", "--recipe-config", "config.json"];
    kitchen.stdout(&[&create[..], &place].concat());
    let network = example("network");
    let deploy = ["recipe", "deploy", "--source", &network, "--name", "shop", "-g", "prod"];
    let first = kitchen.stdout(&deploy);
    assert!(first.contains("shop: 6 added in "), "{first}");
    let values = kitchen.json(&["recipe", "outputs", "shop", "-g", "prod"]);
    let made = moto.contents().since(&before);
    assert!(made.vpcs.contains(values["vpc"].as_str().unwrap()), "{}", moto.said());
    assert!(made.buckets.contains("shop-files") && made.queues.contains("shop-jobs"), "{made:?}");

    let shown = kitchen.stdout(&["group", "show", "prod"]);
    let scope = format!("/planes/aws/aws/accounts/{ACCOUNT}/regions/{REGION}/providers");
    let vpc = values["vpc"].as_str().unwrap();
    assert!(shown.contains("aws_vpc.main"), "{shown}");
    assert!(shown.contains(&scope) && shown.contains(vpc), "{shown}");
    let group = kitchen.json(&["group", "show", "prod"]);
    let outputs = group["resources"].as_array().unwrap();
    let outputs = outputs.iter().filter(|it| it["recipe"].is_string()).count();
    assert!(outputs >= 5, "{group}");

    let again = kitchen.stdout(&deploy);
    assert!(again.contains("shop: no changes in "), "{again}");

    kitchen.stdout(&["recipe", "delete", "shop", "-g", "prod", "--yes"]);
    assert_eq!(moto.contents().since(&before), Contents::default(), "{}", moto.said());
    let group = kitchen.json(&["group", "show", "prod"]);
    assert_eq!(group["resources"], json!([]));
    let state = kitchen.run(&["recipe", "state", "list", "shop", "-g", "prod"]);
    assert_eq!(state.status.code(), Some(1), "{}", String::from_utf8_lossy(&state.stdout));
    assert_eq!(kitchen.left_behind(), [""; 0]);
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_mins(1), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whoever only reads must not stop what somebody else has begun: Terraform takes a second interrupt for a kill.
#[test]
fn commands_that_come_and_go_leave_a_running_terraform_alone() {
    let test = "commands_that_come_and_go_leave_a_running_terraform_alone";
    let Some(kitchen) = Kitchen::open(test) else { return };
    kitchen.module("slow", SLOW);
    let started = kitchen.path("started");
    let file = format!("file={}", started.display());
    let deploy = ["recipe", "deploy", "--source", "slow", "-p", &file, "-p", "seconds=3"];
    let mut deploying = kitchen.start(&deploy);
    wait_until("Terraform runs", || started.exists());
    deploying.child.kill().unwrap();
    deploying.child.wait().unwrap();
    for _ in 0..3 {
        kitchen.stdout(&["recipe", "list"]);
    }
    let again = kitchen.stdout(&deploy);
    assert!(again.contains("slow: no changes in "), "{again}");
    assert_eq!(lines(&started), ["first", "second"], "each once, none interrupted");
    assert_eq!(kitchen.left_behind(), [""; 0]);
}

#[test]
fn what_was_never_applied_does_not_stand_in_the_way_of_deleting() {
    let test = "what_was_never_applied_does_not_stand_in_the_way_of_deleting";
    let Some(kitchen) = Kitchen::open(test) else { return };
    let typed = "variable \"size\" {\n  type    = number\n  default = 1\n}\n\
                 resource \"terraform_data\" \"it\" {\n  input = var.size\n}\n";
    kitchen.module("typed", typed);
    kitchen.stdout(&["recipe", "deploy", "--source", "typed"]);
    let refused = kitchen.run(&["recipe", "deploy", "--source", "typed", "-p", "size=\"abc\""]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    kitchen.stdout(&["recipe", "delete", "typed", "--yes"]);
    assert_eq!(kitchen.json(&["recipe", "list"]), json!([]));
}

#[test]
fn a_password_in_an_address_is_in_no_error() {
    let Some(kitchen) = Kitchen::open("a_password_in_an_address_is_in_no_error") else { return };
    let source = "git::https://user:GITPASS-99@127.0.0.1:1/x.git?token=TOKEN-1234";
    let output = kitchen.run(&["recipe", "deploy", "--source", source, "--name", "far"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = kitchen.stdout(&["recipe", "show", "far"]);
    for text in [said(&output), shown] {
        assert!(!text.contains("GITPASS") && !text.contains("TOKEN-1234"), "{text}");
    }
}

#[test]
fn a_recipe_that_fails_before_it_makes_anything_names_its_file_and_how_to_remove_it() {
    let test = "a_recipe_that_fails_before_it_makes_anything_names_its_file_and_how_to_remove_it";
    let Some(kitchen) = Kitchen::open(test) else { return };
    kitchen.module(
        "badmod",
        "variable \"x\" { default = 1 }\nresource \"terraform_data\" \"it\" {\n  lifecycle {\n    precondition {\n      condition     = var.x == 2\n      error_message = \"First line.\\nSecond line.\"\n    }\n  }\n}\n",
    );
    let told = said(&kitchen.run(&["recipe", "deploy", "--source", "./badmod"]));
    assert!(told.contains("./badmod/main.tf:5") && !told.contains("module/main.tf"), "{told}");
    assert!(!told.contains("\\n") && told.contains("Second line."), "{told}");
    assert!(told.contains("it created nothing"), "{told}");
    assert!(told.contains("`hangar recipe delete badmod`"), "{told}");
    let listed = kitchen.stdout(&["recipe", "list"]);
    assert!(listed.contains("badmod") && listed.contains("failed"), "{listed}");
    kitchen.stdout(&["recipe", "delete", "badmod", "--yes"]);
    // A module that cannot even be read.
    kitchen.module("wrong", "resource \"terraform_data\" \"it\" {\n  input = nosuch.thing\n}\n");
    let told = said(&kitchen.run(&["recipe", "deploy", "--source", "./wrong/"]));
    assert!(told.contains("./wrong/main.tf:2") && told.contains("recipe delete wrong"), "{told}");
}
