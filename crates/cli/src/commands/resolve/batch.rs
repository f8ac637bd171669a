//! `hangar resolve --batch`: manifests that are in no file, from another program and back to it, in JSON.

use std::path::Path;

use hangar_diag::Diagnostic;
use serde::Deserialize;

use super::report::Resolution;
use crate::codes;
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::resolve::how::HowArgs;
use crate::resolve::manifests::Manifests;
use crate::resolve::whole::{self, LockScope};

#[derive(Debug, Deserialize)]
struct Batch {
    manifests: Vec<Given>,
}

#[derive(Debug, Deserialize)]
struct Given {
    file: String,
    text: String,
}

/// Answers in the shape of `-o json`.
pub(super) fn run(
    how: &HowArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let source = inputs.read(Path::new("-"))?;
    let batch: Batch = serde_json::from_str(&source.text).map_err(|error| {
        let message = format!("standard input is not a batch of manifests: {error}");
        Diagnostic::error(codes::NOT_A_BATCH, message)
            .hint("write {\"manifests\": [{\"file\": \"a.yaml\", \"text\": \"…\"}]}; to read a manifest itself, omit \
                --batch")
    })?;
    let given = batch.manifests.into_iter();
    let manifests =
        Manifests::of_texts(given.map(|it| Source { name: Some(it.file), text: it.text }));
    let asked = whole::ask(&manifests, how, environment, printer, inputs)?;
    let whole = asked.whole(how, LockScope::Part, printer)?;
    let answer = serde_json::to_vec(&Resolution::of(&manifests, &whole));
    printer.bytes(&answer.map_err(anyhow::Error::from)?)?;
    Ok(Exit::Success)
}
