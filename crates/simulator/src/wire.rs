//! The wire protocols, as text in and text out: AWS JSON 1.0, Query with XML, Signature Version 4.

mod hex;
pub mod json;
pub(crate) mod percent;
pub mod query;
pub mod signature;
