//! Open.
