//! Where a copy goes: beside its place until it is whole, and never over what a data directory lives on.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hangar_diag::Diagnostic;
use hangar_store::sqlite;
use uuid::Uuid;

use crate::codes;
use crate::embedded::data_dir::DataDir;
use crate::failure::Failure;

/// A copy that nobody has written to for so long was cut short.
const CUT_SHORT_AFTER: Duration = Duration::from_hours(1);

/// What becomes of a file that is in the place of the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Present {
    Kept,
    Replaced,
}

impl From<bool> for Present {
    fn from(force: bool) -> Self {
        if force { Self::Replaced } else { Self::Kept }
    }
}

/// The place of a copy. What is not published is removed with it.
#[derive(Debug)]
pub(super) struct Target {
    file: PathBuf,
    partial: PathBuf,
    present: Present,
}

impl Target {
    /// The place that was asked for, if a copy may be there.
    pub(super) fn choose(
        file: &Path,
        dir: &DataDir,
        store: &Path,
        present: Present,
    ) -> Result<Self, Failure> {
        let (Some(name), false) = (file.file_name(), file.is_dir()) else {
            let message =
                format!("cannot write the copy to `{}`: it is a directory", file.display());
            let mistake = Diagnostic::error(codes::FILE_IS_FOLDER, message);
            return Err(mistake.hint("choose a file in it").into());
        };
        let folder = folder_of(file);
        if is_of_the_store(&folder, name, dir, store) {
            let message = format!(
                "`{}` is a file of the store itself, not a place for a copy",
                file.display()
            );
            let mistake = Diagnostic::error(codes::BACKUP_IN_PLACE, message);
            return Err(mistake
                .hint("choose a file in another folder, if possible on another disk")
                .into());
        }
        if let Ok(found) = file.symlink_metadata() {
            if !found.is_file() {
                let message = format!("`{}` is not a regular file", file.display());
                let mistake = Diagnostic::error(codes::BACKUP_IN_PLACE, message);
                return Err(mistake.hint("choose another file; links are not followed").into());
            }
            if present == Present::Kept {
                return Err(exists(file));
            }
        }
        remove_cut_short(&folder, name);
        let mut partial = OsStr::new(".").to_owned();
        partial.push(name);
        partial.push(format!(".{}.partial", Uuid::now_v7()));
        Ok(Self { file: file.to_owned(), partial: folder.join(partial), present })
    }

    /// Where the copy is written.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    /// Where it will be.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Puts the copy in its place, for good; gives its size.
    pub(super) fn publish(self) -> Result<u64, Failure> {
        let put = || {
            match self.present {
                Present::Replaced => fs::rename(&self.partial, &self.file)?,
                Present::Kept => rename_to_nothing(&self.partial, &self.file)?,
            }
            File::open(folder_of(&self.file))?.sync_all()?;
            fs::metadata(&self.file).map(|found| found.len())
        };
        put().map_err(|error: io::Error| {
            if error.kind() == ErrorKind::AlreadyExists {
                return exists(&self.file);
            }
            let message = format!("cannot write {}: {error}", self.file.display());
            let mistake = Diagnostic::error(codes::BACKUP_FAILED, message);
            mistake.hint("check the folder and its permissions; no copy was created").into()
        })
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // What cannot be removed is by a later copy to the same place.
        let _ = sqlite::remove(&self.partial);
    }
}

fn exists(file: &Path) -> Failure {
    let message = format!("`{}` already exists", file.display());
    Diagnostic::error(codes::BACKUP_EXISTS, message)
        .hint("choose another file, or pass --force to replace it")
        .into()
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether a file is, or would be taken for, one that the directory or its store lives on.
fn is_of_the_store(folder: &Path, name: &OsStr, dir: &DataDir, store: &Path) -> bool {
    let same = |one: &Path, other: &Path| matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other);
    let begins = |with: Option<&OsStr>| {
        with.is_some_and(|with| name.as_encoded_bytes().starts_with(with.as_encoded_bytes()))
    };
    // SQLite takes what begins as the store's name for a part of it.
    let is_part = |store: &Path| same(folder, &folder_of(store)) && begins(store.file_name());
    is_part(store)
        || is_part(&dir.store())
        || same(folder, dir.path()) && folder.join(name).exists()
}

/// Renames a file if nothing has the name.
fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // A file system without second names.
        Err(_) => fs::rename(from, to),
    }
}

/// Removes copies to the same place that were cut short before.
fn remove_cut_short(folder: &Path, name: &OsStr) {
    let (Some(name), Ok(entries)) = (name.to_str(), fs::read_dir(folder)) else { return };
    let begin = format!(".{name}.");
    for entry in entries.flatten() {
        let left = entry.file_name();
        let Some(left) = left.to_str() else { continue };
        let id = left.strip_prefix(&begin).and_then(|rest| rest.strip_suffix(".partial"));
        let is_ours = id.is_some_and(|id| Uuid::parse_str(id).is_ok());
        let modified = entry.metadata().and_then(|found| found.modified());
        let is_old = |at: SystemTime| at.elapsed().is_ok_and(|ago| ago > CUT_SHORT_AFTER);
        if is_ours && modified.is_ok_and(is_old) {
            let _ = sqlite::remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(chosen: Result<Target, Failure>) -> &'static str {
        match chosen {
            Err(Failure::Reported(reports)) => reports[0].diagnostics[0].code.as_str(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_copy_never_goes_over_what_the_directory_lives_on() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path().join("d"));
        fs::create_dir(dir.path()).unwrap();
        fs::write(dir.key(), "k").unwrap();
        let elsewhere = folder.path().join("s.db");
        let choose = |file: &str, store: &Path| {
            Target::choose(&dir.path().join(file), &dir, store, Present::Replaced)
        };
        for file in ["hangar.db", "../d/hangar.db", "hangar.db-wal", "hangar.db.old", "key"] {
            assert_eq!(code(choose(file, &dir.store())), "BAK0003", "{file}");
        }
        assert_eq!(code(choose("../s.db", &elsewhere)), "BAK0003");
        assert!(choose("copy.db", &dir.store()).is_ok());
        assert_eq!(code(choose("hangar.db", &elsewhere)), "BAK0003", "it would be found later");
        assert_eq!(code(choose("..", &elsewhere)), "CLI0003");
    }

    #[test]
    fn what_was_cut_short_is_removed_when_nobody_writes_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("copy.db");
        let leave = |name: &str, ago: Duration| {
            let path = folder.path().join(name);
            let left = File::create(&path).unwrap();
            left.set_modified(SystemTime::now() - ago).unwrap();
            path
        };
        let long = CUT_SHORT_AFTER * 2;
        let id = Uuid::now_v7();
        let cut = leave(&format!(".copy.db.{id}.partial"), long);
        let kept = [
            leave(&format!(".copy.db.{}.partial", Uuid::now_v7()), Duration::ZERO),
            leave(&format!(".copy.db2.{id}.partial"), long),
            leave(".copy.db.mine.partial", long),
        ];
        let dir = DataDir::new(folder.path().join("d"));
        Target::choose(&file, &dir, &dir.store(), Present::Kept).unwrap();
        assert!(!cut.exists());
        assert!(kept.iter().all(|path| path.exists()));
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("copy.db");
        let dir = DataDir::new(folder.path().join("d"));
        let target = Target::choose(&file, &dir, &dir.store(), Present::Kept).unwrap();
        fs::write(target.partial(), "copy").unwrap();
        fs::write(&file, "other").unwrap();
        let Err(Failure::Reported(reports)) = target.publish() else { panic!("published") };
        assert_eq!(reports[0].diagnostics[0].code.as_str(), "BAK0001");
        assert_eq!(fs::read(&file).unwrap(), b"other");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
