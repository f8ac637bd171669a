//! Help as people read it: in groups, wrapped once, on a terminal of 80 columns.

use std::collections::BTreeSet;

use crate::{hangar, run};

const WIDTH: usize = 80;

/// The headings of the commands in the help of `hangar` itself.
const GROUPS: [&str; 5] =
    ["Templates:", "Resources:", "Kubernetes and Terraform:", "Server:", "Develop:"];

/// The help of a command at 80 columns; the last word of the path may be `-h`.
fn help(path: &[&str]) -> String {
    let output = hangar(path).env("COLUMNS", WIDTH.to_string()).output().unwrap();
    assert!(output.status.success(), "{path:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names in the lists of commands of a help text.
fn listed(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_list = false;
    for line in text.lines() {
        if !line.starts_with(' ') {
            is_list = line == "Commands:" || GROUPS.contains(&line);
        } else if is_list && line.starts_with("  ") && !line.starts_with("   ") {
            names.extend(line.split_whitespace().next().map(str::to_owned));
        }
    }
    names
}

/// Every command with the path to it.
fn commands() -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut next = 0;
    while let Some(path) = all.get(next).cloned() {
        next += 1;
        let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let text = help(&words);
        if path.is_empty() || text.contains("\nCommands:\n") {
            let names = listed(&text).into_iter().filter(|name| name != "help");
            all.extend(names.map(|name| path.iter().cloned().chain([name]).collect()));
        }
    }
    all
}

/// What is wrong with the line breaks of a text.
fn mistakes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let length = |line: &str| line.chars().count();
    for line in text.lines() {
        // A word of its own, such as an id, cannot be broken.
        if length(line) > WIDTH && line.split_whitespace().count() > 1 {
            found.push(format!("too long: {line}"));
        }
    }
    for (line, next) in text.lines().zip(text.lines().skip(1)) {
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        let word = next.split(' ').next().unwrap_or_default();
        if is_prose(line) && is_prose(next) && length(line) + 1 + length(word) <= WIDTH {
            found.push(format!("broken early: {line} / {next}"));
        }
    }
    found
}

#[test]
fn no_help_is_wrapped_twice_or_wider_than_80_columns() {
    let all = commands();
    assert!(all.len() > 70, "{}", all.len());
    let mut found = Vec::new();
    for path in &all {
        for flag in ["-h", "--help"] {
            let words: Vec<&str> = path.iter().map(String::as_str).chain([flag]).collect();
            found.extend(mistakes(&help(&words)).into_iter().map(|it| format!("{words:?}: {it}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The longest flag of this command leaves too little room for its description.
const WITH_LONG_FLAGS: [&str; 2] = ["credential", "put"];

#[test]
fn the_short_help_has_one_line_per_flag_and_the_long_help_is_longer() {
    let mut found = Vec::new();
    for path in &commands() {
        let [short, long] = ["-h", "--help"].map(|flag| {
            let words: Vec<&str> = path.iter().map(String::as_str).chain([flag]).collect();
            help(&words)
        });
        assert!(short.lines().count() + 10 < long.lines().count(), "{path:?}\n{short}");
        assert!(!short.contains("Exit codes:"), "{path:?}");
        if path == &WITH_LONG_FLAGS {
            continue;
        }
        // A description begins behind the name of its argument, and goes on below itself.
        let options = short.lines().skip_while(|line| !line.ends_with(':'));
        let options = options.take_while(|line| !line.starts_with("Example"));
        let is_continued = |line: &&str| line.starts_with("          ") && !line.contains("  --");
        found.extend(options.filter(is_continued).map(|line| format!("{path:?}: {line}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn line_breaks_in_a_paragraph_are_found() {
    let broken = "This line was broken by hand and then\nanother time.";
    assert_eq!(mistakes(broken).len(), 1);
    let long = "one ".repeat(30);
    assert_eq!(mistakes(&long).len(), 1);
    assert!(
        mistakes(&format!("Examples:\n  a\n\n{}\nx y", "word ".repeat(15) + "wordy")).is_empty()
    );
}

#[test]
fn the_commands_are_listed_in_groups() {
    let text = help(&["--help"]);
    let headings: Vec<&str> =
        text.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    let others = ["Options:", "Examples:", "Environment variables:", "Exit codes:"];
    let expected: Vec<&str> = GROUPS.into_iter().chain(others).collect();
    assert_eq!(headings, expected);
    assert!(text.contains("\n  deploy        Deploy a Bicep template"), "{text}");
    let names = listed(&text);
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
}

#[test]
fn no_command_prints_the_help_on_stderr() {
    for (arguments, usage) in
        [(&[][..], "Usage: hangar [OPTIONS] <COMMAND>"), (&["group"], "Usage: hangar group")]
    {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(usage) && text.contains("\nExample"), "{text}");
        assert!(!text.contains("error["), "{text}");
    }
}

#[test]
fn a_misspelt_deploy_suggests_deploy_and_not_destroy() {
    for word in ["deplooy", "depoly", "desploy"] {
        let text = String::from_utf8(run(&[word]).stderr).unwrap();
        assert!(text.contains("hint: did you mean `deploy`?\n"), "{text}");
        assert!(!text.contains("destroy"), "{text}");
    }
    let text = String::from_utf8(run(&["destory"]).stderr).unwrap();
    assert!(text.contains("hint: did you mean `destroy`?\n"), "{text}");
}

#[test]
fn deploy_names_its_inputs_and_json_its_lines() {
    let text = help(&["deploy", "--help"]);
    let all: Vec<&str> = text.split_whitespace().collect();
    let all = all.join(" ");
    assert!(all.contains("ARM JSON (`.json`)") && all.contains("or `-` for"), "{text}");
    assert!(all.contains("deploy and destroy print JSON lines"), "{text}");
}
