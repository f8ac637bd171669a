//! AWS resource type schemas.

pub mod codes;
pub mod json;
pub mod number;
pub mod pattern;
pub mod policy;
pub mod same;
pub mod transform;
