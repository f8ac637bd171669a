//! `hangar schema check`: would AWS take these properties?

use std::path::Path;

use hangar_diag::Diagnostic;
use hangar_schema::{Purpose, locate, validate};
use serde::Serialize;

use crate::commands::types;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;
use crate::render::counted;

pub(crate) const DESCRIPTION: &str = "\
An error is a value that AWS certainly rejects. A value that the schema cannot prove wrong is a
warning.";

pub(crate) const EXAMPLES: &str = r#"Examples:
  hangar schema check AWS.EC2/VPC vpc.json
  echo '{"CidrBlok": "10.0.0.0/16"}' | hangar schema check AWS.EC2/VPC -

Exit codes:
  0  no errors; there may be warnings
  1  errors"#;

/// What `-o json` prints when there is no error; warnings go to stderr.
#[derive(Serialize)]
struct Checked<'a> {
    r#type: &'a str,
    valid: bool,
    warnings: usize,
}

pub(crate) fn run(
    type_name: &str,
    file: &Path,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let schema = types::bundled(type_name)?;
    let (source, document) = types::read_properties(file, inputs)?;
    let mut found = validate(&schema, document.value(), Purpose::Desired);
    locate(&mut found, &document);
    let source = types::without_secrets(&schema, source, &document);
    if found.iter().any(Diagnostic::is_error) {
        return Err(Failure::in_source(source, found));
    }
    let warnings = found.len();
    if warnings > 0 {
        printer.warn(&[Report { source: Some(source), diagnostics: found }]);
    }
    let name = types::our_spelling(schema.name());
    printer.show(
        || match warnings {
            0 => format!("{name}: valid"),
            count => format!("{name}: valid, {}", counted(count, "warning")),
        },
        || Checked { r#type: &name, valid: true, warnings },
    )?;
    Ok(Exit::Success)
}
