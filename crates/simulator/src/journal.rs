//! The state on disk: a file of changes, written before the call that made them is answered.
//!
//! The changes of a call are in one frame, or in several where they are many megabytes; each change
//! stands for itself. The death of the process at any instant leaves whole frames and at most one
//! cut one at the end, which is taken off at the next start. The file is rewritten with only what is true now when it has grown well past that.
//! What a failure of power can take is what the operating system had not yet brought to disk.

mod codec;
mod frames;

use std::borrow::Borrow;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::core::state::{Change, Replay, State};
use codec::Names;
use frames::{Frame, Frames, HEAD};

/// What the file begins with; the number is the format's.
const MAGIC: &[u8; 16] = b"hangar-sim v1\n\0\0";

/// The file is rewritten only past this size.
const MIN_REWRITE: u64 = 16 << 20;

/// A file shorter than this is left as it is, however much of it is past.
const MIN_PAST: u64 = 64 << 10;

/// Why the state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("cannot {deed} the state file {path}")]
    Io {
        /// What was tried.
        deed: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process has it.
    #[error("the state file {path} is in use by another process")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{path} is not a state file of the simulator")]
    NotAStateFile {
        /// The file.
        path: PathBuf,
    },
    /// It is one of another version.
    #[error("the state file {path} was written by another version of the simulator")]
    OtherVersion {
        /// The file.
        path: PathBuf,
    },
    /// It is broken before its end, where no crash of ours breaks it.
    #[error("the state file {path} is damaged at byte {at}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        at: u64,
    },
}

/// The open file.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    /// Its length when it held nothing but what was true.
    rewritten: u64,
    frame: Vec<u8>,
    dropped: u64,
}

impl Journal {
    /// Opens the file, or makes it, and reads the state that it holds.
    pub fn open(path: &Path) -> Result<(Self, State), JournalError> {
        let failed = |deed, source| JournalError::Io { deed, path: path.to_owned(), source };
        // A pipe would be waited on for ever.
        if std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
            return Err(JournalError::NotAStateFile { path: path.to_owned() });
        }
        let file = loop {
            let file = options().open(path).map_err(|source| failed("open", source))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(JournalError::InUse { path: path.to_owned() });
                }
                Err(TryLockError::Error(source)) => return Err(failed("lock", source)),
            }
            // Between the two another process may have put a new file in its place.
            let place = |it: std::fs::Metadata| (it.dev(), it.ino());
            let ours = file.metadata().map(place).map_err(|source| failed("read", source))?;
            if std::fs::metadata(path).map(place).is_ok_and(|named| named == ours) {
                break file;
            }
        };
        // The file itself, where a link was named: a rewrite takes its place.
        let path = std::fs::canonicalize(path).map_err(|source| failed("open", source))?;
        let mut journal =
            Self { path, file, length: 0, rewritten: 0, frame: Vec::new(), dropped: 0 };
        let state = journal.read()?;
        Ok((journal, state))
    }

    /// How many bytes of an unfinished write were taken off its end when it was opened.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn failed(&self, deed: &'static str, source: io::Error) -> JournalError {
        JournalError::Io { deed, path: self.path.clone(), source }
    }

    fn read(&mut self) -> Result<State, JournalError> {
        let total = self.file.metadata().map_err(|source| self.failed("read", source))?.len();
        let mut replay = Replay::default();
        let mut frames = Frames::new(&self.file, total);
        let magic = frames.take(MAGIC.len()).map_err(|source| self.failed("read", source))?;
        if !MAGIC.starts_with(magic) {
            if magic.starts_with(b"hangar-sim v") {
                return Err(JournalError::OtherVersion { path: self.path.clone() });
            }
            return Err(JournalError::NotAStateFile { path: self.path.clone() });
        }
        if magic.len() < MAGIC.len() {
            // A file that was just made, or whose making was cut short.
            self.dropped = total;
            self.begin()?;
            return Ok(replay.finish());
        }
        let damaged = |at| JournalError::Damaged { path: self.path.clone(), at };
        let mut names = Names::default();
        let mut at = MAGIC.len() as u64;
        loop {
            match frames.next() {
                Ok(Frame::Whole(bytes)) => {
                    codec::read(bytes, &mut names, |change| replay.apply(change))
                        .ok_or_else(|| damaged(at))?;
                    at += (HEAD + bytes.len()) as u64;
                }
                Ok(Frame::Cut) => break,
                Ok(Frame::Wrong) => return Err(damaged(at)),
                Err(source) => return Err(self.failed("read", source)),
            }
        }
        if at < total {
            self.dropped = total - at;
            self.file.set_len(at).map_err(|source| self.failed("repair", source))?;
        }
        self.file.seek(SeekFrom::Start(at)).map_err(|source| self.failed("read", source))?;
        self.length = at;
        self.rewritten = at / 2;
        Ok(replay.finish())
    }

    fn begin(&mut self) -> Result<(), JournalError> {
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(MAGIC)
        };
        write(&mut self.file).map_err(|source| self.failed("write", source))?;
        self.length = MAGIC.len() as u64;
        Ok(())
    }

    /// Keeps the changes of one call: after this they survive the death of the process.
    pub fn append(&mut self, changes: &[Change]) -> Result<(), JournalError> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut frame = std::mem::take(&mut self.frame);
        encode(changes, &mut frame);
        let written = self.file.write_all(&frame);
        if written.is_ok() {
            self.length += frame.len() as u64;
        } else {
            // Half a frame must not stand before the next one.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
        }
        frame.shrink_to(FULL_FRAME);
        self.frame = frame;
        written.map_err(|source| self.failed("write", source))
    }

    /// Whether the file has grown well past what is true.
    pub fn wants_rewrite(&self) -> bool {
        self.length > MIN_REWRITE.max(self.rewritten.saturating_mul(4))
    }

    /// Whether most of the file is no longer true.
    pub fn is_mostly_past(&self, state: &State) -> bool {
        self.length > MIN_PAST && self.length > state.written_size().saturating_mul(3)
    }

    /// Writes the file anew with only what is true now.
    pub fn rewrite(&mut self, state: &State) -> Result<(), JournalError> {
        let written = self.write_anew(state);
        // A rewrite that fails is tried again when the file is twice as long.
        self.rewritten = self.length / 2;
        let (file, length) = written.map_err(|source| self.failed("rewrite", source))?;
        self.file = file;
        self.length = length;
        self.rewritten = length;
        // The name is on disk a little later if this fails; the old file had the same in it.
        let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
        let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// A new file with what is true, in the place of the old one.
    fn write_anew(&self, state: &State) -> io::Result<(File, u64)> {
        let mut fresh = self.path.clone().into_os_string();
        fresh.push(".rewriting");
        let fresh = PathBuf::from(fresh);
        // A link of that name is replaced and not followed.
        if fresh.is_symlink() {
            std::fs::remove_file(&fresh)?;
        }
        let file = options().open(&fresh)?;
        // A state file of that very name is somebody's; what a kill left of ours is not.
        file.try_lock().map_err(io::Error::from)?;
        let written = self.write_all(state, &file).and_then(|length| {
            std::fs::rename(&fresh, &self.path)?;
            Ok(length)
        });
        if written.is_err() {
            let _ = std::fs::remove_file(&fresh);
        }
        Ok((file, written?))
    }

    fn write_all(&self, state: &State, file: &File) -> io::Result<u64> {
        file.set_len(0)?;
        file.set_permissions(self.file.metadata()?.permissions())?;
        let mut to = BufWriter::with_capacity(1 << 20, file);
        to.write_all(MAGIC)?;
        let mut length = MAGIC.len() as u64;
        let mut bytes = Vec::new();
        let mut changes = state.snapshot().peekable();
        while changes.peek().is_some() {
            encode(changes.by_ref().take(256), &mut bytes);
            to.write_all(&bytes)?;
            length += bytes.len() as u64;
        }
        to.flush()?;
        drop(to);
        // On disk before it takes the old file's place.
        file.sync_all()?;
        Ok(length)
    }

    /// Brings all that was written to disk.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| self.failed("write", source))
    }
}

/// Opens or makes a file that only its owner reads: it holds write-only values.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options
}

/// A frame is closed once it has this many bytes: each change stands for itself.
const FULL_FRAME: usize = 4 << 20;

/// The frames of some changes, one after the other.
fn encode(changes: impl IntoIterator<Item = impl Borrow<Change>>, bytes: &mut Vec<u8>) {
    bytes.clear();
    let mut start = 0;
    for change in changes {
        if bytes.len() == start {
            bytes.resize(start + HEAD, 0);
        }
        codec::write(change.borrow(), bytes);
        if bytes.len() - start > FULL_FRAME {
            frames::seal(&mut bytes[start..]);
            start = bytes.len();
        }
    }
    if bytes.len() > start {
        frames::seal(&mut bytes[start..]);
    }
}

#[cfg(test)]
mod tests;
