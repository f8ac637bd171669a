//! Answers a command line that names no command to run: a plea for help, or a mistake.

mod suggest;

use std::ffi::OsString;

use clap::ValueEnum;
use clap::error::ErrorKind;
use clap::error::{ContextKind, ContextValue};
use hangar_diag::Diagnostic;

use crate::args::{Color, Output};
use crate::codes;
use crate::exit::Exit;
use crate::help;
use crate::printer::Printer;

/// Prints help or version to stdout, a mistake to stderr in the format that was asked for.
pub(crate) fn answer(error: &clap::Error, typed: &[OsString]) -> Exit {
    let output = typed_value(typed, "-o", "--output").unwrap_or(Output::Table);
    let color = typed_value(typed, "--color", "--color").unwrap_or(Color::Auto);
    let mut printer = Printer::new(output, color);
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match printer.text(error.render().ansi()) {
                Ok(()) => Exit::Success,
                Err(failure) => printer.fail(&failure),
            }
        }
        // As clap's own programs do. A program that asked for JSON gets the error below.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if output == Output::Table => {
            printer.help_without_command(&error.render().ansi());
            Exit::NoCommand
        }
        _ => {
            let mut mistake = mistake(error, typed);
            if is_type_swallowed(error, typed) {
                let hint = "--properties takes all arguments up to the next flag: write TYPE before --properties";
                mistake.hints.insert(0, hint.to_owned());
            }
            printer.fail(&mistake.into())
        }
    }
}

/// Whether a type was written behind the pairs, and taken for one.
fn is_type_swallowed(error: &clap::Error, typed: &[OsString]) -> bool {
    error.kind() == ErrorKind::MissingRequiredArgument
        && error.to_string().contains("<TYPE>")
        && typed.iter().any(|word| word == "--properties")
}

/// The clauses of clap's message, sorted into what happened and what to do next.
fn mistake(error: &clap::Error, typed: &[OsString]) -> Diagnostic {
    let known = known_command(typed);
    let command = &known.words.join(" ");
    let rendered = error.render().to_string();
    if let ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =
        error.kind()
    {
        let usage = rendered.lines().find_map(|line| line.strip_prefix("Usage: "));
        let diagnostic = Diagnostic::error(codes::USAGE, "no command was specified");
        return with_usage(diagnostic, usage, command);
    }
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = rendered.split("\n\n");
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let mut diagnostic = Diagnostic::error(codes::USAGE, one_line(message));
    let mut usage = None;
    let unknown = unknown_subcommand(error);
    if let Some(hint) = unknown.and_then(|word| suggest::hint(word, &known.below)) {
        diagnostic = diagnostic.hint(hint);
    }
    let elsewhere = unknown_flag(error).and_then(|flag| suggest::flag_hint(command, flag));
    let has_better_hint = unknown.is_some() || elsewhere.is_some();
    diagnostic = elsewhere.into_iter().fold(diagnostic, Diagnostic::hint);
    for paragraph in paragraphs {
        if let Some(text) = paragraph.strip_prefix("Usage: ") {
            // Of several usages the first; one can go on in the next line.
            let first = text.split('\n').map(str::trim).enumerate();
            let first = first.take_while(|(at, line)| *at == 0 || !line.starts_with("hangar "));
            usage = Some(first.map(|(_, line)| line).collect::<Vec<_>>().join(" "));
        }
        // clap orders similar commands by letters in common: `destroy` before `deploy` for `deplooy`.
        if !has_better_hint {
            let tips = paragraph.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
            diagnostic = tips.fold(diagnostic, Diagnostic::hint);
        }
    }
    with_usage(diagnostic, usage.as_deref(), command)
}

fn with_usage(diagnostic: Diagnostic, usage: Option<&str>, command: &str) -> Diagnostic {
    match usage {
        Some(usage) => diagnostic.hint(format!("usage: {usage}; `--help` explains it")),
        None => diagnostic.hint(format!("`{command} --help` explains it")),
    }
}

/// The command that was meant, as far as its words are known.
struct KnownCommand {
    /// `hangar`, `schema`, `show`.
    words: Vec<String>,
    /// The names of the commands below it.
    below: Vec<String>,
}

fn known_command(typed: &[OsString]) -> KnownCommand {
    let mut known = help::command_line();
    let mut words = vec!["hangar".to_owned()];
    for word in typed.iter().skip(1).filter_map(|word| word.to_str()) {
        let Some(next) = known.find_subcommand(word) else { break };
        words.push(word.to_owned());
        known = next.clone();
    }
    let below = known.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    KnownCommand { words, below }
}

/// The word that stands where the name of a command should.
fn unknown_subcommand(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// The flag that the command does not have.
fn unknown_flag(error: &clap::Error) -> Option<&str> {
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) => Some(flag),
        _ => None,
    }
}

/// The value of a global flag in a command line that could not be parsed; the last one counts.
fn typed_value<V: ValueEnum>(typed: &[OsString], short: &str, long: &str) -> Option<V> {
    let words = typed.iter().skip(1).map_while(|word| word.to_str().filter(|word| *word != "--"));
    let mut found = None;
    let mut is_value = false;
    for word in words {
        let glued = word
            .strip_prefix(long)
            .and_then(|rest| rest.strip_prefix('='))
            .or_else(|| (short != long).then(|| word.strip_prefix(short)).flatten())
            .map(|value| value.strip_prefix('=').unwrap_or(value));
        let value = if is_value { Some(word) } else { glued };
        found = value.and_then(|value| V::from_str(value, false).ok()).or(found);
        is_value = word == short || word == long;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_seen_in_a_line_that_cannot_be_parsed() {
        let output = |line: &str| {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            typed_value::<Output>(&typed, "-o", "--output")
        };
        for line in [
            "hangar -o json x",
            "hangar x -ojson",
            "hangar -o=json",
            "hangar --output=json",
            "hangar x --output json",
        ] {
            assert_eq!(output(line), Some(Output::Json), "{line}");
        }
        for line in ["hangar json", "hangar -- -o json", "hangar -o xml", "hangar --other=json"] {
            assert_eq!(output(line), None, "{line}");
        }
    }
}
