//! Bicep templates, from the text on.
//!
//! [`program::compile`] reads and binds a template, [`program::Program::start`] begins a deployment with
//! its inputs, and [`deployment::Deployment`] tells what its resources and outputs come to as more and
//! more is known. Below them [`syntax::parse`] turns any text into a tree that prints back byte for
//! byte. The crate is pure: it reads no file, clock or environment.
//!
//! ```
//! use hangar_template::deployment::{Inputs, NothingKnown};
//! use hangar_template::program::compile;
//! use hangar_template::source::Sources;
//!
//! let text = "extension aws
//! param name string = 'logs'
//! resource bucket 'AWS.S3/Bucket@default' = {
//!   alias: name
//!   properties: { BucketName: '${name}-bucket' }
//! }
//! ";
//! let compiled = compile(&Sources::of("main.bicep", text.as_bytes()), "main.bicep");
//! let program = compiled.program.expect("it has no error");
//! let deployment = program.start(&Inputs::default()).deployment.expect("it starts");
//! let body = deployment.body(0, &NothingKnown).expect("it is evaluated");
//! assert_eq!(body.properties.to_json().unwrap()["BucketName"], "logs-bucket");
//! ```
#![forbid(unsafe_code)]

pub mod arm;
mod check;
pub mod codes;
pub mod deployment;
mod evaluate;
pub mod foreign;
pub mod format;
pub mod functions;
pub mod id_flow;
mod ir;
pub mod lint;
mod lower;
mod near;
pub mod other_language;
pub mod parameters_file;
mod path;
pub mod program;
pub mod recipe;
pub mod resource_types;
mod silence;
pub mod source;
mod start;
pub mod syntax;
mod types;
pub mod value;
pub mod write;
