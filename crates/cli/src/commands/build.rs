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
use crate::connection::{Environment, data_dir};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::template::files::{Files, is_parameters_file};
use crate::template::{check, lint};

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

build checks the template as `hangar lint` does, reports the same errors, and writes no file if there
is one. Templates for Azure can be compiled, too: errors that only state that Hangar cannot deploy
them are omitted. It uses no server and no AWS.";

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
    environment: &Environment,
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
    let mut files = Files::read(&args.file, inputs)?;
    if let Some(out) = args.out.as_ref().filter(|out| !args.stdout && files.holds(out)) {
        let message = format!("`{}` is one of the template's own files", out.display());
        let hint = "choose another output file with `--out`";
        return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
    }
    let template = compile(&mut files, environment, printer)?;
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

/// The template as JSON, after the checks of `hangar lint`.
fn compile(
    files: &mut Files,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<String, Failure> {
    let built = arm::build(&files.sources, &files.entry);
    let mut problems = built.problems;
    let data_dir = data_dir(None, environment);
    let more = check::errors_beyond_language(files, data_dir.path())?;
    check::add(&mut problems, more.into_iter().chain(lint::errors(files)?));
    check::sort(&mut problems);
    match built.template {
        Some(template) if !problems.iter().any(Problem::is_error) => {
            if !problems.is_empty() {
                printer.warn(&files.reports(problems));
            }
            Ok(template)
        }
        _ => Err(Failure::Reported(files.reports(problems))),
    }
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
