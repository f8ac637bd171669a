//! The file of the root keys: 64 hexadecimal digits a line, the current key first, that only its owner
//! reads. It is whole at every instant: a half-written key would lock us out.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{KeyError, Keys};

/// The keys in a file, if there is one.
pub(super) fn find(path: &Path) -> Result<Option<Keys>, KeyError> {
    let text = match fs::read(path) {
        Ok(bytes) => Zeroizing::new(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(KeyError::Read { path: path.to_owned(), source }),
    };
    let malformed = || KeyError::MalformedFile(path.to_owned());
    let text = str::from_utf8(&text).map_err(|_| malformed())?;
    let keys = Keys::from_hex(text).map_err(|_| malformed())?;
    warn_if_exposed(path);
    Ok(Some(keys))
}

/// Writes the keys to a file that is not there. Says whether it did: another may have been faster.
pub(super) fn create(path: &Path, keys: &Keys) -> Result<bool, KeyError> {
    write_new(path, keys).map_err(|source| KeyError::Write { path: path.to_owned(), source })
}

/// Removes a file of keys that nothing was sealed with.
pub(super) fn remove(path: &Path) -> Result<(), KeyError> {
    fs::remove_file(path).map_err(|source| KeyError::Write { path: path.to_owned(), source })
}

/// The turn to replace the keys in a file; it ends when this is dropped, or with the process.
pub(super) struct Turn {
    /// The file itself, where the path is a link to it.
    target: PathBuf,
    /// The lock is on the folder: the file that is replaced takes its own locks with it.
    _directory: File,
}

impl Turn {
    /// Takes the turn, unless another has it.
    pub(super) fn take(path: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::Write { path: path.to_owned(), source };
        let target = fs::canonicalize(path).map_err(failed)?;
        let directory = File::open(directory_of(&target)).map_err(failed)?;
        match directory.try_lock() {
            Ok(()) => Ok(Self { target, _directory: directory }),
            Err(TryLockError::WouldBlock) => Err(KeyError::Rotating(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// Writes the keys in the place of those that are there.
    pub(super) fn replace(&self, keys: &Keys) -> Result<(), KeyError> {
        let target = &self.target;
        let replaced = || {
            let partial = beside(target, ".partial");
            // One that a crash left may be anybody's to read.
            match fs::remove_file(&partial) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let written = write(&partial, keys).and_then(|()| fs::rename(&partial, target));
            if written.is_err() {
                // Why it was not written is what counts.
                let _ = fs::remove_file(&partial);
            }
            written.and_then(|()| File::open(directory_of(target))?.sync_all())
        };
        replaced().map_err(|source| KeyError::Write { path: target.clone(), source })
    }
}

fn write_new(path: &Path, keys: &Keys) -> io::Result<bool> {
    let partial = beside(path, &format!(".{}.partial", std::process::id()));
    let written = write(&partial, keys);
    // A link, unlike a rename, does not replace what is there.
    let linked = written.and_then(|()| fs::hard_link(&partial, path));
    fs::remove_file(&partial)?;
    match linked {
        Ok(()) => File::open(directory_of(path))?.sync_all().map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a file that only its owner reads, onto the disk.
fn write(path: &Path, keys: &Keys) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(keys.to_text().as_bytes())?;
    file.sync_all()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn directory_of(path: &Path) -> &Path {
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    directory.unwrap_or(Path::new("."))
}

/// A mounted secret may have a mode that its reader cannot change: that is told, not refused.
fn warn_if_exposed(path: &Path) {
    let mode = fs::metadata(path).map_or(0, |it| it.permissions().mode());
    if mode & 0o077 != 0 {
        let path = path.display();
        tracing::warn!(%path, mode = format!("{:o}", mode & 0o777), "other users can read the key file");
    }
}
