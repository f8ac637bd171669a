//! Which store a command copies or replaces as a whole: only a file can be.

use std::path::PathBuf;
use std::str::FromStr;

use hangar_diag::Diagnostic;

use crate::codes;
use crate::embedded::data_dir::DataDir;
use crate::failure::Failure;

/// A store as it is named to `hangar serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoreName {
    /// `sqlite:FILE`
    Sqlite(PathBuf),
    /// `postgres://…`: a database of its own, with tools of its own.
    Postgres,
}

impl FromStr for StoreName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(PathBuf::from(path))),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            _ => Err("write sqlite:FILE".to_owned()),
        }
    }
}

/// The file of the store that was named, or of the directory's. `tool` is what PostgreSQL has in the
/// place of the command.
pub(super) fn file_of(
    named: Option<&StoreName>,
    dir: &DataDir,
    tool: &str,
) -> Result<PathBuf, Failure> {
    match named {
        None => Ok(dir.store()),
        Some(StoreName::Sqlite(path)) => Ok(path.clone()),
        Some(StoreName::Postgres) => {
            let message = "a store in PostgreSQL is not a file of Hangar's to copy or replace";
            let hint = format!("use PostgreSQL's own tool, {tool}; the key is kept apart as ever");
            Err(Diagnostic::error(codes::NOT_A_FILE_STORE, message).hint(hint).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_its_kind() {
        assert_eq!("sqlite:a:b".parse(), Ok(StoreName::Sqlite(PathBuf::from("a:b"))));
        assert_eq!("postgres://h/d".parse(), Ok(StoreName::Postgres));
        for text in ["", "sqlite:", "hangar.db"] {
            assert!(text.parse::<StoreName>().is_err(), "{text}");
        }
    }
}
