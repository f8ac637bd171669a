//! What can happen next in a world: every move, with the world or the broken invariant it leads to.

use super::cloud::{
    Call, Cloud, EARLIER, Finish, Life, Resource, SIGNATURE_FOR, STRANGER, verb_code,
};
use super::configuration::{Ask, Configuration};
use super::invariant::Violation;
use super::tables::{FastMap, Id, Interner, Tables, slot_of};
use super::world::{Doing, SLOTS, Slot, WORKERS, Worker, World};
use crate::operation::attempt::Verb;
use crate::operation::effect::Effect;
use crate::operation::entry::{Entry, EntryState};
use crate::operation::event::{Event, Refusal, RefusalClass};
use crate::operation::id::OperationId;

/// One thing that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// A request arrives and is decided on.
    Ask(u8),
    /// Without atomic reservation: a request arrives and reads.
    Read(u8),
    /// The caller wants an operation stopped.
    Cancel(u8),
    /// A worker takes an operation that nobody has.
    Claim {
        worker: u8,
        slot: u8,
    },
    /// A worker takes an operation from another that lives.
    Steal {
        worker: u8,
        slot: u8,
    },
    /// A worker's call reaches the cloud and is answered; `way` tells several answers apart.
    Land {
        worker: u8,
        way: u8,
    },
    /// The answer is lost; the call is in the air.
    Lose {
        worker: u8,
    },
    /// A worker commits what it makes of its answer.
    Commit {
        worker: u8,
    },
    Crash {
        worker: u8,
    },
    /// A stray call reaches the cloud.
    StrayLands(u8),
    Finish {
        request: u8,
        how: Finish,
    },
    Vanish(u8),
    /// So many minutes pass.
    Pass(u16),
}

/// An effect, taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deed {
    Write(Call),
    Observe(u8),
    Poll(u8),
    Cancel(u8),
    /// The operations whose creates are looked for, as bits.
    LookUp(u8),
}

/// What a move leads to.
pub(super) type Outcome = Result<World, Violation>;

/// The small world's laws.
pub(super) struct Model {
    pub(super) configuration: Configuration,
    pub(super) tables: Tables,
    tokens: Interner<String>,
    deeds: FastMap<Id, Deed>,
    pub(super) opened: FastMap<(u8, Id, u16), Option<(Id, Id)>>,
}

impl Model {
    pub(super) fn new(configuration: Configuration) -> Self {
        Self {
            tables: Tables::new(configuration.rules),
            configuration,
            tokens: Interner::default(),
            deeds: FastMap::default(),
            opened: FastMap::default(),
        }
    }

    /// How everything begins: nobody is at work, and the alias is free or stands for a resource of ours.
    pub(super) fn start(&mut self) -> World {
        let mut cloud = Cloud::default();
        let imports = self.configuration.asks.iter().any(|ask| matches!(ask, Ask::Import { .. }));
        cloud.one_name = self.configuration.taken;
        let standing = self.configuration.standing;
        if imports || self.configuration.taken || standing {
            let earlier = u8::try_from(self.tokens.id("earlier".to_owned())).expect("few tokens");
            cloud.resources[0] = Some(Resource {
                made_by: if standing { EARLIER } else { STRANGER },
                token: earlier,
                life: Life::Live,
                doc: if standing { 0 } else { u8::MAX },
                made_at: 0,
                shown: true,
            });
        }
        let entry = standing.then(|| Entry {
            identifier: Some(resource_name(0)),
            owned: true,
            state: EntryState::Ready,
            operation: None,
            unsettled: Vec::new(),
            retiring: Vec::new(),
            failed_at: None,
        });
        World {
            minute: 0,
            entry: self.tables.entries.id(entry),
            slots: [Slot::Waiting; SLOTS],
            workers: [Worker::Idle; WORKERS],
            cloud,
            applied: if standing && !self.configuration.readable { 0 } else { u8::MAX },
            left: self.configuration.budget,
            creates: [0; SLOTS],
            writes: 0,
            given_up: 0,
        }
    }

    /// Everything that can happen next.
    pub(super) fn moves(&mut self, world: &World) -> Vec<(Move, Outcome)> {
        let mut moves = Vec::with_capacity(16);
        if self.is_over(world) {
            return moves;
        }
        self.requests(world, &mut moves);
        for index in 0..WORKERS {
            self.worker_moves(world, index, &mut moves);
        }
        self.cloud_moves(world, &mut moves);
        self.time_moves(world, &mut moves);
        for (_, outcome) in &mut moves {
            if let Ok(next) = outcome {
                self.tidy(next);
                if let Some(violation) = self.broken(next) {
                    *outcome = Err(violation);
                }
            }
        }
        moves
    }

    fn cloud_moves(&mut self, world: &World, moves: &mut Vec<(Move, Outcome)>) {
        for index in 0..world.cloud.requests.len() {
            for (how, fails) in world.cloud.finishes(index, self.configuration.names_early) {
                let mut next = *world;
                if fails {
                    let Some(left) = next.left.fail.checked_sub(1) else { continue };
                    next.left.fail = left;
                }
                next.cloud.finish(index, how, world.minute);
                let request = u8::try_from(index).expect("few requests");
                moves.push((Move::Finish { request, how }, Ok(next)));
            }
        }
        for index in 0..world.cloud.stray.len() {
            let Some((call, _)) = world.cloud.stray[index] else { break };
            let mut next = *world;
            next.cloud.stray[index] = None;
            next.cloud.receive(call, world.minute, self.configuration.reruns);
            moves.push((Move::StrayLands(u8::try_from(index).expect("few calls")), Ok(next)));
        }
        for index in 0..world.cloud.resources.len() {
            let resource = u8::try_from(index).expect("few resources");
            if world.left.vanish > 0 && world.cloud.is_live(resource) {
                let mut next = *world;
                next.left.vanish -= 1;
                if let Some(resource) = &mut next.cloud.resources[index] {
                    resource.life = Life::Vanished;
                }
                moves.push((Move::Vanish(resource), Ok(next)));
            }
        }
    }

    /// Instants are only compared with each other, so nothing is learnt from time that passes before
    /// the first operation.
    fn time_moves(&mut self, world: &World, moves: &mut Vec<(Move, Outcome)>) {
        if (0..SLOTS).all(|slot| world.operation(slot).is_none()) {
            return;
        }
        if world.left.pass > 0 {
            let mut next = *world;
            next.left.pass -= 1;
            moves.push((Move::Pass(11), Ok(self.later(next, 11))));
        }
        if world.left.day > 0 {
            let mut next = *world;
            next.left.day -= 1;
            moves.push((Move::Pass(37 * 60), Ok(self.later(next, 37 * 60))));
        }
    }

    /// The world so many minutes on: calls with an old signature land no more.
    pub(super) fn later(&mut self, mut world: World, minutes: u16) -> World {
        world.minute += minutes;
        world.cloud.expire(world.minute);
        let unanswered =
            self.tables.events.id(Event::CallFailed(refusal(RefusalClass::Unanswered)));
        for index in 0..WORKERS {
            let Worker::Busy(mut lease) = world.workers[index] else { continue };
            if let Doing::Call { effect, since } = lease.doing
                && matches!(self.deed(effect), Deed::Write(_))
                && world.minute - since > SIGNATURE_FOR
            {
                lease.doing = Doing::Answer(unanswered);
                world.workers[index] = Worker::Busy(lease);
            }
        }
        world
    }

    /// What an effect is.
    pub(super) fn deed(&mut self, effect: Id) -> Deed {
        if let Some(deed) = self.deeds.get(&effect) {
            return *deed;
        }
        let deed = match self.tables.effects.get(effect).clone() {
            Effect::Create { token, marked } => {
                Deed::Write(self.call(Verb::Create, &token, u8::MAX, marked))
            }
            Effect::Update { identifier, token } => {
                Deed::Write(self.call(Verb::Update, &token, number(&identifier), false))
            }
            Effect::Delete { identifier, token } => {
                Deed::Write(self.call(Verb::Delete, &token, number(&identifier), false))
            }
            Effect::Observe { identifier } => Deed::Observe(number(&identifier)),
            Effect::Poll { request_token } => Deed::Poll(number(&request_token)),
            Effect::Cancel { request_token } => Deed::Cancel(number(&request_token)),
            Effect::LookUp { attempts } => {
                Deed::LookUp(attempts.iter().fold(0, |bits, it| bits | 1 << slot_of(it.operation)))
            }
        };
        self.deeds.insert(effect, deed);
        deed
    }

    fn call(&mut self, verb: Verb, token: &str, target: u8, marked: bool) -> Call {
        let slot =
            slot_of(OperationId::parse(&token[..36]).expect("a token begins with its operation"));
        let doc = self.wanted(slot);
        let token = u8::try_from(self.tokens.id(token.to_owned())).expect("few tokens");
        Call { slot, token, verb: verb_code(verb), target, doc, marked }
    }

    /// The properties that a request asks for.
    pub(super) fn wanted(&self, slot: u8) -> u8 {
        match self.configuration.asks[slot as usize] {
            Ask::Put(doc) | Ask::Replace(doc, _) | Ask::Adopt { doc, .. } => doc,
            Ask::Delete | Ask::Detach | Ask::Import { .. } => u8::MAX,
        }
    }

    /// The client token of a number.
    pub(super) fn token(&self, number: u8) -> &str {
        self.tokens.get(number.into())
    }
}

/// What the cloud calls its nth resource.
pub(super) fn resource_name(number: u8) -> String {
    format!("r{number}")
}

/// What the cloud calls its nth request.
pub(super) fn request_name(number: usize) -> String {
    format!("q{number}")
}

/// The number in a name of the cloud's.
pub(super) fn number(name: &str) -> u8 {
    name[1..].parse().expect("a letter and a number")
}

/// A refusal of a class, as short as can be.
pub(super) fn refusal(class: RefusalClass) -> Refusal {
    Refusal {
        class,
        code: format!("{class:?}"),
        message: String::new(),
        retry_after: None,
        names_request: class == RefusalClass::Busy,
    }
}
