//! Finds in Rust source the names of the standard library that reach outside.
//!
//! It reads text that `cargo fmt` has formatted, not a syntax tree: enough to catch a slip.

/// A name that reaches outside, and its line from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) line: usize,
    pub(crate) what: String,
}

const PATHS: &[&str] = &[
    "env",
    "fs",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "net",
    "os",
    "process",
    "thread",
    "time::Instant",
    "time::SystemTime",
];
const MACROS: &[&str] = &["println!", "print!", "eprintln!", "eprint!", "dbg!"];

/// The uses outside comments and `#[cfg(test)]` items, in order of line.
pub(crate) fn impure_uses(text: &str) -> Vec<Use> {
    let code = without_tests_and_comments(text);
    let mut uses = Vec::new();
    for (at, _) in code.match_indices("std::") {
        if code[..at].ends_with(is_word) {
            continue;
        }
        for path in expand(&code[at + "std::".len()..]) {
            let impure = |known: &&&str| {
                path.strip_prefix(**known)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            if let Some(known) = PATHS.iter().find(impure) {
                uses.push(Use { line: line_of(&code, at), what: format!("std::{known}") });
            }
        }
    }
    for name in MACROS {
        for (at, _) in code.match_indices(name) {
            if !code[..at].ends_with(is_word) {
                uses.push(Use { line: line_of(&code, at), what: (*name).to_owned() });
            }
        }
    }
    uses.sort_by_key(|found| found.line);
    uses
}

/// The same number of lines, with those of tests and comments empty.
fn without_tests_and_comments(text: &str) -> String {
    let mut kept = String::new();
    // The line that closes the test item we are in.
    let mut closing: Option<String> = None;
    let mut attributed = false;
    for line in text.lines() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        if let Some(end) = &closing {
            if line == end {
                closing = None;
            }
        } else if code.starts_with("#[cfg(test)]") {
            attributed = true;
        } else if attributed && !code.starts_with("#[") {
            attributed = false;
            if !code.ends_with(';') && !code.ends_with('}') {
                closing = Some(format!("{indent}}}"));
            }
        } else if !attributed && !code.starts_with("//") {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

/// The paths that begin here: one, or each branch of a `{…}` group.
fn expand(text: &str) -> Vec<String> {
    if let Some(group) = text.strip_prefix('{') {
        return branches(group).into_iter().flat_map(|branch| expand(branch.trim())).collect();
    }
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match rest.strip_prefix("::") {
        Some(rest) => expand(rest).into_iter().map(|below| format!("{name}::{below}")).collect(),
        None => vec![name.to_owned()],
    }
}

/// What lies between the commas up to the brace that closes the group.
fn branches(group: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        impure_uses(text)
            .into_iter()
            .map(|found| format!("{} {}", found.line, found.what))
            .collect()
    }

    #[test]
    fn a_name_is_found_in_a_path_and_in_a_group() {
        assert_eq!(found("let x = std::fs::read(p);"), ["1 std::fs"]);
        assert_eq!(found("use std::{fmt, fs};"), ["1 std::fs"]);
        assert_eq!(
            found(
                "use std::{\n    collections::{BTreeMap, BTreeSet},\n    time::{Duration, Instant},\n};"
            ),
            ["1 std::time::Instant"]
        );
        assert_eq!(found("\nprintln!(\"x\");"), ["2 println!"]);
    }

    #[test]
    fn harmless_names_pass() {
        assert_eq!(found("use std::time::Duration;\nuse std::fmt;\nwriteln!(f, \"x\")"), [""; 0]);
        assert_eq!(found("//! `std::fs` is not used\nuse mystd::fs;"), [""; 0]);
    }

    #[test]
    fn tests_may_do_anything_and_what_follows_may_not() {
        let text = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\n#[allow(x)]\nmod more {\n    use std::fs;\n}\nuse std::env;";
        assert_eq!(found(text), ["8 std::env"]);
    }
}
