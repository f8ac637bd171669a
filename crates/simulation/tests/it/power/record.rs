//! Sees the disk and AWS before each call: between two looks there is one commit at most.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hangar_plan::Timestamp;
use hangar_simulation::rig::aws::Aws;
use hangar_simulation::rig::clock::RunClock;
use hangar_simulation::rig::fate::{Fate, Fates, Site};
use hangar_simulator::core::state::State;
use rusqlite::Connection;

use super::disk::{Disk, rows};

/// What was seen at one instant.
#[derive(Debug, Clone)]
pub(super) struct Shot {
    pub(super) at: Timestamp,
    /// The call that was about to be made.
    pub(super) next: Option<Site>,
    pub(super) disk: Disk,
    /// All rows, as somebody reads them who was told of every commit.
    pub(super) rows: String,
    /// What was true at AWS.
    pub(super) world: State,
}

/// Takes the shots. Every call goes on.
#[derive(Debug, Clone)]
pub(super) struct Recorder {
    path: PathBuf,
    aws: Aws,
    clock: RunClock,
    shots: Arc<Mutex<Vec<Shot>>>,
}

impl Recorder {
    pub(super) fn new(path: &Path, aws: &Aws, clock: &RunClock) -> Self {
        let (path, shots) = (path.to_owned(), Arc::default());
        Self { path, aws: aws.clone(), clock: clock.clone(), shots }
    }

    /// Looks between calls.
    pub(super) fn look(&self) {
        self.shoot(None);
    }

    /// Brings the log into the file and leaves it there to be written over, as SQLite does by itself
    /// when it is long.
    pub(super) fn checkpoint(&self) {
        let sql = "PRAGMA wal_checkpoint(PASSIVE)";
        let done: (i64, i64, i64) = Connection::open(&self.path)
            .unwrap()
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap();
        assert!(done.0 == 0 && done.1 == done.2, "all of it: {done:?}");
    }

    pub(super) fn shots(&self) -> Vec<Shot> {
        self.shots.lock().unwrap().clone()
    }

    fn shoot(&self, next: Option<Site>) {
        let mut shots = self.shots.lock().unwrap();
        let mut disk = Disk::read(&self.path);
        let rows = match shots.last() {
            Some(last) if last.disk == disk => {
                disk.file = last.disk.file.clone();
                last.rows.clone()
            }
            _ => rows(&self.path),
        };
        let world = self.aws.with(|world, _| world.state().clone());
        shots.push(Shot { at: self.clock.now(), next, disk, rows, world });
    }
}

impl Fates for Recorder {
    fn decide(&mut self, _process: usize, site: Site) -> Fate {
        self.shoot(Some(site));
        Fate::Go
    }
}
