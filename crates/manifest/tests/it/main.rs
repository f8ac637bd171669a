//! The tests over whole inputs.

mod damaged;
mod fixtures;
mod recipe;
