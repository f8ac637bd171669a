//! Templates of Bicep, compared with what the compiler of Bicep made of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use hangar_template::arm::build;
use hangar_template::source::Sources;

use super::difference::{Difference, differences};
use super::public::{self, Known};
use crate::workspace::Root;

/// Compile Bicep and compare with the Bicep compiler's output
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder with the cases, relative to the repository root
    #[arg(long, value_name = "DIR", default_value = DEFAULT_FROM)]
    from: PathBuf,
    /// Folder with the public files, relative to the repository root
    #[arg(long, value_name = "DIR", default_value = public::DEFAULT_FROM)]
    public: PathBuf,
    /// Run only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
    /// Print every difference of a case, not only the first
    #[arg(long)]
    all: bool,
    /// Write the list of equal cases
    #[arg(long)]
    write: bool,
}

/// Beside the repository, as the project's material lies.
const DEFAULT_FROM: &str = "../shared/fixtures/bicep";
const FOLDERS: [&str; 3] = ["compile-baseline", "compile-extension", "compile-real"];
/// The cases that are equal: one that no longer is fails the run.
const EQUAL: &str = "xtask/conformance/bicep-equal.txt";
/// How many of a hundred have to be equal.
const LEAST: usize = 90;

/// Why a case may differ, by the beginning of its name.
const ACCEPTED: &[(&str, &str)] = &[
    (
        "compile-extension/radius-",
        "written by an older compiler for a separate engine: languageVersion 2.1-experimental, another version \
         of deployments, the import named `Radius`",
    ),
    ("compile-baseline/LoadFunctions_CRLF/", "JSONPath conditions are not supported yet"),
];

struct Case {
    name: String,
    /// Of this folder all files can be read.
    root: PathBuf,
    entry: String,
    golden: PathBuf,
}

/// What came of all cases.
struct Compared {
    cases: Vec<Case>,
    /// In the order of the cases.
    outcomes: Vec<Outcome>,
}

pub(crate) fn run(options: &Options, root: &Root) -> Result<ExitCode> {
    let is_good = run_own(options, root)?;
    let is_public_good = run_public(options, root)?;
    Ok(if is_good && is_public_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether the cases of the project's own folder are as equal as they were.
fn run_own(options: &Options, root: &Root) -> Result<bool> {
    let compared = compared(&root.join(&options.from), options.case.as_deref())?;
    if compared.cases.is_empty() {
        println!("skipped: no cases in {}", options.from.display());
        return Ok(true);
    }
    for (case, outcome) in compared.cases.iter().zip(&compared.outcomes) {
        tell(case, outcome, options.all);
    }
    println!();
    for folder in FOLDERS {
        let (equal, all) = compared.count(folder);
        println!("{folder}: {equal} of {all} equal");
    }
    println!("{}", compared.summary());
    if options.write {
        let mut text = compared.equal().join("\n");
        text.push('\n');
        fs::write(root.join(EQUAL), text).with_context(|| format!("cannot write {EQUAL}"))?;
        return Ok(true);
    }
    // A part of the cases proves nothing about all of them.
    let lost = if options.case.is_some() { Vec::new() } else { compared.lost(root)? };
    for case in &lost {
        println!("no longer equal: {case}");
    }
    Ok(options.case.is_some() || lost.is_empty() && compared.is_enough())
}

/// Whether each difference of the public files is a known one.
fn run_public(options: &Options, root: &Root) -> Result<bool> {
    let compared = public::compare_all(&root.join(&options.public), options.case.as_deref())?;
    if compared.is_empty() {
        println!("skipped: no cases in {}", options.public.display());
        return Ok(true);
    }
    let known = Known::read(root)?;
    println!();
    for (name, outcome) in compared.outcomes() {
        match outcome {
            public::Outcome::Equal => continue,
            public::Outcome::Refused(why) => println!("{name}\n  refused: {why}"),
            public::Outcome::Differs(found) => {
                println!("{name}");
                print_differences(found, options.all);
            }
        }
        if let Some(reason) = known.reason(name) {
            println!("  known: {reason}");
        }
    }
    println!();
    for line in compared.causes(&known) {
        println!("{line}");
    }
    println!("{}", compared.summary(&known));
    let unexplained = compared.unexplained(&known);
    for line in &unexplained {
        println!("unexplained: {line}");
    }
    Ok(options.case.is_some() || unexplained.is_empty())
}

pub(super) fn check(root: &Root) -> Result<Option<String>> {
    let mut summaries = Vec::new();
    let compared = compared(&root.join(DEFAULT_FROM), None)?;
    if !compared.cases.is_empty() {
        let lost = compared.lost(root)?;
        if !lost.is_empty() || !compared.is_enough() {
            let lost = lost.join(", ");
            bail!(
                "{}; no longer equal: {lost}; run `cargo xtask conformance bicep`",
                compared.summary()
            );
        }
        summaries.push(compared.summary());
    }
    let compared = public::compare_all(&root.join(public::DEFAULT_FROM), None)?;
    if !compared.is_empty() {
        let known = Known::read(root)?;
        let unexplained = compared.unexplained(&known);
        if !unexplained.is_empty() {
            let unexplained = unexplained.join(", ");
            let summary = compared.summary(&known);
            bail!("{summary}; unexplained: {unexplained}; run `cargo xtask conformance bicep`");
        }
        summaries.push(compared.summary(&known));
    }
    Ok((!summaries.is_empty()).then(|| summaries.join("; ")))
}

fn compared(from: &Path, wanted: Option<&str>) -> Result<Compared> {
    let mut cases = Vec::new();
    for folder in FOLDERS {
        find(from, &from.join(folder), &mut cases);
    }
    cases.retain(|it| wanted.is_none_or(|wanted| it.name.contains(wanted)));
    let outcomes = cases.iter().map(compare).collect::<Result<_>>()?;
    Ok(Compared { cases, outcomes })
}

impl Compared {
    fn equal(&self) -> Vec<&str> {
        let all = self.cases.iter().zip(&self.outcomes);
        all.filter(|(_, it)| matches!(it, Outcome::Equal)).map(|(it, _)| it.name.as_str()).collect()
    }

    /// How many of a folder are equal, and how many there are.
    fn count(&self, folder: &str) -> (usize, usize) {
        let is_in = |name: &str| name.split('/').next() == Some(folder);
        let all = self.cases.iter().filter(|it| is_in(&it.name)).count();
        (self.equal().into_iter().filter(|it| is_in(it)).count(), all)
    }

    fn summary(&self) -> String {
        format!("{} of {} equal", self.equal().len(), self.cases.len())
    }

    fn is_enough(&self) -> bool {
        self.equal().len() * 100 >= self.cases.len() * LEAST
    }

    /// The cases that were equal once and are no longer.
    fn lost(&self, root: &Root) -> Result<Vec<String>> {
        let known =
            fs::read_to_string(root.join(EQUAL)).with_context(|| format!("cannot read {EQUAL}"))?;
        let equal = self.equal();
        Ok(known.lines().filter(|it| !equal.contains(it)).map(str::to_owned).collect())
    }
}

/// Every template below a folder that has a golden beside it.
fn find(from: &Path, folder: &Path, cases: &mut Vec<Case>) {
    for path in files(folder) {
        if path.extension().is_none_or(|it| it != "bicep") {
            continue;
        }
        let symbolic = path.with_extension("symbolicnames.json");
        // The older form is compared only where there is no other.
        let has_array_form = !symbolic.exists() && folder.ends_with("compile-extension");
        let golden = if has_array_form { path.with_extension("json") } else { symbolic };
        if !golden.exists() {
            continue;
        }
        let name = path.strip_prefix(from).unwrap_or(&path).with_extension("");
        let mut parts = name.components();
        let root: PathBuf = parts.by_ref().take(2).collect();
        let entry = parts.as_path().with_extension("bicep");
        cases.push(Case {
            name: name.to_string_lossy().into_owned(),
            root: from.join(root),
            entry: entry.to_string_lossy().into_owned(),
            golden,
        });
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

enum Outcome {
    Equal,
    Refused(String),
    Differs(Vec<Difference>),
}

fn compare(case: &Case) -> Result<Outcome> {
    let mut sources = Sources::default();
    for path in files(&case.root) {
        let name = path.strip_prefix(&case.root).unwrap_or(&path).to_string_lossy().into_owned();
        sources.insert(
            name,
            fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?,
        );
    }
    let built = build(&sources, &case.entry);
    let Some(template) = built.template else {
        let first = built.problems.into_iter().find(hangar_template::source::Problem::is_error);
        let why = first.map_or_else(String::new, |it| {
            let at = it.diagnostic.span().map_or(0, |span| span.start);
            format!("{} at byte {at}: {}", it.file, it.diagnostic.message)
        });
        return Ok(Outcome::Refused(why));
    };
    let golden = fs::read_to_string(&case.golden)?;
    let wanted = serde_json::from_str(golden.trim_start_matches('\u{feff}'))
        .with_context(|| format!("{} is not JSON", case.golden.display()))?;
    let got = serde_json::from_str(&template).context("the printed template is not JSON")?;
    let found = differences(&wanted, &got);
    Ok(if found.is_empty() { Outcome::Equal } else { Outcome::Differs(found) })
}

fn tell(case: &Case, outcome: &Outcome, all: bool) {
    if !matches!(outcome, Outcome::Equal) {
        println!("{}", case.name);
    }
    match outcome {
        Outcome::Equal => return,
        Outcome::Refused(why) => println!("  refused: {why}"),
        Outcome::Differs(found) => print_differences(found, all),
    }
    let reason = ACCEPTED.iter().find(|(name, _)| case.name.starts_with(name));
    if let Some((_, reason)) = reason {
        println!("  accepted: {reason}");
    }
}

fn print_differences(found: &[Difference], all: bool) {
    let shown = if all { found.len() } else { 1 };
    for difference in found.iter().take(shown) {
        println!("  at {}", difference.pointer);
        println!("    wanted {}", shortened(difference.wanted.as_deref()));
        println!("    got    {}", shortened(difference.got.as_deref()));
    }
    if found.len() > shown {
        println!("  and {} more", found.len() - shown);
    }
}

fn shortened(value: Option<&str>) -> String {
    const MOST: usize = 300;
    let Some(value) = value else { return "nothing".to_owned() };
    if value.chars().count() <= MOST {
        return value.to_owned();
    }
    let start: String = value.chars().take(MOST).collect();
    format!("{start}…")
}
