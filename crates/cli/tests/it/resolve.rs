//! `hangar resolve` with the real binary, and the real simulator where stacks are asked for.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod assembly;
mod budget;
mod cdk;
mod composite;
mod failures;
mod flags;
mod rig;
mod sample;
mod singles;
mod ucp;
mod unreadable;
