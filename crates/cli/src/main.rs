//! The one binary.

#![forbid(unsafe_code)]

fn main() {}
