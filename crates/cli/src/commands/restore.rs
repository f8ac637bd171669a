//! `hangar restore`: a copy of a store in the place of the store, and nothing of the old one lost.
//!
//! Everything is looked at before anything is moved: the copy is written beside the store, read
//! through, opened as the next start would open it, and only then renamed.

mod aws;
mod incoming;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_store::sqlite::{self, ReplaceError};
use serde::Serialize;
use uuid::Uuid;

use super::backup::{told, told_time};
use super::exclusive::take_lock;
use super::store_file::file_of;
use crate::aws::Aws;
use crate::client::ids::quoted;
use crate::client::instant::Instant;
use crate::codes;
use crate::connection::{DATA_DIR_HELP, DATA_DIR_LONG_HELP, Environment, data_dir};
use crate::embedded::data_dir::DataDir;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::session::explain::unusable;
use incoming::{Incoming, Known, Open};

/// What is restored, and where to.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Backup written by `hangar backup`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "DIR", help = DATA_DIR_HELP, long_help = DATA_DIR_LONG_HELP)]
    data_dir: Option<PathBuf>,
    /// Store, as sqlite:FILE
    ///
    /// [default: hangar.db in the data directory]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// File with the key of the store
    ///
    /// The file is read, and stays where it is.
    ///
    /// [default: key in the data directory]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// AWS of the store: simulator, real or `http://HOST:PORT`
    ///
    /// [default: the AWS that the backup names, else that of the data directory]
    #[arg(long, value_name = "AWS")]
    aws: Option<Aws>,
    /// Replace an existing store
    ///
    /// The old store is kept next to the new one.
    #[arg(long)]
    force: bool,
}

pub(crate) const DESCRIPTION: &str = "\
Stop the server first. Operations that were open when the backup was made continue at the next
start.

Changes after the backup are not in the store: before you write anything, check the groups with
`hangar drift` and find resources without an alias with `hangar resource discover`.
docs/operations.md describes what can be lost.";

pub(crate) const EXAMPLES: &str = r"Examples:
  hangar restore /backups/hangar.db --data-dir /var/lib/hangar --force
  hangar restore hangar.db --data-dir /var/lib/hangar --key-file /safe/key \
    --aws real";

/// What `-o json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Restored<'a> {
    file: &'a Path,
    store: &'a Path,
    groups: u64,
    references: u64,
    operations: u64,
    open: &'a [Open],
    store_time: Option<String>,
    aws: Option<String>,
    kept_as: Option<&'a Path>,
}

pub(crate) fn run(
    args: &RestoreArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let dir = data_dir(args.data_dir.as_ref(), environment);
    let store =
        file_of(args.store.as_ref(), environment, &dir, "`pg_restore --clean --if-exists`")?;
    incoming::refuse_what_is_no_copy(&args.file)?;
    dir.make().map_err(|error| unusable(&dir, &error))?;
    // Until everything is done: what is on its way in has the same name for every restore.
    let _lock = take_lock(&dir, "stop it, restore, and start it again")?;
    let was_there = fs::metadata(&store).is_ok_and(|found| found.len() > 0);
    if was_there && !args.force {
        return Err(store_present(&store));
    }
    let key = args.key_file.clone().unwrap_or_else(|| dir.key());
    let incoming = Incoming::bring(&args.file, &store, printer)?;
    let known = incoming.open(&key)?;
    let chosen = aws::aws_of(args.aws.as_ref(), &known, dir.read_aws().ok().flatten())
        .map_err(|error| error.explain(&dir, &args.file))?;
    let aside = kept_as(&store);
    put(&dir, &store, &incoming, &aside, chosen.as_ref())?;
    let kept = aside.exists().then_some(aside.as_path());
    show(args, &store, &known, chosen.as_ref(), kept, printer)?;
    tell_next(args, &dir, &known, chosen.as_ref(), kept, printer);
    Ok(Exit::Success)
}

fn store_present(store: &Path) -> Failure {
    let message = format!("a store already exists at {}", store.display());
    Diagnostic::error(codes::RESTORE_OVER_STORE, message)
        .hint("pass --force to replace it with the copy; the current store is kept under another name")
        .hint("or restore into another directory: --data-dir DIR")
        .into()
}

/// What the store that was there is called afterwards: a name that nothing has.
fn kept_as(store: &Path) -> PathBuf {
    let now = Instant::now().compact();
    let named = |more: &str| {
        let mut name = store.as_os_str().to_owned();
        name.push(format!(".before-restore-{now}{more}"));
        PathBuf::from(name)
    };
    let first = named("");
    if first.symlink_metadata().is_ok() { named(&format!("-{}", Uuid::now_v7())) } else { first }
}

/// Puts the copy in the place of the store, and the AWS that belongs to it.
fn put(
    dir: &DataDir,
    store: &Path,
    incoming: &Incoming,
    aside: &Path,
    aws: Option<&Aws>,
) -> Result<(), Failure> {
    // Invariant: no store is ever found beside an AWS that is another store's. In between there is none,
    // and a start asks for it or finds it in the store.
    let is_other = aws.is_some_and(|aws| dir.read_aws().ok().flatten().as_ref() != Some(aws));
    if is_other && dir.aws().exists() {
        fs::remove_file(dir.aws()).map_err(|error| unusable(dir, &error))?;
    }
    sqlite::replace(store, incoming.path(), aside).map_err(|error| {
        let message = format!("cannot replace {} with the copy: {error}", store.display());
        let hint = match error {
            ReplaceError::InUse => {
                "stop the server that uses it with another data directory, or wait for the running `hangar backup`; \
                 the store was not changed"
            }
            ReplaceError::Failed(_) => "the current store was not changed; try again",
        };
        Failure::from(Diagnostic::error(codes::RESTORE_FAILED, message).hint(hint))
    })?;
    match aws {
        Some(aws) if is_other => dir.write_aws(aws).map_err(|error| unusable(dir, &error)),
        _ => Ok(()),
    }
}

fn show(
    args: &RestoreArgs,
    store: &Path,
    known: &Known,
    aws: Option<&Aws>,
    kept: Option<&Path>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let contents = &known.contents;
    let answer = || Restored {
        file: &args.file,
        store,
        groups: contents.groups,
        references: contents.references,
        operations: contents.operations,
        open: &known.open,
        store_time: contents.written_at.map(told_time),
        aws: aws.map(ToString::to_string),
        kept_as: kept,
    };
    let said =
        || format!("restored {} from {}: {}", store.display(), args.file.display(), told(contents));
    printer.show(said, answer)
}

/// What a person should know and do now.
fn tell_next(
    args: &RestoreArgs,
    dir: &DataDir,
    known: &Known,
    aws: Option<&Aws>,
    kept: Option<&Path>,
    printer: &mut Printer,
) {
    if let Some(kept) = kept {
        printer.note(&format!("the previous store was kept as {}", kept.display()));
    }
    if let Some(open) = told_open(&known.open) {
        printer.note(&open);
    }
    if let Some(key) = &args.key_file
        && !known.is_opened_by(&dir.key())
    {
        printer.note(&format!(
            "{} is not the key of this store: start the server with `hangar serve --key-file {}`, or copy the key to \
             that path",
            dir.key().display(),
            quoted(&key.display().to_string())
        ));
    }
    if aws == Some(&Aws::Simulator) && known.contents.references > 0 && !dir.simulator().exists() {
        printer.note(&format!(
            "its references map to resources of the built-in simulator, whose state is not in the copy: restore {} \
             too",
            dir.simulator().display()
        ));
    }
    printer.note(
        "changes since the backup are not in the store: `hangar drift` shows differences, `hangar resource discover` \
         lists resources without an alias",
    );
}

/// How many are named; the rest is counted.
const NAMED: usize = 5;

/// What goes on with the next start, if anything does.
fn told_open(open: &[Open]) -> Option<String> {
    let named: Vec<String> = open.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match open.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = format!("{}{more}", named.join(", "));
    match open.len() {
        0 => None,
        1 => Some(format!(
            "1 operation was open at that time and continues at the next start: {named}"
        )),
        all => Some(format!(
            "{all} operations were open at that time and continue at the next start: {named}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_named_and_the_rest_counted() {
        let open = |count: usize| {
            let one =
                Open { id: "1".to_owned(), kind: "delete", of: Some("AWS.S3/Bucket b".into()) };
            told_open(&vec![one; count])
        };
        assert_eq!(open(0), None);
        assert!(open(1).unwrap().ends_with("next start: delete AWS.S3/Bucket b"));
        assert!(open(8).unwrap().starts_with("8 operations were open at that time and continue"));
        assert!(open(8).unwrap().ends_with(" and 3 more"));
    }
}
