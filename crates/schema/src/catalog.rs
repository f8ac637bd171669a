//! The bundled catalog: every public resource type, each compressed on its own.

mod archive;

pub use archive::{Archive, ArchiveError, MAX_DOCUMENT};

/// The committed catalog, made by `cargo xtask schemas` and described in `data/README.md`.
pub const BUNDLED: &[u8] = include_bytes!("../data/catalog.bin");
