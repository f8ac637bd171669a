//! `hangar version`.

use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

pub(crate) const EXAMPLES: &str = "Examples:
  hangar version
  hangar version -o json";

/// What `-o json` prints.
#[derive(Serialize)]
struct Version {
    name: &'static str,
    version: &'static str,
}

pub(crate) fn run(printer: &mut Printer) -> Result<Exit, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    printer.show(|| format!("hangar {version}"), || Version { name: "hangar", version })?;
    Ok(Exit::Success)
}
