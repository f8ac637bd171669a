//! Templates of the shared fixtures that are right: they compile without an error. Skipped where there are none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hangar_template::program::compile;
use hangar_template::source::Sources;

use crate::corpus::{FIXTURES, files};

/// Cases that may not compile, and why.
const NOT_YET: &[(&str, &str)] = &[("Modules_CRLF/main.bicep", "a module in ARM JSON")];

#[test]
fn templates_that_are_right_compile_without_an_error() {
    let mut cases: Vec<PathBuf> = Vec::new();
    for folder in ["compile-baseline", "compile-real", "compile-extension"] {
        let Ok(entries) = fs::read_dir(Path::new(FIXTURES).join(folder)) else { continue };
        cases.extend(entries.map(|entry| entry.unwrap().path()));
    }
    if cases.is_empty() {
        println!("skipped: templates_that_are_right_compile_without_an_error (no ../shared)");
        return;
    }
    cases.sort();
    let (mut right, mut wrong) = (0, BTreeMap::new());
    for case in &cases {
        let sources = sources_of(case);
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let is_template = |path: &str| Path::new(path).extension().is_some_and(|it| it == "bicep");
        for (path, _) in sources.iter().filter(|(path, _)| is_template(path)) {
            let problems = compile(&sources, path).problems;
            let errors: Vec<String> = problems
                .iter()
                .filter(|it| it.is_error())
                .map(|it| {
                    let text = sources.text(&it.file).unwrap();
                    let span = it.diagnostic.span().unwrap();
                    format!("{}: {} @ {}", it.file, it.diagnostic, &text[span.start..span.end])
                })
                .collect();
            if errors.is_empty() {
                right += 1;
            } else {
                wrong.insert(format!("{name}/{path}"), errors);
            }
        }
    }
    println!("{right} of {} templates compile", right + wrong.len());
    for (path, errors) in &wrong {
        println!("{path}: {errors:#?}");
    }
    let is_new = |path: &&str| !NOT_YET.iter().any(|(known, _)| known == path);
    let wrong: Vec<&str> = wrong.keys().map(String::as_str).filter(is_new).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// All files of a case by their paths in it.
pub(crate) fn sources_of(case: &Path) -> Sources {
    let mut paths = Vec::new();
    files(case, &mut paths);
    let mut sources = Sources::default();
    for path in paths {
        let content = fs::read(&path).unwrap();
        let name = path.strip_prefix(case).unwrap().to_string_lossy().into_owned();
        sources.insert(name, content);
    }
    sources
}
