//! Pairs of what was declared and what AWS returned, as other people recorded them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace::Root;

/// One recorded resource.
pub(super) struct Pair {
    /// The name of the recording, for messages.
    pub(super) file: String,
    /// The resource type in CloudFormation's spelling.
    pub(super) type_name: String,
    /// The properties that a template stated.
    pub(super) declared: Value,
    /// The properties that `GetResource` returned.
    pub(super) live: Value,
}

/// The project's own pairs.
pub(super) fn own(root: &Root) -> Result<Vec<Pair>> {
    read(&root.join("crates/schema/tests/truth/pairs.ndjson"))
}

/// The file with the shared pairs, if it is present.
pub(super) fn shared_file(root: &Root) -> Option<PathBuf> {
    let file = root.join("../shared/fixtures/aws-reads/reads.ndjson");
    file.exists().then_some(file)
}

/// The pairs of a file that Cloud Control read, that are whole, and that did not drift.
pub(super) fn read(file: &Path) -> Result<Vec<Pair>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut pairs = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line)
            .with_context(|| format!("{}:{} is not JSON", file.display(), index + 1))?;
        if is_witness(&row) {
            pairs.push(pair(&row).with_context(|| format!("{}:{}", file.display(), index + 1))?);
        }
    }
    if pairs.is_empty() {
        bail!("{} has no pair that Cloud Control read whole and without drift", file.display());
    }
    Ok(pairs)
}

/// Whether the read shows what AWS makes of the declaration, and nothing else.
fn is_witness(row: &Value) -> bool {
    let is_whole = !row["unresolved"].as_bool().unwrap_or(false);
    let has_drift = row["driftedPaths"].as_array().is_some_and(|paths| !paths.is_empty());
    row["reader"] == "cloudcontrol" && is_whole && !has_drift
}

fn pair(row: &Value) -> Result<Pair> {
    let text = |name: &str| -> Result<String> {
        Ok(row[name].as_str().with_context(|| format!("`{name}` is not a text"))?.to_owned())
    };
    Ok(Pair {
        file: text("file")?,
        type_name: text("type")?,
        declared: row["declared"].clone(),
        live: row["live"].clone(),
    })
}
