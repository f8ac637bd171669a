//! Step.
