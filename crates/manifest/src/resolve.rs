//! Values for references: what must be asked of clouds, states and the control plane, and what follows from the answers.
//!
//! Nothing is asked here. An evaluation ends with a value, with a [`Problem`], or with the [`Need`]s that it
//! lacks; the caller asks for those, adds what it learnt to [`Known`], and evaluates again. So every question is
//! asked once, and all that can be asked at one time is asked at one time.

pub mod codes;
mod draft;
mod dynamic;
mod evaluate;
mod identify;
mod known;
mod link;
mod lock;
mod member;
mod output;
mod policy;
mod problem;
mod pseudo;
mod references;
mod rejecting;
mod resolver;
mod scope;
mod secret;
mod stack;
mod terraform;
mod tree;
mod types;
mod ucp;
mod walk;

pub use draft::{Draft, Offered, Which};
pub use evaluate::{Evaluation, Evaluator, Resolved, RolledBack, Rules, Secrecy};
pub use known::{
    Caller, Export, Fact, Known, ListEntry, Need, Origin, StackDescription, StackOutput,
    StackParameter, StackResource, Trouble,
};
pub use link::Link;
pub use lock::{Lock, LockError, Moved};
pub use policy::policy;
pub use problem::{Problem, Reason, Stop};
pub use references::{Evaluated, References, SecretPolicy, Use, Values};
pub use rejecting::Rejecting;
pub use resolver::{Context, Resolution, Resolver};
pub use terraform::States;
pub use types::{TypeFacts, Types};

#[cfg(test)]
mod tests;
