//! AWS resource type schemas.

#![forbid(unsafe_code)]

pub mod catalog;
