//! Short runs of the proofs, within the normal tests; the long ones are `cargo xtask simulate` and
//! `HANGAR_TEST_FULL=1`.

#[cfg(debug_assertions)]
mod rules;
mod seeds;
mod sweep;
