//! The ways to give a secure parameter without its value on the command line: a file, a variable of the environment,
//! a prompt. Nothing here prints a value, nor the text that was typed: it may be a secret that looks like a path.

use std::path::Path;

use hangar_diag::Diagnostic;
use hangar_template::program::Parameter;

use super::parameters::{Values, value_of};
use crate::codes;
use crate::connection::Variables;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;

/// The source of a secure value, as it was typed behind `-p NAME=`.
#[derive(Debug, PartialEq, Eq)]
enum ValueSource<'a> {
    /// The text itself.
    Literal(&'a str),
    /// `@FILE`; `@-` is standard input.
    File(&'a Path),
    /// `env:VARIABLE`.
    Variable(&'a str),
}

impl<'a> ValueSource<'a> {
    fn parse(typed: &'a str) -> Self {
        if let Some(literal) = typed.strip_prefix("text:") {
            Self::Literal(literal)
        } else if let Some(path) = typed.strip_prefix('@') {
            Self::File(Path::new(path))
        } else if let Some(variable) = typed.strip_prefix("env:") {
            Self::Variable(variable)
        } else {
            Self::Literal(typed)
        }
    }
}

/// Reads the text of a secure parameter from the place that was typed for it.
pub(crate) fn read_value(
    parameter: &Parameter,
    typed: &str,
    variables: &Variables,
    inputs: &mut Inputs,
) -> Result<String, Failure> {
    let name = &*parameter.name;
    match ValueSource::parse(typed) {
        ValueSource::Literal(text) => Ok(text.to_owned()),
        ValueSource::File(path) => {
            let why = match inputs.read(path) {
                Ok(source) => return Ok(without_line_end(&source.text).to_owned()),
                Err(_) if path.is_dir() => "it is a directory",
                Err(_) if path == Path::new("-") => "standard input cannot be read, or has already been read",
                Err(_) if path.exists() => "it is not UTF-8 text, or it is not readable",
                Err(_) => "the file does not exist",
            };
            let message = format!("cannot read the file of `-p {name}=@`: {why}");
            Err(Diagnostic::error(codes::SECURE_VALUE, message)
                .hint(format!("check the path; write a value that starts with `@` as `-p {name}=text:@…`"))
                .into())
        }
        ValueSource::Variable(variable) => {
            variables.get(variable).map(str::to_owned).ok_or_else(|| {
                let message =
                    format!("the environment variable of `-p {name}=env:` is not set");
                Diagnostic::error(codes::SECURE_VALUE, message)
                    .hint(format!("set and export it; write a value that starts with `env:` as `-p {name}=text:env:…`"))
                    .into()
            })
        }
    }
}

/// Prompts for each parameter and adds the answers to `values`; returns the names of those that were answered.
///
/// A parameter stays without a value if there is no terminal, or if nothing was typed.
pub(crate) fn prompt(
    parameters: &[&Parameter],
    values: &mut Values,
    printer: &mut Printer,
) -> Result<Vec<String>, Failure> {
    let mut answered = Vec::new();
    for parameter in parameters {
        let name = &parameter.name;
        let question = match &parameter.description {
            Some(description) => format!("value of secure parameter `{name}` ({description}): "),
            None => format!("value of secure parameter `{name}`: "),
        };
        let Some(typed) = printer.ask_secret(&question).filter(|typed| !typed.is_empty()) else {
            continue;
        };
        values.insert(name.to_string(), value_of(parameter, &typed)?);
        answered.push(name.to_string());
    }
    Ok(answered)
}

/// The options that give secure parameters again, as they are shown: `-p apiKey=@FILE`.
pub(crate) fn as_options<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let options: Vec<String> = names.into_iter().map(|name| format!("-p {name}=@FILE")).collect();
    options.join(" ")
}

/// Removes the one line end that an editor or `echo` adds.
pub(crate) fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_can_be_given_literally() {
        let cases = [
            ("plain", ValueSource::Literal("plain")),
            ("", ValueSource::Literal("")),
            ("@key.txt", ValueSource::File(Path::new("key.txt"))),
            ("@-", ValueSource::File(Path::new("-"))),
            ("env:KEY", ValueSource::Variable("KEY")),
            ("text:@key.txt", ValueSource::Literal("@key.txt")),
            ("text:env:KEY", ValueSource::Literal("env:KEY")),
            ("text:text:x", ValueSource::Literal("text:x")),
            ("x@y", ValueSource::Literal("x@y")),
        ];
        for (typed, expected) in cases {
            assert_eq!(ValueSource::parse(typed), expected, "{typed}");
        }
    }

    #[test]
    fn one_line_end_is_removed() {
        for (text, expected) in [("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), (" a ", " a ")] {
            assert_eq!(without_line_end(text), expected);
        }
    }
}
