//! Ids by their rules, and the edge cases.
