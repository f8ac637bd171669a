//! `kill -9` of Hangar at any moment of a recipe's run: what Terraform made is what the state holds, each once.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::rig::Binary;
use crate::hangar;

/// Three things that take a moment each; another generation replaces them all. What is made and destroyed is
/// written down outside, as a cloud would know it.
const MODULE: &str = r#"
variable "log" { type = string }
variable "generation" { type = string }
resource "terraform_data" "made" {
  count            = 3
  triggers_replace = [var.generation]
  input            = var.log
  provisioner "local-exec" {
    command = "sleep 0.3; echo made ${self.id} >> '${self.input}'"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo gone ${self.id} >> '${self.input}'"
  }
}
output "result" {
  value = { values = { ids = terraform_data.made[*].id } }
}
"#;

fn deploy(binary: &Binary, folder: &Path, generation: usize) -> Child {
    let (source, data, log) = (folder.join("module"), folder.join("data"), folder.join("log"));
    let mut command = hangar(&[
        "recipe",
        "deploy",
        "--data-dir",
        data.to_str().unwrap(),
        "--source",
        source.to_str().unwrap(),
        "--name",
        "things",
        "-p",
        &format!("log={}", log.display()),
        "-p",
        &format!("generation=g{generation}"),
        "-o",
        "json",
    ]);
    command.env("HANGAR_TERRAFORM", &binary.path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What is there by what was written down: made, and not gone. Nothing may be made or gone twice.
fn things(folder: &Path) -> BTreeSet<String> {
    let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    let mut things = BTreeSet::new();
    for line in log.lines() {
        let (what, id) = line.split_once(' ').unwrap();
        let is_new = match what {
            "made" => things.insert(id.to_owned()),
            _ => things.remove(id),
        };
        assert!(is_new, "{line} came twice:\n{log}");
    }
    things
}

/// Moments of a run, spread so that no two kills are alike.
fn moment(number: usize) -> Duration {
    let spread = u64::try_from(number).unwrap().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    Duration::from_millis(100 + spread % 1900)
}

#[test]
fn whatever_moment_hangar_is_killed_at_terraform_makes_nothing_twice_and_loses_nothing() {
    let name =
        "whatever_moment_hangar_is_killed_at_terraform_makes_nothing_twice_and_loses_nothing";
    let Some(binary) = Binary::find_or_skip(name) else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("module")).unwrap();
    std::fs::write(folder.join("module/main.tf"), MODULE).unwrap();
    let kills = if std::env::var_os("HANGAR_TEST_FULL").is_some() { 100 } else { 5 };
    for number in 0..kills {
        let mut child = deploy(&binary, folder, number / 2);
        std::thread::sleep(moment(number));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ended = deploy(&binary, folder, kills).wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{told}");
    let document = String::from_utf8(ended.stdout).unwrap();
    let recipe: Value = serde_json::from_str(document.lines().last().unwrap_or_default())
        .or_else(|_| serde_json::from_str(&document))
        .unwrap_or_else(|error| panic!("{error}: {document}"));
    let ids = recipe["properties"]["status"]["values"]["ids"].as_array().unwrap();
    let in_state: BTreeSet<String> = ids.iter().map(|it| it.as_str().unwrap().to_owned()).collect();
    assert_eq!(in_state.len(), 3);
    assert_eq!(things(folder), in_state, "{told}");
    // Nobody holds the state, and no run has left anything.
    let state = &recipe["properties"]["state"];
    assert!(state["lock"].is_null(), "{state}");
    let left = std::fs::read_dir(folder.join("data/recipes")).unwrap();
    let left: Vec<String> = left.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    let runs: Vec<&String> =
        left.iter().filter(|it| !matches!(&***it, "host" | "providers")).collect();
    assert!(runs.is_empty(), "{runs:?}");
}
