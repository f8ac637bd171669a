//! `hangar fmt`: templates written the one way.

pub(crate) mod files;

use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_template::format::{FormatError, format};
use hangar_template::syntax::Dialect;
use serde::Serialize;

use crate::codes;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Mark, Source};
use crate::printer::Printer;
use crate::render::printable;
use crate::render::unified::unified;

/// What is formatted, and how it is told.
#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// Bicep files, folders, or `-` for stdin
    ///
    /// Bicep files are templates (`.bicep`) and parameter files (`.bicepparam`).
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<PathBuf>,
    /// Write nothing; exit with 2 if a file would change
    #[arg(long)]
    check: bool,
    /// Write nothing; print the changes
    #[arg(long)]
    diff: bool,
}

pub(crate) const DESCRIPTION: &str = "\
The format has two spaces per level, lines of at most 120 characters, and no consecutive empty
lines. Objects, arrays, ternaries and unions that span several lines stay so, and lines that are
too long are broken. Strings and comments are not changed.

A file with syntax errors stays as it is, and its errors are printed. In folders, `node_modules`
and entries whose names begin with a dot are skipped. With `-`, standard input is formatted to
standard output.

With -o json, a list is printed with file and changed of each file.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar fmt main.bicep prod.bicepparam
  hangar fmt .
  hangar fmt . --check
  hangar fmt main.bicep --diff
  hangar fmt - < main.bicep

Exit codes:
  0  success
  1  a file has syntax errors or cannot be written
  2  a file would change (only with --check)";

/// What became of one file.
#[derive(Debug, Serialize)]
struct Done {
    file: String,
    changed: bool,
}

pub(crate) fn run(
    args: &FmtArgs,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let mut done = Vec::new();
    let mut diffs = String::new();
    let mut mistakes: Vec<Report> = Vec::new();
    for path in files::found(&args.paths)? {
        // Where one cannot be formatted, the others are all the same.
        let formatted = match formatted(&path, inputs) {
            Ok(formatted) => formatted,
            Err(Failure::Reported(reports)) => {
                mistakes.extend(reports);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let Formatted { file, old, new } = formatted;
        let changed = old != new;
        let is_stdin = path == Path::new("-");
        if args.diff {
            diffs.push_str(&unified(&file, &old, &new));
        } else if is_stdin && !args.check {
            printer.bytes(new.as_bytes())?;
        } else if changed && !args.check {
            files::write(&path, new.as_bytes())?;
        }
        if !is_stdin || args.check {
            done.push(Done { file, changed });
        }
    }
    tell(args, printer, &done, &diffs)?;
    if !mistakes.is_empty() {
        return Err(Failure::Reported(mistakes));
    }
    let is_changed = done.iter().any(|it| it.changed);
    Ok(if args.check && is_changed { Exit::Changes } else { Exit::Success })
}

fn tell(args: &FmtArgs, printer: &mut Printer, done: &[Done], diffs: &str) -> Result<(), Failure> {
    if args.diff && !printer.is_for_programs() {
        return if diffs.is_empty() { Ok(()) } else { printer.text(diffs.trim_end_matches('\n')) };
    }
    // What was read from standard input was the result.
    if done.is_empty() {
        return Ok(());
    }
    let text = || {
        let mut text = String::new();
        for it in done.iter().filter(|it| it.changed) {
            text.push_str(&printable(&it.file));
            text.push('\n');
        }
        let changed = done.iter().filter(|it| it.changed).count();
        let deed = if args.check { "would change" } else { "changed" };
        let files = if done.len() == 1 { "file" } else { "files" };
        text + &format!("{changed} of {} {files} {deed}", done.len())
    };
    printer.show(text, || done)
}

struct Formatted {
    file: String,
    old: String,
    new: String,
}

/// A file as it is and as it should be.
fn formatted(path: &Path, inputs: &mut Inputs) -> Result<Formatted, Failure> {
    let (source, mark) = inputs.read_marked(path)?;
    let result = match files::dialect(path) {
        Some(dialect) => format(&source.text, dialect),
        // Nothing tells which of the two it is but the text.
        None => format(&source.text, Dialect::Template)
            .or_else(|refused| format(&source.text, Dialect::Parameters).map_err(|_| refused)),
    };
    let new = result.map_err(|error| refused(&source, error))?;
    let file = source.name.clone().unwrap_or_default();
    let marked = |text: String| match mark {
        Mark::None => text,
        Mark::Written => format!("{}{text}", mark.as_str()),
    };
    Ok(Formatted { file, old: marked(source.text), new: marked(new) })
}

fn refused(source: &Source, error: FormatError) -> Failure {
    match error {
        FormatError::Mistakes(found) => Failure::in_source(source.clone(), found),
        FormatError::Unfaithful => {
            let name = source.name.as_deref().unwrap_or_default();
            let message = format!("`{name}` cannot be formatted without changing its meaning");
            let hint = "the file was not changed; this is a bug in Hangar, please report it";
            Diagnostic::error(codes::NOT_FORMATTED, message).hint(hint).into()
        }
    }
}
