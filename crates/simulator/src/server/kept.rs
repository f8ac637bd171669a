//! The world and the file that keeps it, always changed together.

use crate::core::state::Change;
use crate::core::time::Timestamp;
use crate::core::world::World;
use crate::journal::{Journal, JournalError};

/// The world and its file, if it has one.
pub(super) struct Kept {
    world: World,
    journal: Option<Journal>,
    /// Changes that could not be written yet, because the disk is full or worse.
    unwritten: Vec<Change>,
}

impl Kept {
    pub(super) fn new(world: World, journal: Option<Journal>) -> Self {
        Self { world, journal, unwritten: Vec::new() }
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// What an unfinished write left at the end of the file, in bytes.
    pub(super) fn dropped(&self) -> u64 {
        self.journal.as_ref().map_or(0, Journal::dropped)
    }

    /// Does something to the world at an instant and keeps what it changed. What cannot be kept is
    /// tried again before anything else is done: nothing is shown or decided that a crash could take
    /// back.
    pub(super) fn perform<T>(
        &mut self,
        wall: Timestamp,
        deed: impl FnOnce(&mut World, Timestamp) -> T,
    ) -> Result<T, String> {
        self.keep()?;
        let result = deed(&mut self.world, wall);
        let changes = self.world.take_changes();
        if self.journal.is_some() {
            self.unwritten = changes;
            self.keep()?;
        }
        Ok(result)
    }

    fn keep(&mut self) -> Result<(), String> {
        let Some(journal) = self.journal.as_mut().filter(|_| !self.unwritten.is_empty()) else {
            return Ok(());
        };
        journal.append(&self.unwritten).map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            let source = source.unwrap_or_default();
            format!("{error}: {source}; all calls fail until the file can be written, and each call retries")
        })?;
        self.unwritten.clear();
        if journal.wants_rewrite() {
            // The old file is as good; only longer.
            let _ = journal.rewrite(self.world.state());
        }
        Ok(())
    }

    /// Brings all of it to disk, for the last time.
    pub(super) fn finish(&mut self) -> Result<(), JournalError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.append(&self.unwritten)?;
        self.unwritten.clear();
        if journal.is_mostly_past(self.world.state()) {
            let _ = journal.rewrite(self.world.state());
        }
        journal.sync()
    }
}
