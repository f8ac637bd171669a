//! Tests of the schema crate through its public API: tables for each rule and laws over the
//! whole catalog.

mod identifier;
mod laws;
mod patch_arrays;
mod patch_objects;
mod patch_secrets;
mod patch_seeds;
mod patch_spelling;
mod validate;
mod verdict;
