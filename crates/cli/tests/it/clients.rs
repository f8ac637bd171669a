//! AWS's own clients against `hangar simulator`: boto3 and the AWS CLI, unchanged, over loopback.
//!
//! The claims are in `tests/clients/*.py`; here each file gets a simulator of its own, so that
//! clocks, latencies and resources of one are not seen by another. `cargo xtask setup` makes the
//! Python they run with.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod openapi;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::simulator::Simulator;

pub(crate) const PYTHON: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/python/bin/python");
/// Written when all of it has been installed.
pub(crate) const STAMP: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/python/requirements.txt");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

#[test]
fn boto3_drives_twelve_types_through_their_life() {
    claims("boto3_drives_twelve_types_through_their_life", "life.py", &[]);
}

#[test]
fn a_client_token_names_one_request_for_36_hours() {
    claims("a_client_token_names_one_request_for_36_hours", "client_tokens.py", &[]);
}

#[test]
fn an_update_happens_whole_and_only_where_the_schema_lets_it() {
    claims("an_update_happens_whole_and_only_where_the_schema_lets_it", "updates.py", &[]);
}

#[test]
fn creates_and_deletes_are_refused_as_aws_refuses_them() {
    claims("creates_and_deletes_are_refused_as_aws_refuses_them", "refusals.py", &[]);
}

#[test]
fn accounts_and_regions_do_not_see_each_other() {
    claims("accounts_and_regions_do_not_see_each_other", "scopes.py", &[]);
}

#[test]
fn waiters_paginators_and_cancels_follow_a_request() {
    claims("waiters_paginators_and_cancels_follow_a_request", "request_status.py", &[]);
}

#[test]
fn cloudformation_describes_and_lists_the_types() {
    claims("cloudformation_describes_and_lists_the_types", "registry.py", &[]);
}

#[test]
fn cloudformation_deploys_stacks() {
    claims("cloudformation_deploys_stacks", "stacks.py", &["--latency", "0..0"]);
}

#[test]
fn signatures_are_verified_where_asked_for() {
    let verifying = ["--verify-signatures", "--credential", "123456789012:secret"];
    claims("signatures_are_verified_where_asked_for", "signatures.py", &verifying);
}

#[test]
fn sts_gives_sessions_of_roles_that_act_until_they_end() {
    let verifying = ["--verify-signatures", "--credential", "123456789012:secret"];
    claims("sts_gives_sessions_of_roles_that_act_until_they_end", "sessions.py", &verifying);
}

#[test]
fn the_aws_cli_walks_as_aws_documents_it() {
    claims("the_aws_cli_walks_as_aws_documents_it", "walk.py", &[]);
}

/// Runs one file of claims against a simulator with these further arguments.
fn claims(test: &str, script: &str, arguments: &[&str]) {
    if !Path::new(STAMP).exists() {
        println!("skipped: {test} (no .tools/python; `cargo xtask setup` makes it)");
        return;
    }
    let simulator = Simulator::start(arguments);
    let output = python(&simulator, script).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{script} against {}: {}\n{}{said}--- the simulator's stderr\n{}",
        simulator.url(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        simulator.said()
    );
    let ran = said.lines().find_map(|line| line.strip_prefix("Ran ")?.split_once(" test"));
    let (count, _) = ran.unwrap_or_else(|| panic!("{script} ran no claim:\n{said}"));
    assert_ne!(count, "0", "{script} ran no claim");
    println!("counted: {count} claims of {script}");
}

/// A script that finds this simulator and nothing else: no configuration, no credential, no
/// proxy and no metadata service of the machine that the tests run on.
fn python(simulator: &Simulator, script: &str) -> Command {
    let nowhere = simulator.folder().join("nowhere");
    let mut command = Command::new(PYTHON);
    command
        .arg(Path::new(SCRIPTS).join(script))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", simulator.folder())
        .env("HANGAR_SIMULATOR_URL", simulator.url())
        .env("AWS_ACCESS_KEY_ID", "123456789012")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_DEFAULT_REGION", "us-east-1")
        .env("AWS_CONFIG_FILE", &nowhere)
        .env("AWS_SHARED_CREDENTIALS_FILE", &nowhere)
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("AWS_PAGER", "")
        .env("PYTHONUTF8", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null());
    command
}
