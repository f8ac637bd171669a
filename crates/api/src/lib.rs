//! The HTTP surface: the ARM contract, authentication, health and metrics.

#![forbid(unsafe_code)]
