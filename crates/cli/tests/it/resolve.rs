//! `hangar resolve` with the real binary: against stacks in the real simulator, and inside of other tools.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod assembly;
pub(crate) mod bench;
mod budget;
mod causes;
mod cdk;
mod composite;
mod environment;
mod failures;
mod flags;
mod integrations;
mod page;
mod promises;
pub(crate) mod rig;
mod sample;
mod singles;
mod ucp;
mod unreadable;
