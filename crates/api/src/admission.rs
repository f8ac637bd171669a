//! Who is worked for now: so many at once of each kind, a short wait for a turn, and then "come back".
//!
//! Kinds do not take each other's places: a flood of writes leaves room for reads, and who only waits for an
//! operation holds no place that works. What watches the server itself always gets in.

mod class;
mod gate;
mod pace;

pub(crate) use class::Class;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, Code};
use crate::limits::Limits;
use gate::{Gate, Place};
use pace::Pace;

/// The places that there are.
#[derive(Debug)]
pub(crate) struct Admission {
    limits: Limits,
    reads: Arc<Gate>,
    looks: Arc<Gate>,
    writes: Arc<Gate>,
    waits: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    /// One for each [`PIECE`] of a body.
    bodies: Arc<Semaphore>,
}

/// What bodies are counted in.
const PIECE: usize = 1 << 10;

/// What there was no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    Reads,
    Looks,
    Writes,
    Bodies,
    Streams,
    Connections,
}

impl Full {
    /// The word for it in metrics.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Reads => "read",
            Self::Looks => "look",
            Self::Writes => "write",
            Self::Bodies => "body",
            Self::Streams => "stream",
            Self::Connections => "connection",
        }
    }

    /// What the caller is told.
    pub(crate) fn error(self) -> ApiError {
        let (message, seconds) = match self {
            Self::Reads => ("too many reads at the same time; nothing was done, try again", 1),
            Self::Looks => {
                ("too many reads of AWS at the same time; nothing was done, try again", 1)
            }
            Self::Writes | Self::Bodies => {
                ("too many writes at the same time; nothing was accepted, try again", 1)
            }
            Self::Streams => {
                ("too many event streams at the same time; read the status, or try again later", 5)
            }
            Self::Connections => {
                ("too many connections at the same time; nothing was done, try again", 1)
            }
        };
        ApiError::new(Code::ServerBusy, message).with_retry_after(seconds)
    }
}

impl Admission {
    pub(crate) fn new(limits: Limits) -> Self {
        let places = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        let now = Instant::now();
        Self {
            limits,
            reads: Gate::new(Pace::new(limits.reads, now)),
            looks: Gate::new(Pace::fixed(limits.looks, now)),
            writes: Gate::new(Pace::new(limits.writes, now)),
            waits: places(limits.waits),
            streams: places(limits.streams),
            bodies: places(limits.body_bytes / PIECE),
        }
    }

    /// A place to work for a request, once there is one.
    pub(crate) async fn turn(&self, class: Class) -> Result<Turn, Full> {
        let within = self.limits.turn_within;
        let place = match class {
            Class::Free | Class::Stream => None,
            Class::Read => Some(self.reads.enter(within).await.ok_or(Full::Reads)?),
            Class::Look => Some(self.looks.enter(within).await.ok_or(Full::Looks)?),
            Class::Write => Some(self.writes.enter(within).await.ok_or(Full::Writes)?),
        };
        let held = Mutex::new(Held { _place: place, room: None });
        Ok(Turn { held, waits: Arc::clone(&self.waits) })
    }

    /// Room for a body of so many bytes.
    pub(crate) async fn room(&self, class: Class, bytes: usize) -> Result<Room, Full> {
        if class == Class::Free {
            return Ok(Room { _pieces: None });
        }
        // One that is longer than all of it together waits until it is the only one.
        let all = self.limits.body_bytes / PIECE;
        let pieces = u32::try_from(bytes.div_ceil(PIECE).min(all)).unwrap_or(u32::MAX);
        let waiting = Arc::clone(&self.bodies).acquire_many_owned(pieces);
        match tokio::time::timeout(self.limits.turn_within, waiting).await {
            Ok(Ok(pieces)) => Ok(Room { _pieces: Some(pieces) }),
            _ => Err(Full::Bodies),
        }
    }

    /// A place for a stream, which may take it along for hours: nobody waits for one.
    pub(crate) fn stream(&self) -> Result<OwnedSemaphorePermit, Full> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| Full::Streams)
    }

    /// How many streams there are.
    pub(crate) fn open_streams(&self) -> usize {
        self.limits.streams.saturating_sub(self.streams.available_permits())
    }
}

/// The room that a body takes up, until it is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    _pieces: Option<OwnedSemaphorePermit>,
}

/// The place of a request that is worked for.
#[derive(Debug)]
pub(crate) struct Turn {
    held: Mutex<Held>,
    waits: Arc<Semaphore>,
}

/// What a request that is worked for keeps from others.
#[derive(Debug, Default)]
struct Held {
    _place: Option<Place>,
    room: Option<Room>,
}

impl Turn {
    /// Holds the room of the request's body, too.
    #[must_use]
    pub(crate) fn with(self, room: Room) -> Self {
        self.held().room = Some(room);
        self
    }

    /// Gives place and room to others, for a place among those who wait; nothing where too many wait already. The
    /// body must be done with.
    pub(crate) fn wait(&self) -> Option<OwnedSemaphorePermit> {
        let waiting = Arc::clone(&self.waits).try_acquire_owned().ok()?;
        drop(std::mem::take(&mut *self.held()));
        Some(waiting)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn one_of_each() -> Admission {
        let turn_within = Duration::from_millis(20);
        let (reads, looks, writes, waits, streams) = (1, 1, 1, 1, 1);
        let body_bytes = 4 * PIECE;
        let limits = Limits::default();
        Admission::new(Limits {
            reads,
            looks,
            writes,
            waits,
            streams,
            body_bytes,
            turn_within,
            ..limits
        })
    }

    #[tokio::test]
    async fn a_kind_that_is_full_turns_away_its_own_only() {
        let admission = one_of_each();
        let read = admission.turn(Class::Read).await.unwrap();
        assert_eq!(admission.turn(Class::Read).await.unwrap_err(), Full::Reads);
        let write = admission.turn(Class::Write).await.unwrap();
        assert_eq!(admission.turn(Class::Write).await.unwrap_err(), Full::Writes);
        admission.turn(Class::Look).await.unwrap();
        admission.turn(Class::Free).await.unwrap();
        drop((read, write));
        admission.turn(Class::Read).await.unwrap();
        let stream = admission.stream().unwrap();
        assert_eq!((admission.stream().unwrap_err(), admission.open_streams()), (Full::Streams, 1));
        drop(stream);
        assert_eq!(admission.open_streams(), 0);
    }

    #[tokio::test]
    async fn who_waits_for_an_operation_holds_no_place_that_works() {
        let admission = one_of_each();
        let first = admission.turn(Class::Write).await.unwrap();
        let waiting = first.wait().unwrap();
        let second = admission.turn(Class::Write).await.unwrap();
        // Too many wait already: this one is answered at once, and works as long.
        assert!(second.wait().is_none());
        assert_eq!(admission.turn(Class::Write).await.unwrap_err(), Full::Writes);
        drop(waiting);
        assert!(second.wait().is_some());
    }

    #[tokio::test]
    async fn who_waits_for_an_operation_leaves_the_room_of_its_body() {
        let admission = one_of_each();
        let room = admission.room(Class::Write, 4 * PIECE).await.unwrap();
        let turn = admission.turn(Class::Write).await.unwrap().with(room);
        assert_eq!(admission.room(Class::Write, 1).await.unwrap_err(), Full::Bodies);
        let _waiting = turn.wait().unwrap();
        admission.room(Class::Write, 4 * PIECE).await.unwrap();
    }

    #[tokio::test]
    async fn bodies_are_counted_by_their_bytes_and_the_longest_gets_in_alone() {
        let admission = one_of_each();
        let small = admission.room(Class::Write, PIECE + 1).await.unwrap();
        assert_eq!(admission.room(Class::Write, 3 * PIECE).await.unwrap_err(), Full::Bodies);
        admission.room(Class::Write, 2 * PIECE).await.unwrap();
        admission.room(Class::Free, 100 * PIECE).await.unwrap();
        drop(small);
        admission.room(Class::Write, 100 * PIECE).await.unwrap();
    }

    #[test]
    fn every_refusal_says_when_to_come_back() {
        for full in [Full::Reads, Full::Looks, Full::Writes, Full::Bodies, Full::Streams] {
            let error = full.error();
            assert_eq!((error.status().as_u16(), error.code()), (503, "ServerBusy"));
            assert_eq!(error.headers()[0].0, http::header::RETRY_AFTER);
        }
    }
}
