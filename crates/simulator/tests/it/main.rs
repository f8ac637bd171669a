//! The simulator's core and its wire formats together, without a socket; sessions of roles with one.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod caller;
mod determinism;
mod habits;
mod requests;
mod sessions;
mod stacks;
mod sweep;
mod values;
