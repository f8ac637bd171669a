//! `hangar explain`: the meaning of a code, its usual cause, and how to fix it.
//!
//! The entries come from `docs/errors.md`, which is embedded, so that each is written once. Examples that are too many
//! for the page are in a file next to this module; tests run them.

mod layout;
mod page;

use clap::Args;
use hangar_diag::{Diagnostic, nearest};
use serde::Serialize;

use crate::codes;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use layout::Width;
use page::{Entry, entries};

/// What is explained.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Codes from messages, in upper or lower case
    #[arg(value_name = "CODE", required_unless_present = "list")]
    codes: Vec<String>,
    /// List all codes with their meanings
    #[arg(long, conflicts_with = "codes")]
    list: bool,
    /// With --list, include codes that no command raises
    #[arg(long, requires = "list")]
    all: bool,
}

pub(crate) const DESCRIPTION: &str = "\
Explains codes of errors and warnings, lint rules, and error codes of the HTTP API. Codes that AWS
returns are described in the documentation of AWS.

With -o json, a list is printed with code, area, meaning, cause, action (the fix), examples and document
of each code.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar explain TMPL0240
  hangar explain bcp057 no-unused-params ReplaceRequired
  hangar explain --list
  hangar explain --list --all -o json";

/// One code, for programs.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    code: &'a str,
    area: &'a str,
    meaning: &'a str,
    cause: &'a str,
    action: &'a str,
    examples: &'a [String],
    document: String,
}

pub(crate) fn run(args: &ExplainArgs, printer: &mut Printer) -> Result<Exit, Failure> {
    let found: Vec<&Entry> = if args.list {
        entries().iter().filter(|entry| args.all || entry.is_raised).collect()
    } else {
        args.codes.iter().map(|typed| find(typed)).collect::<Result<_, _>>()?
    };
    let width = Width::of_stdout();
    let text = || {
        if args.list {
            return layout::list(&found, width);
        }
        let texts: Vec<String> =
            found.iter().map(|entry| layout::entry(entry, &document(entry), width)).collect();
        texts.join("\n\n")
    };
    printer.show(text, || found.iter().map(|entry| explained(entry)).collect::<Vec<_>>())?;
    Ok(Exit::Success)
}

/// Returns the entry of a code. The code may be typed as a message shows it, as in `error[BCP057]:`.
///
/// # Errors
/// A usage error with the most similar code if there is no entry.
pub(crate) fn find(typed: &str) -> Result<&'static Entry, Failure> {
    let code = typed.trim().trim_end_matches([':', ']']);
    let code = code.rsplit('[').next().unwrap_or(code);
    let all = entries();
    if let Some(found) = all.iter().find(|entry| entry.code.eq_ignore_ascii_case(code)) {
        return Ok(found);
    }
    let message = format!("unknown code `{typed}`");
    let hint = match nearest(code, all.iter().map(|entry| entry.code.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "`hangar explain --list` lists all codes; AWS's documentation explains those of AWS"
                .to_owned()
        }
    };
    Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
}

fn explained(entry: &Entry) -> Explained<'_> {
    let Entry { code, area, meaning, cause, fix, examples, .. } = entry;
    Explained { code, area, meaning, cause, action: fix, examples, document: document(entry) }
}

fn document(entry: &Entry) -> String {
    format!("docs/errors.md#{}", entry.anchor)
}
