//! docs/cli.md: the help of all commands as one page. `HANGAR_WRITE_CLI_REFERENCE=1` has the test write it.

use std::fmt::Write as _;

use clap::{Arg, Command};

use super::groups::grouped;
use super::{HelpText, command_line};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");

const INTRODUCTION: &str = "\
# Command line

<!-- Written by `HANGAR_WRITE_CLI_REFERENCE=1 cargo test -p hangar cli_reference`; do not edit. -->

All commands of `hangar`, with the texts of `--help`. [glossary.md](glossary.md) defines the terms.
";

/// Lines of prose are not longer than this.
const WIDTH: usize = 120;

/// The heading of the options that most commands share.
const SHARED: &str = "Server and AWS";

/// Options of every command, described once.
const GLOBAL: [&str; 3] = ["output", "color", "help"];

/// Returns the whole page.
fn page() -> String {
    let mut root = command_line();
    root.build();
    let mut page = INTRODUCTION.to_owned();
    let mut groups = grouped(&root);
    // Building the tree adds the command `help`, which no group has.
    groups.retain(|(_, commands)| commands.iter().all(|command| command.get_name() != "help"));
    for (heading, commands) in &groups {
        let anchor = heading.to_lowercase().replace(' ', "-");
        let _ = write!(page, "\n**[{heading}](#{anchor})**\n\n| command | |\n|---|---|\n");
        for command in commands {
            contents(&mut page, command, &[]);
        }
    }
    page.push_str("\n## All commands\n\n");
    prose(&mut page, &long_about(&root));
    usage(&mut page, &root);
    let (globals, _) = options(&root);
    list(&mut page, "Options of all commands:", globals.iter().copied());
    after_help(&mut page, &root);
    page.push_str("### Server and AWS options\n\n");
    prose(&mut page, "Commands that read or change stored resources accept these options:");
    let sample = root.find_subcommand("deploy").unwrap();
    let (_, shared) = options(sample);
    list(&mut page, "", shared.iter().copied());
    for (heading, commands) in &groups {
        let _ = write!(page, "## {heading}\n\n");
        for command in commands {
            section(&mut page, command, &[]);
        }
    }
    page.trim_end().to_owned() + "\n"
}

/// Adds the rows of the table of contents of a command and of those below it.
fn contents(page: &mut String, command: &Command, above: &[&str]) {
    let path = path_of(command, above);
    let (name, anchor) = (path.join(" "), path.join("-"));
    let _ = writeln!(page, "| [`{name}`](#hangar-{anchor}) | {} |", escape(&about(command)));
    for below in subcommands(command) {
        contents(page, below, &path);
    }
}

/// Adds the description of a command and of those below it.
fn section(page: &mut String, command: &Command, above: &[&str]) {
    let path = path_of(command, above);
    let level = if above.is_empty() { "###" } else { "####" };
    let _ = write!(page, "{level} hangar {}\n\n", path.join(" "));
    prose(page, &long_about(command));
    usage(page, command);
    let positionals = command.get_positionals().filter(|arg| !arg.is_hide_set());
    list(page, "Arguments:", positionals);
    let (own, shared) = options(command);
    list(page, "Options:", own.into_iter().filter(|arg| !GLOBAL.contains(&arg.get_id().as_str())));
    if !shared.is_empty() {
        page.push_str("Also the [server and AWS options](#server-and-aws-options).\n\n");
    }
    after_help(page, command);
    for below in subcommands(command) {
        section(page, below, &path);
    }
}

fn path_of<'a>(command: &'a Command, above: &[&'a str]) -> Vec<&'a str> {
    above.iter().copied().chain([command.get_name()]).collect()
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set())
}

/// Returns the options of a command: its own, and those of the control plane.
fn options(command: &Command) -> (Vec<&Arg>, Vec<&Arg>) {
    let visible = command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
    visible.partition(|arg| arg.get_help_heading() != Some(SHARED))
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn long_about(command: &Command) -> String {
    let text = command.get_long_about().map(ToString::to_string);
    let text = text.unwrap_or_else(|| about(command));
    // The summary is a line without a full stop.
    let (summary, details) = text.split_once("\n\n").unwrap_or((&text, ""));
    format!("{summary}.\n\n{details}")
}

fn usage(page: &mut String, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let lines = usage.strip_prefix("Usage: ").unwrap_or(&usage).lines();
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("       ").unwrap_or(line)).collect();
    let _ = write!(page, "```text\n{}\n```\n\n", lines.join("\n"));
}

/// Adds a list of arguments.
fn list<'a>(page: &mut String, heading: &str, arguments: impl Iterator<Item = &'a Arg>) {
    let mut arguments = arguments.peekable();
    if arguments.peek().is_none() {
        return;
    }
    if !heading.is_empty() {
        let _ = write!(page, "{heading}\n\n");
    }
    for arg in arguments {
        page.push_str(&item(arg));
    }
    page.push('\n');
}

/// Returns an argument as an item of a list: its description, values, default and environment variable.
fn item(arg: &Arg) -> String {
    let text = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string);
    let HelpText { mut paragraphs, mut facts } = HelpText::parse(&text.unwrap_or_default());
    paragraphs.retain(|paragraph| !paragraph.starts_with("Possible values:"));
    let defaults = arg.get_default_values().iter().map(|it| it.to_string_lossy());
    let defaults = defaults.collect::<Vec<_>>().join(" ");
    // Of a switch the default is that it is not set.
    if !defaults.is_empty() && arg.get_action().takes_values() {
        facts.push(("default".to_owned(), defaults));
    }
    let mut sentences: Vec<String> = paragraphs.iter().map(|text| sentence(text)).collect();
    for (name, value) in facts {
        sentences.push(match &*name {
            "env" => format!("Environment variable: `{value}`."),
            // One word is a value, more are a description.
            _ if !value.contains([' ', '`']) => format!("Default: `{value}`."),
            _ => format!("Default: {value}."),
        });
    }
    let mut lines = wrap(&format!("- {}: {}", spelling(arg), escape(&sentences.join(" "))), "  ");
    for value in arg.get_possible_values() {
        let help = value.get_help().map(|help| format!(": {}", escape(&help.to_string())));
        lines += &wrap(&format!("  - `{}`{}", value.get_name(), help.unwrap_or_default()), "    ");
    }
    lines
}

/// Returns how an argument is typed: `-g`, `--group <GROUP>`.
fn spelling(arg: &Arg) -> String {
    let mut styled = arg.to_string();
    if let (Some(short), Some(_)) = (arg.get_short(), arg.get_long()) {
        styled = format!("-{short}, {styled}");
    }
    format!("`{styled}`")
}

fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.ends_with('.') { text } else { text + "." }
}

/// Adds the examples, exit codes and notes after the options.
fn after_help(page: &mut String, command: &Command) {
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let mut rest = &*text;
    while !rest.is_empty() {
        let end = next_block(rest);
        let (block, after) = rest.split_at(end);
        rest = after.trim_start_matches('\n');
        match block.split_once('\n') {
            Some(("Examples:", lines)) => code(page, "Examples:", "sh", lines),
            Some((heading, lines)) if heading.ends_with(':') => table(page, heading, lines),
            _ => prose(page, block),
        }
    }
}

/// Returns where the block that a text begins with ends: before the next line that is not indented.
fn next_block(text: &str) -> usize {
    let mut starts = text.match_indices("\n\n").map(|(at, _)| at);
    starts.find(|at| !text[*at..].trim_start_matches('\n').starts_with(' ')).unwrap_or(text.len())
}

fn code(page: &mut String, heading: &str, language: &str, lines: &str) {
    let lines: Vec<&str> =
        lines.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    let _ = write!(page, "{heading}\n\n```{language}\n{}\n```\n\n", lines.join("\n"));
}

/// Adds lines of a name and a text as a table.
fn table(page: &mut String, heading: &str, lines: &str) {
    let name = heading.trim_end_matches([':', 's']).to_lowercase();
    let _ = write!(page, "{heading}\n\n| {name} | meaning |\n|---|---|\n");
    for line in lines.lines() {
        let (name, meaning) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
        let _ = writeln!(page, "| `{name}` | {} |", escape(meaning.trim()));
    }
    page.push('\n');
}

/// Adds paragraphs; indented lines become a block of their own.
fn prose(page: &mut String, text: &str) {
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        if let Some((heading, lines)) = paragraph.split_once("\n  ") {
            let heading = wrap(&escape(heading), "");
            code(page, heading.trim_end(), "text", &format!("  {lines}"));
        } else {
            page.push_str(&wrap(&escape(paragraph), ""));
            page.push('\n');
        }
    }
}

/// Escapes what Markdown would read as markup, outside of code. Flags and variables become code, other pages of the
/// documentation become links.
fn escape(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        if at % 2 == 1 {
            return format!("`{part}`");
        }
        part.split_inclusive(char::is_whitespace).map(escape_word).collect()
    });
    parts.collect()
}

fn escape_word(word: &str) -> String {
    let start = word.find(|character: char| !"(\"".contains(character)).unwrap_or(0);
    let (before, word) = word.split_at(start);
    let is_flag = |character: char| character.is_ascii_lowercase() || character == '-';
    let is_variable = |character: char| character.is_ascii_uppercase() || character == '_';
    let flag = &word[..word.find(|character| !is_flag(character)).unwrap_or(word.len())];
    let variable = &word[..word.find(|character| !is_variable(character)).unwrap_or(word.len())];
    let code = match (flag.strip_prefix("--"), variable) {
        (Some(name), _) if !name.is_empty() => flag,
        (_, name) if name.contains('_') => variable,
        _ => "",
    };
    if !code.is_empty() {
        return format!("{before}`{code}`{}", escape_word(&word[code.len()..]));
    }
    if let Some(page) = word.strip_prefix("docs/")
        && let Some(end) = page.find(".md").map(|at| at + ".md".len())
    {
        let (page, after) = page.split_at(end);
        return format!("{before}[{page}]({page}){after}");
    }
    let mut escaped = before.to_owned();
    for character in word.chars() {
        if "*_<[|\\".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Breaks a text into lines, the second and all further ones with an indentation.
fn wrap(text: &str, indentation: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    let start = text.len() - text.trim_start().len();
    lines.push_str(&text[..start]);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if length > 0 && start + length + 1 + width > WIDTH {
            lines.push('\n');
            lines.push_str(indentation);
            length = indentation.len();
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += width;
    }
    lines + "\n"
}

#[test]
fn the_cli_reference_is_the_help_of_all_commands() {
    let page = page();
    if std::env::var_os("HANGAR_WRITE_CLI_REFERENCE").is_some() {
        std::fs::write(COMMITTED, &page).unwrap();
    }
    let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
    assert!(
        committed == page,
        "docs/cli.md differs from the help; HANGAR_WRITE_CLI_REFERENCE=1 cargo test -p hangar cli_reference \
         writes it"
    );
}

#[test]
fn lines_of_the_cli_reference_are_short_outside_of_tables() {
    for line in page().lines().filter(|line| !line.starts_with('|')) {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
}

#[test]
fn the_cli_reference_has_every_argument_of_every_command() {
    fn check(command: &Command, above: &[&str]) {
        let mut text = String::new();
        section(&mut text, command, above);
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let is_shared = text.contains("(#server-and-aws-options)")
                && ["server", "token_file", "data_dir", "aws"].contains(&arg.get_id().as_str());
            let is_described = text.contains(&format!("\n- {}: ", spelling(arg)));
            let is_global = GLOBAL.contains(&arg.get_id().as_str());
            assert!(
                is_shared || is_global || is_described,
                "{above:?} {}: {arg}",
                command.get_name()
            );
        }
        let path = path_of(command, above);
        subcommands(command).for_each(|below| check(below, &path));
    }
    let mut root = command_line();
    root.build();
    subcommands(&root).for_each(|command| check(command, &[]));
}

#[test]
fn markup_is_escaped_outside_of_code() {
    assert_eq!(escape("a*b `c*d` <e>"), "a\\*b `c*d` \\<e>");
    assert_eq!(
        escape("(--yes) or --no-wait, A_B=c -- x"),
        "(`--yes`) or `--no-wait`, `A_B`=c -- x"
    );
    assert_eq!(escape("docs/aws.md."), "[aws.md](aws.md).");
}
