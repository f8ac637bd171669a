//! What callers do: their requests arrive, are decided on by the real `open`, or are to be stopped.

use std::time::Duration;

use super::configuration::Ask;
use super::model::{Model, Move, Outcome, resource_name};
use super::tables::{Id, instant, operation_id};
use super::world::{SLOTS, Slot, World};
use crate::operation::open::{Request, open};
use crate::operation::state::{Adoption, Kind, Policy};

impl Model {
    pub(super) fn requests(&mut self, world: &World, moves: &mut Vec<(Move, Outcome)>) {
        for index in 0..self.configuration.asks.len() {
            let slot = u8::try_from(index).expect("few slots");
            match world.slots[index] {
                Slot::Waiting if self.configuration.atomic_reserve => {
                    moves.push((Move::Ask(slot), self.reserve(world, slot, world.entry)));
                }
                Slot::Waiting => {
                    let mut next = *world;
                    next.slots[index] = Slot::Read(world.entry);
                    moves.push((Move::Read(slot), Ok(next)));
                }
                Slot::Read(seen) => {
                    moves.push((Move::Ask(slot), self.reserve(world, slot, seen)));
                }
                Slot::Accepted { operation, due } if world.left.cancel > 0 => {
                    let mut wanted = self.tables.operations.get(operation).clone();
                    if !wanted.is_ended() && !wanted.cancel_requested {
                        wanted.cancel_requested = true;
                        let operation = self.tables.operations.id(wanted);
                        let mut next = *world;
                        next.left.cancel -= 1;
                        next.slots[index] = Slot::Accepted { operation, due };
                        moves.push((Move::Cancel(slot), Ok(next)));
                    }
                }
                Slot::Accepted { .. } | Slot::TurnedAway => {}
            }
        }
    }

    /// A request is decided on the entry that was seen, and written.
    fn reserve(&mut self, world: &World, slot: u8, seen: Id) -> Outcome {
        let mut next = *world;
        let Some((operation, entry)) = self.open(slot, seen, world.minute) else {
            next.slots[slot as usize] = Slot::TurnedAway;
            return Ok(next);
        };
        let running = (0..SLOTS).filter_map(|other| world.operation(other));
        if running.into_iter().any(|it| !self.tables.operations.get(it).is_ended()) {
            self.watch("I5", "a write was accepted while another operation runs")?;
        }
        next.slots[slot as usize] = Slot::Accepted { operation, due: true };
        next.write_entry(entry, None);
        Ok(next)
    }

    /// The real `open`.
    fn open(&mut self, slot: u8, seen: Id, minute: u16) -> Option<(Id, Id)> {
        if let Some(known) = self.opened.get(&(slot, seen, minute)) {
            return *known;
        }
        let entry = self.tables.entries.get(seen).clone();
        let ask = self.configuration.asks[slot as usize];
        let (kind, identifier) = match ask {
            Ask::Put(_) | Ask::Replace(..) | Ask::Adopt { .. } => (Kind::Put, None),
            Ask::Detach => (Kind::Unlink, None),
            // As the edge does it: what is not owned is only let go, unless a create is unsettled.
            Ask::Delete => match &entry {
                Some(entry) if !entry.owned && entry.unsettled.is_empty() => (Kind::Unlink, None),
                _ => (Kind::Delete, None),
            },
            Ask::Import { owned } => (Kind::Import { owned, apply: false }, Some(resource_name(0))),
        };
        let request = Request {
            id: operation_id(slot.into()),
            kind,
            policy: Policy {
                tracked: true,
                may_create: true,
                readable: self.configuration.readable,
                marker: true,
                handler_timeout: Duration::from_mins(30),
                replace: match ask {
                    Ask::Replace(_, strategy) => Some(strategy),
                    _ => None,
                },
                adopt: match ask {
                    Ask::Adopt { owned, .. } => Some(Adoption { identifier: None, owned }),
                    _ => None,
                },
                held: None,
                unstored: Vec::new(),
            },
            identifier,
        };
        let opened = open(request, entry.as_ref(), instant(minute)).ok().map(|opened| {
            (self.tables.keep(opened.operation), self.tables.entries.id(opened.entry))
        });
        self.opened.insert((slot, seen, minute), opened);
        opened
    }
}
