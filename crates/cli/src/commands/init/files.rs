//! Writes the files of `hangar init`: all of them, or none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The line that keeps the data directory out of Git.
const IGNORE_LINE: &str = ".hangar/";

/// What happens to `.gitignore`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IgnoreChange {
    /// There is none.
    Create,
    /// It does not name the data directory.
    Append,
    /// It names the data directory already.
    None,
}

impl IgnoreChange {
    /// The word for programs.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Create => "created",
            Self::Append => "updated",
            Self::None => "unchanged",
        }
    }
}

/// Why nothing was written.
#[derive(Debug)]
pub(super) enum WriteError {
    /// The template is there already.
    Exists(PathBuf),
    /// The folder is a file.
    NotAFolder(PathBuf),
    Io {
        path: PathBuf,
        source: io::Error,
    },
}

impl WriteError {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Exists(path) | Self::NotAFolder(path) | Self::Io { path, .. } => path,
        }
    }

    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Decides what happens to a `.gitignore`, and returns the text to add.
pub(super) fn plan_ignore(existing: Option<&[u8]>) -> (IgnoreChange, String) {
    let Some(existing) = existing else {
        return (IgnoreChange::Create, format!("{IGNORE_LINE}\n"));
    };
    let names = [".hangar", ".hangar/", "/.hangar", "/.hangar/", "**/.hangar", "**/.hangar/"];
    let is_named = |line: &[u8]| names.iter().any(|name| line.trim_ascii() == name.as_bytes());
    if existing.split(|byte| *byte == b'\n').any(is_named) {
        return (IgnoreChange::None, String::new());
    }
    let is_open = existing.last().is_some_and(|byte| *byte != b'\n');
    (IgnoreChange::Append, format!("{}{IGNORE_LINE}\n", if is_open { "\n" } else { "" }))
}

/// Writes the template, then `.gitignore` as `plan` decides. On an error both are as they were.
pub(super) fn write_files(
    dir: &Path,
    template: &Path,
    text: &str,
    ignore: &Path,
    plan: fn(Option<&[u8]>) -> (IgnoreChange, String),
) -> Result<IgnoreChange, WriteError> {
    if fs::symlink_metadata(template).is_ok() {
        return Err(WriteError::Exists(template.to_owned()));
    }
    let existing = match fs::read(ignore) {
        Ok(existing) => Some(existing),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        // The folder is a file: the next step reports it.
        Err(error) if error.kind() == ErrorKind::NotADirectory => None,
        Err(error) => return Err(WriteError::at(ignore)(error)),
    };
    let (change, addition) = plan(existing.as_deref());
    let created = create_folder(dir)?;
    let undo_folders = || {
        for folder in created.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    };
    create_file(template, text).inspect_err(|_| undo_folders())?;
    if change != IgnoreChange::None
        && let Err(error) = append(ignore, addition.as_bytes(), existing.as_deref())
    {
        // Only what this call created is removed.
        let _ = fs::remove_file(template);
        undo_folders();
        return Err(WriteError::at(ignore)(error));
    }
    Ok(change)
}

/// Creates a folder with those above it, and returns the ones that were missing, outermost first.
fn create_folder(dir: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let mut missing: Vec<PathBuf> =
        dir.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    missing.reverse();
    match fs::create_dir_all(dir) {
        Ok(()) => Ok(missing),
        Err(error)
            if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotADirectory) =>
        {
            let file = dir.ancestors().find(|path| path.is_file()).unwrap_or(dir);
            Err(WriteError::NotAFolder(file.to_owned()))
        }
        Err(error) => Err(WriteError::at(dir)(error)),
    }
}

/// Creates a file that must not exist; a file that could not be written completely is removed.
fn create_file(path: &Path, text: &str) -> Result<(), WriteError> {
    let mut file = File::create_new(path).map_err(|error| match error.kind() {
        // Another process was quicker.
        ErrorKind::AlreadyExists => WriteError::Exists(path.to_owned()),
        _ => WriteError::at(path)(error),
    })?;
    file.write_all(text.as_bytes()).map_err(|error| {
        let _ = fs::remove_file(path);
        WriteError::at(path)(error)
    })
}

/// Adds to the end of a file, or creates it; on an error the file is as it was.
fn append(path: &Path, addition: &[u8], existing: Option<&[u8]>) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(addition).inspect_err(|_| {
        let _ = match existing {
            Some(before) => file.set_len(u64::try_from(before.len()).unwrap_or(u64::MAX)),
            None => fs::remove_file(path),
        };
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_directory_is_ignored_once() {
        let cases: [(Option<&str>, IgnoreChange, &str); 6] = [
            (None, IgnoreChange::Create, ".hangar/\n"),
            (Some(""), IgnoreChange::Append, ".hangar/\n"),
            (Some("target\n"), IgnoreChange::Append, ".hangar/\n"),
            (Some("target"), IgnoreChange::Append, "\n.hangar/\n"),
            (Some("a\r\n/.hangar\r\n"), IgnoreChange::None, ""),
            (Some("# .hangar/\n"), IgnoreChange::Append, ".hangar/\n"),
        ];
        for (existing, change, addition) in cases {
            let planned = plan_ignore(existing.map(str::as_bytes));
            assert_eq!(planned, (change, addition.to_owned()), "{existing:?}");
            let after = existing.unwrap_or_default().to_owned() + addition;
            assert_eq!(plan_ignore(Some(after.as_bytes())).0, IgnoreChange::None);
        }
    }

    #[test]
    fn an_error_at_gitignore_takes_the_template_back() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("a/b");
        let nowhere = folder.path().join("no/.gitignore");
        let error = write_files(&dir, &dir.join("main.bicep"), "x", &nowhere, plan_ignore);
        assert!(matches!(error, Err(WriteError::Io { .. })), "{error:?}");
        assert!(!folder.path().join("a").exists());
    }
}
