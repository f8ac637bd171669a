//! What PostgreSQL's errors mean to the one who asked, and whether asking again can help.

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::StoreError;

/// What can be done about a failed statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The transaction is undone and may be done again: it met another.
    Met,
    /// The connection is of no use any more; the next one may be.
    Gone,
    /// Nothing.
    Plain,
}

pub(super) fn trouble(error: &Error) -> Trouble {
    let Some(told) = error.as_db_error() else {
        let is_broken = |source: &(dyn std::error::Error + 'static)| source.is::<io::Error>();
        let broken = error.is_closed() || error.source().is_some_and(is_broken);
        return if broken { Trouble::Gone } else { Trouble::Plain };
    };
    match *told.code() {
        // A unique constraint is the second line behind the locks: it says that another was first.
        SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::UNIQUE_VIOLATION => Trouble::Met,
        _ if is_last_word(told) => Trouble::Gone,
        _ => Trouble::Plain,
    }
}

/// Whether the session ends with it, or is of no more use: another version has changed the tables.
fn is_last_word(told: &DbError) -> bool {
    let fatal = matches!(told.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
    let class = told.code().code().get(..3).unwrap_or_default();
    let replanned = *told.code() == SqlState::FEATURE_NOT_SUPPORTED
        && told.message().contains("cached plan must not change");
    fatal || class == "57P" || class.starts_with("08") || replanned
}

/// What a failed statement means.
pub(super) fn fault(error: &Error) -> StoreError {
    let Some(told) = error.as_db_error() else {
        return StoreError::Unavailable(match error.source() {
            Some(source) => format!("PostgreSQL: {error}: {source}"),
            None => format!("PostgreSQL: {error}"),
        });
    };
    let detail = told.message();
    let unavailable = |what: &str| StoreError::Unavailable(format!("{what}: {detail}"));
    match *told.code() {
        SqlState::DISK_FULL => unavailable("the disk is full"),
        SqlState::READ_ONLY_SQL_TRANSACTION => unavailable("it is read-only"),
        SqlState::LOCK_NOT_AVAILABLE => unavailable("another transaction holds it for too long"),
        SqlState::QUERY_CANCELED => unavailable("it did not answer in time"),
        SqlState::INSUFFICIENT_PRIVILEGE => {
            unavailable("the role is not allowed to do this (it must own its tables)")
        }
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            unavailable("PostgreSQL rejects the user")
        }
        SqlState::INVALID_CATALOG_NAME => unavailable("create the database first"),
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
            StoreError::Damaged(detail.to_owned())
        }
        ref code if code.code().starts_with("23") => {
            StoreError::Damaged(format!("rows are inconsistent: {detail}"))
        }
        _ => unavailable("PostgreSQL"),
    }
}
