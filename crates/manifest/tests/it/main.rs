//! The tests over whole inputs.

mod recipe;
