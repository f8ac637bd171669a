//! A store as one process reaches it: every call meets its fate first.

use std::sync::Arc;

use hangar_store::gate::{Call, Gate, Gated};
use hangar_store::{Answer, Store, StoreError};

use super::fate::{Site, When};
use super::process::Process;

/// The store of one process.
pub type ProcessStore = Gated<Process>;

/// What a process reaches of a store.
pub fn of_process(process: Process, inner: Arc<dyn Store>) -> ProcessStore {
    Gated::new(process, inner)
}

impl Process {
    fn gated<'a, T: Send + 'a, E: From<StoreError> + Send + 'a>(
        &'a self,
        site: Site,
        what: String,
        call: Answer<'a, T, E>,
    ) -> Answer<'a, T, E> {
        Box::pin(async move {
            self.go_on().await;
            let fate = self.fate(site, &what);
            self.call(fate, call, |when| unavailable(when).into()).await
        })
    }
}

impl Gate for Process {
    fn read<'a, T: Send + 'a>(&'a self, name: &'static str, call: Answer<'a, T>) -> Answer<'a, T> {
        self.gated(Site::Read(name), String::new(), call)
    }

    fn write<'a, T: Send + 'a, E: From<StoreError> + Send + 'a>(
        &'a self,
        about: Call,
        call: Answer<'a, T, E>,
    ) -> Answer<'a, T, E> {
        let what = about.operation.map(|id| id.to_string()).unwrap_or_default();
        self.gated(Site::Write(about.name), what, call)
    }
}

fn unavailable(when: When) -> StoreError {
    StoreError::Unavailable(match when {
        When::Before => "the disk is full (simulated)".to_owned(),
        When::After => "the response was lost (simulated)".to_owned(),
    })
}
