//! The files that are formatted: found below folders, and written so that each is there whole.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_template::other_language::recognise_other_language;
use hangar_template::syntax::Dialect;

use crate::codes;
use crate::failure::Failure;
use crate::input::Source;
use crate::resolve::manifests::unusable;

/// Which language a file is written in, by its name.
pub(super) fn dialect(path: &Path) -> Option<Dialect> {
    match path.extension().and_then(|it| it.to_str()) {
        Some("bicep") => Some(Dialect::Template),
        Some("bicepparam") => Some(Dialect::Parameters),
        _ => None,
    }
}

/// The files that are named, and those in folders that are, each once.
pub(crate) fn found(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let (mut files, mut known) = (Vec::new(), BTreeSet::new());
    for path in paths {
        let mut below = Vec::new();
        if path.is_dir() {
            within(path, &mut below).map_err(|error| unusable(path, "read", &error))?;
            if below.is_empty() {
                let message = format!("`{}` contains no template", path.display());
                let hint = "templates end in `.bicep`, parameter files in `.bicepparam`";
                return Err(Diagnostic::error(codes::NOTHING_TO_FORMAT, message).hint(hint).into());
            }
        } else if path == Path::new("-") || dialect(path).is_some() || !path.exists() {
            below.push(path.clone());
        } else {
            refuse_other_language(path)?;
            let message = format!("`{}` is not a Bicep file", path.display());
            let hint =
                "pass files that end in `.bicep` or `.bicepparam`, or a folder that contains them";
            return Err(Diagnostic::error(codes::NOT_A_TEMPLATE, message).hint(hint).into());
        }
        for file in below {
            if known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Refuses a file that is written for another tool, with the name of its language.
pub(crate) fn refuse_other_language(path: &Path) -> Result<(), Failure> {
    // A file that cannot be read as text is refused by its name.
    let Ok(text) = fs::read_to_string(path) else { return Ok(()) };
    let Some(diagnostic) = recognise_other_language(&text) else { return Ok(()) };
    let name = Some(path.display().to_string());
    Err(Failure::in_source(Source { name, text }, vec![diagnostic]))
}

/// The templates in a folder, in the order of their names.
fn within(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
        // Links are not followed: one to a folder above would never end.
        if kind.is_dir() {
            let is_others = name == "node_modules" || name.as_encoded_bytes().starts_with(b".");
            if !is_others {
                within(&path, found)?;
            }
        } else if kind.is_file() && dialect(&path).is_some() {
            found.push(path);
        }
    }
    Ok(())
}

/// Writes a file so that it is there whole, or as it was, with the mode that it had.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(path, bytes).map_err(|error| unusable(path, "write", &error))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The file that a link leads to is written, and the link stays.
    let path = path.canonicalize()?;
    let mode = fs::metadata(&path)?.permissions();
    if mode.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.set_permissions(mode)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, &path));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}
