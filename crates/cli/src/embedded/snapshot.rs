//! A private copy of a data directory, for commands that only read: whatever a control plane writes while it
//! answers them goes into the copy.
//!
//! The directory itself is only read. It is locked while it is copied, so that no command writes meanwhile.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::data_dir::DataDir;
use super::find::{FindError, LOOK_EVERY};
use super::lock::{Attempt, Lock};
use super::server_file::ServerFile;
use crate::store_at::StoreAt;

/// What a copy has besides the store: the simulator's state, and which AWS the directory is used with. The
/// key is not copied.
const STATE_FILES: [&str; 4] = ["simulator.db", "aws", "token", "replica-of"];

/// A copy that is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) dir: DataDir,
    /// The root key of the directory, which is used where it is: a key has no second copy.
    pub(crate) key: Option<PathBuf>,
    /// The lock of the copy.
    pub(crate) lock: Lock,
    pub(crate) folder: TempDir,
}

/// Who answers a command that only reads.
#[derive(Debug)]
pub(crate) enum Reader {
    /// Another process, which runs the control plane of the directory.
    Neighbour(ServerFile),
    /// This process, on a copy.
    Copy(Box<Snapshot>),
}

/// Finds a process that answers, or copies the directory; waits while another process starts or ends there.
pub(crate) async fn find_or_copy(
    dir: &DataDir,
    store: Option<&StoreAt>,
    patience: Duration,
) -> Result<Reader, FindError> {
    let since = Instant::now();
    loop {
        if let Some(file) = ServerFile::find(&dir.server())
            && file.is_live().await
        {
            return Ok(Reader::Neighbour(file));
        }
        if let Some(copied) = try_copy(dir, store).map_err(FindError::Directory)? {
            return Ok(Reader::Copy(Box::new(copied)));
        }
        let waited = since.elapsed();
        if waited >= patience {
            return Err(FindError::Held { pid: pid_in(&dir.lock()), waited });
        }
        tokio::time::sleep(LOOK_EVERY.min(patience)).await;
    }
}

/// Copies the directory; nothing while another process has it. A directory that does not exist gives an
/// empty copy.
fn try_copy(dir: &DataDir, store: Option<&StoreAt>) -> io::Result<Option<Snapshot>> {
    if !dir.path().exists() {
        return Snapshot::new(dir, store).map(Some);
    }
    if !dir.path().is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    // Invariant: this lock file is only read here. What another process wrote into it stays.
    let held = match File::open(dir.lock()) {
        Ok(file) => match file.try_lock() {
            Ok(()) => Some(file),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        },
        // No process has ever run on it.
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let copied = Snapshot::new(dir, store);
    drop(held);
    copied.map(Some)
}

impl Snapshot {
    fn new(dir: &DataDir, store: Option<&StoreAt>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("hangar-read-").tempdir()?;
        let copy = DataDir::new(folder.path());
        for name in STATE_FILES {
            copy_if_there(&dir.path().join(name), &folder.path().join(name))?;
        }
        let store = match store {
            Some(StoreAt::Sqlite(path)) => path.clone(),
            // A store that servers share is read by none of our own.
            Some(StoreAt::Postgres(_)) | None => dir.store(),
        };
        for end in ["", "-wal"] {
            copy_if_there(&with_end(&store, end), &with_end(&copy.store(), end))?;
        }
        let Attempt::Taken(lock) = Lock::try_take(&copy.lock())? else {
            return Err(ErrorKind::WouldBlock.into());
        };
        link_providers(&dir.recipes(), &copy.recipes())?;
        let key = Some(dir.key()).filter(|key| key.exists());
        Ok(Self { dir: copy, key, lock, folder })
    }
}

/// Where Terraform keeps the providers that it has fetched, below the directory of the runs.
const PROVIDERS: &str = "providers";

/// A package is at `host/namespace/type/version/platform`.
const PACKAGE_DEPTH: usize = 5;

/// Links the providers that recipes have fetched, so that a plan does not fetch them again. What it fetches besides goes with
/// `to`: nothing is written below `from`.
pub(crate) fn link_providers(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (from.join(PROVIDERS), to.join(PROVIDERS));
    if from.is_dir() {
        link_packages(&std::path::absolute(from)?, &to, PACKAGE_DEPTH)
    } else {
        Ok(())
    }
}

fn link_packages(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    if depth == 0 {
        return std::os::unix::fs::symlink(from, to);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.path().is_dir() {
            link_packages(&entry.path(), &to.join(entry.file_name()), depth - 1)?;
        }
    }
    Ok(())
}

fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn pid_in(lock: &Path) -> Option<u32> {
    fs::read_to_string(lock).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(1);

    #[tokio::test]
    async fn a_directory_that_does_not_exist_is_not_made_for_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path().join(".hangar"));
        let Ok(Reader::Copy(copy)) = find_or_copy(&dir, None, SHORT).await else {
            panic!("no copy")
        };
        assert!(copy.dir.path().is_dir() && copy.key.is_none());
        assert!(!dir.path().exists());
        let path = copy.dir.path().to_owned();
        drop(copy);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_copy_has_the_state_and_leaves_the_directory_alone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        fs::write(dir.lock(), "77\n").unwrap();
        for file in [dir.store(), dir.simulator(), dir.key()] {
            fs::write(file, "state").unwrap();
        }
        let Ok(Reader::Copy(copy)) = find_or_copy(&dir, None, SHORT).await else {
            panic!("no copy")
        };
        assert_eq!(fs::read_to_string(copy.dir.store()).unwrap(), "state");
        assert_eq!(fs::read_to_string(copy.dir.simulator()).unwrap(), "state");
        assert!(!copy.dir.key().exists() && copy.key == Some(dir.key()));
        assert_eq!(fs::read_to_string(dir.lock()).unwrap(), "77\n");
    }

    #[test]
    fn providers_are_linked_as_packages_and_nothing_is_written_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let package = "providers/registry.io/hashicorp/null/3.2.0/linux_amd64";
        fs::create_dir_all(from.join(package)).unwrap();
        fs::write(from.join(package).join("provider"), "binary").unwrap();
        link_providers(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join(package).join("provider")).unwrap(), "binary");
        fs::create_dir(to.join("providers/registry.io/other")).unwrap();
        assert!(!from.join("providers/registry.io/other").exists());
        link_providers(&folder.path().join("none"), &to).unwrap();
    }

    #[tokio::test]
    async fn a_directory_that_another_process_works_on_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        let Attempt::Taken(lock) = Lock::try_take(&dir.lock()).unwrap() else { panic!("held") };
        let found = find_or_copy(&dir, None, SHORT).await;
        let own = Some(std::process::id());
        assert!(matches!(found, Err(FindError::Held { pid, .. }) if pid == own));
        drop(lock);
        assert!(matches!(find_or_copy(&dir, None, SHORT).await, Ok(Reader::Copy(_))));
    }
}
