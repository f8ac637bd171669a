<<<<<<< HEAD
//! `hangar resolve` with the real binary: against stacks in the real simulator, and inside of other tools.
=======
//! `hangar resolve` with the real binary, and the real simulator where stacks are asked for; alone, and inside
//! of other tools.
>>>>>>> integrations

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod bench;
<<<<<<< HEAD
mod budget;
mod cdk;
mod composite;
mod failures;
mod integrations;
mod page;
mod rig;
mod sample;
mod unreadable;
=======
mod cdk;
mod integrations;
mod page;
>>>>>>> integrations
