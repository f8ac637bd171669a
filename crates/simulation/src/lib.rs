//! Proves the crash safety by search: histories are checked, every crash of a scenario is tried, seeds are
//! played and replayed.
//!
//! `history` says what must hold of any run. `rig` puts the real engine on one thread with time that only
//! moves when nothing else can, and lets every call of the store and of AWS meet its fate.

#![forbid(unsafe_code)]

pub mod history;
pub mod rig;
pub mod seeds;
pub mod sweep;
