//! The file and its connections: who may read it, and how SQLite is set.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::fault::open_fault;
use crate::StoreError;

/// How long a statement waits for another process's lock.
pub(super) const BUSY_FOR: Duration = Duration::from_secs(5);

/// Every statement of ours stays prepared.
const STATEMENTS: usize = 128;

/// The one connection that writes; makes the file if there is none.
pub(super) fn open_for_writing(path: &Path) -> Result<Connection, StoreError> {
    make_private(path).map_err(|error| {
        StoreError::Unavailable(format!("cannot open {}: {error}", path.display()))
    })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags, |connection| {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // The log reaches the disk before a commit is answered: acknowledged is durable.
        connection.pragma_update(None, "synchronous", "FULL")?;
        // What is deleted is overwritten, in the file and (`temp_store`) nowhere else.
        connection.pragma_update(None, "secure_delete", "ON")?;
        connection.pragma_update(None, "foreign_keys", "ON")
    })
}

/// A connection that cannot write.
pub(super) fn open_for_reading(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags, |connection| connection.pragma_update(None, "query_only", "ON"))
}

/// A connection whose only statement writes a copy elsewhere: it changes nothing here, and not even
/// empties the log when it is the last to close.
pub(super) fn open_for_copying(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags, |_| Ok(()))
}

/// A connection to a file as it is, for emptying its log. One that cannot be emptied is left, for
/// whoever tries to save something of a damaged store: closing would remove it.
pub(super) fn open_for_settling(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags, |connection| {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map(drop)
    })
}

fn open(
    path: &Path,
    flags: OpenFlags,
    set: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<Connection, StoreError> {
    let opened = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_FOR)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        set(&connection)?;
        Ok(connection)
    };
    opened().map_err(|error| open_fault(path, error))
}

/// Only its owner reads the file; SQLite gives the log the same mode.
fn make_private(path: &Path) -> io::Result<()> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
    }
    Ok(())
}
