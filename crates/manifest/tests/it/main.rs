//! States of Terraform from outside of the crate: real ones, and ones that were damaged.
#![forbid(unsafe_code)]

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod fixtures;
