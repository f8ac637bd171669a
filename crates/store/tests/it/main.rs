//! Every store against the one suite, and what only a file can show.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod conformance;
