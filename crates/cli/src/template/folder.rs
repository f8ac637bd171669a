//! Folders where templates are named: searched by commands that take many files, refused by those that take one.

use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;

use crate::codes;
use crate::commands::fmt::files::found;
use crate::failure::Failure;

/// How many templates of a folder a hint names.
const MOST_NAMED: usize = 5;

/// The files, with those in folders in the place of the folders.
pub(crate) fn templates_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(found(std::slice::from_ref(path))?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Refuses a folder where one template is wanted; the hint names those in it.
pub(crate) fn refuse(path: &Path) -> Result<(), Failure> {
    if !path.is_dir() {
        return Ok(());
    }
    let message = format!("`{}` is a directory, not a template", path.display());
    let below = found(&[path.to_owned()]).unwrap_or_default();
    let names: Vec<String> =
        below.iter().take(MOST_NAMED).map(|it| format!("`{}`", it.display())).collect();
    let more = if below.len() > MOST_NAMED { ", …" } else { "" };
    let hint = if names.is_empty() {
        "pass a template: a file that ends in `.bicep` or `.json`".to_owned()
    } else {
        format!("pass a template in it: {}{more}", names.join(", "))
    };
    Err(Diagnostic::error(codes::FILE_IS_FOLDER, message).hint(hint).into())
}
