//! YAML read by span and changed in place: nothing but the scalars that are edited changes, byte for byte.
//!
//! [`read`] gives every scalar of a text with its meaning, its place in the text and its place in the object
//! of Kubernetes that holds it. [`splice`] writes some of them anew and proves, by reading the result, that
//! all else means what it meant. Aliases are never expanded: what an anchor names is edited once, there.

mod block;
pub mod codes;
mod error;
mod guard;
mod key;
mod meaning;
mod object;
mod reader;
mod scalar;
mod splice;
mod stream;
#[cfg(test)]
mod tests;
mod write;

pub use error::YamlError;
pub(crate) use error::{MAX_DEPTH, options, syntax};
pub use key::{Key, Step};
pub(crate) use meaning::plain;
pub use object::Object;
pub use reader::read;
pub use scalar::{Place, Scalar, Style, Tag};
pub use splice::{Edit, SpliceError, With, splice};
pub use stream::{Document, Stream};
