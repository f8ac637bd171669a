//! What other tools wrote, read without loss: Terraform's state with the ids of what it made, the modules
//! that recipes run, YAML of Kubernetes, and templates of `CloudFormation`.
//!
//! [`state::read`] turns any form of a state into instances and outputs, [`output_resources`] tells their
//! ids, [`recipe`] is what a recipe's run is made of. [`yaml`] reads manifests by span and changes them in
//! place, [`token`] finds unresolved tokens in them. The crate is pure: it reads no file, clock or
//! environment.
#![forbid(unsafe_code)]

pub mod cloudformation;
pub mod output_resources;
pub mod recipe;
pub mod state;
pub mod token;
pub mod yaml;
