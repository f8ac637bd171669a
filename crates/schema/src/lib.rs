//! AWS resource type schemas.

pub mod codes;
pub mod json;
pub mod number;
pub mod policy;
pub mod same;
