//! The tests over whole inputs.
