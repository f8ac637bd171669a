//! Values for references: what must be asked of clouds, states and the control plane, and what follows from the answers.
//!
//! Nothing is asked here. An evaluation ends with a value, with a [`Problem`], or with the [`Need`]s that it
//! lacks; the caller asks for those, adds what it learnt to [`Known`], and evaluates again. So every question is
//! asked once, and all that can be asked at one time is asked at one time.

pub mod codes;
mod evaluate;
mod known;
mod place;
mod problem;
mod stack;
mod types;

pub use evaluate::{Evaluation, Evaluator, Resolved, Secrecy};
pub use known::{
    Caller, Export, Fact, Known, ListEntry, Need, StackDescription, StackOutput, StackParameter,
    StackResource, Trouble,
};
pub use problem::{Problem, Stop};
pub use types::{TypeFacts, Types};
