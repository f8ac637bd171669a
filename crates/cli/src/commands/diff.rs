//! `hangar diff`: what an update would have to do, and why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::styling::{AnsiColor, Style};
use hangar_diag::{Diagnostic, Severity};
use hangar_plan::normal_form::Forms;
use hangar_plan::record::NormalForm;
use hangar_schema::json::{self, Document};
use hangar_schema::{
    Inputs as Compared, Operation, Outcome, Patch, Purpose, Subject, TypeSchema, locate, patch,
    target, validate, without_secrets,
};
use serde::Serialize;
use serde_json::Value;

use super::types;
use crate::client::learned::{LearnedForm, NoHashes, brief};
use crate::codes;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::render::{counted, printable};

/// What is compared.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Resource type, such as `AWS.EC2/VPC`
    #[arg(long = "type", value_name = "TYPE", required_unless_present = "schema")]
    type_name: Option<String>,
    /// Use this schema file instead of the bundled one
    #[arg(long, value_name = "FILE", conflicts_with = "type_name")]
    schema: Option<PathBuf>,
    /// Current properties as JSON, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    live: PathBuf,
    /// Desired properties as JSON; null removes a member
    #[arg(long, value_name = "FILE")]
    desired: PathBuf,
    /// Properties of the last write, as JSON
    ///
    /// Write-only members have their plain values.
    #[arg(long, value_name = "FILE")]
    applied: Option<PathBuf>,
    /// AWS's forms of sent values, as JSON
    ///
    /// The list `learned` that `hangar resource show -o json` prints, or the whole answer.
    #[arg(long, value_name = "FILE")]
    learned: Option<PathBuf>,
    /// Exit with 2 if the patch is not empty
    #[arg(long)]
    exit_code: bool,
}

pub(crate) const DESCRIPTION: &str = "\
Prints the patch (RFC 6902) that changes the live properties to the desired ones, by the rules of
the type's schema. It uses no server and no AWS. docs/patch.md describes the rules.";

pub(crate) const EXAMPLES: &str = r"Examples:
  hangar diff --type AWS.EC2/VPC --live live.json --desired desired.json
  hangar diff --type AWS.EC2/VPC --live live.json --desired new.json \
    --applied old.json -o json

  # Compare with the properties that AWS returns
  aws cloudcontrol get-resource --type-name AWS::EC2::VPC --identifier vpc-1 \
    --query ResourceDescription.Properties --output text |
    hangar diff --type AWS.EC2/VPC --live - --desired desired.json

Exit codes:
  0  success, with or without differences
  1  error
  2  the patch is not empty (only with --exit-code)";

pub(crate) fn run(
    args: &DiffArgs,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let schema = match (&args.type_name, &args.schema) {
        (_, Some(path)) => types::from_file(path, inputs)?,
        (Some(name), None) => types::bundled(name)?,
        (None, None) => unreachable_by_usage()?,
    };
    let (_, live) = types::read_properties(&args.live, inputs)?;
    let (source, desired) = types::read_properties(&args.desired, inputs)?;
    let applied = match &args.applied {
        Some(path) => Some(types::read_properties(path, inputs)?.1),
        None => None,
    };
    let compared = Compared {
        live: live.value(),
        desired: desired.value(),
        applied: applied.as_ref().map(Document::value),
    };
    let source = types::without_secrets(&schema, source, &desired);
    let learned = match &args.learned {
        Some(path) => read_forms(path, inputs)?,
        None => Vec::new(),
    };
    let forms = Forms { schema: &schema, forms: &learned, hashes: &NoHashes };
    let compare = |live: &Value| patch(&schema, &Compared { live, ..compared });
    let (found, used) =
        forms.compare(compared.desired, compared.live, compare, |it| it.as_ref().ok());
    let patch = match found {
        Ok(patch) => patch,
        Err(mistakes) => return Err(refused(mistakes, source, &desired)),
    };
    let doubts = doubts(&schema, live.value(), &patch, &desired);
    if !doubts.is_empty() {
        printer.warn(&[Report { source: Some(source), diagnostics: doubts }]);
    }
    printer.show(
        || describe(&schema, live.value(), &patch, &used),
        || Answer { learned: used.clone(), ..Answer::of(&patch) },
    )?;
    let is_change = patch.outcome != Outcome::Noop;
    Ok(if args.exit_code && is_change { Exit::Changes } else { Exit::Success })
}

/// What stands in the way, shown where it stands in desired; a mistake in the choice of type
/// stands nowhere.
fn refused(mut mistakes: Vec<Diagnostic>, source: Source, desired: &Document) -> Failure {
    locate(&mut mistakes, desired);
    let has_place = mistakes.iter().any(|mistake| mistake.pointer.is_some());
    Failure::Reported(vec![Report { source: has_place.then_some(source), diagnostics: mistakes }])
}

/// What AWS may refuse of the document that an update would make: a comparison is right all the
/// same, so these are warnings.
fn doubts(schema: &TypeSchema, live: &Value, patch: &Patch, desired: &Document) -> Vec<Diagnostic> {
    if patch.outcome != Outcome::Update {
        return Vec::new();
    }
    let merged = target(live, patch);
    let mut found = validate(schema, &merged, Purpose::Merged);
    let already = validate(schema, live, Purpose::Merged);
    // What live has of its own, or spells in its own way, is not the user's to mend.
    found.retain(|doubt| {
        if already.contains(doubt) {
            return false;
        }
        let Some(pointer) = doubt.pointer.as_deref() else { return false };
        match (desired.value().pointer(pointer), merged.pointer(pointer)) {
            (Some(Value::Object(_)), Some(Value::Object(_))) => true,
            (stated, shown) => stated.is_some() && stated == shown,
        }
    });
    for doubt in &mut found {
        doubt.severity = Severity::Warning;
    }
    locate(&mut found, desired);
    found
}

/// The parser requires one of the two; this only keeps the match honest.
fn unreachable_by_usage() -> Result<TypeSchema, Failure> {
    Err(anyhow::anyhow!("neither --type nor --schema was passed").into())
}

/// What `-o json` prints.
#[derive(Serialize)]
struct Answer {
    outcome: &'static str,
    patch: Value,
    reasons: Vec<Because>,
    explain: Vec<Explained>,
    /// Where live has a learned form of the desired value.
    learned: Vec<String>,
}

#[derive(Serialize)]
struct Because {
    path: String,
    reason: &'static str,
}

#[derive(Serialize)]
struct Explained {
    path: String,
    rule: &'static str,
    message: &'static str,
    /// `add` or `remove`; `within` for a part of an array that is added whole; null where nothing
    /// is done.
    operation: Option<&'static str>,
}

impl Answer {
    fn of(patch: &Patch) -> Self {
        let reasons = patch.reasons.iter();
        let explanations = patch.explanations.iter();
        Self {
            outcome: patch.outcome.as_str(),
            patch: patch.to_json(),
            reasons: reasons
                .map(|reason| Because { path: reason.path.clone(), reason: reason.cause.text() })
                .collect(),
            explain: explanations
                .map(|explanation| Explained {
                    path: explanation.path.clone(),
                    rule: explanation.rule.name(),
                    message: explanation.rule.text(),
                    operation: match explanation.subject {
                        Subject::Add => Some("add"),
                        Subject::Remove => Some("remove"),
                        Subject::Within => Some("within"),
                        Subject::Suppressed => None,
                    },
                })
                .collect(),
            learned: Vec::new(),
        }
    }
}

/// The learned forms in a file: a list, or an answer of `hangar resource show`.
fn read_forms(path: &Path, inputs: &mut Inputs) -> Result<Vec<NormalForm>, Failure> {
    let source = inputs.read(path)?;
    let document = match json::read(&source.text) {
        Ok(document) => document,
        Err(mistake) => return Err(Failure::in_source(source, vec![mistake])),
    };
    // A resource of which nothing was learned has no such member.
    let listed = match document.value() {
        Value::Object(members) => {
            members.get("learned").cloned().unwrap_or(Value::Array(Vec::new()))
        }
        other => other.clone(),
    };
    let forms: Vec<LearnedForm> = serde_json::from_value(listed).map_err(|error| {
        let message = format!("not a list of learned forms: {error}");
        let mistake = Diagnostic::error(codes::NOT_LEARNED_FORMS, message)
            .pointer("")
            .hint("pass the output of `hangar resource show -o json`, or its list `learned`");
        Failure::in_source(source, vec![mistake])
    })?;
    Ok(forms.iter().filter_map(LearnedForm::to_normal_form).collect())
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const SET: Style = AnsiColor::Yellow.on_default();
const REMOVE: Style = AnsiColor::Red.on_default();
const REPLACE: Style = AnsiColor::Magenta.on_default();

/// The answer for people. Write-only values are not shown: a terminal is not the place for them.
fn describe(schema: &TypeSchema, live: &Value, patch: &Patch, learned: &[String]) -> String {
    let mut text = String::new();
    let name = types::our_spelling(schema.name());
    let headline = match patch.outcome {
        Outcome::Noop => format!("{name}: nothing to do"),
        Outcome::Update => {
            format!("{name}: update, {}", counted(patch.operations.len(), "operation"))
        }
        Outcome::ReplaceRequired => format!("{name}: replacement required"),
    };
    let _ = writeln!(text, "{BOLD}{headline}{BOLD:#}");
    for reason in &patch.reasons {
        let (path, cause) = (printable(&reason.path), reason.cause.text());
        let _ = writeln!(text, "  {REPLACE}± {path}{REPLACE:#}: {cause}");
    }
    let shown = without_secrets(schema, &target(live, patch));
    for operation in &patch.operations {
        let rule = patch.explanations.iter().find(|explanation| {
            matches!(explanation.subject, Subject::Add | Subject::Remove)
                && explanation.path == operation.path()
        });
        let why = rule.map(|explanation| explanation.rule.text()).unwrap_or_default();
        let _ = writeln!(text, "  {}\n      {why}", operation_line(operation, &shown));
        let inside = patch.explanations.iter().filter(|explanation| {
            explanation.subject == Subject::Within && explanation.path.starts_with(operation.path())
        });
        for explanation in inside {
            let path = printable(&explanation.path);
            let _ = writeln!(text, "      {path}: {}", explanation.rule.text());
        }
    }
    let suppressed: Vec<_> = patch
        .explanations
        .iter()
        .filter(|explanation| explanation.subject == Subject::Suppressed)
        .collect();
    if !suppressed.is_empty() || !learned.is_empty() {
        let _ = writeln!(text, "\nUnchanged:");
        for explanation in suppressed {
            let path = if explanation.path.is_empty() { "(document)" } else { &explanation.path };
            let path = printable(path);
            let _ = writeln!(text, "  {DIM}= {path}: {}{DIM:#}", explanation.rule.text());
        }
    }
    for path in learned {
        let path = printable(path);
        let _ = writeln!(text, "  {DIM}= {path}: AWS's learned form of the desired value{DIM:#}");
    }
    text
}

fn operation_line(operation: &Operation, shown: &Value) -> String {
    match operation {
        Operation::Remove { path } => {
            let path = printable(path);
            format!("{REMOVE}- {path}{REMOVE:#}")
        }
        Operation::Add { path, .. } => {
            let value = shown.pointer(path).map_or_else(|| "«write-only»".to_owned(), brief);
            let path = printable(path);
            format!("{SET}~ {path}{SET:#} = {value}")
        }
    }
}
