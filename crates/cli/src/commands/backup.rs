//! `hangar backup`: a copy of the store in one file, made while a server runs or nobody does.
//!
//! It takes no lock and changes nothing in the data directory.

mod target;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_plan::Timestamp;
use hangar_store::StoreError;
use hangar_store::sqlite::{self, Contents, ExamineError, Source};
use serde::Serialize;

use super::store_file::file_of;
use crate::client::instant::Instant;
use crate::codes;
use crate::connection::{DATA_DIR_HELP, DATA_DIR_LONG_HELP, Environment, data_dir};
use crate::embedded::data_dir::DataDir;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::session::explain;
use crate::session::interrupt::Interrupts;
use target::Target;

/// What is copied, and where to.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// File to write; only its owner can read it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "DIR", help = DATA_DIR_HELP, long_help = DATA_DIR_LONG_HELP)]
    data_dir: Option<PathBuf>,
    /// Store, as sqlite:FILE
    ///
    /// [default: hangar.db in the data directory]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Overwrite an existing FILE
    #[arg(long)]
    force: bool,
}

pub(crate) const DESCRIPTION: &str = "\
A server can run during the backup. The backup contains everything that was acknowledged before
the command started. FILE appears only when the copy is complete and verified.

The backup does not contain the key (`key` in the data directory): keep a copy of the key in
another place. It does not contain the state of the built-in simulator either. docs/operations.md
describes backup and restore.";

pub(crate) const EXAMPLES: &str = r#"Examples:
  hangar backup /backups/hangar.db --data-dir /var/lib/hangar
  hangar backup "hangar-$(date +%F).db""#;

/// A store of this size is copied before anybody wonders.
const LARGE: u64 = 64 << 20;

/// How often it is looked at how far the copy is.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What `-o json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BackedUp<'a> {
    file: &'a Path,
    store: &'a Path,
    bytes: u64,
    groups: u64,
    references: u64,
    operations: u64,
    migration: u32,
    store_time: Option<String>,
    key_file: PathBuf,
}

pub(crate) fn run(
    args: &BackupArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let dir = data_dir(args.data_dir.as_ref(), environment);
    let store =
        file_of(args.store.as_ref(), environment, &dir, "`pg_dump --format=custom --file FILE`")?;
    if fs::metadata(&store).map_or(0, |found| found.len()) == 0 {
        let message = format!("no store exists at {}", store.display());
        let mistake = Diagnostic::error(codes::STORE, message);
        return Err(mistake.hint("pass the data directory with --data-dir").into());
    }
    let target = Target::choose(&args.file, &dir, &store, target::Present::from(args.force))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)?;
    let copied = runtime.block_on(copy(&store, &target, printer));
    // Whoever was interrupted does not wait for the rest of the copy.
    runtime.shutdown_background();
    printer.done();
    let contents = copied?;
    let bytes = target.publish()?;
    show(args, &dir, &store, &contents, bytes, printer)?;
    Ok(Exit::Success)
}

/// Makes the copy and looks it through, beside its place.
async fn copy(store: &Path, target: &Target, printer: &mut Printer) -> Result<Contents, Failure> {
    let mut interrupts = Interrupts::listen().map_err(anyhow::Error::from)?;
    let size = fs::metadata(store).map_or(0, |found| found.len());
    if size >= LARGE {
        printer.begin_of("copying the store", usize::try_from(size >> 20).unwrap_or(usize::MAX));
        printer.happened(&told_size(size));
    }
    let failed = |error: ExamineError| explain_copy(store, target, &error);
    let source = Source::open(store).map_err(|error| failed(error.into()))?;
    let (stop, to) = (source.stop(), target.partial().to_owned());
    let mut work = tokio::task::spawn_blocking(move || source.copy_to(&to));
    let mut is_wanted = true;
    let copied = loop {
        tokio::select! {
            done = &mut work => break done.map_err(anyhow::Error::from)?,
            _ = interrupts.next() => is_wanted = false,
            () = tokio::time::sleep(LOOK_EVERY) => {
                let copied = fs::metadata(target.partial()).map_or(0, |found| found.len());
                printer.moved(copied.min(size) >> 20, "");
            }
        }
        if !is_wanted {
            // Again and again: one that has not begun yet would not hear of it, and would make its file
            // after we have removed it.
            stop.stop();
        }
    };
    if !is_wanted {
        return Err(explain::stopped());
    }
    copied.map_err(|error| failed(error.into()))?;
    let to = target.partial().to_owned();
    tokio::select! {
        done = tokio::task::spawn_blocking(move || sqlite::examine(&to)) => {
            done.map_err(anyhow::Error::from)?.map_err(failed)
        }
        _ = interrupts.next() => Err(explain::stopped()),
    }
}

fn explain_copy(store: &Path, target: &Target, error: &ExamineError) -> Failure {
    let (code, message, hint) = match error {
        ExamineError::Store(StoreError::Unavailable(why)) => (
            codes::BACKUP_FAILED,
            format!("cannot copy {} to {}: {why}", store.display(), target.file().display()),
            "check both folders, their permissions and the free disk space; no copy was created",
        ),
        ExamineError::Store(StoreError::Newer { .. }) => (
            codes::STORE,
            format!("cannot copy {}: {error}", store.display()),
            "use the version of Hangar that wrote it, or a newer one",
        ),
        error => (
            codes::STORE,
            format!("cannot copy {}: {error}", store.display()),
            "no copy was created; restore the store from an earlier backup: `hangar restore FILE --force`",
        ),
    };
    Diagnostic::error(code, message).hint(hint).into()
}

fn show(
    args: &BackupArgs,
    dir: &DataDir,
    store: &Path,
    contents: &Contents,
    bytes: u64,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let answer = || BackedUp {
        file: &args.file,
        store,
        bytes,
        groups: contents.groups,
        references: contents.references,
        operations: contents.operations,
        migration: contents.migration,
        store_time: contents.written_at.map(told_time),
        key_file: dir.key(),
    };
    let said = || {
        format!(
            "copied {} to {}: {}, {}; the copy does not contain the key ({}): back it up separately",
            store.display(),
            args.file.display(),
            told(contents),
            told_size(bytes),
            dir.key().display()
        )
    };
    printer.show(said, answer)
}

/// What a store holds, and from when, in a few words.
pub(super) fn told(contents: &Contents) -> String {
    let count =
        |count: u64, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (references, operations) =
        (count(contents.references, "reference"), count(contents.operations, "operation"));
    match contents.written_at {
        Some(at) => format!("{references} and {operations} as of {}", told_time(at)),
        None => format!("{references} and {operations}"),
    }
}

/// A store's time as people and programs read it.
pub(super) fn told_time(at: Timestamp) -> String {
    Instant::from_micros(at.as_micros()).map_or_else(|| "?".to_owned(), |at| at.to_string())
}

/// A size as people read it.
pub(super) fn told_size(bytes: u64) -> String {
    let tenths = |unit: u32| (u128::from(bytes) * 10) >> unit;
    match bytes {
        0..0x400 => format!("{bytes} bytes"),
        0x400..0x10_0000 => format!("{} KiB", bytes >> 10),
        0x10_0000..0x4000_0000 => format!("{}.{} MiB", tenths(20) / 10, tenths(20) % 10),
        _ => format!("{}.{} GiB", tenths(30) / 10, tenths(30) % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_in_its_largest_unit() {
        let told = [12, 2048, 1_300_000, 3 << 30].map(told_size);
        assert_eq!(told, ["12 bytes", "2 KiB", "1.2 MiB", "3.0 GiB"]);
    }

    #[test]
    fn a_store_is_told_by_what_it_holds_and_when() {
        let contents = Contents {
            migration: 3,
            groups: 1,
            references: 1,
            operations: 2,
            written_at: Some(Timestamp::from_micros(1_000_000)),
        };
        assert_eq!(told(&contents), "1 reference and 2 operations as of 1970-01-01T00:00:01Z");
    }
}
