//! The data directory: who runs its control plane, and what that process leaves for others to find.
//!
//! One process at a time holds `DIR/lock` and runs the workers. It writes `DIR/server.json`, so that
//! other commands use its server for as long as it runs. A command that only reads works on a copy.

pub(crate) mod data_dir;
pub(crate) mod discard;
pub(crate) mod find;
pub(crate) mod locate;
pub(crate) mod lock;
pub(crate) mod private;
pub(crate) mod server_file;
pub(crate) mod snapshot;
