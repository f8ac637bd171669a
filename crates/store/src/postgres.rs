//! The store in a PostgreSQL database, shared by as many replicas as there are.
//!
//! One method is one transaction (`writing`), READ COMMITTED, in which what is looked at is held by locks on
//! names (`lock`) before anything is written: the outcome is as if the methods ran one after the other.
//! Time is the database's. Every query is a constant in the file of its noun. A future that is dropped
//! may leave its write done: ask again.

mod amend;
mod attempt;
mod budget;
mod claim;
pub mod cluster;
mod commit;
mod count;
mod credential;
mod database;
mod deployment;
mod doubt;
mod event;
mod fault;
mod group;
mod key_check;
mod lease;
mod lock;
mod migration;
mod note;
mod operation;
mod page;
mod plane;
mod read;
mod recipe;
mod reference;
mod reserve;
mod retention;
mod row;
mod schema;
mod session;
mod terraform;
mod time;
mod wire;
mod writing;

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::budget::{BudgetAsk, Grant, Rate};
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, CredentialRecord, Epoch, Group, Plane, PlaneName, RecipeName, Reference,
    ReferenceName, StateLock, StateVersion, Version,
};

use crate::clock::Clock;
use crate::notice::{self, OfStep};
use crate::{
    Answer, CachedSchema, CancelAnswer, Claim, Commit, CommitError, Committed, CredentialError,
    Expect, GroupError, PlaneError, ReferenceError, ReferenceWrite, Resealed, Reservation,
    ReserveError, StaleError, StateError, StateWrite, Store, StoreError, WorkerId,
};
use doubt::Doubts;
use session::{Address, Sessions};
use time::Time;
use wire::{Use, Wire};
use writing::{Doubt, Job, Place};

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where its time comes from; the database where there is none, which all replicas share.
    pub clock: Option<Clock>,
    /// How many sessions it has with the server at most, and one more for notices.
    pub connections: usize,
    /// How long it looks for the truth when the answer to a commit was lost.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { clock: None, connections: 16, patience: Duration::from_secs(10) }
    }
}

/// A store in a PostgreSQL database. Needs a runtime of tokio's with timers; dropping it closes its
/// sessions.
pub struct Postgres {
    sessions: Sessions,
    time: Time,
    wire: Wire,
    warnings: Vec<String>,
    patience: Duration,
    /// The mark of the next step; no two steps of all replicas have the same.
    marks: AtomicI64,
    doubts: Mutex<Doubts>,
}

impl Postgres {
    /// Connects, and makes or changes the tables as this version needs them. A server that could lose what
    /// it has answered, or that cannot be written, is refused.
    pub async fn connect(url: &str, options: Options) -> Result<Self, StoreError> {
        Self::connect_for(url, options, Use::Shared).await
    }

    /// The same where nobody else may use the store meanwhile: refused while anybody does. One whose session
    /// is just broken, and who is about to connect again, is not seen.
    pub async fn connect_alone(url: &str, options: Options) -> Result<Self, StoreError> {
        Self::connect_for(url, options, Use::Alone).await
    }

    async fn connect_for(url: &str, options: Options, as_what: Use) -> Result<Self, StoreError> {
        let address = Address::parse(url)?;
        let sessions = Sessions::new(address.clone(), options.connections)?;
        let mut session = sessions.get().await?;
        let warnings = session::warnings(&session).await?;
        for warning in &warnings {
            tracing::warn!(place = %address.place, "{warning}");
        }
        // Before anything is changed: it also says that the store is in use.
        let wire = Wire::start(address, as_what).await?;
        migration::apply(&mut session).await?;
        drop(session);
        let time = Time::new(options.clock);
        let patience = options.patience;
        let marks = AtomicI64::new(first_mark()?);
        Ok(Self { sessions, time, wire, warnings, patience, marks, doubts: Mutex::default() })
    }

    /// What should be known about the server: how it could lose or damage what it holds.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn place(&self) -> Place<'_> {
        Place { sessions: &self.sessions, time: &self.time, patience: self.patience }
    }

    async fn write<J: Job>(&self, job: J) -> Result<J::Output, J::Error> {
        writing::write(self.place(), &job, Doubt::No).await.0
    }

    /// Writes a step. One that was in doubt before is answered as what it became.
    async fn step(&self, commit: &Commit) -> Result<Committed, CommitError> {
        let doubted = self.doubts().find(commit);
        let (before, mark) = match doubted {
            Some(mark) => (Doubt::Yes, mark),
            None => (Doubt::No, self.marks.fetch_add(1, Ordering::Relaxed)),
        };
        let job = commit::Step { commit, mark };
        let (answer, doubt) = writing::write(self.place(), &job, before).await;
        if doubt == Doubt::Yes {
            self.doubts().note(commit, mark);
        } else if before == Doubt::Yes || answer.is_ok() {
            self.doubts().forget(commit);
        }
        answer
    }

    fn doubts(&self) -> MutexGuard<'_, Doubts> {
        self.doubts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a replica begins to count.
fn first_mark() -> Result<i64, StoreError> {
    let mut dice = [0; 8];
    getrandom::fill(&mut dice)
        .map_err(|error| StoreError::Unavailable(format!("cannot get random numbers: {error}")))?;
    // The upper half is for the one who begins here, the lower for what it counts.
    Ok(i64::from_be_bytes(dice) & !0xffff_ffff)
}

/// A span in the unit of instants.
fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postgres")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.sessions.close();
    }
}

impl Store for Postgres {
    fn group_put<'a>(&'a self, group: &'a Group, expect: Expect) -> Answer<'a, Group, GroupError> {
        Box::pin(self.write(group::Put { group, expect }))
    }

    fn reference_save(&self, write: ReferenceWrite) -> Answer<'_, Version, ReferenceError> {
        Box::pin(self.write(amend::Save(write)))
    }

    fn reference_rename<'a>(
        &'a self,
        name: &'a ReferenceName,
        alias: &'a str,
        seen: Version,
    ) -> Answer<'a, Reference, ReferenceError> {
        Box::pin(self.write(amend::Rename { name, alias, seen }))
    }

    fn plane_put<'a>(&'a self, plane: &'a Plane, expect: Expect) -> Answer<'a, Plane, StaleError> {
        Box::pin(self.write(plane::Put { plane, expect }))
    }

    fn plane_remove<'a>(
        &'a self,
        name: &'a PlaneName,
        expect: Expect,
    ) -> Answer<'a, bool, PlaneError> {
        Box::pin(self.write(plane::Remove { name, expect }))
    }

    fn credential_put<'a>(
        &'a self,
        credential: &'a CredentialRecord,
        expect: Expect,
    ) -> Answer<'a, CredentialRecord, CredentialError> {
        Box::pin(self.write(credential::Put { credential, expect }))
    }

    fn credential_remove<'a>(
        &'a self,
        name: &'a CredentialName,
        expect: Expect,
    ) -> Answer<'a, bool, StaleError> {
        Box::pin(self.write(credential::Remove { name, expect }))
    }

    fn key_rotate<'a>(
        &'a self,
        old: &'a str,
        new: &'a str,
        resealed: &'a [Resealed],
    ) -> Answer<'a, (), StaleError> {
        Box::pin(self.write(key_check::Rotate { old, new, resealed }))
    }

    fn operation_reserve(&self, reservation: Reservation) -> Answer<'_, (), ReserveError> {
        Box::pin(async move {
            self.write(reserve::Reserve(&reservation)).await?;
            self.wire.tell(notice::of_wanted(&reservation.record));
            Ok(())
        })
    }

    fn state_write(&self, write: StateWrite) -> Answer<'_, StateVersion, StateError> {
        Box::pin(self.write(terraform::Write(write)))
    }

    fn state_lock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        lock: &'a StateLock,
    ) -> Answer<'a, (), StateError> {
        Box::pin(self.write(terraform::Lock { recipe, lock }))
    }

    fn state_unlock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        id: Option<&'a str>,
    ) -> Answer<'a, Option<StateLock>, StateError> {
        Box::pin(self.write(terraform::Unlock { recipe, id }))
    }

    fn operation_claim(
        &self,
        worker: WorkerId,
        lease_for: Duration,
        limit: usize,
    ) -> Answer<'_, Vec<Claim>> {
        Box::pin(self.write(claim::Due { worker, lease_for, limit }))
    }

    fn operation_renew<'a>(
        &'a self,
        leases: &'a [(OperationId, Epoch)],
        lease_for: Duration,
    ) -> Answer<'a, Vec<OperationId>> {
        Box::pin(self.write(lease::Renew { leases, lease_for }))
    }

    fn operation_commit(&self, commit: Commit) -> Answer<'_, Committed, CommitError> {
        Box::pin(async move {
            let committed = self.step(&commit).await?;
            self.wire.tell(OfStep::new(&commit).told(&committed));
            Ok(committed)
        })
    }

    fn operation_cancel(&self, id: OperationId) -> Answer<'_, CancelAnswer> {
        Box::pin(async move {
            let answer = self.write(operation::Cancel(id)).await?;
            if let CancelAnswer::Noted(record) = &answer {
                self.wire.tell(notice::of_wanted(record));
            }
            Ok(answer)
        })
    }

    fn lease_end_all(&self) -> Answer<'_, usize> {
        Box::pin(self.write(lease::EndAll))
    }

    fn operation_prune(&self, ended_before: Timestamp) -> Answer<'_, usize> {
        Box::pin(async move {
            let mut removed = 0;
            // In steps, so that a long backlog holds nothing for long.
            loop {
                match self.write(retention::Prune(ended_before)).await? {
                    0 => break,
                    more => removed += more,
                }
            }
            let mut passed = Some(retention::Passed::default());
            while let Some(from) = passed {
                let step = retention::PruneSettled { ended_before, from };
                let more;
                (more, passed) = self.write(step).await?;
                removed += more;
            }
            Ok(removed)
        })
    }

    fn budget_take<'a>(&'a self, place: &'a str, ask: BudgetAsk) -> Answer<'a, Grant> {
        Box::pin(self.write(budget::Take { place, ask }))
    }

    fn budget_throttled<'a>(&'a self, place: &'a str, rate: Rate) -> Answer<'a, ()> {
        Box::pin(self.write(budget::Throttled { place, rate }))
    }

    fn note_keep<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, String> {
        Box::pin(self.write(note::Keep { name, text }))
    }

    fn note_put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, ()> {
        Box::pin(self.write(note::Put { name, text }))
    }

    fn schema_put<'a>(&'a self, schema: &'a CachedSchema) -> Answer<'a, ()> {
        Box::pin(self.write(schema::Put(schema)))
    }

    fn key_check_put<'a>(&'a self, check: &'a str) -> Answer<'a, String> {
        Box::pin(self.write(key_check::Put(check)))
    }
}

#[cfg(test)]
mod tests;
