//! What the documentation promises, held to.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::process::{Command, Stdio};

use crate::explain::run_lines;
use crate::serve::Server;

#[test]
fn every_code_is_explained_in_docs_errors() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md"))
            .unwrap();
    let cli =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/codes.rs")).unwrap();
    let own = cli.split("Code::new(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let listed = hangar_ids::codes::ALL.iter().chain(hangar_schema::codes::ALL);
    let listed = listed.chain(hangar_manifest::state::codes::ALL);
    let listed = listed.chain(hangar_manifest::deployed::codes::ALL);
    let listed = listed.chain(hangar_manifest::yaml::codes::ALL);
    let listed = listed.chain(hangar_manifest::resolve::codes::ALL);
    let codes: Vec<&str> = listed.map(|(code, _)| code.as_str()).chain(own).collect();
    assert!(codes.len() > 50);
    for code in &codes {
        assert!(page.contains(&format!("`{code}`")), "docs/errors.md does not explain {code}");
    }
    let unique: std::collections::HashSet<_> = codes.iter().collect();
    assert_eq!(unique.len(), codes.len(), "a code is used twice");
}

#[test]
fn the_examples_of_docs_errors_show_the_output_of_their_commands() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md"))
            .unwrap();
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut checked = 0;
    for (command, expected) in
        blocks.filter(|block| block.starts_with("$ ")).filter_map(|block| block.split_once('\n'))
    {
        let folder = tempfile::tempdir().unwrap();
        let output = run_lines(&[command], folder.path());
        let shown = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
        assert_eq!(shown.trim(), expected.trim(), "{command}");
        checked += 1;
    }
    assert!(checked >= 12);
}

/// What stands between two answers of a session.
const BETWEEN: char = '\u{1e}';

/// The commands of a page in their order, each with the answer that is shown after it.
pub(crate) fn session(page: &str) -> Vec<(&str, &str)> {
    let mut steps: Vec<(&str, &str)> = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        match block.split_once('\n') {
            // `sh needs=kubectl` is a block that needs a tool: its own test runs it.
            Some((info, commands)) if info.split(' ').next() == Some("sh") => {
                steps.push((commands, ""));
            }
            Some(("text", answer)) => {
                if let Some((_, shown)) = steps.last_mut() {
                    *shown = answer;
                }
            }
            _ => {}
        }
    }
    steps
}

/// Whether a text is as shown, where each `…` stands for anything on its line.
pub(crate) fn is_as_shown(found: &str, shown: &str) -> bool {
    let (found, shown): (Vec<_>, Vec<_>) = (found.lines().collect(), shown.lines().collect());
    found.len() == shown.len()
        && found.iter().zip(&shown).all(|(found, shown)| is_line_as_shown(found, shown))
}

pub(crate) fn is_line_as_shown(found: &str, shown: &str) -> bool {
    let Some((before, after)) = shown.split_once('…') else { return found == shown };
    let Some(rest) = found.strip_prefix(before) else { return false };
    let mut starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.any(|at| is_line_as_shown(&rest[at..], after))
}

#[test]
fn what_docs_api_does_by_hand_is_what_a_server_answers() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skipped: what_docs_api_does_by_hand_is_what_a_server_answers (no curl)");
        return;
    }
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.md")).unwrap();
    let page = page.split("\n## By hand\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let steps = session(page);
    assert!(steps.len() >= 7, "{}", steps.len());
    let script: Vec<String> =
        steps.iter().map(|(commands, _)| format!("{commands}\nprintf '{BETWEEN}'\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join(".hangar");
    std::fs::create_dir(&data).unwrap();
    let server = Server::start(&data, "simulator");
    let output = Command::new("sh")
        .args(["-c", &script.concat()])
        .current_dir(folder.path())
        .env_remove("http_proxy")
        .env("HANGAR", server.url())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let found = String::from_utf8(output.stdout).unwrap();
    let found: Vec<&str> = found.split(BETWEEN).collect();
    assert_eq!(found.len(), steps.len() + 1, "{found:#?}\n{said}");
    for ((commands, shown), found) in steps.iter().zip(found) {
        assert!(is_as_shown(found, shown), "{commands}\nshown:\n{shown}\nfound:\n{found}\n{said}");
    }
    assert!(said.is_empty(), "{said}");
}

#[test]
fn an_ellipsis_stands_for_anything_on_its_line_and_for_nothing_else() {
    assert!(is_as_shown("{\"a\":1,\"b\":2}\n200\n", "{…\"b\":2}\n200\n"));
    assert!(is_as_shown("a\n", "a…\n") && is_as_shown("abcbd\n", "a…b…d\n"));
    for (found, shown) in [("a\nb\n", "a…\n"), ("201\n", "200\n"), ("ab\n", "a…c\n")] {
        assert!(!is_as_shown(found, shown), "{found} {shown}");
    }
}
