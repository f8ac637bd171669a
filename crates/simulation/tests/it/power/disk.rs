//! A store's file and its log as bytes, and what a failing disk makes of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hangar_simulation::rig::dice::Dice;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// What a disk writes whole, if at all.
const SECTOR: usize = 512;

/// The header of SQLite's log, and of each page in it.
const HEADER: usize = 32;
const FRAME: usize = 24;
const PAGE: usize = 4096;

/// A store's file and its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Disk {
    pub(super) file: Arc<[u8]>,
    pub(super) log: Vec<u8>,
}

impl Disk {
    pub(super) fn read(path: &Path) -> Self {
        let log = fs::read(log_of(path)).unwrap_or_default();
        Self { file: fs::read(path).unwrap().into(), log }
    }

    pub(super) fn write_to(&self, directory: &Path) -> PathBuf {
        let path = directory.join("store.db");
        fs::write(&path, &self.file).unwrap();
        fs::write(log_of(&path), &self.log).unwrap();
        path
    }

    /// Where frames of this log begin and where they end: those of its present generation.
    fn frames(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let salt = self.log.get(16..24);
        let frames = self.log.get(HEADER..).unwrap_or_default().chunks_exact(FRAME + PAGE);
        let frames = frames.take_while(move |frame| frame.get(8..16) == salt);
        frames.enumerate().map(|(number, frame)| (HEADER + number * (FRAME + PAGE), frame))
    }

    /// Where the last commit in the log ends.
    pub(super) fn end_of_commits(&self) -> usize {
        let ends = self.frames().filter(|(_, frame)| frame[4..8] != [0; 4]);
        ends.last().map_or(0, |(at, _)| at + FRAME + PAGE)
    }

    /// Whether a log has every byte of the commits of this one.
    pub(super) fn is_whole_in(&self, log: &[u8]) -> bool {
        let end = self.end_of_commits();
        log.get(..end) == self.log.get(..end)
    }

    /// Whether the log's header, a frame or the page in it begins or ends here.
    pub(super) fn is_a_border(&self, at: usize) -> bool {
        let within = at.checked_sub(HEADER).map(|at| at % (FRAME + PAGE));
        at == self.log.len() || within.is_none_or(|within| within == 0 || within == FRAME)
    }

    /// The borders of frames that are here and were not before.
    pub(super) fn borders_over(&self, before: &Self) -> Vec<usize> {
        let is_anew = before.log.get(..HEADER) != self.log.get(..HEADER);
        let from = if is_anew { 0 } else { before.end_of_commits() };
        let ends = self.frames().map(|(at, _)| at + FRAME + PAGE);
        [from].into_iter().chain(ends.filter(|end| *end > from)).collect()
    }

    /// This log up to an offset; behind it, what the disk had before.
    pub(super) fn cut_over(&self, before: &Self, at: usize) -> Vec<u8> {
        [&self.log[..at], before.log.get(at..).unwrap_or_default()].concat()
    }

    /// This log, where sectors that were not synced are as before, nothing, or anything.
    pub(super) fn garbled_over(&self, before: &Self, dice: &mut Dice) -> Vec<u8> {
        let mut log = self.log.clone();
        // A log that is begun anew has its header synced before anything else is written.
        let first = common(&before.log, &self.log).max(HEADER);
        match dice.below(3) {
            0 => {
                let at = first + dice.below(log.len() - first);
                log[at] ^= 1 << dice.below(8);
            }
            1 => {
                let sectors: Vec<usize> = (first..log.len()).step_by(SECTOR).collect();
                for at in sectors {
                    let end = log.len().min(at + SECTOR);
                    fate_of_sector(&mut log[at..end], before.log.get(at..end), dice);
                }
            }
            _ => {
                let length = first + dice.below(log.len() - first);
                let at = first + dice.below((length - first).max(1));
                log.truncate(length);
                for byte in log.iter_mut().skip(at).take(SECTOR) {
                    *byte = u8::try_from(dice.below(256)).unwrap();
                }
            }
        }
        log
    }

    /// The file in the middle of a checkpoint to what it is `after`: of the pages that the log has, each
    /// sector is old, new, or anything.
    pub(super) fn file_torn_to(&self, after: &[u8], dice: &mut Dice) -> Vec<u8> {
        let pages: BTreeSet<usize> = self.frames().map(|(_, frame)| number_of(frame)).collect();
        let lengths = [self.file.len(), after.len()];
        let mut file = self.file.to_vec();
        file.resize(lengths[dice.below(2)], 0);
        for number in pages {
            let begin = (number - 1) * PAGE;
            for at in (begin..begin + PAGE).step_by(SECTOR) {
                let Some(sector) = file.get_mut(at..at + SECTOR) else { continue };
                sector.copy_from_slice(&after[at..at + SECTOR]);
                fate_of_sector(sector, self.file.get(at..at + SECTOR), dice);
            }
        }
        file
    }
}

/// How many bytes two files have in common before they differ.
pub(super) fn common(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.chunks(SECTOR).zip(other.chunks(SECTOR));
    let whole = pairs.take_while(|(a, b)| a == b && a.len() == SECTOR).count() * SECTOR;
    let rest = one[whole..].iter().zip(&other[whole..]).take(SECTOR);
    whole + rest.take_while(|(a, b)| a == b).count()
}

/// The page that a frame is of; the first is 1.
fn number_of(frame: &[u8]) -> usize {
    let number = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]);
    usize::try_from(number).unwrap()
}

fn fate_of_sector(sector: &mut [u8], before: Option<&[u8]>, dice: &mut Dice) {
    match dice.below(8) {
        0 => sector.fill(0),
        1 => sector.fill_with(|| u8::try_from(dice.below(256)).unwrap()),
        2 | 3 => match before {
            Some(before) => sector.copy_from_slice(before),
            None => sector.fill(0),
        },
        _ => {}
    }
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

/// A place where disks are looked at; nothing that is looked at changes.
pub(super) struct Bench {
    directory: tempfile::TempDir,
    file: Arc<[u8]>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), file: Arc::default() }
    }

    /// All rows that a store has whose file and log are these.
    pub(super) fn rows(&mut self, file: &[u8], log: &[u8]) -> String {
        let path = self.directory.path().join("store.db");
        if *self.file != *file {
            fs::write(&path, file).unwrap();
            self.file = file.into();
        }
        fs::write(log_of(&path), log).unwrap();
        rows(&path)
    }
}

/// All rows of all tables, as text.
pub(super) fn rows(path: &Path) -> String {
    // One that cannot write does not empty the log when it is closed either.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut statement = connection.prepare(sql).unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut text = String::new();
    for table in tables {
        let table = table.unwrap();
        writeln!(text, "{table}").unwrap();
        let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                match row.get_ref(column).unwrap() {
                    ValueRef::Text(words) => text.push_str(&String::from_utf8_lossy(words)),
                    other => write!(text, "{other:?}").unwrap(),
                }
                text.push('\t');
            }
            text.push('\n');
        }
    }
    text
}
