//! AWS resource type schemas.

pub mod number;
pub mod same;
