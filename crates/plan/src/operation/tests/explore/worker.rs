//! What a worker does: claims, calls, commits, dies; and what the cloud answers it.

use super::cloud::{Call, Fate, Life, Reception, Request};
use super::configuration::is_updatable;
use super::model::{Deed, Model, Move, Outcome, refusal, request_name, resource_name};
use super::tables::{Go, Id};
use super::world::{Doing, Lease, Slot, Worker, World};
use crate::operation::event::{
    ChangeKind, Event, Found, NewForms, Observed, Progress, ProgressState, RefusalClass,
};

impl Model {
    pub(super) fn worker_moves(
        &mut self,
        world: &World,
        index: usize,
        moves: &mut Vec<(Move, Outcome)>,
    ) {
        match world.workers[index] {
            // Two idle workers are the same worker.
            Worker::Idle if world.workers[..index].contains(&Worker::Idle) => {}
            Worker::Idle => self.claims(world, index, moves),
            Worker::Busy(lease) => {
                let worker = u8::try_from(index).expect("few workers");
                match lease.doing {
                    Doing::Call { effect, since } => {
                        self.landings(world, index, &lease, (effect, since), moves);
                    }
                    Doing::Answer(event) => {
                        moves.push((Move::Commit { worker }, self.commit(world, index, event)));
                    }
                }
                if world.left.crash > 0 && lease.holds {
                    let mut next = *world;
                    next.left.crash -= 1;
                    next.workers[index] = Worker::Idle;
                    // That its call was never sent is the same as that it never lands.
                    if let Doing::Call { effect, since } = lease.doing
                        && let Deed::Write(call) = self.deed(effect)
                    {
                        next.cloud.stray(call, since);
                    }
                    moves.push((Move::Crash { worker }, Ok(next)));
                }
            }
        }
    }

    fn claims(&mut self, world: &World, index: usize, moves: &mut Vec<(Move, Outcome)>) {
        let worker = u8::try_from(index).expect("few workers");
        for place in 0..world.slots.len() {
            let Slot::Accepted { operation, due: true } = world.slots[place] else { continue };
            let slot = u8::try_from(place).expect("few slots");
            let mut next = *world;
            let made = if world.leased(slot) {
                let Some(left) = world.left.theft.checked_sub(1) else { continue };
                next.left.theft = left;
                for other in &mut next.workers {
                    if let Worker::Busy(lease) = other
                        && lease.slot == slot
                    {
                        lease.holds = false;
                    }
                }
                Move::Steal { worker, slot }
            } else {
                Move::Claim { worker, slot }
            };
            let claimed = self.tables.events.id(Event::Claimed);
            next.workers[index] = Worker::Busy(Lease {
                slot,
                holds: true,
                fresh: true,
                operation,
                entry: world.entry,
                doing: Doing::Answer(claimed),
            });
            // Whoever stops between claim and first commit has done nothing.
            moves.push((made, self.commit(&next, index, claimed)));
        }
    }

    /// Writes what a worker makes of an event, and takes up what comes next.
    fn commit(&mut self, world: &World, index: usize, event: Id) -> Outcome {
        let mut next = *world;
        next.workers[index] = Worker::Idle;
        let Worker::Busy(mut lease) = world.workers[index] else { return Ok(next) };
        if self.configuration.fence && !lease.holds {
            return Ok(next);
        }
        let stepped = self.tables.step(lease.operation, lease.entry, event, world.minute);
        if stepped.entry.is_some() && !lease.fresh {
            return Ok(next);
        }
        let place = lease.slot as usize;
        let stored = world.operation(place).expect("a lease is on an operation");
        self.ending_stays(stored, stepped.operation)?;

        let mut operation = stepped.operation;
        if self.tables.operations.get(stored).cancel_requested
            && !self.tables.operations.get(operation).cancel_requested
        {
            let mut told = self.tables.operations.get(operation).clone();
            told.cancel_requested = true;
            operation = self.tables.operations.id(told);
        }
        if let Some(entry) = stepped.entry {
            self.return_is_true(world, entry)?;
            self.person_spoke(world, &mut next, lease.slot, entry);
            next.write_entry(entry, Some(index));
            lease.entry = entry;
        }
        if !self.configuration.readable {
            next.applied = match self.tables.entries.get(next.entry) {
                None => u8::MAX,
                Some(_) if stepped.applied => self.wanted(lease.slot),
                Some(_) if stepped.forgotten => u8::MAX,
                Some(_) => next.applied,
            };
        }
        lease.operation = operation;
        let due = !matches!(stepped.next, Go::Stop);
        next.slots[place] = Slot::Accepted { operation, due };
        self.ending_is_true(world, &mut next, place, stored)?;
        if let Go::Perform(effect) = stepped.next {
            self.call_is_allowed(&mut next, place, effect)?;
            lease.doing = Doing::Call { effect, since: world.minute };
            next.workers[index] = Worker::Busy(lease);
        }
        Ok(next)
    }

    /// Every way in which a call can be answered.
    fn landings(
        &mut self,
        world: &World,
        index: usize,
        lease: &Lease,
        (effect, since): (Id, u16),
        moves: &mut Vec<(Move, Outcome)>,
    ) {
        let worker = u8::try_from(index).expect("few workers");
        let mut answers: Vec<(World, Event)> = Vec::new();
        match self.deed(effect) {
            Deed::Write(call) => {
                if let Err(violation) = self.write(world, call, &mut answers) {
                    moves.push((Move::Land { worker, way: 0 }, Err(violation)));
                }
                // A worker that slept before its call lets it be.
                if world.minute > since {
                    answers.push((*world, Event::NotSent));
                }
                if world.left.lose > 0 && lease.holds {
                    let mut next = *world;
                    next.left.lose -= 1;
                    next.cloud.stray(call, since);
                    let event = Event::CallFailed(refusal(RefusalClass::Unanswered));
                    let outcome = self.answered(next, index, event);
                    moves.push((Move::Lose { worker }, Ok(outcome)));
                }
            }
            Deed::Observe(resource) => self.read(world, lease, resource, &mut answers),
            Deed::Poll(request) => Self::poll(world, request, &mut answers),
            Deed::Cancel(request) => Self::stop_request(world, request, &mut answers),
            Deed::LookUp(operations) => Self::look_up(world, operations, &mut answers),
        }
        for (way, (next, event)) in answers.into_iter().enumerate() {
            let way = u8::try_from(way).expect("few ways");
            moves.push((Move::Land { worker, way }, Ok(self.answered(next, index, event))));
        }
    }

    /// The worker has its answer.
    fn answered(&mut self, mut world: World, index: usize, event: Event) -> World {
        let event = self.tables.events.id(event);
        if let Worker::Busy(lease) = &mut world.workers[index] {
            lease.doing = Doing::Answer(event);
        }
        world
    }

    fn write(
        &mut self,
        world: &World,
        call: Call,
        answers: &mut Vec<(World, Event)>,
    ) -> Result<(), super::invariant::Violation> {
        let mut next = *world;
        let event = match next.cloud.receive(call, world.minute, self.configuration.reruns) {
            Reception::Request(request) => Event::Progressed(progress(&next, request)),
            Reception::Conflict => {
                self.watch("I9", "a client token was used for two different requests")?;
                Event::CallFailed(refusal(RefusalClass::TokenConflict))
            }
            Reception::NotFound => Event::CallFailed(refusal(RefusalClass::NotFound)),
            Reception::Busy => Event::CallFailed(refusal(RefusalClass::Busy)),
        };
        answers.push((next, event));
        if world.left.refuse > 0 {
            for class in [RefusalClass::Refused, RefusalClass::Throttled] {
                let mut next = *world;
                next.left.refuse -= 1;
                answers.push((next, Event::CallFailed(refusal(class))));
            }
        }
        Ok(())
    }

    fn read(&mut self, world: &World, lease: &Lease, place: u8, answers: &mut Vec<(World, Event)>) {
        let mut next = *world;
        let wanted = self.wanted(lease.slot);
        if !self.configuration.readable {
            let change = change(world.applied, wanted);
            answers.push((next, Event::Observed(Observed::Unreadable { change })));
            return;
        }
        let live = next.cloud.resources[place as usize].as_mut().filter(|it| it.life == Life::Live);
        let mut hidden = None;
        let observed = if let Some(resource) = live {
            if world.left.late > 0 && !resource.shown && resource.made_at == world.minute {
                let mut unseen = *world;
                unseen.left.late -= 1;
                hidden = Some(unseen);
            }
            resource.shown = true;
            Observed::Present {
                identifier: resource_name(place),
                change: change(resource.doc, wanted),
                forms: NewForms::None,
            }
        } else {
            Observed::Absent
        };
        answers.push((next, Event::Observed(observed)));
        if let Some(unseen) = hidden {
            answers.push((unseen, Event::Observed(Observed::Absent)));
        }
        if world.left.blind > 0 {
            for class in [RefusalClass::Forbidden, RefusalClass::Throttled] {
                let mut next = *world;
                next.left.blind -= 1;
                answers.push((next, Event::ReadFailed(refusal(class))));
            }
        }
    }

    fn poll(world: &World, request: u8, answers: &mut Vec<(World, Event)>) {
        answers.push((*world, Event::Progressed(progress(world, request.into()))));
        let ended = world.cloud.requests[request as usize].is_some_and(|it| !it.fate.is_running());
        if world.left.blind > 0 {
            let mut next = *world;
            next.left.blind -= 1;
            answers.push((next, Event::PollFailed(refusal(RefusalClass::Throttled))));
            // A request is forgotten after seven days: none runs as long.
            if ended {
                answers.push((next, Event::PollFailed(refusal(RefusalClass::UnknownRequest))));
            }
        }
    }

    fn stop_request(world: &World, request: u8, answers: &mut Vec<(World, Event)>) {
        let mut next = *world;
        let event = match &mut next.cloud.requests[request as usize] {
            Some(asked) if asked.fate.is_running() => {
                asked.cancel_asked = true;
                Event::Progressed(progress(&next, request.into()))
            }
            _ => Event::PollFailed(refusal(RefusalClass::Refused)),
        };
        answers.push((next, event));
        if world.left.blind > 0 {
            let mut next = *world;
            next.left.blind -= 1;
            answers.push((next, Event::PollFailed(refusal(RefusalClass::Throttled))));
        }
    }

    /// What the marker tag and the list of requests tell at this moment.
    fn look_up(world: &World, operations: u8, answers: &mut Vec<(World, Event)>) {
        let ours = |slot: u8| slot < 8 && operations & 1 << slot != 0;
        let mut live = (0u8..).zip(world.cloud.resources).filter_map(|(place, resource)| {
            resource.filter(|it| it.life == Life::Live && ours(it.made_by)).map(|_| place)
        });
        let mut running = world.cloud.requests.iter().flatten().filter(|request| {
            request.fate.is_running()
                && request.call.verb == super::cloud::CREATE
                && ours(request.call.slot)
        });
        let found = match (live.next(), live.next()) {
            (Some(one), None) => Found::One(resource_name(one)),
            (Some(_), Some(_)) => Found::Undecided { candidates: Vec::new() },
            (None, _) if running.next().is_some() => Found::Undecided { candidates: Vec::new() },
            (None, _) => Found::Nothing,
        };
        let mut next = *world;
        if let Found::One(identifier) = &found
            && let Some(resource) =
                &mut next.cloud.resources[super::model::number(identifier) as usize]
        {
            resource.shown = true;
        }
        answers.push((next, Event::LookedUp(found)));
        if world.left.undecided > 0 {
            let mut next = *world;
            next.left.undecided -= 1;
            let found = Found::Undecided { candidates: Vec::new() };
            answers.push((next, Event::LookedUp(found)));
        }
        if world.left.blind > 0 {
            for class in [RefusalClass::Forbidden, RefusalClass::Throttled] {
                let mut next = *world;
                next.left.blind -= 1;
                answers.push((next, Event::LookUpFailed(refusal(class))));
            }
        }
    }
}

/// What makes one number's properties of another's.
fn change(from: u8, to: u8) -> ChangeKind {
    match from {
        from if to == u8::MAX || from == to => ChangeKind::None,
        from if is_updatable(from, to) => ChangeKind::Update { paths: Vec::new() },
        _ => ChangeKind::Replace(Vec::new()),
    }
}

/// What the cloud says of a request.
fn progress(world: &World, index: usize) -> Progress {
    let Request { fate, names, .. } =
        world.cloud.requests[index].expect("a request that was named");
    let (state, code) = match fate {
        Fate::Pending => (ProgressState::Pending, None),
        Fate::Named => (ProgressState::InProgress, None),
        Fate::Done => (ProgressState::Success, None),
        Fate::Failed => (ProgressState::Failed, Some("InvalidRequest")),
        Fate::Transient => (ProgressState::Failed, Some("ServiceInternalError")),
        Fate::NotFound => (ProgressState::Failed, Some("NotFound")),
        Fate::Exists => (ProgressState::Failed, Some("AlreadyExists")),
        Fate::Canceled => (ProgressState::Canceled, None),
    };
    let target = world.cloud.requests[index].map(|it| it.call.target).filter(|it| *it != u8::MAX);
    Progress {
        request_token: request_name(index),
        state,
        identifier: names.or(target).map(resource_name),
        code: code.map(str::to_owned),
        message: None,
        retry_after: None,
    }
}
