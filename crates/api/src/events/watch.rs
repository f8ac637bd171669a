//! Somebody watches an operation: what is to be told next, from the store alone.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hangar_engine::Watch as Ear;
use hangar_plan::operation::OperationId;
use hangar_plan::record::Version;
use hangar_store::{Reader, StoreError};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use super::frame;
use crate::failure::of_store;
use crate::handle::operation::EVENTS;
use crate::render;

/// How often the store is looked at when nothing is heard: word may be lost, or come from nowhere.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long a stream may be quiet before it says that it is alive.
const QUIET_FOR: Duration = Duration::from_secs(15);

/// As many lines of the log as are read at once.
const PAGE: usize = 100;

/// What a watch needs besides the operation.
pub(crate) struct Terms {
    pub(crate) store: Arc<dyn Reader>,
    /// From before the operation was looked at first, so that nothing is missed in between.
    pub(crate) ear: Ear,
    /// The server stops: whoever listens comes back, here or elsewhere.
    pub(crate) stopping: watch::Receiver<bool>,
    /// One of the few that there are; free again when the watch ends.
    pub(crate) place: OwnedSemaphorePermit,
}

/// A watch over one operation.
pub(crate) struct Watch {
    store: Arc<dyn Reader>,
    ear: Ear,
    stopping: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
    id: OperationId,
    /// The last event that was told.
    after: u64,
    /// The operation as it was when all of it had been told.
    told: Option<Version>,
    counts: Option<Value>,
    /// The wait that was sent last.
    waiting: Option<Value>,
    spoke_at: Instant,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was told yet.
    New,
    Watching,
    /// Nothing more will be told.
    Over,
}

impl Watch {
    pub(crate) fn new(terms: Terms, id: OperationId, after: u64) -> Self {
        let Terms { store, ear, stopping, place } = terms;
        let (told, counts, waiting, spoke_at) = (None, None, None, Instant::now());
        let stage = Stage::New;
        Self {
            store,
            ear,
            stopping,
            _place: place,
            id,
            after,
            told,
            counts,
            waiting,
            spoke_at,
            stage,
        }
    }

    /// What is to be told next, once there is something; nothing when it is over.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        let mut stopping = self.stopping.clone();
        let text = tokio::select! {
            biased;
            // It fails where the server is gone.
            _ = stopping.wait_for(|stops| *stops) => None,
            text = self.news() => text,
        };
        self.spoke_at = Instant::now();
        text.map(Bytes::from)
    }

    async fn news(&mut self) -> Option<String> {
        loop {
            let text = match self.look().await {
                Ok(text) => text,
                Err(error) => {
                    // Told in the log; the caller comes back and is told then.
                    let _ = of_store(&error);
                    return None;
                }
            };
            if !text.is_empty() {
                return Some(text);
            }
            if self.stage == Stage::Over {
                return None;
            }
            let quiet_until = self.spoke_at + QUIET_FOR;
            let look_at = quiet_until.min(Instant::now() + LOOK_EVERY);
            tokio::select! {
                () = self.ear.moved() => {}
                () = tokio::time::sleep_until(look_at) => {
                    if look_at == quiet_until {
                        return Some(frame::KEEP_ALIVE.to_owned());
                    }
                }
            }
        }
    }

    /// Reads what has happened since, and notes that it is told.
    async fn look(&mut self) -> Result<String, StoreError> {
        let mut text = match self.stage {
            Stage::Over => return Ok(String::new()),
            Stage::Watching => String::new(),
            Stage::New => frame::BEGIN.to_owned(),
        };
        self.stage = Stage::Watching;
        let store = &self.store;
        // Before its events: the last of them and the end are written together, so that one that has ended
        // here has all of them there.
        let Some(record) = store.operation_find(self.id).await? else {
            self.stage = Stage::Over;
            return Ok(text);
        };
        // Every event comes with a new version.
        if self.told == Some(record.version) {
            return Ok(text);
        }
        let events = store.event_list(self.id, self.after, PAGE).await?;
        for event in &events {
            self.after = event.sequence;
            text.push_str(&frame::progress(event));
        }
        if events.len() == PAGE {
            return Ok(text);
        }
        self.told = Some(record.version);
        let counts = render::counts(&record);
        if counts.is_some() && counts != self.counts {
            text.push_str(&counts.iter().map(frame::counts).collect::<String>());
            self.counts = counts;
        }
        let waiting = record.waiting().as_ref().map(render::waiting);
        if waiting != self.waiting && !record.is_ended() {
            text.push_str(&frame::waiting(waiting.as_ref()));
            self.waiting = waiting;
        }
        if record.is_ended() {
            let last = store.event_list_last(self.id, EVENTS).await?;
            text.push_str(&frame::end(&record, &last));
            self.stage = Stage::Over;
        }
        Ok(text)
    }
}
