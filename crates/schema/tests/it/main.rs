//! What holds for every type of the catalog, seen from outside.

#![forbid(unsafe_code)]

#[cfg(test)]
mod laws;
