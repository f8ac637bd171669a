//! The operations that this process drives: what their runs leave is theirs to see to.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use hangar_plan::operation::OperationId;

use super::runner::RunId;

/// The operations on recipes that are driven here.
#[derive(Debug, Default)]
pub(crate) struct Driven(Mutex<HashSet<OperationId>>);

impl Driven {
    pub(super) fn is_driven(&self, run: RunId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&run.operation)
    }

    /// Driven until what is given back is dropped.
    pub(super) fn begin(&self, id: OperationId) -> Driving<'_> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        Driving { driven: self, id }
    }
}

/// An operation while it is driven.
pub(super) struct Driving<'a> {
    driven: &'a Driven,
    id: OperationId,
}

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        self.driven.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
