//! Change.
