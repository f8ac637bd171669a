//! A diagnostic is a value: code, severity, message, places and hints.
//!
//! It knows nothing of terminals or JSON: `cli` renders it, once, at the edge. A parser returns
//! diagnostics beside its value, many at once; an `Err` is for what stops the work.

#![forbid(unsafe_code)]

mod diagnostic;
mod near;
mod position;

pub use diagnostic::{Cause, Code, Diagnostic, Label, Severity, Span};
pub use near::nearest;
pub use position::{Position, position_of};
