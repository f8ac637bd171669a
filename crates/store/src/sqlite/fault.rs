//! What SQLite's errors mean to the one who asked.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::StoreError;

/// Whether a statement failed because somebody else has what it needs.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// What a failed statement means.
pub(super) fn fault(error: Error) -> StoreError {
    let (code, detail) = match error {
        Error::SqliteFailure(failure, detail) => {
            (failure.code, detail.unwrap_or_else(|| failure.to_string()))
        }
        // Only a defect of ours comes here: a column or a parameter that is not there.
        other => return StoreError::Unavailable(format!("internal error in a query: {other}")),
    };
    match code {
        ErrorCode::DiskFull => StoreError::Unavailable(format!("the disk is full: {detail}")),
        ErrorCode::ReadOnly => StoreError::Unavailable(format!("it is read-only: {detail}")),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            StoreError::Unavailable(format!("another process has locked it: {detail}"))
        }
        ErrorCode::DatabaseCorrupt => StoreError::Damaged(detail),
        ErrorCode::NotADatabase => {
            StoreError::Damaged(format!("the file is not a database: {detail}"))
        }
        ErrorCode::ConstraintViolation => {
            StoreError::Damaged(format!("rows are inconsistent: {detail}"))
        }
        _ => StoreError::Unavailable(detail),
    }
}

/// What it means that a file could not be opened.
pub(super) fn open_fault(path: &Path, error: Error) -> StoreError {
    match fault(error) {
        StoreError::Unavailable(why) => {
            StoreError::Unavailable(format!("cannot open {}: {why}", path.display()))
        }
        StoreError::Damaged(why) => StoreError::Damaged(format!("{}: {why}", path.display())),
        other => other,
    }
}
