//! Wakes those who watch an operation when a store says that something happened to it, and nobody else.
//!
//! One task hears all that a store says. Were every watcher to hear it, each notice would wake all of them.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hangar_plan::operation::OperationId;
use hangar_store::Notice;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

/// Who watches which operation; clones are the same hub.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hub(Arc<Mutex<HashMap<OperationId, Watched>>>);

/// An operation that somebody watches.
#[derive(Debug, Default)]
struct Watched {
    moved: watch::Sender<()>,
    ears: usize,
}

impl Hub {
    /// Listens for what happens to an operation, from now on.
    pub(crate) fn listen(&self, id: OperationId) -> Ear {
        let mut all = self.all();
        let watched = all.entry(id).or_default();
        watched.ears += 1;
        Ear { hub: self.clone(), id, moved: watched.moved.subscribe() }
    }

    /// Passes on what a store says, for as long as it is let.
    pub(crate) async fn pass_on(&self, mut notices: Receiver<Notice>) {
        loop {
            match notices.recv().await {
                Ok(Notice::Moved(id)) => self.wake(id),
                // What was missed is found at the next look.
                Ok(Notice::Due) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return pending().await,
            }
        }
    }

    fn wake(&self, id: OperationId) {
        if let Some(watched) = self.all().get(&id) {
            watched.moved.send_replace(());
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<OperationId, Watched>> {
        // Nothing that holds the lock can leave it half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears when something happens to one operation, until it is dropped.
#[derive(Debug)]
pub(crate) struct Ear {
    hub: Hub,
    id: OperationId,
    moved: watch::Receiver<()>,
}

impl Ear {
    /// Waits until something has happened since the last time.
    pub(crate) async fn moved(&mut self) {
        if self.moved.changed().await.is_err() {
            pending::<()>().await;
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let mut all = self.hub.all();
        if let Some(watched) = all.get_mut(&self.id) {
            watched.ears = watched.ears.saturating_sub(1);
            if watched.ears == 0 {
                all.remove(&self.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::sync::broadcast;

    #[tokio::test]
    async fn only_who_watches_an_operation_hears_of_it_and_who_leaves_is_forgotten() {
        let hub = Hub::default();
        let (tell, notices) = broadcast::channel(8);
        let passing = tokio::spawn({
            let hub = hub.clone();
            async move { hub.pass_on(notices).await }
        });
        let [one, two] = [1, 2].map(OperationId::from_u128);
        let (mut first, mut again, mut other) = (hub.listen(one), hub.listen(one), hub.listen(two));
        tell.send(Notice::Due).unwrap();
        tell.send(Notice::Moved(one)).unwrap();
        first.moved().await;
        again.moved().await;
        let silent = tokio::time::timeout(Duration::from_millis(20), other.moved()).await;
        assert!(silent.is_err());
        // What was said while nobody listened to it is not lost.
        tell.send(Notice::Moved(two)).unwrap();
        other.moved().await;
        drop(first);
        assert_eq!(hub.all().len(), 2);
        drop((again, other));
        assert!(hub.all().is_empty());
        passing.abort();
    }
}
