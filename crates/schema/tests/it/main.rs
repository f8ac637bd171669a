//! Tests of the schema crate through its public API: tables for each rule and laws over the
//! whole catalog.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test's helper fails as the test does"
)]

mod identifier;
mod laws;
mod leaves;
mod patch_arrays;
mod patch_corners;
mod patch_objects;
mod patch_secrets;
mod patch_seeds;
mod patch_spelling;
mod restate;
mod validate;
mod verdict;
