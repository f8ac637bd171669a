//! A local AWS that behaves like AWS: Cloud Control for every type of the catalog, the CloudFormation
//! and STS calls that go with it, over the real wire protocols.
//!
//! `core` is pure: state, time and randomness are inputs, and every change of state is a value. `wire`
//! is pure too: bytes to calls, answers to bytes. The shell around them speaks HTTP and keeps the
//! state durable.

#![forbid(unsafe_code)]

pub mod admin;
pub mod core;
pub mod journal;
pub mod server;
pub mod wire;
