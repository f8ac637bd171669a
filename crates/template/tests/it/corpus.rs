//! Every template of the shared fixtures; skipped by name in a clone which does not have them.

use std::fs;
use std::path::{Path, PathBuf};

use hangar_template::syntax::{Dialect, parse};

pub(crate) const FIXTURES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/bicep");

/// All files below `folder` in a fixed order.
pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The templates and parameters files of the fixtures with their dialect and text.
pub(crate) fn templates() -> Vec<(PathBuf, Dialect, String)> {
    let mut paths = Vec::new();
    files(Path::new(FIXTURES), &mut paths);
    let mut found = Vec::new();
    for path in paths {
        let dialect = match path.extension().and_then(|extension| extension.to_str()) {
            Some("bicep") => Dialect::Template,
            Some("bicepparam") => Dialect::Parameters,
            _ => continue,
        };
        let text = fs::read_to_string(&path).unwrap();
        found.push((path, dialect, text));
    }
    found
}

#[test]
fn every_file_prints_back_and_every_valid_one_has_no_mistake() {
    let templates = templates();
    if templates.is_empty() {
        println!(
            "skipped: every_file_prints_back_and_every_valid_one_has_no_mistake (no ../shared)"
        );
        return;
    }
    let (mut valid, mut invalid) = (0, 0);
    for (path, dialect, text) in &templates {
        let parsed = parse(text, *dialect);
        assert!(parsed.tree.print() == *text, "{} does not print back", path.display());
        let name = path.display().to_string();
        // The files beside the broken ones are broken too, some of them.
        if name.contains("/diagnostics/Invalid") {
            invalid += 1;
        } else {
            assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
            valid += 1;
        }
    }
    println!("{valid} valid files without a mistake, {invalid} others printed back");
    assert!(valid >= 68, "only {valid} valid files were found");
}

#[test]
fn every_file_is_compiled_and_started_without_a_panic() {
    let templates = templates();
    if templates.is_empty() {
        println!("skipped: every_file_is_compiled_and_started_without_a_panic (no ../shared)");
    }
    for (_, _, text) in &templates {
        crate::program_laws::program_laws(text);
    }
}
