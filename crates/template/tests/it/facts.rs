//! What Bicep's own compiler reports about broken files, where lexer and parser alone can tell.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hangar_diag::Diagnostic;
use hangar_template::program::{Reporting, compile_reporting};
use hangar_template::source::Sources;
use hangar_template::syntax::ast::{File, Statement};
use hangar_template::syntax::{Dialect, parse};
use serde_json::Value;

use crate::compiles::sources_of;
use crate::corpus::FIXTURES;

/// The codes that need no binding and no types.
const CODES: &[&str] = &[
    "BCP001", "BCP002", "BCP003", "BCP004", "BCP005", "BCP006", "BCP007", "BCP008", "BCP009",
    "BCP010", "BCP012", "BCP013", "BCP015", "BCP016", "BCP017", "BCP018", "BCP019", "BCP020",
    "BCP022", "BCP023", "BCP024", "BCP064", "BCP068", "BCP096", "BCP097", "BCP103", "BCP117",
    "BCP118", "BCP123", "BCP133", "BCP140", "BCP162", "BCP167", "BCP201", "BCP202", "BCP226",
    "BCP236", "BCP238", "BCP243", "BCP249", "BCP257", "BCP266", "BCP279", "BCP325", "BCP337",
    "BCP344", "BCP346", "BCP347",
];

/// The codes that need names and no types, where Bicep's files use nothing that is not supported yet.
const NAMES: &[&str] = &[
    "BCP025", "BCP028", "BCP072", "BCP079", "BCP080", "BCP099", "BCP124", "BCP145", "BCP166",
    "BCP168", "BCP242", "BCP302",
];

/// How many of the errors are found at least.
const LEAST_PERCENT: usize = 82;

/// A place as the facts have it: line, and columns in that line as UTF-16 code units.
type Fact = (u64, u64, u64, String);

#[test]
fn mistakes_are_those_that_bicep_reports_in_code_and_span() {
    let Ok(cases) = fs::read_dir(Path::new(FIXTURES).join("diagnostics")) else {
        println!("skipped: mistakes_are_those_that_bicep_reports_in_code_and_span (no ../shared)");
        return;
    };
    let (mut expected, mut matched, mut extra) = (0, 0, 0);
    for case in cases {
        let folder = case.unwrap().path();
        let text = fs::read_to_string(folder.join("main.bicep")).unwrap();
        let facts = fs::read_to_string(folder.join("diagnostics.json")).unwrap();
        let facts = stated(&serde_json::from_str(&facts).unwrap(), CODES);
        let found = found(&text);
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        expected += facts.len();
        matched += facts.intersection(&found).count();
        extra += found.difference(&facts).count();
        for fact in facts.difference(&found) {
            println!("missing {name}: {fact:?}");
        }
        for fact in found.difference(&facts) {
            println!("ours alone {name}: {fact:?}");
        }
    }
    println!("{matched} of {expected} facts match in code and span; {extra} are ours alone");
    assert!(expected > 200);
    assert!(matched * 100 >= expected * 99, "{matched} of {expected}");
    assert!(extra == 0, "{extra} mistakes that Bicep does not see");
}

#[test]
fn names_are_bound_as_bicep_binds_them() {
    let Ok(cases) = fs::read_dir(Path::new(FIXTURES).join("diagnostics")) else {
        println!("skipped: names_are_bound_as_bicep_binds_them (no ../shared)");
        return;
    };
    let (mut expected, mut matched, mut extra) = (0, 0, 0);
    for case in cases {
        let folder = case.unwrap().path();
        let text = fs::read_to_string(folder.join("main.bicep")).unwrap();
        let facts = fs::read_to_string(folder.join("diagnostics.json")).unwrap();
        let facts = stated(&serde_json::from_str(&facts).unwrap(), NAMES);
        let sources = Sources::of("main.bicep", text.as_bytes());
        let problems = compile_reporting(&sources, "main.bicep", Reporting::AsBicep).problems;
        let diagnostics = problems.into_iter().map(|it| it.diagnostic);
        let found = placed(&text, diagnostics.filter(|it| NAMES.contains(&it.code.as_str())));
        expected += facts.len();
        matched += facts.intersection(&found).count();
        extra += found.difference(&facts).count();
        for fact in facts.difference(&found) {
            println!("missing {}: {fact:?}", folder.display());
        }
        for fact in found.difference(&facts) {
            println!("ours alone {}: {fact:?}", folder.display());
        }
    }
    println!("{matched} of {expected} facts match in code and span; {extra} are ours alone");
    assert!(expected > 100);
    // Metadata may be written twice, and a parameter's default may read a variable.
    assert!(matched * 100 >= expected * 98, "{matched} of {expected}");
    assert!(extra * 100 <= expected, "{extra} mistakes that Bicep does not see");
}

/// Codes that hang on the types of Azure, where they are about a resource of Azure's.
const OF_AZURE: &[&str] = &[
    "BCP035", "BCP036", "BCP037", "BCP053", "BCP073", "BCP081", "BCP083", "BCP088", "BCP120",
    "BCP187",
];

#[test]
fn errors_that_need_no_types_of_azure_are_found_where_bicep_finds_them() {
    let Ok(cases) = fs::read_dir(Path::new(FIXTURES).join("diagnostics")) else {
        println!(
            "skipped: errors_that_need_no_types_of_azure_are_found_where_bicep_finds_them (no ../shared)"
        );
        return;
    };
    let mut codes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut expected, mut matched, mut extra) = (0, 0, 0);
    for case in cases {
        let folder = case.unwrap().path();
        let text = fs::read_to_string(folder.join("main.bicep")).unwrap();
        let facts = fs::read_to_string(folder.join("diagnostics.json")).unwrap();
        let facts: Value = serde_json::from_str(&facts).unwrap();
        let resources = lines_of_resources(&text);
        let errors = facts.as_array().unwrap().iter().filter(|it| it["level"] == "Error");
        let wanted = errors.filter(|it| {
            let line = it["line"].as_u64().unwrap();
            let of_azure = OF_AZURE.contains(&it["code"].as_str().unwrap());
            !(of_azure && resources.iter().any(|lines| lines.contains(&line)))
        });
        let wanted = Value::Array(wanted.cloned().collect());
        let every: Vec<&str> =
            wanted.as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
        let wanted = stated(&wanted, &every);
        let problems =
            compile_reporting(&sources_of(&folder), "main.bicep", Reporting::AsBicep).problems;
        let own = problems.into_iter().filter(|it| &*it.file == "main.bicep");
        let found = placed(&text, own.map(|it| it.diagnostic));
        let every = stated(&facts, &found.iter().map(|it| it.3.as_str()).collect::<Vec<_>>());
        for fact in found.difference(&every) {
            extra += 1;
            println!("ours alone {}: {fact:?}", folder.file_name().unwrap().display());
        }
        for fact in &wanted {
            let count = codes.entry(fact.3.clone()).or_default();
            count.1 += 1;
            expected += 1;
            if found.contains(fact) {
                count.0 += 1;
                matched += 1;
            } else {
                println!("missing {}: {fact:?}", folder.file_name().unwrap().display());
            }
        }
    }
    for (code, (matched, expected)) in &codes {
        println!("{code}: {matched} of {expected}");
    }
    println!("{matched} of {expected} errors match in code and span; {extra} are ours alone");
    assert!(matched * 100 >= expected * LEAST_PERCENT, "{matched} of {expected}");
}

/// The lines of the resources of a file, from 0.
fn lines_of_resources(text: &str) -> Vec<std::ops::RangeInclusive<u64>> {
    let parsed = parse(text, Dialect::Template);
    let line = |at: usize| text[..at].matches('\n').count() as u64;
    let statements = File::of(&parsed.tree).statements();
    let resources = statements.filter(|it| matches!(it, Statement::Resource(_)));
    resources.map(|it| line(it.span().start)..=line(it.span().end)).collect()
}

fn stated(facts: &Value, codes: &[&str]) -> BTreeSet<Fact> {
    let mut stated = BTreeSet::new();
    for fact in facts.as_array().unwrap() {
        let code = fact["code"].as_str().unwrap();
        if codes.contains(&code) {
            let number = |name: &str| fact[name].as_u64().unwrap();
            stated.insert((number("line"), number("start"), number("end"), code.to_owned()));
        }
    }
    stated
}

fn found(text: &str) -> BTreeSet<Fact> {
    placed(text, parse(text, Dialect::Template).diagnostics.into_iter())
}

fn placed(text: &str, diagnostics: impl Iterator<Item = Diagnostic>) -> BTreeSet<Fact> {
    let mut found = BTreeSet::new();
    for diagnostic in diagnostics {
        let span = diagnostic.span().unwrap();
        let before = &text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() as u64;
        let units = |text: &str| text.encode_utf16().count() as u64;
        let start = units(&text[line_start..span.start]);
        let end = start + units(&text[span.start..span.end]);
        found.insert((line, start, end, diagnostic.code.as_str().to_owned()));
    }
    found
}
