//! `hangar lint`: what is wrong with templates, before anything is deployed.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hangar_diag::{Diagnostic, Severity, position_of};
use hangar_template::codes;
use hangar_template::deployment::{Inputs as Given, MissingParameter};
use hangar_template::parameters_file::{ParametersFile, parameters_file};
use hangar_template::program::Program;
use hangar_template::source::Problem;
use serde::Serialize;

use super::explain;
use crate::connection::{Environment, data_dir};
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::render::{counted, diagnostic, printable};
use crate::template::check;
use crate::template::files::{Files, is_parameters_file};
use crate::template::folder;
use crate::template::lint;
use crate::template::parameters::{Names, missing_template, undeclared};

/// What is looked at.
#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// Templates, parameter files, or folders of them
    ///
    /// Templates end in `.bicep` or `.json`, parameter files in `.bicepparam`.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Format of messages: pretty or line
    #[arg(long, value_name = "FORM", default_value = "pretty")]
    format: Format,
    /// Turn warnings with a code into errors (repeatable)
    ///
    /// `all` selects all codes.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    deny: Vec<String>,
    /// Hide warnings with a code (repeatable)
    ///
    /// `all` selects all codes. --allow takes precedence over --deny.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    allow: Vec<String>,
}

/// How each mistake is shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With its line of the file
    Pretty,
    /// On one line: `main.bicep(3,14) : Error BCP057: text`
    Line,
}

pub(crate) const DESCRIPTION: &str = "\
Checks templates against the Bicep language and the schemas of AWS, and applies lint rules. It
uses no server and no AWS. A parameter without a value is treated as not known yet.

`hangar explain --list` lists the rules. A `bicepconfig.json` in the folder of the file or above
sets their levels, and `#disable-next-line CODE` hides one warning.

With -o json, a list is printed with file, line, column, endLine, endColumn, code, severity,
message and hints of each message.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar lint main.bicep
  hangar lint .
  hangar lint main.bicep prod.bicepparam --format line
  hangar lint main.bicep --deny all --allow no-unused-params
  hangar lint main.bicep -o json

Exit codes:
  0  no errors; there may be warnings
  1  errors";

pub(crate) fn run(
    args: &LintArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    for code in args.deny.iter().chain(&args.allow).filter(|it| *it != ALL) {
        explain::find(code)?;
    }
    let mut reports = Vec::new();
    let files = folder::templates_of(&args.files)?;
    for file in &files {
        match look(file, environment, inputs) {
            // Where one cannot be read, the others are looked at all the same.
            Ok(found) | Err(Failure::Reported(found)) => add(&mut reports, found),
            Err(failure) => return Err(failure),
        }
    }
    weigh(args, &mut reports);
    let (mut errors, mut warnings) = (0, 0);
    for (_, found) in all(&reports) {
        *if found.is_error() { &mut errors } else { &mut warnings } += 1;
    }
    let mut left = MOST_TOLD;
    for report in &mut reports {
        report.diagnostics.truncate(left);
        left -= report.diagnostics.len();
    }
    let found: Vec<Found<'_>> = all(&reports).map(|(source, it)| Found::of(source, it)).collect();
    let width = printer.width();
    let shown = || text((args, files.len()), &reports, &found, (errors, warnings), width);
    printer.show(shown, || &found)?;
    Ok(if errors > 0 { Exit::Failure } else { Exit::Success })
}

/// Nobody reads more, and each is looked up in its text.
const MOST_TOLD: usize = 1000;

/// Stands for every code.
const ALL: &str = "all";

/// Makes errors of warnings, or leaves them out, as the command line says.
fn weigh(args: &LintArgs, reports: &mut [Report]) {
    let names = |codes: &[String], code: &str| {
        codes.iter().any(|it| it == ALL || it.eq_ignore_ascii_case(code))
    };
    for report in reports {
        report.diagnostics.retain_mut(|found| {
            let code = found.code.as_str();
            if found.is_error() {
                return true;
            }
            if names(&args.allow, code) {
                return false;
            }
            if names(&args.deny, code) {
                found.severity = Severity::Error;
            }
            true
        });
    }
}

/// Adds what was not found already: a template is looked at with each file of its parameters, too.
fn add(reports: &mut Vec<Report>, found: Vec<Report>) {
    for mut report in found {
        report.diagnostics.retain(|found| {
            let is_same = |known: &&Report| {
                known.source == report.source && known.diagnostics.contains(found)
            };
            !reports.iter().any(|known| is_same(&known))
        });
        reports.push(report);
    }
}

/// What is wrong with one file.
fn look(
    file: &Path,
    environment: &Environment,
    inputs: &mut Inputs,
) -> Result<Vec<Report>, Failure> {
    let mut files = Files::read(file, inputs)?;
    let by_rules = lint::found(&files)?;
    if is_parameters_file(file) {
        let mut found = values(&mut files, environment)?;
        found.extend(by_rules.problems);
        return Ok(with(by_rules.configs, files.reports(found)));
    }
    let (program, mut problems) = check::compile(&files, &files.entry);
    if let Some(program) = program {
        let given = Given { missing: MissingParameter::Unknown, ..Given::default() };
        problems.extend(started(&mut files, &program, &given, environment)?);
    }
    for found in by_rules.problems {
        if !problems.iter().any(|known| is_same_output(&files, known, &found)) {
            problems.push(found);
        }
    }
    Ok(with(by_rules.configs, files.reports(problems)))
}

/// Whether two warnings are about the same output with a secret: the values of a template show what the rule only
/// infers from the text.
fn is_same_output(files: &Files, known: &Problem, found: &Problem) -> bool {
    let code = found.diagnostic.code;
    if code != codes::OUTPUT_SECRETS || known.diagnostic.code != code || known.file != found.file {
        return false;
    }
    let text = files.sources.text(&found.file).unwrap_or_default();
    let line = |it: &Problem| it.diagnostic.span().map(|span| position_of(text, span.start).line);
    line(known) == line(found)
}

/// What is wrong with the configurations stands before what they are for.
fn with(mut configs: Vec<Report>, of_files: Vec<Report>) -> Vec<Report> {
    configs.extend(of_files);
    configs
}

/// What is wrong with a file of parameters, by itself and for its template.
fn values(files: &mut Files, environment: &Environment) -> Result<Vec<Problem>, Failure> {
    let known = environment.variables.some_of(&files.environment());
    let mut read = parameters_file(&files.sources, &files.entry, &known);
    read.problems.extend(missing_template(files, &read));
    let ParametersFile {
        using, places, value_places, values: mut parameters, mut problems, ..
    } = read;
    if problems.iter().any(Problem::is_error) {
        return Ok(problems);
    }
    let Some(template) = using else { return Ok(problems) };
    let (program, mistakes) = check::compile(files, &template);
    problems.extend(mistakes);
    if let Some(program) = program {
        let names = Names::of(&template);
        let undeclared = undeclared(&places, program.parameters(), names);
        parameters.retain(|name, _| names.find(program.parameters(), name).is_some());
        problems.extend(undeclared);
        // The account and the region are those of a deployment, which nobody has asked yet.
        let missing = MissingParameter::Unknown;
        let parameter_places = value_places;
        let given = Given { parameters, parameter_places, missing, ..Given::default() };
        problems.extend(check::missing(&program, &given));
        problems.extend(started(files, &program, &given, environment)?);
    }
    Ok(problems)
}

/// What is wrong with a program once it is started, and with the modules of its recipes.
fn started(
    files: &mut Files,
    program: &Program,
    given: &Given,
    environment: &Environment,
) -> Result<Vec<Problem>, Failure> {
    let checked = check::start(program, given);
    let mut problems = checked.problems;
    if let Some(deployment) = &checked.deployment {
        let data_dir = data_dir(None, environment);
        problems.extend(check::recipes(files, deployment, Some(data_dir.path()))?);
    }
    Ok(problems)
}

fn all(reports: &[Report]) -> impl Iterator<Item = (Option<&Source>, &Diagnostic)> {
    reports.iter().flat_map(|report| {
        report.diagnostics.iter().map(|diagnostic| (report.source.as_ref(), diagnostic))
    })
}

/// One mistake, for programs. Members are never left out: absent is `null`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    hints: &'a [String],
}

impl<'a> Found<'a> {
    fn of(source: Option<&'a Source>, found: &'a Diagnostic) -> Self {
        let place = source.zip(found.span());
        let start = place.map(|(source, span)| position_of(&source.text, span.start));
        let end = place.map(|(source, span)| position_of(&source.text, span.end));
        Self {
            file: source.and_then(|source| source.name.as_deref()),
            line: start.map(|at| at.line),
            column: start.map(|at| at.column),
            end_line: end.map(|at| at.line),
            end_column: end.map(|at| at.column),
            code: found.code.as_str(),
            severity: found.severity.as_str(),
            message: &found.message,
            hints: &found.hints,
        }
    }

    /// `main.bicep(3,14) : Error BCP057: text`.
    fn line(&self) -> String {
        let file = self.file.unwrap_or("-");
        let (line, column) = (self.line.unwrap_or(1), self.column.unwrap_or(1));
        let severity = if self.severity == Severity::Error.as_str() { "Error" } else { "Warning" };
        let text = format!("{file}({line},{column}) : {severity} {}: {}", self.code, self.message);
        printable(&text).into_owned()
    }
}

fn text(
    (args, files): (&LintArgs, usize),
    reports: &[Report],
    found: &[Found<'_>],
    (errors, warnings): (usize, usize),
    width: Option<usize>,
) -> String {
    match args.format {
        Format::Line => found.iter().map(|found| found.line() + "\n").collect(),
        Format::Pretty if found.is_empty() => summary(files, 0, 0),
        Format::Pretty => {
            let mut summary = summary(files, errors, warnings);
            if found.len() < errors + warnings {
                summary = format!("{summary} (first {} shown)", found.len());
            }
            format!("{}\n\n{summary}", diagnostic::to_text(reports, width))
        }
    }
}

/// `2 errors and 1 warning in 3 files`.
fn summary(files: usize, errors: usize, warnings: usize) -> String {
    let files = counted(files, "file");
    match (errors, warnings) {
        (0, 0) => format!("{files}: no problems"),
        (0, _) => format!("{} in {files}", counted(warnings, "warning")),
        (_, 0) => format!("{} in {files}", counted(errors, "error")),
        _ => {
            format!("{} and {} in {files}", counted(errors, "error"), counted(warnings, "warning"))
        }
    }
}
