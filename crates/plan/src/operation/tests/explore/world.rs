//! One instant of the small world: the store, two workers, the cloud, and what may still go wrong.
//!
//! Everything large is interned ([`super::tables`]), so that a state is a few hundred bytes that copy,
//! hash and compare without looking anything up.

use super::cloud::Cloud;
use super::tables::Id;

/// How many requests a configuration can have.
pub(super) const SLOTS: usize = 4;
/// How many workers there are.
pub(super) const WORKERS: usize = 2;

/// A state of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct World {
    /// The clock; it moves only by budgeted jumps.
    pub(super) minute: u16,
    /// What is stored for the alias: an interned `Option<Entry>`.
    pub(super) entry: Id,
    /// What became of each request.
    pub(super) slots: [Slot; SLOTS],
    pub(super) workers: [Worker; WORKERS],
    pub(super) cloud: Cloud,
    /// The properties that are on record as applied, where no read tells: of a type that cannot be read.
    pub(super) applied: u8,
    pub(super) left: Budget,
    /// Create calls begun by each request's operation, for I11.
    pub(super) creates: [u8; SLOTS],
    /// Whether each has begun another write, as bits.
    pub(super) writes: u8,
    /// The requests of whose creates a person said that they made another resource than they did, as
    /// bits: what they made is that person's to find.
    pub(super) given_up: u8,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// It has not arrived.
    Waiting,
    /// Only without atomic reservation: the entry was read, and is written later whatever it is then.
    Read(Id),
    /// It was answered with an error and made no operation.
    TurnedAway,
    /// It is an operation.
    Accepted {
        /// As it is stored.
        operation: Id,
        /// Whether a worker will ever look at it again.
        due: bool,
    },
}

/// A worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Worker {
    Idle,
    Busy(Lease),
}

/// What a worker holds. Epoch and version are compared only for equality, so a bit each says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Lease {
    pub(super) slot: u8,
    /// Whether the lease's epoch is still the operation's.
    pub(super) holds: bool,
    /// Whether the entry is still at the version that was seen.
    pub(super) fresh: bool,
    /// The operation as it last saw it.
    pub(super) operation: Id,
    /// The entry as it last saw it.
    pub(super) entry: Id,
    pub(super) doing: Doing,
}

/// Where a worker is between two commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Doing {
    /// It has committed an effect, and the call has not reached the cloud.
    Call {
        effect: Id,
        /// When the effect was committed. The call counts as signed then: a worker that slept in
        /// between must not send it (the quarantine allows for five minutes).
        since: u16,
    },
    /// It has an answer that is not committed.
    Answer(Id),
}

/// How often each thing may still go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Budget {
    /// A worker dies.
    pub(super) crash: u8,
    /// A lease is taken from a worker that lives.
    pub(super) theft: u8,
    /// The answer to a write is lost; the call itself may land later or never.
    pub(super) lose: u8,
    /// A write is refused or throttled before anything is accepted.
    pub(super) refuse: u8,
    /// A request fails: for good, in passing, with or without a resource.
    pub(super) fail: u8,
    /// Eleven minutes pass: patience is over, a call in flight is not.
    pub(super) pass: u8,
    /// 37 hours pass: client tokens are forgotten.
    pub(super) day: u8,
    /// Somebody deletes a resource behind our back.
    pub(super) vanish: u8,
    /// A look-up cannot tell.
    pub(super) undecided: u8,
    /// The caller asks for a stop.
    pub(super) cancel: u8,
    /// A read, a look-up or a poll is not answered with what is so.
    pub(super) blind: u8,
    /// A read does not show yet what was just made.
    pub(super) late: u8,
}

impl Budget {
    /// How much of `self` is gone in `left`, of what can make a create be called again.
    pub(super) fn repeats(self, left: Self) -> u8 {
        (self.crash - left.crash)
            + (self.theft - left.theft)
            + (self.lose - left.lose)
            + (self.refuse - left.refuse)
            + (self.fail - left.fail)
            // A stalled call counts as unanswered when its time is over.
            + (self.pass - left.pass)
            + (self.day - left.day)
            + (self.vanish - left.vanish)
    }
}

impl World {
    /// Whether a worker that lives has the lease.
    pub(super) fn leased(&self, slot: u8) -> bool {
        self.workers.iter().any(|worker| match worker {
            Worker::Busy(lease) => lease.slot == slot && lease.holds,
            Worker::Idle => false,
        })
    }

    /// The operation of a request, where it made one.
    pub(super) fn operation(&self, slot: usize) -> Option<Id> {
        match self.slots[slot] {
            Slot::Accepted { operation, .. } => Some(operation),
            _ => None,
        }
    }

    /// Writes the entry: whoever saw the old one has seen an old version.
    pub(super) fn write_entry(&mut self, entry: Id, by: Option<usize>) {
        self.entry = entry;
        for (index, worker) in self.workers.iter_mut().enumerate() {
            if let Worker::Busy(lease) = worker
                && Some(index) != by
            {
                lease.fresh = false;
            }
        }
    }
}
