//! docs/references.md, held to: its commands are run, and print what it shows.

use super::bench::{Bench, Tool};
use crate::docs::{is_as_shown, session};
use crate::terraform::rig::Binary;

/// What stands between two answers of a session.
const BETWEEN: char = '\u{1e}';

/// The part of the page under a heading, to the next one.
fn part(heading: &str) -> String {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/references.md"))
            .unwrap();
    let after = page.split_once(&format!("\n{heading}\n")).unwrap().1;
    let ends = ["\n## ", "\n### "].into_iter().filter_map(|end| after.find(end));
    after[..ends.min().unwrap_or(after.len())].to_owned()
}

/// Runs what is under a heading, and compares each answer.
fn check(bench: &Bench, heading: &str, commands: usize) {
    let part = part(heading);
    let steps = session(&part);
    assert_eq!(steps.len(), commands, "{heading}");
    let script: Vec<String> =
        steps.iter().map(|(commands, _)| format!("{commands}\nprintf '{BETWEEN}'\n")).collect();
    let output = bench.sh(&script.concat());
    let said = String::from_utf8_lossy(&output.stderr);
    let found = String::from_utf8(output.stdout).unwrap();
    let found: Vec<&str> = found.split(BETWEEN).collect();
    assert_eq!(found.len(), steps.len() + 1, "{found:#?}\n{said}");
    for ((commands, shown), found) in steps.iter().zip(found) {
        assert!(is_as_shown(found, shown), "{commands}\nshown:\n{shown}\nfound:\n{found}\n{said}");
    }
}

#[test]
fn the_two_minutes_of_the_page_are_as_shown() {
    check(&Bench::new(), "## Two minutes, without an account", 3);
}

#[test]
fn an_error_an_expression_and_a_lock_are_as_the_page_shows() {
    let bench = Bench::deployed();
    check(&bench, "## When something is wrong", 1);
    check(&bench, "## Expressions", 1);
    check(&bench, "## Checks and reviews", 2);
}

#[test]
fn a_state_of_terraform_is_read_as_the_page_shows() {
    let test = "a_state_of_terraform_is_read_as_the_page_shows";
    let Some(binary) = Binary::find_or_skip(test) else { return };
    let bench = Bench::new();
    bench.put_on_path("terraform", &binary.path);
    check(&bench, "## Terraform", 1);
}

#[test]
fn a_resolver_of_ones_own_is_as_the_page_shows() {
    let bench = Bench::deployed();
    if Tool::Python.put_into(&bench, "a_resolver_of_ones_own_is_as_the_page_shows") {
        check(&bench, "## Custom resolvers", 1);
    }
}

#[test]
fn kubectl_is_as_the_page_shows() {
    let bench = Bench::deployed();
    if Tool::Kubectl.put_into(&bench, "kubectl_is_as_the_page_shows") {
        check(&bench, "### kubectl", 1);
    }
}

#[test]
fn helm_3_is_as_the_page_shows() {
    let bench = Bench::deployed();
    if Tool::Helm3.put_into(&bench, "helm_3_is_as_the_page_shows") {
        check(&bench, "### Helm 3", 1);
    }
}

#[test]
fn helm_4_is_as_the_page_shows() {
    let bench = Bench::deployed();
    if Tool::Helm4.put_into(&bench, "helm_4_is_as_the_page_shows") {
        check(&bench, "### Helm 4", 1);
    }
}

#[test]
fn kustomize_is_as_the_page_shows() {
    let bench = Bench::deployed();
    if Tool::Kustomize.put_into(&bench, "kustomize_is_as_the_page_shows") {
        check(&bench, "### kustomize", 1);
    }
}
