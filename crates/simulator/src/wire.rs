//! The wire protocols, as text in and text out: AWS JSON 1.0, Query with XML, SigV4.

pub mod instant;
mod percent;
pub mod signature;
