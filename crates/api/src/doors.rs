//! How many connections there are: those that are served, and a few more that are only told to come back.
//!
//! Whoever connects is answered: to accept nobody would leave callers waiting for a word, and what looks after
//! the server without its health.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// As many more than there is room for are told so at once; others wait until the system lets them in.
const STANDING: usize = 64;

/// What lets connections in.
#[derive(Debug)]
pub(crate) struct Doors {
    seats: Arc<Semaphore>,
    standing: Arc<Semaphore>,
}

/// The right to a connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) kind: TicketKind,
    _permit: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TicketKind {
    /// It is served.
    Seat,
    /// It is told to come back, unless it asks for what must get in.
    Standing,
}

impl Doors {
    pub(crate) fn new(connections: usize) -> Self {
        let seats = Arc::new(Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS)));
        Self { seats, standing: Arc::new(Semaphore::new(STANDING)) }
    }

    /// The next ticket, once there is one.
    pub(crate) async fn ticket(&self) -> Ticket {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).acquire_owned();
        loop {
            let (kind, permit) = tokio::select! {
                biased;
                permit = take(&self.seats) => (TicketKind::Seat, permit),
                permit = take(&self.standing) => (TicketKind::Standing, permit),
            };
            // Nobody closes them, so that there is always one.
            if let Ok(permit) = permit {
                return Ticket { kind, _permit: permit };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn seats_are_given_first_and_again_when_they_are_free() {
        let doors = Doors::new(2);
        let seats = [doors.ticket().await, doors.ticket().await];
        assert!(seats.iter().all(|ticket| ticket.kind == TicketKind::Seat));
        let mut standing = Vec::new();
        for _ in 0..STANDING {
            standing.push(doors.ticket().await);
        }
        assert!(standing.iter().all(|ticket| ticket.kind == TicketKind::Standing));
        let next = doors.ticket();
        tokio::pin!(next);
        assert!(
            std::future::poll_fn(|context| {
                std::task::Poll::Ready(next.as_mut().poll(context).is_pending())
            })
            .await
        );
        drop(seats);
        assert_eq!(next.await.kind, TicketKind::Seat);
    }
}
