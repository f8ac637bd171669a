//! The store of a process that dies at one of its writes.

use std::sync::Arc;

use hangar_store::gate::{Call, Gate};
use hangar_store::{Answer, StoreError};

use super::{Death, Of, When};

/// Where a process dies.
#[derive(Debug)]
pub(super) struct Deathbed(pub(super) Arc<Death>);

impl Gate for Deathbed {
    fn read<'a, T: Send + 'a>(&'a self, _: &'static str, call: Answer<'a, T>) -> Answer<'a, T> {
        call
    }

    fn write<'a, T: Send + 'a, E: From<StoreError> + Send + 'a>(
        &'a self,
        about: Call,
        call: Answer<'a, T, E>,
    ) -> Answer<'a, T, E> {
        Box::pin(async move {
            self.0.passes(Of::Store, about.name, When::Before);
            let answer = call.await;
            self.0.passes(Of::Store, about.name, When::After);
            answer
        })
    }
}
