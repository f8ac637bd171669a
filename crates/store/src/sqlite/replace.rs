//! Another file in the place of a store, whatever stops it: the place holds the store that was there,
//! with all of it, or the new one.
//!
//! A store is a file and its log. A log that is found beside another file would be played into that, so
//! the old log is emptied into the old file first; then a single rename is all that there is to do.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::fault::{fault, is_busy};
use super::file;
use crate::StoreError;

/// What SQLite keeps beside a file: two of the log, one that is left by a crash without a log.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why no file took the place of a store. What was there is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// Another connection has it open; what that writes would go into a file without a name.
    #[error("another process still uses it")]
    InUse,
    /// It could not be done.
    #[error("{0}")]
    Failed(String),
}

/// What is in the place of a store.
enum Present {
    /// Nothing, or what lies beside a store that is gone.
    None,
    /// A store that is whole without its log.
    Whole,
    /// Something that cannot be opened.
    Broken,
}

/// Puts the file `new`, which must be closed and in the same folder, in the place of the store at
/// `path`. What was there is `aside` afterwards, where nothing may be. A store that anybody has open is refused; the caller keeps others from
/// opening it meanwhile. Blocks.
///
/// A store that is too damaged to be opened has a log that cannot be emptied: then the place is empty
/// for the time between two renames.
pub fn replace(path: &Path, new: &Path, aside: &Path) -> Result<(), ReplaceError> {
    if aside.symlink_metadata().is_ok() {
        return Err(ReplaceError::Failed(format!("{} already exists", aside.display())));
    }
    let present = settle(path)?;
    let put = || -> io::Result<()> {
        File::open(new)?.sync_all()?;
        match present {
            Present::Whole => {
                remove_beside(path)?;
                keep_as(path, aside)?;
            }
            Present::None | Present::Broken => {
                move_if_any(path, aside)?;
                for end in BESIDE {
                    move_if_any(&beside(path, end), &beside(aside, end))?;
                }
            }
        }
        sync_folder(path)?;
        fs::rename(new, path)?;
        sync_folder(path)
    };
    put().map_err(|error| ReplaceError::Failed(error.to_string()))
}

/// Removes a file and what SQLite keeps beside it, as far as they are there.
pub fn remove(path: &Path) -> io::Result<()> {
    remove_if_any(path)?;
    remove_beside(path)
}

/// Whether a log with something in it lies beside a file, so that the file is not all of its store.
pub fn has_log(path: &Path) -> bool {
    let has = |end: &str| fs::metadata(beside(path, end)).is_ok_and(|found| found.len() > 0);
    has("-wal") || has("-journal")
}

/// Empties the log into the file, if there is a store that can be opened and nobody has open.
fn settle(path: &Path) -> Result<Present, ReplaceError> {
    if !path.try_exists().unwrap_or(true) {
        return Ok(Present::None);
    }
    match file::open_for_settling(path).and_then(empty_log) {
        Ok(Emptied::Yes) if !has_log(path) => Ok(Present::Whole),
        Ok(_) => Err(ReplaceError::InUse),
        Err(StoreError::Unavailable(why)) => Err(ReplaceError::Failed(why)),
        Err(_) => Ok(Present::Broken),
    }
}

/// Whether a log could be emptied.
enum Emptied {
    Yes,
    InUse,
}

fn empty_log(connection: Connection) -> Result<Emptied, StoreError> {
    // The first read undoes what a crash left half done.
    let _: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(fault)?;
    let busy: bool = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .map_err(fault)?;
    if busy {
        return Ok(Emptied::InUse);
    }
    // One that is open and idle does not hinder the above. To give up the log takes the file for oneself, which
    // SQLite grants only where no other connection has it open; the next start makes a log again.
    let given_up = connection
        .query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0))
        .map(|mode| mode.eq_ignore_ascii_case("delete"));
    match given_up {
        Ok(true) => {}
        Ok(false) => return Ok(Emptied::InUse),
        Err(error) if is_busy(&error) => return Ok(Emptied::InUse),
        Err(error) => return Err(fault(error)),
    }
    connection.close().map_err(|(_, error)| fault(error))?;
    Ok(Emptied::Yes)
}

/// Gives a file a second name, or makes a copy where the file system knows no second names.
fn keep_as(path: &Path, name: &Path) -> io::Result<()> {
    if fs::hard_link(path, name).is_err() {
        fs::copy(path, name)?;
        File::open(name)?.sync_all()?;
    }
    Ok(())
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn remove_beside(path: &Path) -> io::Result<()> {
    BESIDE.iter().try_for_each(|end| remove_if_any(&beside(path, end)))
}

fn remove_if_any(path: &Path) -> io::Result<()> {
    if_any(fs::remove_file(path))
}

fn move_if_any(path: &Path, to: &Path) -> io::Result<()> {
    if_any(fs::rename(path, to))
}

fn if_any(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// A name is on disk when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
