//! The state on disk: a file of changes, each call's in one frame, written before the call is
//! answered.
//!
//! A frame is written by one call of the operating system, so that the death of the process at
//! any instant leaves whole frames and at most one cut one at the end, which is taken off at the
//! next start. The file is rewritten with only what is true now when it has grown well past that.
//! What a failure of power can take is what the operating system had not yet brought to disk.

mod codec;
mod frames;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::core::state::{Change, Replay, State};
use codec::Names;
use frames::{Frame, Frames, HEAD};

/// What the file begins with; the number is the format's.
const MAGIC: &[u8; 16] = b"hangar-sim v2\n\0\0";

/// The file is rewritten only past this size.
const MIN_REWRITE: u64 = 16 << 20;

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
}

impl Journal {
    /// Opens the file, or makes it, and reads the state that it holds.
    pub fn open(path: &Path) -> Result<(Self, State), JournalError> {
        let failed = |deed, source| JournalError::Io { deed, path: path.to_owned(), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|source| failed("open", source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::InUse { path: path.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(failed("lock", source)),
        }
        let mut journal =
            Self { path: path.to_owned(), file, length: 0, rewritten: 0, frame: Vec::new() };
        let state = journal.read()?;
        Ok((journal, state))
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
            return Err(JournalError::NotAStateFile { path: self.path.clone() });
        }
        if magic.len() < MAGIC.len() {
            // A file that was just made, or whose making was cut short.
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
            self.file.set_len(at).map_err(|source| self.failed("mend", source))?;
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
        self.length += frame.len() as u64;
        self.frame = frame;
        written.map_err(|source| self.failed("write", source))
    }

    /// Whether the file has grown well past what is true.
    pub fn wants_rewrite(&self) -> bool {
        self.length > MIN_REWRITE.max(self.rewritten.saturating_mul(4))
    }

    /// Writes the file anew with only what is true now.
    pub fn rewrite(&mut self, state: &State) -> Result<(), JournalError> {
        let fresh = self.path.with_extension("new");
        let write = || -> io::Result<(File, u64)> {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(&fresh)?;
            file.lock()?;
            let mut to = BufWriter::with_capacity(1 << 20, &file);
            to.write_all(MAGIC)?;
            let mut length = MAGIC.len() as u64;
            let mut batch = Vec::new();
            let mut frame = Vec::new();
            let mut changes = state.snapshot().peekable();
            while changes.peek().is_some() {
                batch.clear();
                batch.extend(changes.by_ref().take(256));
                encode(&batch, &mut frame);
                to.write_all(&frame)?;
                length += frame.len() as u64;
            }
            to.flush()?;
            drop(to);
            // On disk before it takes the old file's place.
            file.sync_all()?;
            std::fs::rename(&fresh, &self.path)?;
            Ok((file, length))
        };
        let (file, length) = write().map_err(|source| self.failed("rewrite", source))?;
        self.file = file;
        self.length = length;
        self.rewritten = length;
        Ok(())
    }

    /// Brings all that was written to disk.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| self.failed("write", source))
    }
}

fn encode(changes: &[Change], frame: &mut Vec<u8>) {
    frame.clear();
    frame.resize(HEAD, 0);
    for change in changes {
        codec::write(change, frame);
    }
    frames::seal(frame);
}

#[cfg(test)]
mod tests;
