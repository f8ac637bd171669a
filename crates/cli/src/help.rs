//! The command line with its help as it is printed: commands in groups, paragraphs without fixed line breaks, a
//! short text for `-h` and a long one for `--help`.
//!
//! The source wraps help texts for the reader of the source; clap wraps them for the terminal. Both at once would
//! break lines in the middle of a paragraph, so the line breaks of the source are removed here.

#[cfg(test)]
mod examples;
mod groups;
#[cfg(test)]
mod reference;

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory};

use crate::args::Args;

/// Lines are not longer than this, however wide the terminal is.
const MAX_WIDTH: usize = 100;

/// Opens the examples in the long help of a command.
const EXAMPLES: &str = "Examples:";

/// Returns the command line, ready to parse and to print help.
pub(crate) fn command_line() -> Command {
    groups::with_groups(shape(Args::command())).max_term_width(MAX_WIDTH)
}

/// Shapes the texts of a command and of those below it. The long description begins with the summary, and the short
/// help ends with the first example of the long one.
fn shape(mut command: Command) -> Command {
    if let Some(text) = command.get_long_about().map(ToString::to_string) {
        let summary = command.get_about().map(ToString::to_string).unwrap_or_default();
        command = command.long_about(format!("{summary}\n\n{}", unwrap_paragraphs(&text)));
    }
    if let Some(text) = command.get_after_long_help().map(ToString::to_string) {
        let text = unwrap_paragraphs(&text);
        let short = match command.get_after_help() {
            Some(short) => unwrap_paragraphs(&short.to_string()),
            None => first_example(&text),
        };
        command = command.after_help(short).after_long_help(text);
    }
    command.mut_args(shape_argument).mut_subcommands(shape)
}

/// Returns the first example of a text, under its own heading; nothing if the text has no examples.
fn first_example(text: &str) -> String {
    let lines = text.lines().skip_while(|line| *line != EXAMPLES).skip(1);
    let mut example = String::new();
    for line in lines.skip_while(|line| line.trim_start().starts_with('#')) {
        let _ = write!(example, "\n{line}");
        if !line.ends_with(['\\', '|']) {
            break;
        }
    }
    if example.is_empty() { example } else { format!("Example:{example}") }
}

/// Moves `[default: …]` and `[env: …]` of the long help to its end, and puts the possible values before them. The
/// short help names the values in its text, so that it fits into one line.
fn shape_argument(arg: Arg) -> Arg {
    let values = described_values(&arg);
    let Some(text) = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string) else {
        return arg;
    };
    let HelpText { mut paragraphs, facts } = HelpText::parse(&text);
    if !values.is_empty() {
        let list = values.iter().map(|value| {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            format!("\n- {}: {help}", value.get_name())
        });
        paragraphs.push(format!("Possible values:{}", list.collect::<String>()));
    }
    if !facts.is_empty() {
        let facts: Vec<String> =
            facts.iter().map(|(name, value)| format!("[{name}: {value}]")).collect();
        paragraphs.push(facts.join("\n"));
    }
    arg.long_help(paragraphs.join("\n\n")).hide_possible_values(!values.is_empty())
}

/// Returns the values that an argument accepts, if they have descriptions.
fn described_values(arg: &Arg) -> Vec<PossibleValue> {
    let values = arg.get_possible_values();
    if values.iter().any(|value| value.get_help().is_some()) { values } else { Vec::new() }
}

/// The help of an argument in its parts.
#[derive(Debug, PartialEq, Eq)]
struct HelpText {
    paragraphs: Vec<String>,
    /// `[default: …]` and `[env: …]`: names and values.
    facts: Vec<(String, String)>,
}

impl HelpText {
    fn parse(text: &str) -> Self {
        let mut parsed = Self { paragraphs: Vec::new(), facts: Vec::new() };
        for paragraph in text.split("\n\n") {
            let mut prose = paragraph.trim_end();
            let mut facts = Vec::new();
            while let Some((before, name, value)) = last_fact(prose) {
                facts.push((name.to_owned(), value.to_owned()));
                prose = before.trim_end();
            }
            parsed.facts.extend(facts.into_iter().rev());
            if !prose.is_empty() {
                parsed.paragraphs.push(prose.to_owned());
            }
        }
        parsed
    }
}

/// Splits the `[name: value]` off that a text ends with.
fn last_fact(text: &str) -> Option<(&str, &str, &str)> {
    let (before, fact) = text.strip_suffix(']')?.rsplit_once('[')?;
    let (name, value) = fact.split_once(": ")?;
    ["default", "env"].contains(&name).then_some((before, name, value))
}

/// Joins the lines of each paragraph. Indented lines (examples, tables) stay as they are.
pub(crate) fn unwrap_paragraphs(text: &str) -> String {
    let mut unwrapped = String::with_capacity(text.len());
    let mut is_open = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if is_prose && is_open {
            unwrapped.push(' ');
        } else if !unwrapped.is_empty() {
            unwrapped.push('\n');
        }
        unwrapped.push_str(line);
        is_open = is_prose;
    }
    unwrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lose_their_line_breaks_and_examples_keep_theirs() {
        let text = "Examples:\n  hangar a \\\n    --b\n\nOne\ntwo\nthree.\n\nFour:\n  x  five\n  y  six\nSeven\neight.";
        let expected = "Examples:\n  hangar a \\\n    --b\n\nOne two three.\n\nFour:\n  x  five\n  y  six\nSeven eight.";
        assert_eq!(unwrap_paragraphs(text), expected);
        assert_eq!(unwrap_paragraphs(expected), expected);
    }

    #[test]
    fn defaults_and_variables_are_found_at_the_end_of_paragraphs() {
        let text = "Data [directory] [env: DIR]\n\nMore.\n\n[default: a [b]\nor c]";
        let parsed = HelpText::parse("Data directory [env: DIR] [default: x]\n\nMore [text].");
        let facts = [("env", "DIR"), ("default", "x")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(parsed.paragraphs, ["Data directory", "More [text]."]);
        assert_eq!(parsed.facts, facts);
        assert_eq!(HelpText::parse(text).paragraphs.len(), 3);
    }

    #[test]
    fn the_short_help_shows_the_first_example() {
        let text = "Examples:\n  # One\n  hangar a |\n    hangar b\n  hangar c\n\nMore.";
        assert_eq!(first_example(text), "Example:\n  hangar a |\n    hangar b");
        assert_eq!(first_example("More."), "");
    }

    #[test]
    fn every_summary_is_one_short_verb_phrase() {
        fn check(command: &Command, path: &str) {
            for below in command.get_subcommands() {
                let path = format!("{path} {}", below.get_name());
                let summary = below.get_about().map(ToString::to_string).unwrap_or_default();
                assert!((1..=60).contains(&summary.chars().count()), "{path}: {summary}");
                assert!(!summary.ends_with('.'), "{path}: {summary}");
                let first = summary.split([' ', ',']).next().unwrap_or_default();
                let is_noun = first.ends_with([':', 's']);
                let is_article = ["What", "A", "An", "The", "How"].contains(&first);
                assert!(!is_noun && !is_article, "{path}: {summary}");
                check(below, &path);
            }
        }
        check(&command_line(), "hangar");
    }

    #[test]
    fn every_argument_is_described_without_a_full_stop() {
        fn check(command: &Command, path: &str) {
            for arg in command.get_arguments() {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(!help.is_empty() && !help.ends_with('.'), "{path} {arg}: {help}");
                assert!(
                    help.starts_with(|first: char| !first.is_lowercase()),
                    "{path} {arg}: {help}"
                );
                assert!(!help.contains('\n'), "{path} {arg}: {help}");
            }
            for below in command.get_subcommands() {
                check(below, &format!("{path} {}", below.get_name()));
            }
        }
        check(&command_line(), "hangar");
    }
}
