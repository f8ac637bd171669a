//! The places of one kind of requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::pace::{Change, Pace};

/// The places of one kind; as many as its pace says.
#[derive(Debug)]
pub(super) struct Gate {
    places: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    pace: Pace,
    /// Places that there are too many of: they go when they are left.
    owed: usize,
}

impl Gate {
    pub(super) fn new(pace: Pace) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(pace.places().min(Semaphore::MAX_PERMITS)));
        Arc::new(Self { places, state: Mutex::new(State { pace, owed: 0 }) })
    }

    /// A place, if there is one in time.
    pub(super) async fn enter(self: &Arc<Self>, within: Duration) -> Option<Place> {
        let waiting = Arc::clone(&self.places).acquire_owned();
        let permit = tokio::time::timeout(within, waiting).await.ok()?.ok()?;
        Some(Place { gate: Arc::clone(self), permit: Some(permit), began_at: Instant::now() })
    }

    fn leave(&self, permit: OwnedSemaphorePermit, began_at: Instant) {
        // Where there are free ones, it is not their number that makes anybody wait.
        let is_full = self.places.available_permits() == 0;
        let mut state = self.state();
        let change = if is_full { state.pace.done(began_at, Instant::now()) } else { Change::None };
        match change {
            Change::None => {}
            Change::Fewer(fewer) => state.owed += fewer,
            Change::More(more) => {
                let kept = more.min(state.owed);
                state.owed -= kept;
                self.places.add_permits(more - kept);
            }
        }
        if state.owed > 0 {
            state.owed -= 1;
            permit.forget();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    gate: Arc<Gate>,
    permit: Option<OwnedSemaphorePermit>,
    began_at: Instant,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.gate.leave(permit, self.began_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_go_while_work_is_slow_and_come_back_when_it_is_not() {
        let gate = Gate::new(Pace::new(16, Instant::now()));
        let now = Duration::ZERO;
        let mut taken = Vec::new();
        while let Some(place) = gate.enter(now).await {
            taken.push(place);
        }
        assert_eq!(taken.len(), 16);
        tokio::time::sleep(Duration::from_millis(300)).await;
        taken.clear();
        assert_eq!(gate.places.available_permits(), 12);
        for _ in 0..200 {
            while let Some(place) = gate.enter(now).await {
                taken.push(place);
            }
            taken.pop();
        }
        assert_eq!(taken.len() + gate.places.available_permits(), 16);
    }
}
