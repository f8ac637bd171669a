//! `hangar init`: writes a starter template, and keeps the data directory out of Git.
//!
//! Existing files are never overwritten, and a failure leaves the folder as it was.

mod files;

use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::json;

use self::files::{IgnoreChange, WriteError, plan_ignore, write_files};
use crate::client::ids::quoted;
use crate::codes;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::printable;

/// Where the files are written.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Folder for the files; created if it does not exist
    #[arg(default_value = ".")]
    dir: PathBuf,
}

pub(crate) const DESCRIPTION: &str = "\
Writes main.bicep, a commented template that can be deployed to the built-in simulator without
changes, and adds the data directory (.hangar/) to .gitignore. An existing main.bicep is not
overwritten: the command fails and writes nothing.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar init
  hangar init shop
  hangar init api -o json

Exit codes:
  0  the files were written
  1  error";

/// The starter template.
const TEMPLATE: &str = include_str!("init/main.bicep");

/// The name of its file.
const TEMPLATE_NAME: &str = "main.bicep";

pub(crate) fn run(args: &InitArgs, printer: &mut Printer) -> Result<Exit, Failure> {
    let template = args.dir.join(TEMPLATE_NAME);
    let ignore = args.dir.join(".gitignore");
    let change = write_files(&args.dir, &template, TEMPLATE, &ignore, plan_ignore)
        .map_err(|error| explain(&error, &free_folder(&args.dir)))?;
    let next = next_steps(&args.dir);
    let text = || text_of(&shown(&template), &shown(&ignore), change, &next);
    let json = || {
        json!({
            "template": shown(&template),
            "gitignore": {"path": shown(&ignore), "outcome": change.as_str()},
            "next": next,
        })
    };
    printer.show(text, json)?;
    Ok(Exit::Success)
}

/// The commands to run next, ready to be pasted.
fn next_steps(dir: &Path) -> Vec<String> {
    let mut next = Vec::new();
    if dir != Path::new(".") {
        next.push(format!("cd {}", quoted(&dir.display().to_string())));
    }
    next.push(format!("hangar plan {TEMPLATE_NAME}"));
    next.push(format!("hangar deploy {TEMPLATE_NAME}"));
    next.push(format!("hangar output {TEMPLATE_NAME}"));
    next
}

fn text_of(template: &str, ignore: &str, change: IgnoreChange, next: &[String]) -> String {
    let mut lines = vec![format!("created {template}")];
    match change {
        IgnoreChange::Create => lines.push(format!("created {ignore}")),
        IgnoreChange::Append => lines.push(format!("added .hangar/ to {ignore}")),
        IgnoreChange::None => {}
    }
    lines.extend([String::new(), "Next:".to_owned()]);
    lines.extend(next.iter().map(|command| format!("  {command}")));
    lines.extend([
        String::new(),
        "AWS is a built-in simulator unless you pass `--aws real`.".to_owned(),
        format!("`hangar destroy {TEMPLATE_NAME}` deletes the resources again."),
    ]);
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

/// A path as it was typed, without a leading `./`.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// A folder that does not exist, as a suggestion.
fn free_folder(dir: &Path) -> String {
    let typed = dir.display().to_string();
    let similar = match typed.trim_end_matches('/') {
        "" | "." | ".." => "shop".to_owned(),
        typed => format!("{typed}-2"),
    };
    if Path::new(&similar).exists() { "FOLDER".to_owned() } else { quoted(&similar) }
}

fn explain(error: &WriteError, other: &str) -> Failure {
    let path = shown(error.path());
    match error {
        WriteError::Exists(_) => {
            let message = format!("`{path}` already exists; nothing was written");
            Diagnostic::error(codes::TEMPLATE_EXISTS, message)
                .hint(format!("choose another folder, for example `hangar init {other}`"))
                .into()
        }
        WriteError::NotAFolder(_) => {
            let message = format!("`{path}` is a file, not a folder; nothing was written");
            Diagnostic::error(codes::NOT_A_FOLDER, message).hint("choose a folder").into()
        }
        WriteError::Io { source, .. } => {
            let message = format!("cannot write `{path}`: {source}; nothing was written");
            Diagnostic::error(codes::FILE_UNWRITABLE, message).into()
        }
    }
}
