//! Power loss.
