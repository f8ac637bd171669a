//! Short runs of the proofs, within the normal tests; the long ones are `cargo xtask simulate` and
//! `HANGAR_TEST_FULL=1`.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test's helper fails as the test does")]

mod power;
#[cfg(debug_assertions)]
mod rules;
mod seeds;
mod stage;
mod sweep;
mod wire;
