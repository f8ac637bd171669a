//! Whole manifests and templates: tokens found by object and pointer, nothing changed without an edit.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::fs;
use std::path::{Path, PathBuf};

use hangar_manifest::cloudformation::text;
use hangar_manifest::token::{Form, find};
use hangar_manifest::yaml::{read, splice};
use serde_json::Value;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/cdk8s");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tokens/dist.yaml");

/// Every token of a manifest as `object pointer form name`.
fn tokens(file: &Path) -> Vec<(String, String, Form, String)> {
    let text = fs::read_to_string(file).unwrap();
    let stream = read(&text).unwrap();
    let mut tokens = Vec::new();
    for scalar in stream.scalars() {
        for token in find(&scalar.text) {
            let object = stream.object(scalar).to_string();
            tokens.push((object, stream.key(scalar).pointer(), token.form, token.name));
        }
    }
    tokens
}

#[test]
fn every_token_of_our_own_manifest_is_told_by_object_and_pointer() {
    let env = "/spec/jobTemplate/spec/template/spec/containers/0";
    let wanted = [
        ("CronJob jobs/nightly", format!("{env}/env/0/value"), Form::Text, "TOKEN.28"),
        ("CronJob jobs/nightly", format!("{env}/env/1/value"), Form::Text, "TOKEN.4"),
        ("CronJob jobs/nightly", format!("{env}/env/2/value"), Form::Number, "98"),
        ("CronJob jobs/nightly", format!("{env}/command/2"), Form::LowerCased, "token.28"),
        ("Secret keys", "/data/a".to_owned(), Form::Base64, "TOKEN.28"),
        ("Typed typed", "/spec/list/0".to_owned(), Form::List, "TOKEN.95"),
        ("Typed typed", "/spec/map/&{TfToken[TOKEN.24]}".to_owned(), Form::Map, "TOKEN.24"),
        ("Typed typed", "/spec/number".to_owned(), Form::Number, "22"),
    ];
    let found = tokens(Path::new(OWN));
    let found: Vec<_> = found.iter().map(|(o, p, f, n)| (&**o, p.clone(), *f, &**n)).collect();
    assert_eq!(found, wanted);
}

/// The names of the variables whose values hold a token, and the pointers of the second object's tokens.
fn cases(file: &str) -> Option<(Vec<String>, Vec<String>, usize)> {
    let file = Path::new(SHARED).join(file);
    let text = fs::read_to_string(&file).ok()?;
    let stream = read(&text).unwrap();
    let env = |pointer: &str| pointer.contains("/env/");
    let mut names = Vec::new();
    let mut typed = Vec::new();
    let mut variables = 0;
    for (at, scalar) in stream.scalars().iter().enumerate() {
        let pointer = stream.key(scalar).pointer();
        variables +=
            usize::from(env(&pointer) && pointer.ends_with("/value") && scalar.text == "value");
        if find(&scalar.text).is_empty() {
            continue;
        }
        if env(&pointer) {
            assert!(stream.object(scalar).to_string().starts_with("CronJob manifest-"));
            names.push(stream.scalars()[at - 2].text.to_string());
        } else {
            assert_eq!(stream.object(scalar).to_string(), "Typed manifest-typed-c84c8e5f");
            typed.push(pointer);
        }
    }
    Some((names, typed, variables))
}

#[test]
fn every_case_of_the_shared_manifests_is_found() {
    for file in ["aws/dist.run-a.yaml", "aws/dist.run-b.yaml"] {
        let Some((names, typed, variables)) = cases(file) else {
            println!("skipped: every_case_of_the_shared_manifests_is_found (no ../shared)");
            return;
        };
        // Of all variables one only has a value that was known.
        assert_eq!((names.len(), variables), (26, 27), "{names:?}");
        assert!(!names.iter().any(|name| name == "PSEUDO_REGION_STAGE"));
        let wanted = ["/metadata/annotations/k-x", "/spec/list/0", "/spec/listOfOne/0"];
        assert_eq!(typed[..3], wanted);
        assert!(typed[3].starts_with("/spec/mapKey/${Token["));
        assert_eq!((typed.len(), &*typed[4]), (5, "/spec/number"));
    }
    let (names, typed, variables) = cases("cdktf/dist.unresolved.yaml").unwrap();
    assert_eq!((names.len(), variables), (14, 14), "{names:?}");
    assert_eq!(
        typed,
        [
            "/spec/list/0",
            "/spec/map/&{TfToken[TOKEN.24]}",
            "/spec/mapKey/${TfToken[TOKEN.25]}",
            "/spec/number"
        ]
    );
    println!("counted: manifests 3");
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn every_shared_file_is_read_and_given_back_unchanged() {
    let mut all = Vec::new();
    files(Path::new(SHARED), &mut all);
    let (mut manifests, mut templates) = (0, 0);
    for file in &all {
        let name = file.to_string_lossy();
        let (is_yaml, is_json) = (name.ends_with(".yaml"), name.ends_with(".json"));
        if !is_yaml && !is_json {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let stream = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(splice(&stream, &[]).unwrap(), text, "{name}");
        manifests += 1;
        if name.ends_with(".template.json") {
            assert_eq!(
                text::parse(&text).unwrap(),
                serde_json::from_str::<Value>(&text).unwrap(),
                "{name}"
            );
            templates += 1;
        }
    }
    if all.is_empty() {
        println!("skipped: every_shared_file_is_read_and_given_back_unchanged (no ../shared)");
        return;
    }
    println!("counted: texts {manifests}, templates {templates}");
    assert!(manifests > 10 && templates >= 4, "{manifests} {templates}");
}
