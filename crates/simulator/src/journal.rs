//! The state on disk: a file of changes, each call's in one frame, written before the call is
//! answered.
//!
//! A frame is written by one call of the operating system, so that the death of the process at
//! any instant leaves whole frames and at most one cut one at the end, which is taken off at the
//! next start. The file is rewritten with only what is true now when it has grown well past that.
//! What a failure of power can take is what the operating system had not yet brought to disk.

mod codec;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::core::state::{Change, State};
use codec::Names;

/// What the file begins with; the number is the format's.
const MAGIC: &[u8; 16] = b"hangar-sim v1\n\0\0";

/// Length and checksum.
const HEAD: usize = 8;

/// A frame of one call; a longer one is not ours.
const MAX_FRAME: usize = 64 << 20;

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
        let mut state = State::default();
        let mut from = BufReader::with_capacity(1 << 20, &self.file);
        let mut magic = [0; MAGIC.len()];
        let begins =
            read_full(&mut from, &mut magic).map_err(|source| self.failed("read", source))?;
        if begins < MAGIC.len() {
            // A file that was just made, or whose making was cut short.
            if !MAGIC.starts_with(&magic[..begins]) {
                return Err(JournalError::NotAStateFile { path: self.path.clone() });
            }
            self.begin()?;
            return Ok(state);
        }
        if magic != *MAGIC {
            return Err(JournalError::NotAStateFile { path: self.path.clone() });
        }
        let mut names = Names::default();
        let mut at = MAGIC.len() as u64;
        let mut bytes = Vec::new();
        loop {
            match next_frame(&mut from, total - at, &mut bytes) {
                Ok(Frame::Whole) => {
                    let changes = codec::read(&bytes, &mut names)
                        .ok_or_else(|| JournalError::Damaged { path: self.path.clone(), at })?;
                    at += (HEAD + bytes.len()) as u64;
                    for change in changes {
                        state.apply(change);
                    }
                }
                Ok(Frame::Cut) => break,
                Ok(Frame::Wrong) => {
                    return Err(JournalError::Damaged { path: self.path.clone(), at });
                }
                Err(source) => return Err(self.failed("read", source)),
            }
        }
        if at < total {
            self.file.set_len(at).map_err(|source| self.failed("mend", source))?;
        }
        self.file.seek(SeekFrom::Start(at)).map_err(|source| self.failed("read", source))?;
        self.length = at;
        self.rewritten = at / 2;
        Ok(state)
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

    /// Whether most of the file is no longer true.
    pub fn is_mostly_past(&self, state: &State) -> bool {
        self.length > MIN_PAST && self.length > state.written_size().saturating_mul(3)
    }

    /// Writes the file anew with only what is true now.
    pub fn rewrite(&mut self, state: &State) -> Result<(), JournalError> {
        // A name that cannot be another state file's: the whole name and more.
        let mut fresh = self.path.clone().into_os_string();
        fresh.push(".rewriting");
        let fresh = PathBuf::from(fresh);
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
            let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
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

/// What comes next in the file.
enum Frame {
    Whole,
    /// Nothing, or a frame that was not written to its end.
    Cut,
    Wrong,
}

fn next_frame(from: &mut impl Read, left: u64, bytes: &mut Vec<u8>) -> io::Result<Frame> {
    let mut head = [0; HEAD];
    if read_full(from, &mut head)? < HEAD {
        return Ok(Frame::Cut);
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (length, sum) = (word(0) as usize, word(4));
    let is_last = left <= (HEAD + length) as u64;
    if length == 0 && sum == 0 {
        // Space that the file system gave and nothing was written to.
        return Ok(Frame::Cut);
    }
    if length == 0 || length > MAX_FRAME {
        return Ok(if is_last { Frame::Cut } else { Frame::Wrong });
    }
    bytes.resize(length, 0);
    if read_full(from, bytes)? < length {
        return Ok(Frame::Cut);
    }
    if checksum(bytes) == sum {
        return Ok(Frame::Whole);
    }
    Ok(if is_last { Frame::Cut } else { Frame::Wrong })
}

fn read_full(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match from.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn encode(changes: &[Change], frame: &mut Vec<u8>) {
    frame.clear();
    frame.resize(HEAD, 0);
    for change in changes {
        codec::write(change, frame);
    }
    let length = u32::try_from(frame.len() - HEAD).unwrap_or(u32::MAX);
    let sum = checksum(&frame[HEAD..]);
    frame[..4].copy_from_slice(&length.to_le_bytes());
    frame[4..HEAD].copy_from_slice(&sum.to_le_bytes());
}

/// FNV-1a over words of eight bytes, folded: tells a cut or garbled frame from a whole one, and
/// costs little at a start with many resources.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ bytes.len() as u64;
    let mut add = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        add(u64::from_le_bytes(*word));
    }
    for byte in rest {
        add(u64::from(*byte));
    }
    u32::try_from((hash ^ (hash >> 32)) & 0xffff_ffff).unwrap_or(0)
}

#[cfg(test)]
mod tests;
