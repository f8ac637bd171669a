//! One asynchronous write, as a machine that decides and never waits.
//!
//! [`open`] gives the first state, [`step`] every next one: what is now true, what the reference is
//! now, and the one thing to do. What is to be done is committed before it is done, so a crash at any
//! instant is answered by the same `step` again. `state` is what is kept, `event` what can happen,
//! `effect` what can be asked for; `rules` are the seven rules that keep one resource for one alias.

mod attempt;
mod ending;
mod entry;
mod id;
mod open;
mod rules;
mod state;
mod step;

pub use attempt::{Attempt, AttemptOutcome, Verb};
pub use ending::{Convergence, Ending, Failure, FailureKind, Finding, Success, SuccessKind};
pub use entry::{Entry, EntryState};
pub use id::OperationId;

pub use state::{Kind, Operation, Policy, Stage, Then};
