//! The pure crates stay pure: no clock, files, sockets, environment, randomness or printing.

mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace::{Metadata, Package, Root};

const PURE: &[&str] = &[
    "hangar-diag",
    "hangar-ids",
    "hangar-schema",
    "hangar-template",
    "hangar-manifest",
    "hangar-plan",
    "hangar-provider",
];

/// Parts of an impure crate that are pure all the same: its other parts are a thin shell.
const PURE_PARTS: &[(&str, &[&str])] = &[("hangar-simulator", &["core", "wire", "admin"])];

/// Dependencies that bring in the outside, by name or by the beginning of it.
const IMPURE: &[&str] = &[
    "aws-",
    "async-std",
    "axum",
    "chrono",
    "deadpool",
    "fastrand",
    "getrandom",
    "hyper",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "rustls",
    "smol",
    "socket2",
    "sqlx",
    "tempfile",
    "time",
    "tokio",
    "tower",
    "ureq",
    "which",
];

pub(crate) fn check(root: &Root) -> Result<String> {
    let metadata = Metadata::read(root)?;
    let mut faults = Vec::new();
    let mut pure = 0;
    let mut parts = 0;
    for package in metadata.own() {
        faults.extend(faults_of_roots(package, root)?);
        if PURE.contains(&package.name.as_str()) {
            pure += 1;
            faults.extend(faults_of_dependencies(package, &metadata));
            faults.extend(faults_of_sources(package, root)?);
        }
        if let Some((_, pure_parts)) = PURE_PARTS.iter().find(|(name, _)| *name == package.name) {
            parts += pure_parts.len();
            faults.extend(faults_of_parts(package, pure_parts, root)?);
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(format!("{pure} pure crates, {parts} pure parts of others"))
}

fn faults_of_roots(package: &Package, root: &Root) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for path in &package.roots {
        if !read(path)?.lines().any(|line| line == "#![forbid(unsafe_code)]") {
            let shown = root.relative(path).display().to_string();
            faults.push(format!("{shown}: add `#![forbid(unsafe_code)]`"));
        }
    }
    Ok(faults)
}

fn faults_of_dependencies(package: &Package, metadata: &Metadata) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(&String, String)> =
        package.links.iter().map(|id| (id, package.name.clone())).collect();
    while let Some((id, through)) = open.pop() {
        let Some(linked) = metadata.packages.get(id).filter(|_| seen.insert(id)) else {
            continue;
        };
        let through = format!("{through} → {}", linked.name);
        if is_impure(&linked.name) {
            faults.push(format!("{through}: a pure crate must not depend on `{}`", linked.name));
        }
        open.extend(linked.links.iter().map(|id| (id, through.clone())));
    }
    faults
}

fn is_impure(name: &str) -> bool {
    IMPURE.iter().any(|impure| {
        name.strip_prefix(impure).is_some_and(|rest| {
            impure.ends_with('-') || rest.is_empty() || rest.starts_with(['-', '_'])
        })
    })
}

fn faults_of_sources(package: &Package, root: &Root) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let folders = package.roots.iter().filter_map(|path| path.parent()).collect::<BTreeSet<_>>();
    for path in folders.into_iter().map(sources_below).collect::<Result<Vec<_>>>()?.concat() {
        let shown = root.relative(&path).display();
        for use_ in source::impure_uses(&read(&path)?) {
            let (line, what) = (use_.line, use_.what);
            faults
                .push(format!("{shown}:{line}: `{what}` in a pure crate; pass it as an argument"));
        }
    }
    Ok(faults)
}

/// A part is a file and the folder beside it; it may not name a runtime or a server either.
fn faults_of_parts(package: &Package, parts: &[&str], root: &Root) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let folders = package.roots.iter().filter_map(|path| path.parent()).collect::<BTreeSet<_>>();
    for (folder, part) in
        folders.iter().flat_map(|folder| parts.iter().map(move |part| (*folder, *part)))
    {
        let file = folder.join(format!("{part}.rs"));
        if !file.exists() {
            faults
                .push(format!("{}: the pure part does not exist", root.relative(&file).display()));
            continue;
        }
        let mut files = vec![file];
        if folder.join(part).is_dir() {
            files.extend(sources_below(&folder.join(part))?);
        }
        for path in files {
            let (shown, text) = (root.relative(&path).display().to_string(), read(&path)?);
            for use_ in source::impure_uses(&text) {
                let (line, what) = (use_.line, use_.what);
                faults.push(format!("{shown}:{line}: `{what}` in a pure part"));
            }
            for name in ["tokio", "hyper", "crate::server", "crate::journal"]
                .iter()
                .filter(|it| text.contains(&format!("{it}::")))
            {
                faults.push(format!("{shown}: `{name}` in a pure part"));
            }
        }
    }
    Ok(faults)
}

/// The Rust files below a folder, but for those that hold tests.
fn sources_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let is_tests = path.file_stem().is_some_and(|stem| stem == "tests");
        if path.is_dir() && !is_tests {
            files.extend(sources_below(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_tests {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_impure_as_a_whole_or_with_a_suffix() {
        assert!(is_impure("tokio") && is_impure("tokio-util") && is_impure("rand_core"));
        assert!(is_impure("aws-config"));
        assert!(!is_impure("randomize") && !is_impure("timely") && !is_impure("serde"));
    }
}
