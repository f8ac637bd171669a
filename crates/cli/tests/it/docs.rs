//! What the documentation promises, held to.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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

/// Names in the code that are not variables for users: faults of debug builds, a switch of a test, constants, a
/// placeholder in a manifest, and a mark that jsii sets.
const NO_VARIABLES: [&str; 6] = [
    "HANGAR_DIE_AT",
    "HANGAR_WRITE_CLI_REFERENCE",
    "AWS_TYPES",
    "AWS_NOTE",
    "HANGAR_IMAGE",
    "JSII_AGENT",
];
/// Variables that AWS's SDK reads.
const READ_BY_AWS_SDK: [&str; 5] = [
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ROLE_ARN",
];
/// Code before the name of a variable that is read.
const READERS: [&str; 5] =
    ["env::var(\"", "env::var_os(\"", "variable(\"", "variables.get(\"", "process.env."];

/// The names of environment variables in a source: those of Hangar and AWS between quotes, backticks or the like, and
/// those that a reader is called with.
fn variables(source: &str) -> BTreeSet<String> {
    let source = source.split("\n#[cfg(test)]\nmod tests").next().unwrap();
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let name_at = |at: usize| source[at..].chars().take_while(|c| is_part(*c)).collect::<String>();
    let ours = ["HANGAR_", "AWS_"].into_iter().flat_map(|prefix| {
        let starts = source.match_indices(prefix).map(|(at, _)| at);
        let is_name = |at: &usize| {
            let before = &source[..*at];
            before.ends_with(['"', '`', '{', '\'']) || before.ends_with("ARGOCD_ENV_")
        };
        starts.filter(is_name).map(name_at).collect::<Vec<_>>()
    });
    let read = READERS.into_iter().flat_map(|reader| {
        source.match_indices(reader).map(|(at, _)| name_at(at + reader.len())).collect::<Vec<_>>()
    });
    let is_whole = |name: &String| !name.is_empty() && !name.ends_with('_');
    ours.chain(read).filter(is_whole).collect()
}

/// The sources below a folder that ship: no tests.
fn shipped(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !matches!(name, "tests" | "test" | "node_modules") {
                found.extend(shipped(&path));
            }
        } else if [".rs", ".ts", ".yaml"].iter().any(|ending| name.ends_with(ending))
            && name != "tests.rs"
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_environment_variable_of_the_code_is_in_docs_environment() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/environment.md")).unwrap();
    let documented: BTreeSet<String> = variables(&page);
    let folders = ["cli", "provider-aws", "engine", "api", "store", "simulator", "manifest"];
    let mut folders: Vec<PathBuf> =
        folders.map(|name| root.join("crates").join(name).join("src")).to_vec();
    folders.extend(["npm/src", "integrations"].map(|name| root.join(name)));
    let mut read: BTreeSet<String> = READ_BY_AWS_SDK.map(str::to_owned).into();
    for path in folders.iter().flat_map(|folder| shipped(folder)) {
        read.extend(variables(&std::fs::read_to_string(path).unwrap()));
    }
    let missing: Vec<&String> = read
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .filter(|name| !NO_VARIABLES.contains(&name.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/environment.md does not name {missing:?}");
    let stale: Vec<&String> = documented.difference(&read).collect();
    assert!(stale.is_empty(), "no code reads {stale:?} of docs/environment.md");
    assert!(read.contains("HANGAR_STORE") && read.contains("HANGAR_MODE") && read.len() > 20);
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
