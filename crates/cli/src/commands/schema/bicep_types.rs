//! `hangar schema bicep-types`: all types as a package that Bicep's own editor and compiler read.

mod package;
mod type_file;
mod writer;

use std::fs;
use std::path::Path;

use hangar_diag::Diagnostic;
use serde_json::json;

use crate::codes;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

pub(crate) const DESCRIPTION: &str = "\
docs/editor.md describes how to set up an editor with the types.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar schema bicep-types --out bicep-types
  bicep publish-extension bicep-types/index.json --target aws-types.tgz";

/// Writes the package into a directory. The same program writes the same bytes.
pub(crate) fn run(out: &Path, printer: &mut Printer) -> Result<Exit, Failure> {
    let package = package::package()?;
    for (name, content) in &package.files {
        let path = out.join(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all);
        written
            .and_then(|()| fs::write(&path, content))
            .map_err(|error| cannot_write(&path, &error))?;
    }
    let index = out.join(package::INDEX);
    let files = package.files.len();
    printer.show(
        || {
            format!(
                "wrote {} types to {files} files; the index is {}",
                package.types,
                index.display()
            )
        },
        || json!({"index": index.display().to_string(), "types": package.types, "files": files}),
    )?;
    Ok(Exit::Success)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot write {}: {error}", path.display());
    Diagnostic::error(codes::FILE_UNWRITABLE, message)
        .hint("choose another directory with `--out`, or make this one writable")
        .into()
}
