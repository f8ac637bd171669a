//! The command blocks of the documentation: each is run as it is written, or parsed if it needs more than this machine has.
//!
//! A block ```` ```sh ```` is run; ```` ```sh needs=aws ```` is only parsed. A ```` ```text ```` block after it shows the
//! standard output: `…` stands for anything on its line, a line with only `…` for any number of lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::docs::is_line_as_shown;

/// What is printed between the outputs of two blocks.
const SEPARATOR: &str = "\u{1e}";
/// Pages whose blocks a test of their own runs, because they need a server or packages, or parses, because they are
/// examples of the help.
const WITH_OWN_TEST: [&str; 4] =
    ["docs/api.md", "docs/cdk8s.md", "docs/cli.md", "docs/references.md"];

/// A page that does not end is a defect; none takes more than a few seconds.
const PAGE_SECONDS: &str = "300";

struct Block {
    line: usize,
    commands: String,
    /// What it needs that is not here.
    needs: Option<String>,
    /// The output that the page shows.
    shown: Option<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and all pages in docs/, by name.
fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    names.push("README.md".to_owned());
    names.sort();
    let read = |name: String| {
        let text = std::fs::read_to_string(root().join(&name)).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// The shell blocks of a page, each with the output that is shown after it.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), number + 2, String::new())),
            (Some(_), Some("")) => {
                let (info, line, content) = open.take().unwrap();
                let mut words = info.split_whitespace();
                match words.next() {
                    Some("sh") => {
                        let needs = words.find_map(|word| word.strip_prefix("needs="));
                        let needs = needs.map(str::to_owned);
                        blocks.push(Block { line, commands: content, needs, shown: None });
                    }
                    Some("text") => {
                        if let Some(block) = blocks.last_mut().filter(|it| it.shown.is_none()) {
                            block.shown = Some(content);
                        }
                    }
                    _ => {}
                }
            }
            (Some((_, _, content)), _) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Whether lines are as shown, where a line with only `…` stands for any number of lines.
fn is_as_shown(found: &[&str], shown: &[&str]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|skip| is_as_shown(&found[skip..], rest)),
        Some((first, rest)) => found.split_first().is_some_and(|(line, after)| {
            is_line_as_shown(line.trim_end(), first) && is_as_shown(after, rest)
        }),
    }
}

/// Runs the blocks of a page one after the other in one shell. Returns what is not as the page says.
fn run_page(name: &str, blocks: &[&Block]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = Command::new("cp");
    copy.arg("-R").arg(root().join("examples")).arg(folder.path());
    assert!(copy.status().unwrap().success());
    // README is read in a clone, whose root is where state is kept.
    if name == "README.md" {
        std::fs::create_dir(folder.path().join(".git")).unwrap();
    }
    let commands =
        blocks.iter().flat_map(|block| [block.commands.as_str(), "printf '", SEPARATOR, "'\n"]);
    let script: String = std::iter::once("set -eu\n").chain(commands).collect();
    let program = Path::new(env!("CARGO_BIN_EXE_hangar"));
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("timeout");
    let kept = std::env::vars().filter(|(key, _)| {
        !key.starts_with("AWS_") && !key.starts_with("HANGAR_") && !key.ends_with("_proxy")
    });
    command
        .args(["--kill-after=5", PAGE_SECONDS, "bash", "-c", &script])
        .current_dir(folder.path())
        .env_clear()
        .envs(kept)
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("HOME", folder.path())
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let parts: Vec<&str> = stdout.split(SEPARATOR).collect();
    let mut faults = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let place = format!("{name}:{}", block.line);
        let found = parts.get(index).copied().unwrap_or_default();
        // After the last separator there is nothing but what a failed block printed.
        if index + 1 >= parts.len() {
            faults.push(format!("{place}: failed\n{}\n{found}\n{stderr}", block.commands));
            break;
        }
        if let Some(shown) = &block.shown {
            let found_lines: Vec<&str> = found.trim_end().lines().collect();
            let shown_lines: Vec<&str> = shown.trim_end().lines().collect();
            if !is_as_shown(&found_lines, &shown_lines) {
                faults.push(format!("{place}: prints\n{found}\nand the page shows\n{shown}"));
            }
        }
    }
    faults
}

#[test]
fn every_command_block_of_the_documentation_runs_as_shown() {
    let pages = pages();
    let mut ran = 0;
    let mut faults = Vec::new();
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        for (name, text) in &pages {
            let blocks = blocks(text);
            if WITH_OWN_TEST.contains(&name.as_str()) || blocks.iter().all(|it| it.needs.is_some())
            {
                continue;
            }
            running.push(scope.spawn(move || {
                let blocks: Vec<&Block> = blocks.iter().filter(|it| it.needs.is_none()).collect();
                (blocks.len(), run_page(name, &blocks))
            }));
        }
        for page in running {
            let (count, found) = page.join().unwrap();
            ran += count;
            faults.extend(found);
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(ran > 30, "only {ran} blocks were run");
}

#[test]
fn every_command_block_is_valid_shell() {
    let mut faults = Vec::new();
    for (name, text) in pages() {
        for block in blocks(&text) {
            let output = Command::new("bash").args(["-n", "-c", &block.commands]).output().unwrap();
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr);
                faults.push(format!("{name}:{}: {why}", block.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_line_with_only_an_ellipsis_stands_for_any_number_of_lines() {
    assert!(is_as_shown(&["a", "b", "c"], &["…", "c"]));
    assert!(is_as_shown(&["c"], &["…", "c"]) && is_as_shown(&["a", "b"], &["a", "…"]));
    assert!(!is_as_shown(&["a", "b"], &["…", "a"]) && !is_as_shown(&["a", "b"], &["a"]));
}
