//! The real binary: exit code, stdout and stderr together.

#![allow(clippy::unwrap_used, reason = "a test's helper fails as the test does")]

mod adopt;
mod azure;
mod backup;
mod balancer;
mod bicep_types;
mod build;
mod cdk8s;
mod changes;
mod clients;
mod closed;
mod control_plane;
mod data_dir;
mod defaults;
mod deploy;
mod deployment;
mod diff;
mod docs;
mod embedded;
mod events;
mod explain;
mod fake_api;
mod fmt;
mod help;
mod http;
mod id;
mod import;
mod init;
mod kill;
mod landing;
mod learning;
mod lint;
mod load;
mod output;
mod pages;
mod place;
mod put;
mod reading;
mod real;
mod replicas;
mod resolve;
mod restore;
mod schema;
mod sdk;
mod seed_001;
mod serve;
mod serving;
mod simulator;
mod slips;
mod stacks;
mod terminal;
mod terraform;
mod upgrade;
mod world;

use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn hangar(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hangar"));
    command
        .args(arguments)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("HANGAR_SERVER")
        .env_remove("HANGAR_DATA_DIR")
        .env_remove("HANGAR_STORE")
        .stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    hangar(arguments).output().unwrap()
}

pub(crate) fn shown(arguments: &[&str]) -> String {
    shown_output(run(arguments))
}

pub(crate) fn shown_of(command: &mut Command) -> String {
    shown_output(command.output().unwrap())
}

pub(crate) fn shown_output(output: Output) -> String {
    let text = |bytes: Vec<u8>| without_address(&String::from_utf8(bytes).unwrap());
    format!(
        "exit: {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr)
    )
}

/// The text without the flags that reach a server of a test, which has a port of its own.
fn without_address(text: &str) -> String {
    let mut parts = text.split(" --server http://127.0.0.1:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        text + rest.strip_prefix(" --data-dir /nowhere").unwrap_or(rest)
    })
}

pub(crate) fn error(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    serde_json::from_slice::<Value>(&output.stderr).unwrap()["error"].clone()
}

/// The JSON that a command prints when it succeeds.
pub(crate) fn json_of(arguments: &[&str]) -> Value {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with `NAME.json` for each document.
pub(crate) fn files(documents: &[(&str, &Value)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, document) in documents {
        std::fs::write(folder.path().join(format!("{name}.json")), document.to_string()).unwrap();
    }
    folder
}

#[test]
fn help_and_version_exit_0_on_stdout() {
    for arguments in [["--help"], ["--version"], ["-h"], ["help"]] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty() && !output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn version_is_data_in_both_formats() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(shown(&["version"]), format!("exit: 0\n--- stdout\nhangar {version}\n--- stderr\n"));
    let json: Value = serde_json::from_slice(&run(&["version", "-o", "json"]).stdout).unwrap();
    assert_eq!(json, serde_json::json!({"name": "hangar", "version": version}));
}

#[test]
fn an_unknown_command_says_which_is_near() {
    insta::assert_snapshot!(shown(&["verson"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0001]: unrecognized subcommand 'verson'
    hint: did you mean `version`?
    hint: usage: hangar [OPTIONS] <COMMAND>; `--help` explains it
    ");
}

#[test]
fn a_wrong_command_line_is_json_where_json_was_asked_for() {
    let unknown = error(&["verson", "-o", "json"]);
    assert_eq!(unknown["code"], "CLI0001");
    assert_eq!(unknown["message"], "unrecognized subcommand 'verson'");
    assert_eq!(unknown["hint"], "did you mean `version`?");
    assert_eq!(error(&["--output=json"])["message"], "no command was specified");
    assert_eq!(error(&["version", "--odd", "-ojson"])["code"], "CLI0001");
}

#[test]
fn a_reader_that_left_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = hangar(&["--help"]).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_full_disk_is_an_error() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        println!("skipped: a_full_disk_is_an_error (no /dev/full)");
        return;
    };
    let output = hangar(&["version"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error[CLI0008]"));
}

#[test]
fn color_is_for_terminals_unless_asked_for() {
    let is_colored = |command: &mut Command| command.output().unwrap().stderr.contains(&0x1b);
    assert!(!is_colored(&mut hangar(&["verson"])));
    assert!(is_colored(&mut hangar(&["verson", "--color", "always"])));
    assert!(is_colored(&mut hangar(&["verson", "--color=always"])));
    assert!(is_colored(hangar(&["verson"]).env("CLICOLOR_FORCE", "1")));
}

#[test]
fn no_color_wins_over_the_environment_and_never_over_both() {
    let is_colored = |command: &mut Command| command.output().unwrap().stderr.contains(&0x1b);
    assert!(!is_colored(hangar(&["verson"]).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1")));
    assert!(!is_colored(hangar(&["verson", "--color", "never"]).env("CLICOLOR_FORCE", "1")));
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(run(&["completion", shell]).stdout).unwrap();
        for word in ["discover", "abandon", "rename", "drift", "plane", "depends-on", "remove-tag"]
        {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}
