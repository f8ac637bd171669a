//! The manifests of a command: files, directories and standard input; and where they are written to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;

use crate::codes;
use crate::failure::Failure;
use crate::input::{Inputs, Mark, Source};

/// One manifest.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) source: Source,
    mark: Mark,
    /// Where it goes below a directory that is written to.
    target: PathBuf,
}

/// All manifests of a command, in order.
#[derive(Debug)]
pub(crate) struct Manifests(Vec<Manifest>);

/// How far a directory is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The files in it.
    Here,
    /// Those in the directories in it, too; hidden ones and packages of npm are passed over.
    All,
}

/// What a directory is read for.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// What cdk8s and its resolvers write beside manifests, and what is none.
const REPORTS: [&str; 2] = ["construct-metadata.json", "cloud-references.json"];

impl Manifests {
    /// Reads all of them.
    pub(crate) fn read(
        files: &[PathBuf],
        depth: Depth,
        out: Option<&Path>,
        inputs: &mut Inputs,
    ) -> Result<Self, Failure> {
        // What an earlier run wrote is not what this one reads.
        let out = out.and_then(|out| out.canonicalize().ok());
        let mut all = Vec::new();
        for file in files {
            if file.is_dir() {
                let mut found = Vec::new();
                within(file, depth, out.as_deref(), &mut found)
                    .map_err(|error| unusable(file, "read", &error))?;
                if found.is_empty() {
                    let message = format!("`{}` contains no manifest", file.display());
                    return Err(Diagnostic::error(codes::FILE_MISSING, message)
                        .hint("manifests end in .yaml, .yml or .json; -R also searches subdirectories")
                        .into());
                }
                for path in found {
                    let target = path.strip_prefix(file).unwrap_or(&path).to_owned();
                    let (source, mark) = inputs.read_marked(&path)?;
                    all.push(Manifest { source, mark, target });
                }
            } else {
                let name = match file.file_name() {
                    Some(name) if file.as_os_str() != "-" => PathBuf::from(name),
                    _ => PathBuf::from("stdin.yaml"),
                };
                let (source, mark) = inputs.read_marked(file)?;
                all.push(Manifest { source, mark, target: name });
            }
        }
        Ok(Self(all))
    }

    /// Manifests that are in no file.
    pub(crate) fn of_texts(sources: impl Iterator<Item = Source>) -> Self {
        let manifest = |source: Source| {
            let target = PathBuf::from(source.name.as_deref().unwrap_or_default());
            Manifest { source, mark: Mark::None, target }
        };
        Self(sources.map(manifest).collect())
    }

    /// Files, each with where it goes below a directory that is written to.
    pub(crate) fn read_each(
        files: &[(PathBuf, PathBuf)],
        inputs: &mut Inputs,
    ) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for (path, target) in files {
            let (source, mark) = inputs.read_marked(path)?;
            all.push(Manifest { source, mark, target: target.clone() });
        }
        Ok(Self(all))
    }

    /// The same with a text at their end that is in no file.
    #[must_use]
    pub(crate) fn with_text(mut self, source: Source) -> Self {
        self.0.extend(Self::of_texts(std::iter::once(source)).0);
        self
    }

    pub(crate) fn all(&self) -> &[Manifest] {
        &self.0
    }

    /// All texts as one stream of documents. One text stays as it is, byte for byte.
    pub(crate) fn joined(manifests: &[&Manifest], texts: &[String]) -> String {
        let mut whole = String::new();
        for (index, (manifest, text)) in manifests.iter().zip(texts).enumerate() {
            if index == 0 {
                whole.push_str(manifest.mark.as_str());
            } else {
                if !whole.is_empty() && !whole.ends_with('\n') {
                    whole.push('\n');
                }
                // Before a directive the document must be ended.
                if text.starts_with('%') {
                    whole.push_str("...\n");
                } else if !text.starts_with("---") {
                    whole.push_str("---\n");
                }
            }
            whole.push_str(text);
        }
        whole
    }

    /// Writes each text below a directory. Every text is on disk under another name before the first takes its
    /// place.
    pub(crate) fn write(&self, texts: &[String], dir: &Path) -> Result<Vec<PathBuf>, Failure> {
        let mut targets: BTreeMap<&Path, &Manifest> = BTreeMap::new();
        for manifest in self.0.iter().take(texts.len()) {
            if let Some(other) = targets.insert(&manifest.target, manifest) {
                let name = |it: &Manifest| it.source.name.clone().unwrap_or_default();
                let message = format!(
                    "`{}` and `{}` would both be written to `{}`",
                    name(other),
                    name(manifest),
                    dir.join(&manifest.target).display()
                );
                let hint = "resolve them with two commands, into two directories";
                return Err(Diagnostic::error(codes::FILE_UNWRITABLE, message).hint(hint).into());
            }
        }
        let paths: Vec<PathBuf> =
            self.0.iter().take(texts.len()).map(|it| dir.join(&it.target)).collect();
        if let Some(folder) = paths.iter().find(|path| path.is_dir()) {
            let message = format!("cannot write `{}`: it is a directory", folder.display());
            let hint = "remove it, or write into another directory";
            return Err(Diagnostic::error(codes::FILE_UNWRITABLE, message).hint(hint).into());
        }
        self.write_to(texts, &paths)?;
        Ok(paths)
    }

    /// Writes each text to its path, all of them or none.
    pub(crate) fn write_to(&self, texts: &[String], paths: &[PathBuf]) -> Result<(), Failure> {
        let mut written = Written::default();
        for ((manifest, text), path) in self.0.iter().zip(texts).zip(paths) {
            let text = format!("{}{text}", manifest.mark.as_str());
            written
                .prepare(path, text.as_bytes())
                .map_err(|error| unusable(path, "write", &error))?;
        }
        written.commit().map_err(|(path, error)| unusable(&path, "write", &error))
    }
}

/// Files that take their places together: where one cannot, those that did give way to what was there before.
#[derive(Debug, Default)]
struct Written {
    ready: Vec<(PathBuf, PathBuf)>,
}

impl Written {
    fn prepare(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.ready.push((beside(path, bytes)?, path.to_owned()));
        Ok(())
    }

    fn commit(mut self) -> Result<(), (PathBuf, io::Error)> {
        let mut before: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        while !self.ready.is_empty() {
            let (temporary, path) = self.ready.remove(0);
            let old = fs::read(&path).ok();
            if let Err(error) = fs::rename(&temporary, &path) {
                let _ = fs::remove_file(&temporary);
                for (path, old) in before {
                    let _ = match old {
                        Some(old) => write_whole(&path, &old),
                        None => fs::remove_file(&path),
                    };
                }
                return Err((path, error));
            }
            before.push((path, old));
        }
        Ok(())
    }
}

impl Drop for Written {
    /// What was not put into its place leaves nothing behind.
    fn drop(&mut self) {
        for (temporary, _) in &self.ready {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// The manifests in a directory, in the order of their names.
fn within(
    dir: &Path,
    depth: Depth,
    out: Option<&Path>,
    found: &mut Vec<PathBuf>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        let is_others = name == "node_modules" || name.as_encoded_bytes().starts_with(b".");
        let is_out = || out.is_some_and(|out| path.canonicalize().is_ok_and(|path| path == out));
        // A link to a directory above would never end.
        if kind.is_dir() && depth == Depth::All && !is_others && !is_out() {
            within(&path, depth, out, found)?;
        }
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        // A link that leads nowhere is told when it is read.
        let is_readable = fs::metadata(&path).map_or(true, |it| it.is_file());
        let is_report = REPORTS.iter().any(|report| name == *report);
        if EXTENSIONS.contains(&extension) && is_readable && !is_report {
            found.push(path);
        }
    }
    Ok(())
}

/// Writes a file so that it is there whole, or as it was.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = beside(path, bytes)?;
    fs::rename(&temporary, path)
}

/// Writes what a file will be next to it.
fn beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut file = fs::File::create(&temporary)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(temporary)
}

pub(crate) fn unusable(path: &Path, deed: &str, error: &io::Error) -> Failure {
    let code = if deed == "write" { codes::FILE_UNWRITABLE } else { codes::FILE_UNREADABLE };
    Diagnostic::error(code, format!("cannot {deed} `{}`: {error}", path.display())).into()
}
