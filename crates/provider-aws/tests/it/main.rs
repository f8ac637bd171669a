//! The provider against the simulator, over real sockets and the real SDK.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test's helper fails as the test does")]

mod cloud;
mod conformance;
mod credentials;
mod far_side;
mod faults;
mod real;
mod roles;
mod stacks;
mod wire;
