//! `hangar explain`: what a code stands for, what raises it, and what to do.
//!
//! The page for people, `docs/errors.md`, is what is read here, so that there is one place to write it in; examples
//! that are too many for the page are in a file of their own, and a test runs them.

mod page;

use clap::Args;
use hangar_diag::{Diagnostic, nearest};
use serde::Serialize;

use crate::codes;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use page::{Entry, entries};

/// What is explained.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Codes as messages show them, in any case
    #[arg(value_name = "CODE", required_unless_present = "list")]
    codes: Vec<String>,
    /// All codes, each with what it stands for
    #[arg(long, conflicts_with = "codes")]
    list: bool,
    /// With --list, also the codes that only the libraries raise
    #[arg(long, requires = "list")]
    all: bool,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar explain TMPL0007
  hangar explain bcp057 no-unused-params ReplaceRequired
  hangar explain --list
  hangar explain --list --all -o json

Codes are those of errors and warnings, of the rules of `hangar lint`, and those that the HTTP API
answers with. Codes of AWS pass through it: AWS's documentation has those.
With -o json a list is printed, with code, area, meaning, action, examples and document of each.";

/// One code, for programs.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    code: &'a str,
    area: &'a str,
    meaning: &'a str,
    action: &'a str,
    examples: &'a [String],
    document: String,
}

pub(crate) fn run(args: &ExplainArgs, printer: &mut Printer) -> Result<Exit, Failure> {
    let found: Vec<&Entry> = if args.list {
        entries().iter().filter(|it| args.all || !it.is_of_library()).collect()
    } else {
        args.codes.iter().map(|it| find(it)).collect::<Result<_, _>>()?
    };
    let text = || {
        if args.list {
            return list(&found);
        }
        let texts: Vec<String> = found.iter().map(|it| to_text(it)).collect();
        texts.join("\n\n")
    };
    printer.show(text, || found.iter().map(|it| explained(it)).collect::<Vec<_>>())?;
    Ok(Exit::Success)
}

/// What is known of a code; what a message shows around it may be typed, too.
pub(crate) fn find(typed: &str) -> Result<&'static Entry, Failure> {
    let code = typed.trim().trim_end_matches([':', ']']);
    let code = code.rsplit('[').next().unwrap_or(code);
    let all = entries();
    if let Some(found) = all.iter().find(|it| it.code.eq_ignore_ascii_case(code)) {
        return Ok(found);
    }
    let message = format!("unknown code `{typed}`");
    let hint = match nearest(code, all.iter().map(|it| it.code.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`hangar explain --list` lists all codes".to_owned(),
    };
    Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
}

fn to_text(entry: &Entry) -> String {
    let Entry { code, area, meaning, action, .. } = entry;
    let mut text = format!("{code} ({area})\n\n{meaning}\n\nWhat to do: {action}\n");
    for example in &entry.examples {
        text.push_str("\nExample:\n\n");
        for line in example.lines() {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        }
    }
    text + "\nSee " + &document(entry)
}

fn list(entries: &[&Entry]) -> String {
    let width = entries.iter().map(|it| it.code.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        entries.iter().map(|it| format!("{:width$}  {}", it.code, it.meaning)).collect();
    lines.join("\n")
}

fn explained(entry: &Entry) -> Explained<'_> {
    let Entry { code, area, meaning, action, examples, .. } = entry;
    Explained { code, area, meaning, action, examples, document: document(entry) }
}

fn document(entry: &Entry) -> String {
    format!("docs/errors.md#{}", entry.anchor)
}
