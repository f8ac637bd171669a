//! PostgreSQL, for the tests of its store: a server that they make and end themselves.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::apt::{self, runs};
use crate::workspace::Root;

/// Where distributions put what is not on the path, a folder for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Whether a server can be made: the tests look in the same places.
pub(crate) fn is_here() -> bool {
    ["initdb", "pg_ctl"].iter().all(|program| {
        runs(Command::new(program).arg("--version")) || is_under(Path::new(VERSIONS), program)
    })
}

/// Installs it. The server that comes with it is not used, and need not run.
pub(crate) fn install(root: &Root) -> Result<()> {
    apt::install(root, &["postgresql"]).context("PostgreSQL is not installed")
}

fn is_under(versions: &Path, program: &str) -> bool {
    let Ok(folders) = std::fs::read_dir(versions) else { return false };
    folders.flatten().any(|folder| folder.path().join("bin").join(program).is_file())
}
