//! One asynchronous write, as a machine that decides and never waits.
//!
//! [`open`] gives the first state, [`step`] every next one: what is now true, what the reference is
//! now, and the one thing to do. What is to be done is committed before it is done, so a crash at any
//! instant is answered by the same `step` again. `state` is what is kept, `event` what can happen,
//! `effect` what can be asked for; `rules` are what keeps one resource for one alias.

mod attempt;
mod effect;
mod ending;
mod entry;
mod event;
mod held;
mod id;
mod open;
mod rules;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub use attempt::{Attempt, AttemptOutcome, Verb};
pub use effect::{DocumentChange, Effect, EntryChange, Next, Step};
pub use ending::{Convergence, Ending, Failure, FailureKind, Finding, Success, SuccessKind};
pub use entry::{Entry, EntryState};
pub use event::{
    ChangeKind, Event, Found, NewForms, Observed, Progress, ProgressState, Refusal, RefusalClass,
};
pub use held::{Held, HeldDeed, Mark, PLAN_MOVED, marks_of};
pub use id::OperationId;
pub use open::{OpenError, Opened, Request, open};
pub use rules::{CREATE_CALL_WITHIN, LEARN_WITHIN, QUARANTINE, Rule, Rules};
pub use state::{Adoption, Closing, Kind, Operation, Policy, Stage, Strategy, Then};
pub use step::{step, step_with};
