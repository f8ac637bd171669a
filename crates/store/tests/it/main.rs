//! Every store against the one suite, and what only a file, or the loss of power, can show.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod backup;
mod cluster;
mod conformance;
mod damage;
mod erasure;
mod file;
mod migration;
mod postgres;
mod power;
mod recipe;
mod rotation;
mod sample;
