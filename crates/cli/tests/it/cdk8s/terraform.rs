//! CDKTF and CDK Terrain, with states that a real `terraform apply` wrote.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::app::{App, variables};
use crate::terraform::rig::Binary;

/// Runs Terraform in the folder of a stack; without a configuration of the machine.
fn terraform(binary: &Binary, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(&binary.path);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("TF_CLI_CONFIG_FILE", "/dev/null").env("CHECKPOINT_DISABLE", "1");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Applies a stack, and gives the values of its resource `Bucket` as Terraform shows them.
fn apply(binary: &Binary, app: &App, stack: &str) -> Value {
    let folder = app.path(stack);
    terraform(binary, &folder, &["init", "-no-color"]);
    terraform(binary, &folder, &["apply", "-auto-approve", "-no-color"]);
    let shown: Value =
        serde_json::from_str(&terraform(binary, &folder, &["show", "-json"])).unwrap();
    let resources = shown["values"]["root_module"]["resources"].as_array().unwrap();
    let found = resources.iter().find(|it| it["address"] == "terraform_data.Bucket");
    found.unwrap()["values"].clone()
}

#[test]
fn a_cron_job_gets_what_terraform_made() {
    let test = "a_cron_job_gets_what_terraform_made";
    let Some(binary) = Binary::find_or_skip(test) else { return };
    let Some(app) = App::example(test, "cdktf") else { return };
    app.synthesize(&[], &["npx", "cdk8s", "synth"]);
    assert_eq!(
        variables(&app.objects("dist"))["BUCKET_ID"],
        "${tf:infra/terraform_data.Bucket#id}"
    );
    let bucket = apply(&binary, &app, "cdktf.out/stacks/infra");
    let values = variables(&app.resolved("dist", "resolved"));
    assert_eq!(values["BUCKET_ID"], bucket["id"]);
    assert_eq!(values["BUCKET_NAME"], "REPORTS");
    app.synthesize(&["--resolve"], &["npx", "cdk8s", "synth"]);
    assert_eq!(app.files("dist"), app.files("resolved"));
}

/// The app that was measured with a real state, for either library.
fn live(test: &str, library: &str) {
    let Some(binary) = Binary::find_or_skip(test) else { return };
    let Some(app) = App::fixture(test, "cdktf-live") else { return };
    if library != "cdktf" {
        app.edit("app.js", |text| {
            text.replace("require('cdktf')", &format!("require('{library}')"))
        });
    }
    app.synthesize(&[], &["node", "app.js"]);
    let bucket = apply(&binary, &app, "out/cdktf.out/stacks/storage");
    let other = apply(&binary, &app, "out/cdktf.out/stacks/compute");
    let states =
        ["--state", "storage=out/storage.tfstate", "--state", "compute=out/compute.tfstate"];
    let said =
        app.hangar(&[&["resolve", "-f", "out/dist", "--out", "resolved"], &states[..]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let zones = bucket["output"]["zones"].as_array().unwrap();
    let zones: Vec<&str> = zones.iter().filter_map(Value::as_str).collect();
    let name = bucket["output"]["name"].as_str().unwrap();
    let expected = json!({
        "ID": bucket["id"],
        "NAME": name.to_uppercase(),
        "ZONES": zones.join(","),
        "OTHER": other["id"],
    });
    assert_eq!(app.objects("resolved")[0]["data"], expected);
    // The states are told by `cdktf.out` where it lies in the working directory.
    let said =
        app.command(&["resolve", "-f", "dist"]).current_dir(app.path("out")).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(app.files("resolved").into_values().next(), Some(said.into_bytes()));
}

#[test]
fn values_of_cdktf_are_those_of_the_state() {
    live("values_of_cdktf_are_those_of_the_state", "cdktf");
}

#[test]
fn values_of_cdk_terrain_are_those_of_the_state() {
    live("values_of_cdk_terrain_are_those_of_the_state", "cdktn");
}

#[test]
fn a_state_that_is_not_there_is_named_for_each_reference() {
    let test = "a_state_that_is_not_there_is_named_for_each_reference";
    let Some(app) = App::fixture(test, "cdktf") else { return };
    app.edit("app.js", |text| text.replace("LOWERCASED: bucket.bucket.toLowerCase(), ", ""));
    app.synthesize(&[], &["node", "app.js"]);
    let list: Value = serde_json::from_str(&app.read("out-tf/dist/cloud-references.json")).unwrap();
    let references = list["references"].as_array().unwrap();
    assert!(references.len() >= 15, "{list:#}");
    let mut told = app.refusals("out-tf/dist", "resolved");
    assert!(app.files("resolved").is_empty());
    told.retain(|line| line.starts_with("error[REF0018]"));
    for reference in references {
        let text = |name: &str| reference[name].as_str().unwrap();
        let place = format!("{}, {}", text("object"), text("pointer"));
        let is_of_other = text("reference").starts_with("${tf:compute/");
        let state = if is_of_other { "compute" } else { "storage" };
        let state = format!("state `{state}` does not exist");
        // An item of a list may be named behind its place.
        let is_here =
            |line: &str| [": ", " ("].iter().any(|it| line.contains(&format!("{place}{it}")));
        let is_told = told.iter().any(|line| is_here(line) && line.contains(&state));
        assert!(is_told, "{place}: {state}\n{told:#?}");
    }
}
