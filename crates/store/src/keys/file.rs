//! The file of the root key: 64 hexadecimal digits that only its owner reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

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

/// The file appears whole or not at all, whatever happens: a half-written key would lock us out.
fn write_new(path: &Path, keys: &Keys) -> io::Result<bool> {
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = Path::new(&partial);

    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(partial)?;
    let written = writeln!(file, "{}", keys.to_hex().as_str()).and_then(|()| file.sync_all());
    // A link, unlike a rename, does not replace what is there.
    let linked = written.and_then(|()| fs::hard_link(partial, path));
    fs::remove_file(partial)?;
    match linked {
        Ok(()) => File::open(directory)?.sync_all().map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// A mounted secret may have a mode that its reader cannot change: that is told, not refused.
fn warn_if_exposed(path: &Path) {
    let mode = fs::metadata(path).map_or(0, |it| it.permissions().mode());
    if mode & 0o077 != 0 {
        let path = path.display();
        tracing::warn!(%path, mode = format!("{:o}", mode & 0o777), "others may read the key");
    }
}
