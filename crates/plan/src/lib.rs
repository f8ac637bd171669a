//! Desired, applied and live to a decision; and the operation state machine as a pure step function.
//!
//! `operation` decides what an asynchronous write does next; `record` is what a store keeps of it and
//! of the references that it moves. Nothing here waits, reads a clock or throws dice.

#![forbid(unsafe_code)]

pub mod adoption;
pub mod budget;
pub mod change;
pub mod deployment;
pub mod group;
pub mod normal_form;
pub mod operation;
pub mod recipe;
pub mod record;
pub mod resource_types;
pub mod retry;
pub mod skeleton;
pub mod template_check;
mod text;
mod timestamp;
mod waiting;
pub mod wanted;

pub use timestamp::Timestamp;
pub use waiting::{WaitCode, WaitReason, Waiting};
