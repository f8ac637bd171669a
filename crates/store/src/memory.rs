//! The store in memory.
