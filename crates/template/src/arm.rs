//! ARM JSON: what the compiler of Bicep writes, read and written.

mod expression;
mod json;
