//! Hears what the store tells and passes it on: to the worker that something may be due, to each who waits
//! for an operation that it has moved.
//!
//! One listens for all, so that a thousand who wait are not woken by what happens to others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hangar_plan::operation::OperationId;
use hangar_store::Notice;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast, watch};

/// Who waits for which operation.
#[derive(Debug, Default)]
pub(crate) struct Hub(Mutex<HashMap<OperationId, Watched>>);

/// An operation that somebody waits for.
#[derive(Debug)]
struct Watched {
    moved: watch::Sender<()>,
    /// How many do; the last one to go takes it away.
    by: usize,
}

impl Hub {
    /// Tells from now on that an operation has moved, or may have.
    pub(crate) fn watch(self: &Arc<Self>, id: OperationId) -> Watch {
        let mut all = self.lock();
        let new = || Watched { moved: watch::channel(()).0, by: 0 };
        let watched = all.entry(id).or_insert_with(new);
        watched.by += 1;
        let moved = watched.moved.subscribe();
        drop(all);
        Watch { hub: self.clone(), id, moved }
    }

    fn tell(&self, id: OperationId) {
        if let Some(watched) = self.lock().get(&id) {
            watched.moved.send_replace(());
        }
    }

    fn tell_all(&self) {
        for watched in self.lock().values() {
            watched.moved.send_replace(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OperationId, Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears when an operation has moved. What has happened is read from the store: some of it may not be told.
#[derive(Debug)]
pub struct Watch {
    hub: Arc<Hub>,
    id: OperationId,
    moved: watch::Receiver<()>,
}

impl Watch {
    /// Returns when the operation has moved since this was last called, or since it is watched.
    pub async fn moved(&mut self) {
        if self.moved.changed().await.is_err() {
            // Not while the hub keeps the sender: whoever waits looks by himself.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Entry::Occupied(mut watched) = self.hub.lock().entry(self.id) {
            watched.get_mut().by -= 1;
            if watched.get().by == 0 {
                watched.remove();
            }
        }
    }
}

/// Passes on what the store tells, for as long as it does.
pub(crate) async fn run(
    mut notices: broadcast::Receiver<Notice>,
    hub: Arc<Hub>,
    wake: Arc<Notify>,
) {
    loop {
        match notices.recv().await {
            Ok(Notice::Due) => wake.notify_one(),
            Ok(Notice::Moved(id)) => hub.tell(id),
            Err(RecvError::Lagged(_)) => {
                wake.notify_one();
                hub.tell_all();
            }
            Err(RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn who_waits_for_one_hears_of_that_one() {
        let hub = Arc::new(Hub::default());
        let id = OperationId::from_u128;
        let (mut first, mut again, mut other) =
            (hub.watch(id(1)), hub.watch(id(1)), hub.watch(id(2)));
        hub.tell(id(1));
        hub.tell(id(3));
        first.moved().await;
        again.moved().await;
        let unheard = tokio::time::timeout(Duration::from_millis(5), other.moved()).await;
        assert!(unheard.is_err());
        hub.tell_all();
        other.moved().await;
        drop((first, again, other));
        assert!(hub.lock().is_empty());
    }
}
