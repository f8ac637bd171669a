//! Which store a command copies or replaces as a whole: only a file can be.

use std::path::PathBuf;

use hangar_diag::Diagnostic;

use crate::codes;
use crate::connection::Environment;
use crate::embedded::data_dir::DataDir;
use crate::failure::Failure;
use crate::store_at::StoreAt;

/// The file of the store that was named, or of the directory's. `tool` is what PostgreSQL has in the
/// place of the command.
pub(super) fn file_of(
    named: Option<&String>,
    environment: &Environment,
    dir: &DataDir,
    tool: &str,
) -> Result<PathBuf, Failure> {
    match StoreAt::chosen(named, environment)? {
        None => Ok(dir.store()),
        Some(StoreAt::Sqlite(path)) => Ok(path),
        Some(StoreAt::Postgres(_)) => {
            let message = "Hangar cannot copy or replace a PostgreSQL store";
            let hint = format!("use the PostgreSQL tool {tool}; back up the key separately");
            Err(Diagnostic::error(codes::NOT_A_FILE_STORE, message).hint(hint).into())
        }
    }
}
