//! The only place that prints: data to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};
use hangar_diag::Diagnostic;
use serde::Serialize;

use crate::args::{Color, Output};
use crate::codes;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::render::diagnostic;

/// Decides what reaches stdout and stderr, in the format and color that were asked for.
///
/// Under `-o json` each stream gets at most one JSON document.
#[derive(Debug)]
pub(crate) struct Printer {
    output: Output,
    color: ColorChoice,
}

impl Printer {
    pub(crate) fn new(output: Output, color: Color) -> Self {
        let color = match color {
            // The stream itself is asked, and with it `NO_COLOR` and `TERM`.
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self { output, color }
    }

    /// Prints a command's result: `text` for people, `json` for programs; only one is made.
    pub(crate) fn show<T: Display, J: Serialize>(
        &mut self,
        text: impl FnOnce() -> T,
        json: impl FnOnce() -> J,
    ) -> Result<(), Failure> {
        match self.output {
            Output::Table => self.text(text()),
            Output::Json => {
                let document =
                    serde_json::to_string_pretty(&json()).map_err(anyhow::Error::from)?;
                // As it is: what strips colors would take a control character out of a value.
                write_to(&mut io::stdout().lock(), &document)
            }
        }
    }

    /// Prints text to stdout, whatever the format; it ends with one new line.
    pub(crate) fn text(&mut self, text: impl Display) -> Result<(), Failure> {
        write_to(&mut AutoStream::new(io::stdout().lock(), self.color), &text.to_string())
    }

    /// Prints warnings that do not stop the work; under `-o json` as `{"warnings": […]}`.
    pub(crate) fn warn(&mut self, reports: &[Report]) {
        match self.output {
            Output::Table => self.explain(&diagnostic::to_text(reports)),
            Output::Json => tell(&mut io::stderr().lock(), &diagnostic::warnings_to_json(reports)),
        }
    }

    /// Prints why a command stopped, and gives the exit code for it.
    pub(crate) fn fail(&mut self, failure: &Failure) -> Exit {
        match failure {
            // Whoever read our output has seen enough: not an error.
            Failure::Output(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Success,
            Failure::Output(error) => {
                let message = format!("cannot write to standard output: {error}");
                let hint = "free some space, or write the output elsewhere";
                let diagnostics = vec![Diagnostic::error(codes::OUTPUT_LOST, message).hint(hint)];
                self.report(&[Report { source: None, diagnostics }])
            }
            Failure::Reported(reports) => self.report(reports),
        }
    }

    fn report(&mut self, reports: &[Report]) -> Exit {
        match self.output {
            Output::Table => self.explain(&diagnostic::to_text(reports)),
            Output::Json => tell(&mut io::stderr().lock(), &diagnostic::error_to_json(reports)),
        }
        Exit::Failure
    }

    fn explain(&mut self, text: &str) {
        tell(&mut AutoStream::new(io::stderr().lock(), self.color), text);
    }
}

/// Writes text with one new line at its end.
fn write_to(stream: &mut dyn Write, text: &str) -> Result<(), Failure> {
    stream.write_all(text.trim_end_matches('\n').as_bytes())?;
    stream.write_all(b"\n")?;
    Ok(stream.flush()?)
}

/// The same for stderr: there is nobody left to tell when it cannot be written.
fn tell(stream: &mut dyn Write, text: &str) {
    let _ = writeln!(stream, "{}", text.trim_end_matches('\n'));
}
