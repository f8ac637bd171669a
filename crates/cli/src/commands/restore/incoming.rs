//! A copy on its way in: beside the store, read through, and opened as the next start would open it.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_plan::record::OperationRecord;
use hangar_store::keys::{KeyError, Keys};
use hangar_store::sqlite::{self, Contents, ExamineError, Sqlite};
use hangar_store::{OperationFilter, Reader as _, StoreError};
use serde::Serialize;

use crate::aws::Aws;
use crate::client::ids::words_of;
use crate::codes;
use crate::control_plane::noted_aws;
use crate::failure::Failure;
use crate::printer::Printer;

/// So much is copied between two looks at how far it is.
const STEP: usize = 1 << 20;

/// A store of this size is copied before anybody wonders.
const LARGE: u64 = 64 << 20;

/// The most open operations that are told.
const MOST_OPEN: usize = 1000;

/// A file beside the store; removed with this if it was not put into its place.
#[derive(Debug)]
pub(super) struct Incoming {
    /// What it was copied from.
    file: PathBuf,
    path: PathBuf,
    contents: Contents,
}

/// What a copy tells of itself.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) contents: Contents,
    /// What was open when it was made.
    pub(super) open: Vec<Open>,
    /// What proves its key.
    pub(super) check: Option<String>,
    /// The AWS that it was used with; older ones do not say.
    pub(super) noted: Option<Aws>,
}

/// An operation that goes on with the next start.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Open {
    pub(super) id: String,
    pub(super) kind: &'static str,
    /// What it is about, in the words of commands.
    #[serde(rename = "resource")]
    pub(super) of: Option<String>,
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Some(of) => write!(f, "{} {of}", self.kind),
            None => write!(f, "{} {}", self.kind, self.id),
        }
    }
}

impl Known {
    /// Whether anything was ever written through it, so that there is an AWS that it was used with.
    pub(super) fn was_used(&self) -> bool {
        self.contents.references > 0 || self.contents.operations > 0
    }

    /// Whether the keys in a file are the store's.
    pub(super) fn is_opened_by(&self, key: &Path) -> bool {
        match &self.check {
            Some(check) => Keys::load(key).is_ok_and(|keys| keys.proves(check)),
            None => true,
        }
    }
}

/// Refuses a file of which can be told at once that it is no copy.
pub(super) fn refuse_what_is_no_copy(file: &Path) -> Result<(), Failure> {
    let name = file.display();
    let refused = |code, message: String, hint: &str| {
        Err(Failure::from(Diagnostic::error(code, message).hint(hint)))
    };
    match File::open(file).and_then(|opened| opened.metadata()) {
        Ok(found) if found.is_dir() => refused(
            codes::FILE_IS_FOLDER,
            format!("cannot read `{name}`: it is a directory"),
            "pass a file in it",
        ),
        // Half of a store is none.
        Ok(_) if sqlite::has_log(file) => refused(
            codes::UNFIT_COPY,
            format!("`{name}` is a store that is in use or was not closed: its log file exists"),
            "make a copy of it with `hangar backup`, and restore that",
        ),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => refused(
            codes::FILE_MISSING,
            format!("cannot read `{name}`: no such file"),
            "check the path",
        ),
        Err(error) => refused(
            codes::FILE_UNREADABLE,
            format!("cannot read `{name}`: {error}"),
            "check the path and its permissions",
        ),
    }
}

impl Incoming {
    /// Copies a file to beside the store and reads it through.
    pub(super) fn bring(file: &Path, store: &Path, printer: &mut Printer) -> Result<Self, Failure> {
        let mut path = store.as_os_str().to_owned();
        path.push(".restoring");
        let contents =
            Contents { migration: 0, groups: 0, references: 0, operations: 0, written_at: None };
        let mut incoming = Self { file: file.to_owned(), path: PathBuf::from(path), contents };
        // One that was cut short: we hold the lock, so nobody writes it.
        sqlite::remove(&incoming.path)
            .and_then(|()| copy(file, &incoming.path, printer))
            .map_err(|error| incoming.unwritable(&error.to_string()))?;
        incoming.contents =
            sqlite::examine(&incoming.path).map_err(|error| incoming.unfit(&error))?;
        printer.done();
        Ok(incoming)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it as a start does, changes of an upgrade included, and closes it again.
    pub(super) fn open(&self, key: &Path) -> Result<Known, Failure> {
        let unfit = |error: StoreError| self.unfit(&ExamineError::Store(error));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(anyhow::Error::from)?;
        let store = Sqlite::open(&self.path).map_err(unfit)?;
        let known = runtime.block_on(async {
            let check = store.key_check().await?;
            let noted = noted_aws(&store).await?;
            let running = OperationFilter { running: true, ..OperationFilter::default() };
            let open = store.operation_list(&running, None, MOST_OPEN).await?;
            let open = open.iter().map(told).collect();
            store.settle().await?;
            Ok(Known { contents: self.contents.clone(), open, check, noted })
        });
        drop(store);
        let known = known.map_err(unfit)?;
        if sqlite::has_log(&self.path) {
            return Err(self.unwritable("its log could not be emptied"));
        }
        if known.is_opened_by(key) { Ok(known) } else { Err(no_key(key)) }
    }

    fn unwritable(&self, why: &str) -> Failure {
        let message =
            format!("cannot copy {} to {}: {why}", self.file.display(), self.path.display());
        Diagnostic::error(codes::RESTORE_FAILED, message)
            .hint("check the folder, its permissions and the free disk space; nothing was changed")
            .into()
    }

    fn unfit(&self, error: &ExamineError) -> Failure {
        let file = self.file.display();
        let (why, hint) = match error {
            ExamineError::NotADatabase | ExamineError::Foreign => {
                (error.to_string(), "pass a file that `hangar backup` wrote; nothing was changed")
            }
            ExamineError::Store(StoreError::Damaged(why)) => {
                (format!("it is damaged: {why}"), "use an earlier copy; nothing was changed")
            }
            ExamineError::Store(StoreError::Newer { found, known }) => (
                format!(
                    "it was written by a newer version of Hangar (migration {found}; this version knows {known})"
                ),
                "use that version, or a newer one; nothing was changed",
            ),
            ExamineError::Store(error) => return self.unwritable(&error.to_string()),
        };
        let message = format!("cannot restore `{file}`: {why}");
        Diagnostic::error(codes::UNFIT_COPY, message).hint(hint).into()
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // After it was put into its place nothing has this name.
        let _ = sqlite::remove(&self.path);
    }
}

fn copy(from: &Path, to: &Path, printer: &mut Printer) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let size = from.metadata()?.len();
    if size >= LARGE {
        printer.begin_of("restoring the store", usize::try_from(size >> 20).unwrap_or(usize::MAX));
        printer.happened(&super::super::backup::told_size(size));
    }
    let mut step = vec![0; STEP];
    let mut done = 0;
    loop {
        let read = from.read(&mut step)?;
        if read == 0 {
            return to.sync_all();
        }
        to.write_all(&step[..read])?;
        done += read as u64;
        printer.moved(done >> 20, "");
    }
}

fn told(record: &OperationRecord) -> Open {
    let of = match record.reference() {
        Some(name) => words_of(&name.id()),
        None => record.group().map(|group| format!("group {}", group.group)),
    };
    Open { id: record.id().to_string(), kind: record.kind(), of }
}

fn no_key(key: &Path) -> Failure {
    let why = match Keys::load(key) {
        Ok(_) => StoreError::WrongKey.to_string(),
        Err(KeyError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
            "the file does not exist".to_owned()
        }
        Err(KeyError::Read { source, .. }) => source.to_string(),
        Err(error) => error.to_string(),
    };
    let message = format!("cannot open the copy with the key `{}`: {why}", key.display());
    Diagnostic::error(codes::KEY, message)
        .hint("pass the key file of the store, as it was at the time of the backup or later: --key-file FILE")
        .into()
}
