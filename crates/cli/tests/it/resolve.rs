//! `hangar resolve` with the real binary, and the real simulator where stacks are asked for; alone, and inside
//! of other tools.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod bench;
mod cdk;
mod integrations;
mod page;
