//! Everything large that states share: each value once, named by a number; and `step`, remembered.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::time::Duration;

use crate::Timestamp;
use crate::operation::effect::{DocumentChange, Effect, EntryChange, Next};
use crate::operation::entry::Entry;
use crate::operation::event::Event;
use crate::operation::id::OperationId;
use crate::operation::rules::Rules;
use crate::operation::state::{Operation, Stage};
use crate::operation::step::step_with;

/// The number of an interned value.
pub(super) type Id = u32;

/// A hash map with a hash that is fast and not for strangers' keys.
pub(super) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A hash set with the same hash.
pub(super) type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// Multiply and rotate, as rustc does.
#[derive(Default)]
pub(super) struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }
    fn write_u16(&mut self, word: u16) {
        self.add(u64::from(word));
    }
    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
    fn finish(&self) -> u64 {
        // The map takes its bucket from the low bits, which a product mixes least.
        self.0 ^ (self.0 >> 32)
    }
}

/// Values by number and numbers by value.
pub(super) struct Interner<T> {
    numbers: FastMap<T, Id>,
    values: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { numbers: FastMap::default(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(super) fn id(&mut self, value: T) -> Id {
        if let Some(id) = self.numbers.get(&value) {
            return *id;
        }
        let id = Id::try_from(self.values.len()).expect("few values");
        self.values.push(value.clone());
        self.numbers.insert(value, id);
        id
    }

    pub(super) fn get(&self, id: Id) -> &T {
        &self.values[id as usize]
    }
}

/// What a step came to, by numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stepped {
    pub(super) operation: Id,
    /// The new entry, if it is written.
    pub(super) entry: Option<Id>,
    /// Whether what is wanted becomes what was applied.
    pub(super) applied: bool,
    /// Whether what was applied is not known any more.
    pub(super) forgotten: bool,
    pub(super) next: Go,
}

/// What comes next; when a wait ends does not matter here, because any wait may end at any time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Go {
    Perform(Id),
    Wait,
    Stop,
}

/// All that states share.
pub(super) struct Tables {
    rules: Rules,
    pub(super) operations: Interner<Operation>,
    pub(super) entries: Interner<Option<Entry>>,
    pub(super) events: Interner<Event>,
    pub(super) effects: Interner<Effect>,
    steps: FastMap<(Id, Id, Id, u16), Stepped>,
}

impl Tables {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            operations: Interner::default(),
            entries: Interner::default(),
            events: Interner::default(),
            effects: Interner::default(),
            steps: FastMap::default(),
        }
    }

    /// The real step.
    pub(super) fn step(&mut self, operation: Id, entry: Id, event: Id, minute: u16) -> Stepped {
        let key = (operation, entry, event, minute);
        if let Some(stepped) = self.steps.get(&key) {
            return *stepped;
        }
        let step = step_with(
            self.rules,
            self.operations.get(operation),
            self.entries.get(entry).as_ref(),
            self.events.get(event),
            instant(minute),
        );
        let entry = match step.entry {
            EntryChange::Keep => None,
            EntryChange::Save(entry) => Some(self.entries.id(Some(entry))),
            EntryChange::Free => Some(self.entries.id(None)),
        };
        let mut operation = step.operation;
        // The next read notes its own time.
        if !matches!(step.next, Next::Perform(Effect::Observe { .. } | Effect::LookUp { .. })) {
            operation.looked_at = None;
        }
        let next = match step.next {
            Next::Perform(effect) => Go::Perform(self.effects.id(effect)),
            Next::Wait { .. } => Go::Wait,
            Next::Stop => Go::Stop,
        };
        let DocumentChange { applied, forgotten, .. } = step.documents;
        let operation = self.keep(operation);
        let stepped = Stepped { operation, entry, applied, forgotten, next };
        self.steps.insert(key, stepped);
        stepped
    }

    /// Interns an operation without what cannot matter: how long the next wait is, and what an
    /// operation that nobody will look at again remembers of its way.
    pub(super) fn keep(&mut self, mut operation: Operation) -> Id {
        operation.tries = match operation.stage {
            Stage::Verify { .. } => operation.tries.min(3),
            _ => 0,
        };
        operation.waiting = None;
        if operation.stage == Stage::Done {
            operation.attempts.clear();
            operation.identifier = None;
            operation.waiting_since = None;
        }
        self.operations.id(operation)
    }
}

/// The instant of a minute.
pub(super) fn instant(minute: u16) -> Timestamp {
    Timestamp::default().after(Duration::from_mins(u64::from(minute)))
}

/// The operation that a request makes.
pub(super) fn operation_id(slot: usize) -> OperationId {
    OperationId::from_u128(slot as u128 + 1)
}

/// The request that an operation is of.
pub(super) fn slot_of(id: OperationId) -> u8 {
    u8::try_from(id.as_u128()).expect("made by `operation_id`") - 1
}
