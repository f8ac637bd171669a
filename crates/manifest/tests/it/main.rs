//! States of Terraform from outside of the crate: real ones, and ones that were damaged.
#![forbid(unsafe_code)]

mod damaged;
mod fixtures;
