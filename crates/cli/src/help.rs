//! The command line with its help as it is printed: commands in groups, paragraphs without fixed line breaks.
//!
//! The source wraps help texts for the reader of the source; clap wraps them for the terminal. Both at once would
//! break lines in the middle of a paragraph, so the line breaks of the source are removed here.

mod groups;

use clap::{Command, CommandFactory};

use crate::args::Args;

/// Lines are not longer than this, however wide the terminal is.
const MAX_WIDTH: usize = 100;

/// Returns the command line, ready to parse and to print help.
pub(crate) fn command_line() -> Command {
    groups::with_groups(unwrap_texts(Args::command())).max_term_width(MAX_WIDTH)
}

/// Removes the source's line breaks from the texts behind the options, of a command and of those below it.
fn unwrap_texts(mut command: Command) -> Command {
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(unwrap_paragraphs(&text));
    }
    command.mut_subcommands(unwrap_texts)
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
    fn every_summary_is_one_short_verb_phrase() {
        fn check(command: &Command, path: &str) {
            for below in command.get_subcommands() {
                let path = format!("{path} {}", below.get_name());
                let summary = below.get_about().map(ToString::to_string).unwrap_or_default();
                assert!((1..=60).contains(&summary.chars().count()), "{path}: {summary}");
                let first = summary.split([' ', ',']).next().unwrap_or_default();
                let is_noun = first.ends_with([':', 's']);
                let is_article = ["What", "A", "An", "The", "How"].contains(&first);
                assert!(!is_noun && !is_article, "{path}: {summary}");
                check(below, &path);
            }
        }
        check(&command_line(), "hangar");
    }
}
