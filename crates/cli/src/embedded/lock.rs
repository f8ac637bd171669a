//! The lock of a data directory: whoever holds it runs the control plane.
//!
//! The lock is the system's, on an open file, so that it ends with its process however that ends.
//! The file holds the number of the process, for people; it is never removed, because a lock on a
//! file that was removed holds nobody off.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// What came of trying to take a lock.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// It is ours.
    Taken(Lock),
    /// Another process has it; its number, if it has written it yet.
    Held(Option<u32>),
}

impl Lock {
    /// Takes the lock if nobody holds it.
    pub(crate) fn try_take(path: &Path) -> io::Result<Attempt> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                file.rewind()?;
                writeln!(file, "{}", std::process::id())?;
                Ok(Attempt::Taken(Self { _file: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                Ok(Attempt::Held(text.trim().parse().ok()))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_freed_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let Attempt::Taken(lock) = Lock::try_take(&path).unwrap() else { panic!("held") };
        match Lock::try_take(&path).unwrap() {
            Attempt::Held(pid) => assert_eq!(pid, Some(std::process::id())),
            Attempt::Taken(_) => panic!("taken twice"),
        }
        drop(lock);
        assert!(matches!(Lock::try_take(&path).unwrap(), Attempt::Taken(_)));
    }

    #[test]
    fn what_a_dead_process_wrote_holds_nobody_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        std::fs::write(&path, "4194304999\n").unwrap();
        assert!(matches!(Lock::try_take(&path).unwrap(), Attempt::Taken(_)));
        let own = format!("{}\n", std::process::id());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
    }
}
