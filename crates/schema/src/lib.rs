//! AWS resource type schemas.
