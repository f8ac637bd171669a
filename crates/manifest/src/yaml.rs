//! YAML as people write it for Kubernetes.

pub mod codes;
mod error;
mod meaning;

pub use error::YamlError;
pub(crate) use error::{MAX_DEPTH, options, syntax};
pub(crate) use meaning::plain;
