//! Public Bicep files, compared with the JSON that Bicep's own compiler made of them.
//!
//! Each case that is not equal has a line in the list of known differences: a new one fails the run, and so does a
//! line that is no longer needed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use hangar_template::arm::build;
use hangar_template::source::{Problem, Sources};
use serde_json::Value;

use super::difference::{Difference, differences};
use super::list_form::{is_list_form, put_into_common_form};
use crate::workspace::Root;

pub(super) const DEFAULT_FROM: &str = "../shared/fixtures/bicep-public";
/// One case per line: its name, what became of it, and why.
const KNOWN: &str = "xtask/conformance/bicep-public-known.txt";

pub(super) enum Outcome {
    Equal,
    /// Why there is no template.
    Refused(String),
    /// The first places where it has another meaning.
    Differs(Vec<Difference>),
}

/// The cases of a folder with their outcomes, by name.
pub(super) struct Compared {
    outcomes: BTreeMap<String, Outcome>,
}

/// Builds each `NAME/main.bicep` and compares it with `NAME/main.json`.
pub(super) fn compare_all(from: &Path, wanted: Option<&str>) -> Result<Compared> {
    let mut outcomes = BTreeMap::new();
    for entry in fs::read_dir(from).into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && wanted.is_none_or(|it| name.contains(it)) {
            outcomes.insert(name, compare(&path)?);
        }
    }
    Ok(Compared { outcomes })
}

fn compare(folder: &Path) -> Result<Outcome> {
    let mut sources = Sources::default();
    let text = folder.join("main.bicep");
    let text = fs::read(&text).with_context(|| format!("cannot read {}", text.display()))?;
    sources.insert("main.bicep".to_owned(), text);
    let built = build(&sources, "main.bicep");
    let Some(template) = built.template else {
        let error = built.problems.into_iter().find(Problem::is_error);
        let why = error.map(|it| format!("{}: {}", it.diagnostic.code, it.diagnostic.message));
        return Ok(Outcome::Refused(why.unwrap_or_default()));
    };
    let golden = folder.join("main.json");
    let text =
        fs::read_to_string(&golden).with_context(|| format!("cannot read {}", golden.display()))?;
    let mut wanted: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .with_context(|| format!("{} is not JSON", golden.display()))?;
    let mut got: Value =
        serde_json::from_str(&template).context("the compiled template is not JSON")?;
    if is_list_form(&wanted) {
        put_into_common_form(&mut wanted);
        put_into_common_form(&mut got);
    }
    let found = differences(&wanted, &got);
    Ok(if found.is_empty() { Outcome::Equal } else { Outcome::Differs(found) })
}

impl Compared {
    /// How many cases are built to another meaning than that of a current golden: `build` must refuse instead.
    fn wrong(&self, known: &Known) -> usize {
        let is_stale =
            |name: &str| known.lines.get(name).is_some_and(|line| line.kind == Kind::Stale);
        let differing =
            self.outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Differs(_)));
        differing.filter(|(name, _)| !is_stale(name)).count()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    pub(super) fn outcomes(&self) -> impl Iterator<Item = (&String, &Outcome)> {
        self.outcomes.iter()
    }

    pub(super) fn summary(&self, known: &Known) -> String {
        let (equal, all) = self.self_contained(known);
        let count = |is_wanted: fn(&Outcome) -> bool| {
            self.outcomes.values().filter(|it| is_wanted(it)).count()
        };
        format!(
            "{} of {} public files equal, {} differ, {} refused; {equal} of {all} self-contained files equal \
             ({}), {} built with another meaning",
            count(|it| matches!(it, Outcome::Equal)),
            self.outcomes.len(),
            count(|it| matches!(it, Outcome::Differs(_))),
            count(|it| matches!(it, Outcome::Refused(_))),
            percentage(equal, all),
            self.wrong(known),
        )
    }

    /// How many files were compared that can be compiled without anything that is only in Azure or a registry, and whose
    /// golden is current; and how many of these are equal.
    fn self_contained(&self, known: &Known) -> (usize, usize) {
        let is_counted = |name: &str| {
            let kind = known.lines.get(name).map(|line| line.kind);
            !matches!(kind, Some(Kind::Stale | Kind::Refused))
        };
        let counted = self.outcomes.iter().filter(|(name, _)| is_counted(name));
        let (mut equal, mut all) = (0, 0);
        for (_, outcome) in counted {
            all += 1;
            equal += usize::from(matches!(outcome, Outcome::Equal));
        }
        (equal, all)
    }

    /// Each cause of a case that is not equal, with the number of its cases.
    pub(super) fn causes(&self, known: &Known) -> Vec<String> {
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (name, outcome) in &self.outcomes {
            let kind = match outcome {
                Outcome::Equal => continue,
                Outcome::Refused(_) => "refused",
                Outcome::Differs(_) => "differs",
            };
            let reason = known.reason(name).unwrap_or("unexplained");
            *counts.entry((kind, reason)).or_default() += 1;
        }
        let line =
            |((kind, reason), count): (&(&str, &str), &usize)| format!("{count} {kind}: {reason}");
        counts.iter().map(line).collect()
    }

    /// How the outcomes depart from the list of known differences.
    pub(super) fn unexplained(&self, known: &Known) -> Vec<String> {
        let mut found = Vec::new();
        for (name, outcome) in &self.outcomes {
            let line = known.lines.get(name);
            match (outcome, line.map(|it| it.kind)) {
                (Outcome::Equal, None)
                | (Outcome::Differs(_), Some(Kind::Stale))
                | (Outcome::Refused(_), Some(Kind::Refused)) => {}
                (Outcome::Equal, Some(_)) => {
                    found.push(format!("{name} is equal now: remove its line from {KNOWN}"));
                }
                (Outcome::Differs(_), _) => found.push(format!("{name} differs")),
                (Outcome::Refused(why), _) => found.push(format!("{name} is refused: {why}")),
            }
        }
        found
    }
}

/// `95.3 %`, rounded down: it never claims more than there is.
pub(super) fn percentage(part: usize, all: usize) -> String {
    let tenths = (part * 1_000).checked_div(all).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Why a case is not equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The golden is older than its source, or of a compiler with other rules.
    Stale,
    /// Something that only Azure's catalogue of types or a registry has is needed.
    Refused,
}

struct Line {
    kind: Kind,
    reason: String,
}

/// The list of known differences.
pub(super) struct Known {
    lines: BTreeMap<String, Line>,
}

impl Known {
    pub(super) fn read(root: &Root) -> Result<Self> {
        let text =
            fs::read_to_string(root.join(KNOWN)).with_context(|| format!("cannot read {KNOWN}"))?;
        let mut lines = BTreeMap::new();
        for line in text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            let (name, kind, reason) = (words.next(), words.next(), words.next());
            let kind = match kind {
                Some("stale") => Kind::Stale,
                Some("refused") => Kind::Refused,
                _ => bail!("{KNOWN}: `{line}` is not `CASE stale|refused REASON`"),
            };
            let (Some(name), Some(reason)) = (name, reason) else {
                bail!("{KNOWN}: `{line}` has no reason")
            };
            lines.insert(name.to_owned(), Line { kind, reason: reason.to_owned() });
        }
        Ok(Self { lines })
    }

    pub(super) fn reason(&self, name: &str) -> Option<&str> {
        self.lines.get(name).map(|it| it.reason.as_str())
    }
}
