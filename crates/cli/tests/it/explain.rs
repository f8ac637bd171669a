//! `hangar explain`: the meaning, cause and fix of a code.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{json_of, run, shown};

/// All codes, as programs get them.
fn all() -> Vec<Value> {
    let output = json_of(&["explain", "--list", "--all", "-o", "json"]);
    output.as_array().unwrap().clone()
}

#[test]
fn a_code_is_explained_with_an_example_whatever_its_case() {
    insta::assert_snapshot!(shown(&["explain", "No-Unused-Vars", "error[BCP238]:"]), @"
    exit: 0
    --- stdout
    no-unused-vars (Rules of hangar lint)

    A variable is never used and not exported.

    Cause: The code that used it was removed.

    Fix: Remove the variable, or use it.

    Example that raises it:

        var size = 1

    See docs/errors.md#rules-of-hangar-lint

    BCP238 (BCP: templates, codes shared with Bicep)

    A comma is at the end of a line.

    Cause: In Bicep the new line separates items.

    Fix: Remove the comma.

    Example that raises it:

        var a = [
          1,
          2
        ]

    See docs/errors.md#bcp-templates-codes-shared-with-bicep
    --- stderr
    ");
}

#[test]
fn codes_of_the_http_interface_are_explained_too() {
    let text = shown(&["explain", "ReplaceRequired", "ManagedElsewhere"]);
    assert!(text.starts_with("exit: 0\n"), "{text}");
    assert!(
        text.contains("`--replace`") && text.contains("Another deployment took over"),
        "{text}"
    );
}

#[test]
fn an_unknown_code_is_refused_with_the_most_similar_one() {
    insta::assert_snapshot!(shown(&["explain", "TMPL00007"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0001]: unknown code `TMPL00007`
    hint: did you mean `TMPL0007`?
    ");
    insta::assert_snapshot!(shown(&["explain", "AccessDenied"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0001]: unknown code `AccessDenied`
    hint: `hangar explain --list` lists all codes; AWS's documentation explains those of AWS
    ");
}

#[test]
fn all_codes_are_listed_each_with_its_meaning() {
    let all = all();
    assert!(all.len() > 550, "{}", all.len());
    let with_example = all.iter().filter(|it| !it["examples"].as_array().unwrap().is_empty());
    assert!(with_example.count() > 200);
    let members = ["action", "area", "cause", "code", "document", "examples", "meaning"];
    for entry in &all {
        let entry = entry.as_object().unwrap();
        let mut names: Vec<&str> = entry.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, members);
    }
    let text = String::from_utf8(run(&["explain", "--list", "--all"]).stdout).unwrap();
    assert_eq!(text.lines().count(), all.len());
    for (line, it) in text.lines().zip(&all) {
        let (code, meaning) = (it["code"].as_str().unwrap(), it["meaning"].as_str().unwrap());
        assert!(line.starts_with(&format!("{code} ")) && line.ends_with(meaning), "{line}");
    }
}

#[test]
fn codes_that_no_command_raises_are_listed_on_request_only() {
    let list = |arguments: &[&str]| String::from_utf8(run(arguments).stdout).unwrap();
    let (raised, all) = (list(&["explain", "--list"]), list(&["explain", "--list", "--all"]));
    for code in ["ID0016", "PATCH0001", "TMPL0007"] {
        let is_listed = |text: &str| text.lines().any(|line| line.starts_with(code));
        assert!(!is_listed(&raised) && is_listed(&all), "{code}");
    }
}

/// Runs the lines of an example that start with `$ `, and those that continue them, as a shell does.
pub(crate) fn run_lines(lines: &[&str], folder: &Path) -> std::process::Output {
    let script: Vec<&str> =
        lines.iter().map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect();
    let program = Path::new(env!("CARGO_BIN_EXE_hangar")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [program.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell.args(["-c", &script.join("\n")]).current_dir(folder).stdin(Stdio::null());
    shell.env("PATH", std::env::join_paths(path).unwrap());
    let is_ours = |name: &str| name.starts_with("HANGAR_") || name.starts_with("AWS_");
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_ours) {
            shell.env_remove(name);
        }
    }
    shell.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").output().unwrap()
}

#[test]
fn every_command_of_an_example_raises_its_code() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for entry in all() {
        let code = entry["code"].as_str().unwrap();
        for example in entry["examples"].as_array().unwrap() {
            let example = example.as_str().unwrap();
            if !example.starts_with("$ ") {
                continue;
            }
            let is_command =
                |line: &&str| line.starts_with("$ ") || line.starts_with("    hangar ");
            let lines: Vec<&str> = example.lines().filter(is_command).collect();
            let folder = tempfile::tempdir().unwrap();
            let output = run_lines(&lines, folder.path());
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            tried += 1;
            // JSON has the code as a member.
            if !stderr.contains(&format!("[{code}]")) && !stderr.contains(&format!("\"{code}\"")) {
                wrong.push((code.to_owned(), stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(tried > 55, "{tried}");
}
