//! Desired, applied and live to a decision; and the operation state machine as a pure step function.

#![forbid(unsafe_code)]
