//! Every name the system knows.

#![forbid(unsafe_code)]
