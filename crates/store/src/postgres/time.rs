//! The time of a store: its own clock's, or the database's, which may be set back.

use std::time::Duration;

use hangar_plan::Timestamp;

use crate::StoreError;
use crate::clock::{Clock, StoreTime, ToldTime};

/// For how long what the database told is counted on.
const TOLD_AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Where a store's time comes from.
pub(super) enum Time {
    /// A clock that it was given.
    Own(StoreTime),
    /// The database, which all replicas share; never below what it told this process before.
    Databases(ToldTime),
}

impl Time {
    pub(super) fn new(clock: Option<Clock>) -> Self {
        match clock {
            Some(clock) => Self::Own(StoreTime::new(clock, Timestamp::default())),
            None => Self::Databases(ToldTime::new(Clock::wall())),
        }
    }

    /// The time, when the database has told its own in the last of some rows.
    pub(super) fn of(&self, rows: &[tokio_postgres::Row]) -> Result<Timestamp, StoreError> {
        match self {
            Self::Own(time) => Ok(time.now()),
            Self::Databases(time) => {
                let told = rows.last().and_then(|row| row.try_get::<_, i64>("now").ok());
                told.map(|told| time.hear(Timestamp::from_micros(told))).ok_or_else(|| {
                    StoreError::Unavailable("the database returned no time".to_owned())
                })
            }
        }
    }

    /// The time, where the database need not be asked for it again.
    pub(super) fn recent(&self) -> Option<Timestamp> {
        match self {
            Self::Own(time) => Some(time.now()),
            Self::Databases(time) => time.recent(TOLD_AGAIN_AFTER),
        }
    }

    /// The time, where it is not the database's.
    pub(super) fn own(&self) -> Option<i64> {
        match self {
            Self::Own(time) => Some(time.now().as_micros()),
            Self::Databases(_) => None,
        }
    }

    /// The time, where the database's is behind what it told before.
    pub(super) fn ahead(&self) -> Option<i64> {
        match self {
            Self::Own(_) => None,
            Self::Databases(time) => time.ahead().map(Timestamp::as_micros),
        }
    }
}
