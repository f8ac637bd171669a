//! What other tools wrote, read without loss: Terraform's state with the ids of what it made, and the
//! modules that recipes run.
//!
//! [`state::read`] turns any form of a state into instances and outputs, [`output_resources`] tells their
//! ids, [`deployed`] answers references and expressions ([`hcl`]) by it, [`recipe`] is what a recipe's run is made of. The crate is pure: it reads no file, clock or
//! environment.
#![forbid(unsafe_code)]

pub mod deployed;
pub mod hcl;
pub mod output_resources;
pub mod recipe;
pub mod state;
