//! What is committed names no machine: no absolute path of one, no mirror or registry in a lock file.

use std::path::Path;

use anyhow::{Result, bail};

use crate::workspace::{Root, capture};

/// Folders of somebody's machine, without the first slash so that this file does not name them.
const FOLDERS: &[&str] = &["root/", "work/", "home/", "Users/", "tmp/wt"];
/// Folders of every container of Argo CD's repo server, which its plugins must be put into.
const OF_ALL: &[&str] = &["home/argocd/"];
const CRATES_IO: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Returns the number of files that were read.
pub(super) fn check(root: &Root) -> Result<usize> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = capture(root.command("git", &arguments))?;
    let mut faults = Vec::new();
    let mut files = 0;
    for name in listed.split('\0').filter(|name| !name.is_empty()) {
        // A file may be deleted and not yet committed, or hold bytes that are no text.
        if let Ok(text) = std::fs::read_to_string(root.join(name)) {
            files += 1;
            faults.extend(faults_of(name, &text));
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(files)
}

fn faults_of(name: &str, text: &str) -> Vec<String> {
    let is_file = |wanted: &str| Path::new(name).file_name().is_some_and(|file| file == wanted);
    let (is_lock, is_npm_lock) = (is_file("Cargo.lock"), is_file("package-lock.json"));
    let mut faults = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        if FOLDERS.iter().any(|folder| names_folder(line, folder)) {
            faults.push(format!(
                "{place}: contains an absolute path of one machine: {}",
                line.trim()
            ));
        }
        if is_lock && line.starts_with("source = ") && line != CRATES_IO {
            faults.push(format!("{place}: only crates.io is allowed as a source: {line}"));
        }
        // npm finds a package by its name and version, and knows it by its hash.
        if is_npm_lock && line.trim_start().starts_with("\"resolved\"") {
            faults.push(format!("{place}: registry URLs are not allowed: {}", line.trim()));
        }
    }
    faults
}

/// Whether an absolute path into the folder begins somewhere in the line.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let is_of_all = OF_ALL.iter().any(|known| line[at..].starts_with(known));
        !is_of_all
            && line[..at].strip_suffix('/').is_some_and(|before| {
                !before.ends_with(|c: char| c.is_alphanumeric() || "._-~/}*".contains(c))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_path_of_a_machine_is_found() {
        let path = ["see /ro", "ot/x"].concat();
        assert_eq!(faults_of("a.md", &path).len(), 1);
        assert_eq!(faults_of("a.md", "src/root/x, ../work/x and https://work/x").len(), 0);
        assert_eq!(faults_of("a.yaml", "mountPath: /home/argocd/cmp-server").len(), 0);
    }

    #[test]
    fn a_mirror_in_a_lock_file_is_found() {
        let mirror = "source = \"registry+https://mirror.example/index\"";
        assert_eq!(faults_of("fuzz/Cargo.lock", mirror).len(), 1);
        assert_eq!(faults_of("Cargo.lock", CRATES_IO).len(), 0);
        assert_eq!(faults_of("notes.md", mirror).len(), 0);
        let package = "      \"resolved\": \"https://mirror.example/x.tgz\",";
        assert_eq!(faults_of("a/package-lock.json", package).len(), 1);
        assert_eq!(faults_of("a/package.json", package).len(), 0);
    }
}
