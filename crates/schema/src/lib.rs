//! AWS resource type schemas compiled to property rules, and the pure functions on them: classify,
//! compare, patch, identifier, validate. Holds the bundled catalog of every public type.
//!
//! Nothing here reads a file, a clock or the network. `type_schema` is what everything works on;
//! `patch` is the heart.

#![forbid(unsafe_code)]

mod advice;
mod catalog;
mod class;
pub mod codes;
mod equal;
pub mod finding;
mod fingerprint;
mod handlers;
mod identifier;
pub mod json;
mod kind;
mod marker;
mod node;
pub mod number;
pub mod outline;
pub mod overrides;
mod pairing;
mod patch;
pub mod pattern;
mod pointer;
pub mod policy;
mod respell;
mod restate;
mod rewrite;
pub mod same;
pub mod sample;
mod secret;
mod shape;
mod skeleton;
mod spot;
mod stated;
mod tagging;
mod touch;
pub mod transform;
mod type_schema;
mod validate;

pub use catalog::{Archive, ArchiveError, BUNDLED, Catalog, CatalogError};
pub use class::{Class, ClassSet};
pub use handlers::{Handler, Handlers, ListHandler};
pub use identifier::{additional_identifier_of, identifier_of, read_identifier};
pub use kind::{Kind, Kinds};
pub use marker::{marker_of, with_marker, without_marker};
pub use patch::{
    Cause, Documents, Explanation, Inputs, Leaf, Operation, Origin, Outcome, Patch, Reason, Rule,
    Subject, goal, leaves, patch, patch_with, target,
};
pub use pointer::{PropertyPointer, Step};
pub use restate::{Restated, Unseen, restate};
pub use rewrite::as_returned;
pub use secret::{
    PlainSecrets, Recorded, Secret, SecretRecord, is_set_at_creation, secret_pointers, secrets,
    without_hollow, without_nulls, without_secrets,
};
pub use skeleton::skeleton;
pub use stated::with_marks;
pub use tagging::{MARKER_TAG, Tagging};
pub use touch::{keep_create_only_secrets, keep_ignored_removals, touched, without_read_only};
pub use type_schema::{
    CompileError, IdentifierChoice, PropertyLists, ReplacementStrategy, Source, TypeSchema,
    Unresolved,
};
pub use validate::{Holes, Purpose, Reading, findings, locate, reading, validate};
