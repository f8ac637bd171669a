//! `hangar build`: a template of Bicep and its modules as one template in ARM JSON.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_template::arm;
use hangar_template::source::Problem;
use serde::Serialize;

use crate::codes;
use crate::commands::fmt::files::refuse_other_language;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::template::files::{Files, is_parameters_file};

/// What is compiled, and where to.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Template (`.bicep`), or `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File to write [default: FILE with the ending .json]
    #[arg(long, value_name = "FILE", conflicts_with = "stdout")]
    out: Option<PathBuf>,
    /// Print the JSON and write no file
    #[arg(long)]
    stdout: bool,
}

pub(crate) const DESCRIPTION: &str = "\
The JSON contains all modules and has symbolic names (languageVersion 2.0), like the output of
Bicep's own compiler. `hangar deploy`, `plan` and `lint` accept it instead of the Bicep file.

build reports only errors that prevent the compilation; `hangar lint` reports all. It uses no
server and no AWS.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar build main.bicep
  hangar build main.bicep --out app.json
  hangar build main.bicep --stdout
  hangar build main.bicep --stdout | hangar deploy - --name main

Exit codes:
  0  success
  1  the template has errors, or the file cannot be written";

/// What `-o json` prints.
#[derive(Debug, Serialize)]
struct Done<'a> {
    template: &'a str,
    file: String,
}

pub(crate) fn run(
    args: &BuildArgs,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let is_stdin = args.file == Path::new("-");
    if is_parameters_file(&args.file) || arm::is_compiled(&args.file.to_string_lossy()) {
        refuse_other_language(&args.file)?;
        let message = format!("`{}` is not a Bicep template", args.file.display());
        let hint = "pass the `.bicep` file";
        return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
    }
    let files = Files::read(&args.file, inputs)?;
    if let Some(out) = args.out.as_ref().filter(|out| !args.stdout && files.holds(out)) {
        let message = format!("`{}` is one of the template's own files", out.display());
        let hint = "choose another output file with `--out`";
        return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
    }
    let built = arm::build(&files.sources, &files.entry);
    let Some(template) = built.template else {
        return Err(Failure::Reported(files.reports(built.problems)));
    };
    let warnings: Vec<Problem> = built.problems;
    if !warnings.is_empty() {
        printer.warn(&files.reports(warnings));
    }
    if args.stdout || is_stdin && args.out.is_none() {
        printer.bytes(template.as_bytes())?;
        return Ok(Exit::Success);
    }
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension("json"));
    write(&out, &template, Document::Template, args.out.is_some())?;
    let file = out.display().to_string();
    let name = files.name_of(&files.entry);
    printer.show(|| file.clone(), || Done { template: &name, file: file.clone() })?;
    Ok(Exit::Success)
}

/// The kinds of JSON that a build writes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Document {
    Template,
    Parameters,
}

impl Document {
    const fn describe(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Parameters => "parameter file",
        }
    }

    /// Whether a text is such a document.
    fn is_in(self, text: &str) -> bool {
        text.contains(match self {
            Self::Template => "eploymentTemplate.json",
            Self::Parameters => "eploymentParameters.json",
        })
    }
}

/// Writes the file. A file that was not named on the command line is only replaced if it is such a document.
pub(super) fn write(
    out: &Path,
    text: &str,
    document: Document,
    is_named: bool,
) -> Result<(), Failure> {
    if !is_named && fs::read_to_string(out).is_ok_and(|text| !document.is_in(&text)) {
        let message = format!("`{}` exists and is not a {}", out.display(), document.describe());
        let hint = "choose the output file with `--out`, or print with `--stdout`";
        return Err(Diagnostic::error(codes::FILE_UNWRITABLE, message).hint(hint).into());
    }
    fs::write(out, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", out.display());
        Diagnostic::error(codes::FILE_UNWRITABLE, message).into()
    })
}
