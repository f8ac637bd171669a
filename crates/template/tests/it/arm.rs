//! ARM JSON, over the fixtures: expressions print back, and a template means the same in both languages.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hangar_template::arm::{build, respell};
use hangar_template::deployment::{Deployment, Inputs, MissingParameter, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::{Problem, Sources};
use hangar_template::value::Data;

use super::corpus::{FIXTURES, files};

/// What a template comes to, in words; or what is wrong with it.
pub(crate) fn evaluated(sources: &Sources, entry: &str) -> Result<String, Vec<String>> {
    let told = |problems: Vec<Problem>| -> Vec<String> {
        let errors = problems.into_iter().filter(Problem::is_error);
        errors.map(|it| format!("{}: {}", it.diagnostic.code, it.diagnostic.message)).collect()
    };
    let compiled = compile(sources, entry);
    let Some(program) = compiled.program else { return Err(told(compiled.problems)) };
    let inputs = Inputs {
        missing: MissingParameter::Unknown,
        name: "main".to_owned(),
        account: "123456789012".parse().ok(),
        region: "eu-west-1".parse().ok(),
        now: Some(1_700_000_000),
        seed: Some(7),
        skip_unsupported: true,
        ..Inputs::default()
    };
    let started = program.start(&inputs);
    let Some(deployment) = started.deployment else { return Err(told(started.problems)) };
    Ok(described(&deployment))
}

fn described(deployment: &Deployment) -> String {
    let mut text = String::new();
    for (index, node) in deployment.nodes().iter().enumerate() {
        let mut depends_on: Vec<_> =
            node.depends_on.iter().map(|it| &*deployment.nodes()[*it].address).collect();
        depends_on.sort_unstable();
        let (address, kind) = (&node.address, node.type_text());
        let _ = writeln!(text, "{address} {kind} {depends_on:?} {:?}", node.target);
        let _ = match deployment.body(index, &NothingKnown) {
            Ok(body) => writeln!(text, "  {:?} {:?}", body.properties, body.name),
            Err(problems) => writeln!(text, "  {} problems", problems.len()),
        };
    }
    // A compiled template has the whole name of a child, and says its order in another way.
    for foreign in deployment.foreign_resources(&NothingKnown) {
        let Data::Object(members) = &foreign.body.data else { continue };
        let skipped = ["name", "parent", "scope", "dependsOn"];
        let shown: Vec<_> =
            members.iter().filter(|(name, _)| !skipped.contains(&&***name)).collect();
        let _ = writeln!(text, "{} {shown:?}", foreign.address);
    }
    match deployment.outputs(&NothingKnown) {
        Ok(outputs) => {
            for it in outputs {
                let _ = writeln!(text, "output {} {:?} {}", it.name, it.value, it.secure);
            }
        }
        Err(problems) => text.extend(["outputs have problems: ", &problems.len().to_string()]),
    }
    text
}

/// Whether a line says what another does, where that knows it: a compiler writes out the types and names of foreign
/// resources, which are not read in Bicep.
fn is_known_as(line: &str, wanted: &str) -> bool {
    // `a «why» b «why» c`: what stands between what is not known.
    let mut parts = wanted.split('«').map(|it| it.split_once('»').map_or(it, |(_, after)| after));
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let place = if parts.peek().is_some() { rest.find(part) } else { rest.rfind(part) };
        let Some(place) = place else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.is_empty()
}

fn sources_below(folder: &Path) -> Sources {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let mut sources = Sources::default();
    for path in paths {
        let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        sources.insert(name, fs::read(&path).unwrap());
    }
    sources
}

#[test]
fn every_expression_of_the_fixtures_prints_back() {
    let mut paths = Vec::new();
    files(Path::new(FIXTURES), &mut paths);
    paths.retain(|it| it.extension().is_some_and(|it| it == "json"));
    if paths.is_empty() {
        println!("skipped: every_expression_of_the_fixtures_prints_back (no ../shared)");
        return;
    }
    let mut count = 0;
    for path in paths.iter().filter(|it| it.to_string_lossy().contains("/compile-")) {
        let text = fs::read_to_string(path).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        let mut open = vec![&json];
        while let Some(value) = open.pop() {
            match value {
                serde_json::Value::String(text) => {
                    let spelled = respell(text);
                    let name = path.display();
                    // The only thing that is free in the spelling are the spaces.
                    let plain = |it: &str| it.replace(' ', "");
                    let same = spelled.as_ref().is_ok_and(|it| plain(it) == plain(text));
                    assert!(same, "{name}: {text}: {spelled:?}");
                    count += usize::from(text.starts_with('[') && text.ends_with(']'));
                }
                serde_json::Value::Array(items) => open.extend(items),
                serde_json::Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
        }
    }
    println!("{count} expressions print back");
    assert!(count > 2_000);
}

#[test]
fn a_template_means_the_same_in_both_languages() {
    let mut cases = Vec::new();
    for folder in ["compile-baseline", "compile-extension", "compile-real", "evaluate-snapshot"] {
        let Ok(entries) = fs::read_dir(Path::new(FIXTURES).join(folder)) else { continue };
        cases.extend(entries.map(|it| it.unwrap().path()));
    }
    cases.push(Path::new(FIXTURES).join("aws-input"));
    cases.extend(
        ["network", "service", "database", "recipes", "modules"]
            .map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(it)),
    );
    cases.sort();
    let (mut same, mut refused) = (0, 0);
    for case in cases {
        let mut sources = sources_below(&case);
        let entries: Vec<String> = sources
            .iter()
            .map(|(name, _)| name.to_owned())
            .filter(|it| Path::new(it).extension().is_some_and(|it| it == "bicep"))
            .collect();
        for entry in entries {
            let name = format!("{}/{entry}", case.display());
            let wanted = evaluated(&sources, &entry);
            let built = build(&sources, &entry);
            let Some(template) = built.template else {
                println!("{name}: cannot be printed: {:?}", built.problems.first());
                refused += 1;
                continue;
            };
            let compiled = format!("{entry}.json");
            sources.insert(compiled.as_str(), template.into_bytes());
            let got = evaluated(&sources, &compiled);
            match (wanted, got) {
                (Ok(wanted), Ok(got)) => {
                    let lines = wanted.lines().count();
                    assert_eq!(got.lines().count(), lines, "{name}: {got}\nis not {wanted}");
                    for (got, wanted) in got.lines().zip(wanted.lines()) {
                        assert!(is_known_as(got, wanted), "{name}: {got}\nis not {wanted}");
                    }
                    same += 1;
                }
                (Err(wanted), Err(got)) => {
                    let is_shared = wanted.iter().any(|why| got.contains(why));
                    assert!(is_shared, "{name}: {got:?}, and in Bicep {wanted:?}");
                    println!("{name}: refused in both: {:?}", wanted.first());
                    refused += 1;
                }
                (wanted, got) => panic!("{name}: {:?}, but compiled {:?}", wanted.err(), got.err()),
            }
        }
    }
    println!("{same} mean the same, {refused} are refused in both languages");
    assert!(same >= 8, "the examples are always there");
}

#[test]
fn what_the_compiler_wrote_is_read_in_both_forms() {
    let mut paths = Vec::new();
    for folder in ["compile-baseline", "compile-extension", "compile-real"] {
        files(&Path::new(FIXTURES).join(folder), &mut paths);
    }
    // Beside the goldens lie files that templates load, and parameters.
    let beside: Vec<_> =
        paths.iter().map(|it| it.with_extension("").with_extension("bicep")).collect();
    let goldens = paths
        .iter()
        .zip(&beside)
        .filter(|(path, bicep)| path.extension().is_some_and(|it| it == "json") && bicep.exists());
    let (mut read, mut refused) = (0, Vec::new());
    for (path, _) in goldens {
        let sources = Sources::of("main.json", fs::read(path).unwrap());
        let compiled = compile(&sources, "main.json");
        match compiled.problems.into_iter().find(Problem::is_error) {
            None => read += 1,
            Some(problem) => refused.push(format!(
                "{}: {} at {:?}",
                path.display(),
                problem.diagnostic.message,
                problem.diagnostic.span()
            )),
        }
    }
    if read == 0 && refused.is_empty() {
        println!("skipped: what_the_compiler_wrote_is_read_in_both_forms (no ../shared)");
        return;
    }
    println!("{read} compiled templates are read");
    assert!(refused.is_empty(), "{refused:#?}");
}
