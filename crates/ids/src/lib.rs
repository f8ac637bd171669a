//! Every name the system knows: parse it, print it, compare it.
//!
//! Names are parsed once at the edge; a value of a type of this crate cannot be wrong. What a
//! person got wrong comes back as a [`hangar_diag::Diagnostic`] which points at the bytes and says
//! what to do next. The crate is pure: it reads no file, clock or environment.
//!
#![forbid(unsafe_code)]

mod account;
pub mod codes;
mod encoding;
mod place;
mod region;
mod type_name;

pub use account::AccountId;
pub use encoding::{decode, encode_identifier, encode_name};
pub use region::Region;
pub use type_name::TypeName;
