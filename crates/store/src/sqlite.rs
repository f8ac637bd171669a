//! The store in one SQLite file: one thread writes, a few read, and no call waits on an async thread.
//!
//! A write is a closure that runs on the writer's thread in a savepoint of its own; the writes that
//! wait together share one commit (`writer`, `desk`). Every query is a constant in the file of its noun.
//! Nothing happens before a future is polled; one that is dropped after that may leave its write done:
//! ask again. A simulation has all of it done on its own thread ([`Threads::Callers`]).

mod amend;
mod claim;
mod commit;
mod copy;
mod count;
mod credential;
mod database;
mod deployment;
mod desk;
mod event;
mod fault;
mod file;
mod group;
mod key_check;
mod lease;
mod migration;
mod note;
mod operation;
mod page;
mod plane;
mod queue;
mod read;
mod readers;
mod recipe;
mod reference;
mod replace;
mod reserve;
mod retention;
mod row;
mod schema;
mod terraform;
mod writer;

pub use copy::{Contents, ExamineError, Source, Stop, examine};
pub use replace::{ReplaceError, has_log, remove, replace};

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::budget::{BudgetAsk, Grant, Rate};
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, CredentialRecord, Epoch, Group, Plane, PlaneName, RecipeName, Reference,
    ReferenceName, StateLock, StateVersion, Version,
};

use crate::clock::{Clock, StoreTime};
use crate::error::Refusal;
use crate::ledger::Ledger;
use crate::notice::{self, Notices, OfStep};
use crate::{
    Answer, CachedSchema, CancelAnswer, Claim, Commit, CommitError, Committed, CredentialError,
    Expect, GroupError, PlaneError, ReferenceError, ReferenceWrite, Resealed, Reservation,
    ReserveError, StaleError, StateError, StateWrite, Store, StoreError, WorkerId,
};
use database::Database;
use desk::Writing;
use readers::Readers;
use writer::Writer;

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where its time comes from.
    pub clock: Clock,
    /// On whose threads the work is done.
    pub threads: Threads,
    /// How many threads of its own read.
    pub readers: usize,
    /// How long after the last write a thread of its own empties the log into the file, so that what
    /// was deleted is in neither.
    pub settle_after: Duration,
}

/// On whose threads a store works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// On its own: one writes, a few read, and callers wait without blocking theirs.
    #[default]
    Own,
    /// On those of its callers, which it blocks: a call is done when its future is first polled, and
    /// the same calls in the same order leave the same file. Each write is a transaction with a commit
    /// and a sync of its own; no timer empties the log, only [`Sqlite::settle`] does, and SQLite itself
    /// once it is 1000 pages long. For simulations on one thread.
    Callers,
}

impl Default for Options {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            clock: Clock::wall(),
            threads: Threads::Own,
            readers: cores.clamp(2, 4),
            settle_after: Duration::from_secs(1),
        }
    }
}

/// A store in one SQLite file. Dropping it ends its threads.
#[derive(Debug)]
pub struct Sqlite {
    time: Arc<StoreTime>,
    ledger: Ledger,
    notices: Notices,
    // Before the writer: the last connection to close is the one that may empty the log.
    readers: Readers,
    writer: Writer,
}

impl Sqlite {
    /// Opens the store at `path`, or makes it, with the time of day. Blocks.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Options::default())
    }

    /// Opens the store at `path`, or makes it. Blocks.
    pub fn open_with(path: &Path, options: Options) -> Result<Self, StoreError> {
        let mut connection = file::open_for_writing(path)?;
        let latest = migration::apply(&mut connection, &options.clock)?;
        let time = Arc::new(StoreTime::new(options.clock, latest));
        let (readers, writer) = match options.threads {
            Threads::Own => (
                Readers::start(path, options.readers)?,
                Writer::start(connection, Arc::clone(&time), options.settle_after)?,
            ),
            Threads::Callers => {
                (Readers::inline(path)?, Writer::inline(connection, Arc::clone(&time)))
            }
        };
        let (ledger, notices) = (Ledger::default(), Notices::default());
        Ok(Self { time, ledger, notices, readers, writer })
    }

    /// Empties the log into the file: what was deleted before is then in neither.
    pub fn settle(&self) -> Answer<'_, ()> {
        Box::pin(self.writer.settle())
    }

    /// Reads the file, then has the writer begin and end a transaction in which nothing changes: that
    /// costs no sync of the disk.
    async fn health_within(&self, patience: Duration) -> Result<(), StoreError> {
        let check = async {
            self.read(key_check::find).await?;
            self.write(|_| Ok(())).await
        };
        tokio::time::timeout(patience, check).await.unwrap_or_else(|_| {
            let patience = patience.as_millis();
            Err(StoreError::Unavailable(format!("it did not answer within {patience} ms")))
        })
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Database<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Answer<'_, T> {
        Box::pin(self.readers.read(work))
    }

    fn write<T: Send + 'static, E: Refusal + Send + 'static>(
        &self,
        work: impl FnOnce(&Writing<'_>) -> Result<T, E> + Send + 'static,
    ) -> Answer<'_, T, E> {
        Box::pin(self.writer.write(work))
    }
}

impl Store for Sqlite {
    fn group_put<'a>(&'a self, group: &'a Group, expect: Expect) -> Answer<'a, Group, GroupError> {
        let group = group.clone();
        self.write(move |writing| group::put(writing, group, expect))
    }

    fn reference_save(&self, write: ReferenceWrite) -> Answer<'_, Version, ReferenceError> {
        self.write(move |writing| amend::save(writing, write))
    }

    fn reference_rename<'a>(
        &'a self,
        name: &'a ReferenceName,
        alias: &'a str,
        seen: Version,
    ) -> Answer<'a, Reference, ReferenceError> {
        let (name, alias) = (name.clone(), alias.to_owned());
        self.write(move |writing| amend::rename(writing, &name, &alias, seen))
    }

    fn plane_put<'a>(&'a self, plane: &'a Plane, expect: Expect) -> Answer<'a, Plane, StaleError> {
        let plane = plane.clone();
        self.write(move |writing| plane::put(writing, plane, expect))
    }

    fn plane_remove<'a>(
        &'a self,
        name: &'a PlaneName,
        expect: Expect,
    ) -> Answer<'a, bool, PlaneError> {
        let name = name.clone();
        self.write(move |writing| plane::remove(writing, &name, expect))
    }

    fn credential_put<'a>(
        &'a self,
        credential: &'a CredentialRecord,
        expect: Expect,
    ) -> Answer<'a, CredentialRecord, CredentialError> {
        let credential = credential.clone();
        self.write(move |writing| credential::put(writing, credential, expect))
    }

    fn credential_remove<'a>(
        &'a self,
        name: &'a CredentialName,
        expect: Expect,
    ) -> Answer<'a, bool, StaleError> {
        let name = name.clone();
        self.write(move |writing| credential::remove(writing, &name, expect))
    }

    fn key_rotate<'a>(
        &'a self,
        old: &'a str,
        new: &'a str,
        resealed: &'a [Resealed],
    ) -> Answer<'a, (), StaleError> {
        let (old, new, resealed) = (old.to_owned(), new.to_owned(), resealed.to_vec());
        self.write(move |writing| key_check::rotate(writing, &old, &new, &resealed))
    }

    fn operation_reserve(&self, reservation: Reservation) -> Answer<'_, (), ReserveError> {
        let told = notice::of_wanted(&reservation.record);
        let reserved = self.write(move |writing| reserve::reserve(writing, &reservation));
        Box::pin(async move {
            reserved.await?;
            self.notices.tell(told);
            Ok(())
        })
    }

    fn state_write(&self, write: StateWrite) -> Answer<'_, StateVersion, StateError> {
        self.write(move |writing| terraform::write(writing, &write))
    }

    fn state_lock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        lock: &'a StateLock,
    ) -> Answer<'a, (), StateError> {
        let (recipe, lock) = (recipe.clone(), lock.clone());
        self.write(move |writing| terraform::lock(writing, &recipe, &lock))
    }

    fn state_unlock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        id: Option<&'a str>,
    ) -> Answer<'a, Option<StateLock>, StateError> {
        let (recipe, id) = (recipe.clone(), id.map(str::to_owned));
        self.write(move |writing| terraform::unlock(writing, &recipe, id.as_deref()))
    }

    fn operation_claim(
        &self,
        worker: WorkerId,
        lease_for: Duration,
        limit: usize,
    ) -> Answer<'_, Vec<Claim>> {
        self.write(move |writing| claim::claim(writing, &worker, lease_for, limit))
    }

    fn operation_renew<'a>(
        &'a self,
        leases: &'a [(OperationId, Epoch)],
        lease_for: Duration,
    ) -> Answer<'a, Vec<OperationId>> {
        let leases = leases.to_vec();
        self.write(move |writing| lease::renew(writing, &leases, lease_for))
    }

    fn operation_commit(&self, commit: Commit) -> Answer<'_, Committed, CommitError> {
        let notices = OfStep::new(&commit);
        let committed = self.write(move |writing| commit::commit(writing, &commit));
        Box::pin(async move {
            let committed = committed.await?;
            self.notices.tell(notices.told(&committed));
            Ok(committed)
        })
    }

    fn operation_cancel(&self, id: OperationId) -> Answer<'_, CancelAnswer> {
        let noted = self.write(move |writing| operation::cancel(writing, id));
        Box::pin(async move {
            let answer = noted.await?;
            if let CancelAnswer::Noted(record) = &answer {
                self.notices.tell(notice::of_wanted(record));
            }
            Ok(answer)
        })
    }

    fn lease_end_all(&self) -> Answer<'_, usize> {
        self.write(lease::end_all)
    }

    fn operation_prune(&self, ended_before: Timestamp) -> Answer<'_, usize> {
        Box::pin(async move {
            let mut removed = 0;
            // In steps, so that a long backlog does not keep every other write waiting.
            loop {
                let step = self.write(move |writing| retention::prune(writing, ended_before));
                match step.await? {
                    0 => break,
                    more => removed += more,
                }
            }
            let mut passed = Some(retention::Passed::default());
            while let Some(from) = passed {
                let step = self
                    .write(move |writing| retention::prune_settled(writing, ended_before, &from));
                let more;
                (more, passed) = step.await?;
                removed += more;
            }
            Ok(removed)
        })
    }

    fn budget_take<'a>(&'a self, place: &'a str, ask: BudgetAsk) -> Answer<'a, Grant> {
        Box::pin(async move { Ok(self.ledger.take(place, &ask, self.time.now())) })
    }

    fn budget_throttled<'a>(&'a self, place: &'a str, rate: Rate) -> Answer<'a, ()> {
        Box::pin(async move {
            self.ledger.throttled(place, rate, self.time.now());
            Ok(())
        })
    }

    fn note_keep<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, String> {
        let (name, text) = (name.to_owned(), text.to_owned());
        self.write(move |writing| note::keep(writing, &name, &text))
    }

    fn note_put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, ()> {
        let (name, text) = (name.to_owned(), text.to_owned());
        self.write(move |writing| note::put(writing, &name, &text))
    }

    fn schema_put<'a>(&'a self, schema: &'a CachedSchema) -> Answer<'a, ()> {
        let schema = schema.clone();
        self.write(move |writing| schema::put(writing, &schema))
    }

    fn key_check_put<'a>(&'a self, check: &'a str) -> Answer<'a, String> {
        let check = check.to_owned();
        self.write(move |writing| key_check::put(writing, &check))
    }
}

#[cfg(test)]
mod tests;
