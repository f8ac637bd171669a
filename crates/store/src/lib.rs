//! What is durable: one trait, SQLite and memory, one conformance suite.

#![forbid(unsafe_code)]
