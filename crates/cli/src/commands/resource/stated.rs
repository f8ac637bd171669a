//! The properties that were stated, and where: in a file, on standard input, or as pairs.

use std::path::Path;

use hangar_diag::Diagnostic;
use hangar_schema::json::Document;
use hangar_schema::{TypeSchema, locate};
use serde_json::Value;

use super::pairs::{Nulls, Pairs};
use crate::codes;
use crate::commands::types;
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};

/// The properties that were stated.
pub(super) struct Stated {
    text: Text,
    value: Value,
}

enum Text {
    Document { source: Source, document: Document },
    Pairs(Pairs),
}

impl Stated {
    /// Reads the arguments of `--properties`: one that is `-` or names a file is a document, all
    /// others are pairs.
    pub(super) fn read(
        given: &[String],
        schema: &TypeSchema,
        secret_paths: &[String],
        nulls: Nulls,
        inputs: &mut Inputs,
    ) -> Result<Self, Failure> {
        refuse_json(given)?;
        if let [one] = given
            && (one == "-" || Path::new(one).is_file() || looks_like_a_file(one))
        {
            return Self::of_file(Path::new(one), inputs);
        }
        let (pairs, value) = Pairs::read(given, schema, secret_paths, nulls)?;
        Ok(Self { text: Text::Pairs(pairs), value })
    }

    /// Reads a document of properties.
    pub(super) fn of_file(path: &Path, inputs: &mut Inputs) -> Result<Self, Failure> {
        let (source, document) = types::read_properties(path, inputs)?;
        let value = document.value().clone();
        Ok(Self { text: Text::Document { source, document }, value })
    }

    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Shows each diagnostic where it stands, with what is secret made unreadable.
    pub(super) fn locate(
        &self,
        schema: &TypeSchema,
        secret_paths: &[String],
        mut diagnostics: Vec<Diagnostic>,
    ) -> Vec<Report> {
        let mut hidden = hangar_schema::secret_pointers(schema, &self.value);
        hidden.extend_from_slice(secret_paths);
        for found in &mut diagnostics {
            let pointer = found.pointer.as_deref().unwrap_or_default();
            let secret = |above: &String| {
                pointer
                    .strip_prefix(above.as_str())
                    .is_some_and(|it| it.is_empty() || it.starts_with('/'))
            };
            if secret_paths.iter().any(secret) {
                found.message =
                    format!("the secret value at `{pointer}` is not allowed by the schema");
            }
        }
        hidden.extend(types::unknown_pointers(&diagnostics).map(str::to_owned));
        match &self.text {
            Text::Document { source, document } => {
                locate(&mut diagnostics, document);
                let spans = hidden.iter().filter_map(|pointer| document.span_of(pointer));
                let has_place = diagnostics.iter().any(|found| found.pointer.is_some());
                let source = has_place.then(|| source.clone().masked(spans));
                vec![Report { source, diagnostics }]
            }
            Text::Pairs(pairs) => pairs.locate(&hidden, diagnostics),
        }
    }
}

/// Refuses what was meant as a document and given as an argument. It may hold a secret, so that no
/// more of it is shown than what stands before a value.
fn refuse_json(given: &[String]) -> Result<(), Failure> {
    let is_document = |text: &str| text.trim_start().starts_with(['{', '[', '"']);
    let is_neither = |text: &str| !text.contains('=') && text.contains(':');
    let wrong = given
        .iter()
        .map(String::as_str)
        .find(|text| (is_document(text) || is_neither(text)) && !Path::new(text).is_file());
    let Some(text) = wrong else { return Ok(()) };
    let shown = match text.split([':', '=']).next() {
        Some(start) if !is_document(text) => format!("`{start}…`"),
        _ => "an argument of --properties".to_owned(),
    };
    let message = format!("{shown} is neither a file nor KEY=VALUE");
    Err(Diagnostic::error(codes::BAD_PAIR, message)
        .hint("pass JSON in a file, or on standard input: --properties -")
        .hint("or write pairs, such as CidrBlock=10.0.0.0/16")
        .into())
}

/// Whether a single argument can only be meant as a file, so that a missing one is told as such.
fn looks_like_a_file(text: &str) -> bool {
    !text.contains('=')
}
