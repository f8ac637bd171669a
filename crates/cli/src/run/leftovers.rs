//! Manifests that a command wrote past the hook: another program copied them, or another language wrote them.
//!
//! The hook sees only what Node writes. Files below the working directory that changed while the command ran are read
//! once more, so that none is left with a reference or a token that nothing will replace.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_diag::{Diagnostic, Span};
use hangar_manifest::reference::{Found, find};
use hangar_manifest::token;

use super::{held, raw};
use crate::codes;
use crate::failure::Report;
use crate::input::Source;

const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];
/// So many entries of directories are looked at; a larger project is not searched to its end.
const MAX_ENTRIES: usize = 50_000;
/// A larger file is no manifest.
const MAX_SIZE: u64 = 16 << 20;

/// What must not be left in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwanted {
    /// Raw tokens.
    Tokens,
    /// References.
    References,
    /// Raw tokens, and references: nothing resolves them later.
    TokensAndReferences,
}

/// What is left in files below a directory that changed since a time, but for the known ones.
pub(crate) fn left_in(
    root: &Path,
    since: SystemTime,
    known: &BTreeSet<PathBuf>,
    unwanted: Unwanted,
) -> Vec<Report> {
    let (mut files, mut budget) = (Vec::new(), MAX_ENTRIES);
    changed(root, since, &mut budget, &mut files);
    let unknown = files.into_iter().filter(|file| !known.contains(file));
    unknown.filter_map(|file| left_in_file(root, &file, unwanted)).collect()
}

/// Collects the changed files of a directory and those below it.
fn changed(dir: &Path, since: SystemTime, budget: &mut usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    // An assembly of the CDK: its templates are no manifests, and its assets are copies of sources.
    if entries.iter().any(|entry| entry.file_name() == "cdk.out" && entry.path().is_file()) {
        return;
    }
    for entry in entries {
        let Some(left) = budget.checked_sub(1) else { return };
        *budget = left;
        let (name, path) = (entry.file_name(), entry.path());
        if name == "node_modules" || name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // Links are not followed: what they lead to is elsewhere, too.
        let Ok(kind) = entry.file_type() else { continue };
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        if kind.is_dir() {
            changed(&path, since, budget, files);
        } else if kind.is_file()
            && EXTENSIONS.contains(&extension)
            && entry.metadata().is_ok_and(|it| it.len() <= MAX_SIZE && changed_at(&it) >= since)
        {
            files.push(path);
        }
    }
}

/// When a file was written, or got its name.
fn changed_at(metadata: &Metadata) -> SystemTime {
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    UNIX_EPOCH + Duration::new(seconds, nanoseconds)
}

fn left_in_file(root: &Path, file: &Path, unwanted: Unwanted) -> Option<Report> {
    let text = fs::read_to_string(file).ok()?;
    let is_json = file.extension().is_some_and(|it| it == "json");
    // YAML with tokens is never meant; the CDK and CDKTF write tokens into JSON about constructs.
    let has_tokens = unwanted != Unwanted::References
        && (held::has_raw_tokens(&text) || (!is_json && !token::find(&text).is_empty()));
    let mut diagnostics = if has_tokens { raw::tokens_in(&text) } else { Vec::new() };
    let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
    if unwanted != Unwanted::Tokens {
        diagnostics.extend(reference_in(&name, &text));
    }
    (!diagnostics.is_empty())
        .then_some(Report { source: Some(Source { name: Some(name), text }), diagnostics })
}

/// The first reference of a text.
fn reference_in(name: &str, text: &str) -> Option<Diagnostic> {
    let first = find(text).into_iter().find(|it| matches!(it.found, Found::Reference(_)))?;
    let message = format!("`{name}` contains references, and was not written by App.synth");
    let hint = "write it with App.synth or App.synthYaml, resolve it with `hangar resolve`, or use \
        `hangar run --eager`";
    let span = Span::new(first.range.start, first.range.end);
    Some(Diagnostic::error(codes::NOT_SYNTHESIZED, message).at(span, "").hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: ${Token[TOKEN.3]}\n";
    const REFERENCE: &str = "apiVersion: v1\ndata:\n  a: ${cfn:S/B#Ref}\n";

    fn left(root: &Path, since: SystemTime, unwanted: Unwanted) -> Vec<String> {
        let known = BTreeSet::from([root.join("dist/known.yaml")]);
        let reports = left_in(root, since, &known, unwanted);
        let name = |report: Report| report.source.and_then(|source| source.name).unwrap();
        reports.into_iter().map(name).collect()
    }

    #[test]
    fn what_was_written_past_the_hook_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        };
        let before = SystemTime::now() - Duration::from_secs(5);
        write("dist/known.yaml", REFERENCE);
        write("copies/reference.yaml", REFERENCE);
        write("copies/token.json", "{\"apiVersion\": \"v1\", \"a\": \"${Token[TOKEN.3]}\"}");
        write("copies/token.yaml", TOKEN);
        write("plain.yaml", "apiVersion: v1\ndata: {a: $${cfn:S/B#Ref}}\n");
        write("tree.json", "{\"a\": \"${Token[TOKEN.3]}\"}");
        write("node_modules/a.yaml", TOKEN);
        write(".cache/a.yaml", TOKEN);
        write("cdk.out/cdk.out", "{}");
        write("cdk.out/asset/a.yaml", TOKEN);
        write("notes.md", TOKEN);
        let tokens = ["copies/token.json", "copies/token.yaml"];
        assert_eq!(left(root, before, Unwanted::Tokens), tokens);
        let all = ["copies/reference.yaml", "copies/token.json", "copies/token.yaml"];
        assert_eq!(left(root, before, Unwanted::TokensAndReferences), all);
        assert_eq!(left(root, before, Unwanted::References), ["copies/reference.yaml"]);
        let after = SystemTime::now() + Duration::from_secs(5);
        assert!(left(root, after, Unwanted::TokensAndReferences).is_empty());
    }
}
