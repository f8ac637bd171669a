//! The differences that are known, each with its cause and its source.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::law::{Breach, Kind};
use crate::workspace::Root;

const FILE: &str = "crates/schema/tests/truth/known.tsv";

pub(super) struct Known {
    lines: BTreeSet<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    kind: Kind,
    type_name: String,
    path: String,
}

impl Known {
    pub(super) fn read(root: &Root) -> Result<Self> {
        let text = std::fs::read_to_string(root.join(FILE))
            .with_context(|| format!("cannot read {FILE}"))?;
        let mut lines = BTreeSet::new();
        for (index, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            lines.insert(read_line(line).with_context(|| format!("{FILE}:{}", index + 1))?);
        }
        Ok(Self { lines })
    }

    /// New differences, and lines that no pair needs any more. Only the shared pairs need most of
    /// the lines, so without them no line is called superfluous.
    pub(super) fn unexplained(&self, breaches: &[Breach], has_shared: bool) -> Vec<String> {
        let seen: BTreeSet<Line> = breaches.iter().map(Line::of).collect();
        let mut found = Vec::new();
        for breach in breaches.iter().filter(|it| !self.lines.contains(&Line::of(it))) {
            let Breach { type_name, path, kind, file } = breach;
            found.push(format!("new difference: {} {type_name} {path} ({file})", kind.word()));
        }
        if has_shared {
            for Line { kind, type_name, path } in self.lines.difference(&seen) {
                let line = format!("{}\t{type_name}\t{path}", kind.word());
                found.push(format!("no longer occurs, remove from {FILE}: {line}"));
            }
        }
        found
    }
}

impl Line {
    fn of(breach: &Breach) -> Self {
        let Breach { type_name, path, kind, .. } = breach;
        Self { kind: *kind, type_name: type_name.clone(), path: path.clone() }
    }
}

fn read_line(line: &str) -> Result<Line> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [kind, type_name, path, cause, source] = fields[..] else {
        bail!("a line has five fields: kind, type, path, cause, source");
    };
    let Some(kind) = Kind::ALL.into_iter().find(|it| it.word() == kind) else {
        bail!("unknown kind `{kind}`");
    };
    if cause.is_empty() || source.is_empty() {
        bail!("a cause and a source are required");
    }
    Ok(Line { kind, type_name: type_name.to_owned(), path: path.to_owned() })
}
