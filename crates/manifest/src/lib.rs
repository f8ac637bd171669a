//! What other tools wrote, read without loss, and what they deployed put into manifests that refer to it.
//!
//! [`state::read`] turns any form of a Terraform state into instances and outputs; [`output_resources`] tells their
//! ids, [`deployed`] answers references and expressions ([`hcl`]) by it, [`recipe`] is what a recipe's run is made of.
//! [`cloudformation`] evaluates templates. [`yaml`] reads manifests by span and splices them, [`mod@reference`] is what
//! stands in them, [`resolve`] finds values, [`token`] finds what nobody can resolve any more. The crate is pure: it
//! reads no file, clock or environment.
#![forbid(unsafe_code)]

pub mod cloudformation;
pub mod deployed;
pub mod hcl;
pub mod output_resources;
pub mod recipe;
pub mod reference;
pub mod resolve;
pub mod state;
pub mod token;
pub mod yaml;
