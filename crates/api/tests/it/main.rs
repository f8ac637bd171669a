//! The HTTP surface over a real socket, on SQLite, over the real AWS SDK, against the simulator.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test's helper fails as the test does")]

mod actions;
mod admission;
mod changes;
mod closing;
mod contract;
mod credentials;
mod deployments;
mod events;
mod groups;
mod hostile;
mod logs;
mod operations;
mod overload;
mod ownership;
mod pages;
mod planes;
mod planned;
mod polling;
mod race;
mod recipes;
mod references;
mod resources;
mod seeds;
mod server;
mod slow;
mod states;
mod sweep;
mod what_if;
