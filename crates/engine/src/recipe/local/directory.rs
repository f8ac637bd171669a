//! The directory of a run: what is written to it, what a program prints to it, and the lock that tells whether
//! one still runs.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf};

use crate::recipe::runner::{Command, Files, RunId};

/// Where a run's own files are: what a program sees as its directory.
const WORK: &str = "work";
/// Held by the program that runs.
const LOCK: &str = "lock";
/// The number of the program's process.
const PROCESS: &str = "process";
/// There when the program was asked to stop.
const INTERRUPTED: &str = "interrupted";
/// The name of this place.
const HOST: &str = "host";

/// At most so much of what is printed is read at once.
const AT_ONCE: u64 = 1 << 20;

/// The directory of one run.
#[derive(Debug, Clone)]
pub(super) struct RunDirectory {
    path: PathBuf,
}

impl RunDirectory {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The program's own directory.
    pub(super) fn work(&self) -> PathBuf {
        self.path.join(WORK)
    }

    /// The file that Terraform is told its settings in.
    pub(super) fn settings(&self) -> PathBuf {
        self.work().join(crate::recipe::environment::SETTINGS_FILE)
    }

    pub(super) fn write(&self, files: &Files) -> io::Result<()> {
        make_private(&self.path)?;
        make_private(&self.work())?;
        for (path, content) in files {
            let path = self.inside(path)?;
            if let Some(parent) = path.parent() {
                make_private(parent)?;
            }
            private().truncate(true).open(path)?.write_all(content)?;
        }
        Ok(())
    }

    pub(super) fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.inside(path)?) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn read_all(&self, directory: &str) -> io::Result<Files> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.inside(directory)?)? {
            let entry = entry?;
            // Followed: a module's file may be a link.
            if !fs::metadata(entry.path()).is_ok_and(|it| it.is_file()) {
                continue;
            }
            if let Ok(name) = entry.file_name().into_string() {
                files.push((name, fs::read(entry.path())?));
            }
        }
        files.sort();
        Ok(files)
    }

    /// What a program has printed after so many bytes.
    pub(super) fn printed(&self, command: Command, from: u64) -> io::Result<Vec<u8>> {
        let mut file = match File::open(self.log(command)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        file.seek(SeekFrom::Start(from))?;
        let mut printed = Vec::new();
        file.take(AT_ONCE).read_to_end(&mut printed)?;
        Ok(printed)
    }

    /// Where a program prints to, emptied.
    pub(super) fn open_log(&self, command: Command) -> io::Result<File> {
        private().truncate(true).open(self.log(command))
    }

    fn log(&self, command: Command) -> PathBuf {
        self.path.join(format!("{}.log", command.as_str()))
    }

    /// The lock, held until every copy of the file is closed: ours, and the program's.
    pub(super) fn hold(&self) -> io::Result<File> {
        let file = private().truncate(false).read(true).open(self.path.join(LOCK))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "a program of this run is still running",
            )),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether a program holds the lock.
    pub(super) fn is_in_use(&self) -> io::Result<bool> {
        let file = match File::open(self.path.join(LOCK)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub(super) fn note_process(&self, number: u32) -> io::Result<()> {
        private()
            .truncate(true)
            .open(self.path.join(PROCESS))?
            .write_all(number.to_string().as_bytes())
    }

    /// The number of the program's process; only while the lock is held is it still that program's.
    pub(super) fn process(&self) -> io::Result<Option<i32>> {
        match fs::read_to_string(self.path.join(PROCESS)) {
            Ok(text) => Ok(text.trim().parse().ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Notes that the program is asked to stop; tells whether it was not asked before, by any process.
    pub(super) fn note_interrupt(&self) -> io::Result<bool> {
        match private().create_new(true).open(self.path.join(INTERRUPTED)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Another program of the run starts, which nobody has asked to stop.
    pub(super) fn forget_interrupt(&self) -> io::Result<()> {
        match fs::remove_file(self.path.join(INTERRUPTED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// A path of the program's directory; one that would lead out of it is refused.
    fn inside(&self, path: &str) -> io::Result<PathBuf> {
        let relative = Path::new(path);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if relative.components().all(plain) {
            return Ok(self.work().join(relative));
        }
        let message = format!("`{path}` is not a path inside the run's directory");
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).mode(0o600);
    options
}

/// Makes a directory that only its owner can read, with those above it.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The name of this place, made at first.
pub(super) fn host(directory: &Path) -> io::Result<String> {
    let path = directory.join(HOST);
    match fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let name = uuid::Uuid::now_v7().to_string();
    private().truncate(true).open(path)?.write_all(name.as_bytes())?;
    Ok(name)
}

/// Every run that has a directory here.
pub(super) fn runs(directory: &Path) -> io::Result<Vec<RunId>> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        runs.extend(name.to_str().and_then(RunId::parse));
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> (tempfile::TempDir, RunDirectory) {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDirectory::new(folder.path().join("run"));
        (folder, run)
    }

    #[test]
    fn files_stay_within_the_run_and_only_their_owner_reads_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, run) = directory();
        run.write(&vec![("module/a.tf".to_owned(), b"x".to_vec())]).unwrap();
        assert_eq!(run.read("module/a.tf").unwrap().unwrap(), b"x");
        assert_eq!(run.read("module/b.tf").unwrap(), None);
        let mode = fs::metadata(run.work().join("module/a.tf")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for path in ["../a", "/etc/passwd", "module/../../a"] {
            assert!(run.write(&vec![(path.to_owned(), Vec::new())]).is_err(), "{path}");
            assert!(run.read(path).is_err(), "{path}");
        }
        assert_eq!(run.read_all("module").unwrap(), [("a.tf".to_owned(), b"x".to_vec())]);
        run.remove().unwrap();
        run.remove().unwrap();
    }

    #[test]
    fn a_run_is_in_use_while_anybody_has_its_lock_open() {
        let (_folder, run) = directory();
        assert!(!run.is_in_use().unwrap(), "there is none");
        run.write(&Vec::new()).unwrap();
        let held = run.hold().unwrap();
        assert!(run.is_in_use().unwrap());
        assert!(run.hold().is_err());
        let copy = held.try_clone().unwrap();
        drop(held);
        assert!(run.is_in_use().unwrap(), "the copy is the program's");
        drop(copy);
        assert!(!run.is_in_use().unwrap());
    }

    #[test]
    fn a_place_keeps_its_name() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(host(folder.path()).unwrap(), host(folder.path()).unwrap());
    }
}
