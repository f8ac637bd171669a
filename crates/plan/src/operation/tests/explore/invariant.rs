//! What must hold, by the numbers of the requirement (I1 to I12), and what each means here.
//!
//! - I1: at most one live resource made for the alias, but for those that are listed as retiring, and for
//!   the one that stands until a create that is not settled has made another.
//! - I2: every live resource made for it is named by the entry, retiring ones among them, or by an attempt
//!   of a running operation, or by an unsettled attempt of the entry.
//! - I3: a ready entry that nobody works on names a resource that lives, unless it was deleted behind
//!   our back or by a delete whose caller was told that its end is not known; what a missing one names
//!   does not live.
//! - I4: from every state, when nothing goes wrong any more, every operation ends (`search`).
//! - I5: while an operation runs, no other is accepted (`model`).
//! - I6: an ending never changes.
//! - I7: a running operation is always looked at again.
//! - I8: no create is called with a token older than 24 hours.
//! - I9: a client token means one request: verb, resource, properties and marker (`worker`).
//! - I10: a resource that was imported as not owned is never deleted, nor the entry made to own it; one
//!   that we neither made nor imported is never changed either.
//! - I11: an operation calls no more creates than one and what went wrong; one that did nothing called
//!   no write at all. (Updates and deletes are called again while the cloud is busy: no bound.)
//! - I12: operations of the alias follow one another, and each success is true of what it left.
//!
//! I13 is about the rate budget, which is not in this model.

use std::fmt;

use super::cloud::{CREATE, DELETE, Life, Resource, STRANGER};
use super::configuration::Ask;
use super::model::{Deed, Model, number};
use super::tables::{Id, instant, operation_id, slot_of};
use super::world::{SLOTS, Slot, World};
use crate::operation::attempt::{Attempt, Verb};
use crate::operation::ending::{Ending, SuccessKind};
use crate::operation::entry::{Entry, EntryState};
use crate::operation::rules::CREATE_CALL_WITHIN;
use crate::operation::state::Operation;

/// An invariant that fell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    pub(super) number: &'static str,
    pub(super) what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.what)
    }
}

impl Model {
    /// A violation, unless this configuration looks away.
    pub(super) fn watch(&self, number: &'static str, what: &str) -> Result<(), Violation> {
        if self.configuration.unwatched.contains(&number) {
            return Ok(());
        }
        Err(Violation { number, what: what.to_owned() })
    }

    /// What is broken in a state.
    pub(super) fn broken(&self, world: &World) -> Option<Violation> {
        let entry = self.tables.entries.get(world.entry).as_ref();
        let checks = [
            self.one_resource(world, entry),
            self.all_named(world, entry),
            self.ready_is_there(world, entry),
            self.missing_is_gone(world, entry),
            self.nothing_lost(world),
            self.strangers_stay(world, entry),
            self.one_at_a_time(world, entry),
        ];
        checks.into_iter().find_map(Result::err)
    }

    fn one_resource(&self, world: &World, entry: Option<&Entry>) -> Result<(), Violation> {
        if ours(world).filter(|(place, _)| !self.is_replaced(world, entry, *place)).count() > 1 {
            self.watch("I1", "two resources for one alias")?;
        }
        Ok(())
    }

    /// Whether a resource is listed as retiring, or stands only until another is made in its place.
    fn is_replaced(&self, world: &World, entry: Option<&Entry>, place: u8) -> bool {
        let Some(entry) = entry else { return false };
        let is_it = |name: &String| number(name) == place;
        let mut running = self.running(world).flat_map(|(_, operation)| &operation.attempts);
        let replaces = |it: &Attempt| it.verb == Verb::Create && it.replaces.iter().any(is_it);
        let current = entry.identifier.iter().any(is_it);
        entry.retiring.iter().any(is_it)
            || (current && (entry.unsettled.iter().any(replaces) || running.any(replaces)))
    }

    fn all_named(&self, world: &World, entry: Option<&Entry>) -> Result<(), Violation> {
        for (place, resource) in ours(world) {
            let by_entry = entry.is_some_and(|entry| {
                let names = entry.identifier.iter().chain(&entry.retiring);
                let unsettled = entry
                    .unsettled
                    .iter()
                    .any(|it| self.token(resource.token).starts_with(&it.client_token));
                names.into_iter().any(|it| number(it) == place) || unsettled
            });
            let by_operation = self.running(world).any(|(_, operation)| {
                let mut attempts = operation.attempts.iter();
                attempts.any(|it| self.token(resource.token).starts_with(&it.client_token))
            });
            if !by_entry && !by_operation {
                self.watch("I2", &format!("r{place} exists, and nothing names it"))?;
            }
        }
        Ok(())
    }

    fn ready_is_there(&self, world: &World, entry: Option<&Entry>) -> Result<(), Violation> {
        let Some(entry) = entry else { return Ok(()) };
        if entry.state != EntryState::Ready || entry.operation.is_some() {
            return Ok(());
        }
        let named = entry.identifier.as_deref().map(number);
        let life = named.and_then(|it| world.cloud.resources[it as usize]).map(|it| it.life);
        let true_to_it = match life {
            Some(Life::Live | Life::Vanished) => true,
            Some(Life::Deleted(slot)) => world.operation(slot.into()).is_some_and(|operation| {
                let ending = &self.tables.operations.get(operation).ending;
                matches!(ending, Some(Ending::Failed(_) | Ending::Canceled(_)))
            }),
            Some(Life::Forming | Life::NeverMade) | None => false,
        };
        if !true_to_it {
            self.watch("I3", "the entry is ready, and what it names is not there")?;
        }
        Ok(())
    }

    fn missing_is_gone(&self, world: &World, entry: Option<&Entry>) -> Result<(), Violation> {
        let Some(entry) = entry else { return Ok(()) };
        let idle = entry.state == EntryState::Missing && entry.operation.is_none();
        let named = entry.identifier.as_deref().map(number).filter(|_| idle);
        if named.is_some_and(|it| world.cloud.is_live(it)) {
            self.watch("I3", "the entry is missing, and what it names is there")?;
        }
        Ok(())
    }

    fn nothing_lost(&self, world: &World) -> Result<(), Violation> {
        for slot in world.slots {
            if let Slot::Accepted { operation, due: false } = slot
                && !self.tables.operations.get(operation).is_ended()
            {
                self.watch("I7", "a running operation is never looked at again")?;
            }
        }
        Ok(())
    }

    fn strangers_stay(&self, world: &World, entry: Option<&Entry>) -> Result<(), Violation> {
        let may_own =
            self.configuration.asks.iter().any(|ask| {
                matches!(ask, Ask::Import { owned: true } | Ask::Adopt { owned: true, .. })
            });
        let named = entry.filter(|it| it.owned).and_then(|it| it.identifier.as_deref());
        let strange = |place: u8| {
            world.cloud.resources[place as usize].is_some_and(|it| it.made_by == STRANGER)
        };
        // Where names are given by callers, what is gone leaves its name to us.
        let strange =
            |place: u8| strange(place) && (!self.configuration.taken || world.cloud.is_live(place));
        if !may_own && named.is_some_and(|it| strange(number(it))) {
            self.watch("I10", "the entry owns what is somebody else's")?;
        }
        Ok(())
    }

    fn one_at_a_time(&self, world: &World, entry: Option<&Entry>) -> Result<(), Violation> {
        for (slot, _) in self.running(world) {
            if entry.and_then(|it| it.operation) != Some(operation_id(slot)) {
                self.watch("I12", "an operation runs without holding the alias")?;
            }
        }
        Ok(())
    }

    /// I3, at a commit, where no read tells: what was missing because it was deleted is not ready again.
    pub(super) fn return_is_true(&self, world: &World, new: Id) -> Result<(), Violation> {
        let (before, after) = (self.tables.entries.get(world.entry), self.tables.entries.get(new));
        let (Some(before), Some(after), false) = (before, after, self.configuration.readable)
        else {
            return Ok(());
        };
        let returns = before.state == EntryState::Missing && after.state == EntryState::Ready;
        let named = after.identifier.as_deref().map(number);
        let life = named.and_then(|it| world.cloud.resources[it as usize]).map(|it| it.life);
        if returns && matches!(life, Some(Life::Deleted(_))) {
            self.watch("I3", "what we deleted is called ready again")?;
        }
        Ok(())
    }

    /// I6, at a commit.
    pub(super) fn ending_stays(&self, stored: Id, new: Id) -> Result<(), Violation> {
        let stored = &self.tables.operations.get(stored).ending;
        if stored.is_some() && *stored != self.tables.operations.get(new).ending {
            self.watch("I6", "an ending was changed")?;
        }
        Ok(())
    }

    /// I11 and I12, at the commit of an ending.
    pub(super) fn ending_is_true(
        &self,
        before: &World,
        after: &mut World,
        slot: usize,
        stored: Id,
    ) -> Result<(), Violation> {
        let operation = after.operation(slot).expect("it was just written");
        if self.tables.operations.get(stored).is_ended() {
            return Ok(());
        }
        let Some(Ending::Succeeded(success)) = &self.tables.operations.get(operation).ending else {
            return Ok(());
        };
        let named = |world: &World| {
            let entry = self.tables.entries.get(world.entry).as_ref();
            entry.and_then(|it| it.identifier.as_deref()).map(number)
        };
        let maker = named(after)
            .and_then(|it| after.cloud.resources[it as usize])
            .map(|resource| resource.made_by);
        let free = self.tables.entries.get(after.entry).is_none();
        let held = named(before).filter(|it| after.cloud.is_live(*it));
        let own = u8::try_from(slot).expect("few slots");
        let holds = match success.kind {
            SuccessKind::Created | SuccessKind::Replaced => maker == Some(own),
            SuccessKind::Updated | SuccessKind::Noop => maker.is_some_and(|it| it != own),
            SuccessKind::Imported => maker == Some(STRANGER),
            SuccessKind::Deleted => free && held.is_none(),
            SuccessKind::Unlinked => free,
            SuccessKind::Checked | SuccessKind::Deployed | SuccessKind::Planned => false,
        };
        if !holds {
            self.watch("I12", &format!("{:?} is not what was done", success.kind))?;
        }
        if success.kind == SuccessKind::Noop
            && (after.creates[slot] > 0 || after.writes & 1 << slot != 0)
        {
            self.watch("I11", "nothing was to be done, and a write was called")?;
        }
        if success.kind == SuccessKind::Unlinked
            && let Some(place) = held
            && let Some(resource) = &mut after.cloud.resources[place as usize]
        {
            // Let go on request: from now on it is nobody's.
            resource.made_by = STRANGER;
        }
        Ok(())
    }

    /// I8, I10 and I11, when a call is begun.
    pub(super) fn call_is_allowed(
        &mut self,
        world: &mut World,
        slot: usize,
        effect: Id,
    ) -> Result<(), Violation> {
        let Deed::Write(call) = self.deed(effect) else { return Ok(()) };
        let operation = self.tables.operations.get(world.operation(slot).expect("it calls"));
        if operation.is_ended() {
            self.watch("I7", "a call without a document: the operation has ended")?;
        }
        if call.verb == CREATE {
            let born = operation.current().map(|attempt| attempt.born_at).unwrap_or_default();
            if instant(world.minute).since(born) > CREATE_CALL_WITHIN {
                self.watch("I8", "a create is called with a token older than a day")?;
            }
            world.creates[slot] += 1;
            if world.creates[slot] > 1 + self.configuration.budget.repeats(world.left) {
                self.watch("I11", "more creates than what went wrong explains")?;
            }
        } else if operation.closing.is_none() {
            // Deletes of what was replaced before come after the operation's own work.
            world.writes |= 1 << slot;
        }
        let target = world.cloud.resources.get(call.target as usize).copied().flatten();
        let strange = target.is_some_and(|it| it.made_by == STRANGER && it.life == Life::Live);
        let adopts = self.configuration.asks.iter().any(|ask| matches!(ask, Ask::Adopt { .. }));
        if self.configuration.taken && !adopts && strange {
            self.watch("I10", "a resource that we neither made nor imported is written")?;
        }
        let owned = self.tables.entries.get(world.entry).as_ref().is_some_and(|it| it.owned);
        if call.verb == DELETE && target.is_some_and(|it| it.made_by == STRANGER) && !owned {
            self.watch("I10", "a resource that is not owned is deleted")?;
        }
        Ok(())
    }

    /// An import into an unknown alias settles its creates by a person's word. Here it is always a wrong
    /// one: the resource that is imported was there before. To detach one forgets them.
    pub(super) fn person_spoke(&self, before: &World, after: &mut World, slot: u8, entry: Id) {
        let entry = self.tables.entries.get(entry).as_ref();
        let settled = match self.configuration.asks[slot as usize] {
            Ask::Import { .. } => {
                entry.is_some_and(|it| it.state == EntryState::Ready && it.unsettled.is_empty())
            }
            Ask::Detach => entry.is_none(),
            _ => false,
        };
        if let Some(old) = self.tables.entries.get(before.entry).as_ref().filter(|_| settled) {
            for attempt in &old.unsettled {
                after.given_up |= 1 << slot_of(attempt.operation);
            }
        }
    }

    /// The operations that run.
    pub(super) fn running<'a>(
        &'a self,
        world: &'a World,
    ) -> impl Iterator<Item = (usize, &'a Operation)> {
        (0..SLOTS).filter_map(|slot| {
            let operation = self.tables.operations.get(world.operation(slot)?);
            (!operation.is_ended()).then_some((slot, operation))
        })
    }
}

/// The live resources that were made for the alias.
fn ours(world: &World) -> impl Iterator<Item = (u8, Resource)> {
    (0u8..).zip(world.cloud.resources).filter_map(|(place, resource)| {
        let resource = resource?;
        let ours = resource.made_by != STRANGER && world.given_up & 1 << resource.made_by == 0;
        (resource.life == Life::Live && ours).then_some((place, resource))
    })
}
