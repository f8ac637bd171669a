//! Bicep templates, from the text on.
//!
//! So far this is the syntax layer: [`syntax::parse`] turns any text into a tree that prints back
//! byte for byte, beside the mistakes it found. Binding, checking and evaluation build on it. The
//! crate is pure: it reads no file, clock or environment.
//!
//! ```
//! use hangar_template::syntax::{Dialect, parse};
//!
//! let parsed = parse("param region string = 'eu-west-1'\n", Dialect::Template);
//! assert!(parsed.diagnostics.is_empty());
//! assert_eq!(parsed.tree.print(), "param region string = 'eu-west-1'\n");
//! ```
#![forbid(unsafe_code)]

pub mod codes;
pub mod deployment;
mod evaluate;
pub mod functions;
mod ir;
mod lower;
mod near;

pub mod parameters_file;
mod path;
pub mod program;
mod silence;
pub mod source;
mod start;
pub mod syntax;
mod types;
pub mod value;
