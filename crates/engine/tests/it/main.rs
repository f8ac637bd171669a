//! The engine on SQLite, over the real AWS SDK, against the simulator.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test's helper fails as the test does")]

mod bicep_fixtures;
mod budget;
mod cancel;
mod credentials;
mod deployments;
mod drift;
mod faults;
mod group_delete;
mod group_drift;
mod kept_defaults;
mod late;
mod learning;
mod ours;
mod ownership;
mod patches;
mod plane;
mod planned;
mod plans;
mod puts;
mod recorded_reads;
mod replacements;
mod schemas;
mod secrets;
mod team;
