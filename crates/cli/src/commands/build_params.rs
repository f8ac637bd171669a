//! `hangar build-params`: a `.bicepparam` file as parameters JSON of ARM.

use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_template::arm;
use hangar_template::deployment::{Inputs as Given, MissingParameter};
use hangar_template::parameters_file::ParametersFile;
use hangar_template::source::Problem;
use serde::Serialize;

use super::build::{self, Document};
use crate::codes;
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::template::check;
use crate::template::files::{Files, is_parameters_file};
use crate::template::parameters::{Names, missing_template, undeclared};

/// The parameters file, and where its JSON goes.
#[derive(Debug, Args)]
pub(crate) struct BuildParamsArgs {
    /// Parameter file (`.bicepparam`)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File to write [default: FILE with the ending .json]
    #[arg(long, alias = "outfile", value_name = "FILE", conflicts_with = "stdout")]
    out: Option<PathBuf>,
    /// Print the JSON and write no file
    #[arg(long)]
    stdout: bool,
}

pub(crate) const DESCRIPTION: &str = "\
The JSON equals the output of Bicep's own compiler. `hangar deploy main.bicep --params FILE.json`
and `az deployment group create --parameters @FILE.json` accept it. Values are checked against the
template that `using` names.

Secrets of `az.getSecret()` become references to the key vault, and values of `externalInput()`
become expressions; only Azure resolves them. The command uses no server and no AWS.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar build-params main.bicepparam
  hangar build-params main.bicepparam --out main.parameters.json
  hangar build-params main.bicepparam --stdout

Exit codes:
  0  success
  1  a file has errors, or the JSON cannot be written";

/// What `-o json` prints.
#[derive(Debug, Serialize)]
struct Done<'a> {
    parameters: &'a str,
    file: String,
}

pub(crate) fn run(
    args: &BuildParamsArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    if !is_parameters_file(&args.file) {
        let message = format!("`{}` is not a `.bicepparam` file", args.file.display());
        let hint = "pass the parameter file; `hangar build` compiles templates";
        return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
    }
    let files = Files::read(&args.file, inputs)?;
    if let Some(out) = args.out.as_ref().filter(|out| files.holds(out)) {
        let message = format!("`{}` is one of the input files", out.display());
        let hint = "choose another output file with `--out`";
        return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
    }
    let known = environment.variables.some_of(&files.environment());
    let mut built = arm::build_parameters(&files.sources, &files.entry, &known);
    built.file.problems.extend(missing_template(&files, &built.file));
    if !built.file.problems.iter().any(Problem::is_error) {
        let found = against_template(&files, &built.file, &built.deferred);
        built.file.problems.extend(found);
    }
    let (errors, warnings): (Vec<_>, Vec<_>) =
        built.file.problems.into_iter().partition(Problem::is_error);
    let (true, Some(json)) = (errors.is_empty(), built.json) else {
        return Err(Failure::Reported(files.reports(errors)));
    };
    if !warnings.is_empty() {
        printer.warn(&files.reports(warnings));
    }
    if args.stdout {
        printer.bytes(json.as_bytes())?;
        return Ok(Exit::Success);
    }
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension("json"));
    build::write(&out, &json, Document::Parameters, args.out.is_some())?;
    let file = out.display().to_string();
    let name = files.name_of(&files.entry);
    printer.show(|| file.clone(), || Done { parameters: &name, file: file.clone() })?;
    Ok(Exit::Success)
}

/// The mistakes of a parameters file that only its template shows: names, missing values and types.
fn against_template(files: &Files, read: &ParametersFile, deferred: &[String]) -> Vec<Problem> {
    let Some(template) = &read.using else { return Vec::new() };
    let built = if arm::is_compiled(template) {
        Vec::new()
    } else {
        arm::build(&files.sources, template).problems
    };
    if built.iter().any(Problem::is_error) {
        return built;
    }
    let (Some(program), _) = check::compile(files, template) else { return Vec::new() };
    let names = Names::of(template);
    let mut problems = undeclared(&read.places, program.parameters(), names);
    let is_declared = |name: &String| names.find(program.parameters(), name).is_some();
    let mut parameters = read.values.clone();
    parameters.retain(|name, _| is_declared(name));
    let given = Given {
        parameters,
        parameter_places: read.value_places.clone(),
        missing: MissingParameter::Unknown,
        ..Given::default()
    };
    // A value that only Azure knows is no missing one.
    let is_deferred = |problem: &Problem| {
        let at = problem.diagnostic.span();
        let mut parameters = program.parameters().iter();
        parameters
            .any(|it| Some(it.place.span) == at && deferred.iter().any(|name| *name == *it.name))
    };
    problems.extend(check::missing(&program, &given).into_iter().filter(|it| !is_deferred(it)));
    // What Hangar could not deploy is no mistake of the values.
    let is_of_values = |it: &Problem| is_parameters_file(Path::new(&*it.file));
    problems.extend(program.start(&given).problems.into_iter().filter(is_of_values));
    problems
}
