//! The real engine on real SQLite and behind the real AWS SDK, on one thread and by a clock of its own.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test's helper fails as the test does")]

mod power;
mod stage;
mod wire;
