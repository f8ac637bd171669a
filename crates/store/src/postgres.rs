//! The store in a PostgreSQL database, shared by as many replicas as there are.

pub mod cluster;
