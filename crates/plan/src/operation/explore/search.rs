//! Breadth first through every state, so that the first story that breaks something is a shortest one.

use std::collections::hash_map::Entry as Place;
use std::fmt::Write as _;

use super::cloud::Finish;
use super::configuration::Configuration;
use super::invariant::Violation;
use super::model::{Deed, Model, Move, Outcome};
use super::tables::FastMap;
use super::world::{Budget, Doing, Slot, Worker, World};

/// What a search came to.
pub(super) struct Report {
    /// Distinct states.
    pub(super) states: usize,
    /// Moves between them.
    pub(super) moves: usize,
    /// States from which a run without faults was followed to the end.
    pub(super) lived: usize,
    /// The longest such run.
    pub(super) longest: usize,
    /// Whether there were too many states.
    pub(super) cut: bool,
    /// What fell, and how it came to that.
    pub(super) broken: Option<(Violation, String)>,
}

/// How often a state is followed to the end: one in so many.
const SAMPLE: usize = 5;
/// More states than this do not fit in memory.
const MOST: usize = 25_000_000;
/// No run without faults takes as many moves.
const PATIENT: usize = 300;

/// Searches all of a configuration.
pub(super) fn search(configuration: Configuration) -> Report {
    let mut model = Model::new(configuration);
    let start = model.start();
    let mut parents: Vec<(u32, Option<Move>)> = vec![(0, None)];
    let mut seen: FastMap<World, ()> = FastMap::default();
    seen.insert(start, ());
    let mut level = vec![(start, 0u32)];
    let mut report = Report { states: 1, moves: 0, lived: 0, longest: 0, cut: false, broken: None };
    while !level.is_empty() {
        let mut below = Vec::new();
        for (world, index) in level {
            let moves = model.moves(&world);
            let found = if moves.is_empty() && model.running(&world).next().is_some() {
                Some((None, Violation { number: "I4", what: "nothing can happen".to_owned() }))
            } else if index as usize % SAMPLE == 0 {
                report.lived += 1;
                match live(&mut model, world) {
                    Ok(length) => {
                        report.longest = report.longest.max(length);
                        None
                    }
                    Err(violation) => Some((None, violation)),
                }
            } else {
                None
            };
            let mut found = found;
            report.moves += moves.len();
            if parents.len() > MOST {
                report.states = parents.len();
                report.cut = true;
                return report;
            }
            for (made, outcome) in moves {
                match outcome {
                    Ok(next) => {
                        if let Place::Vacant(place) = seen.entry(next) {
                            place.insert(());
                            let number = u32::try_from(parents.len()).expect("fewer than 2^32");
                            parents.push((index, Some(made)));
                            below.push((next, number));
                        }
                    }
                    Err(violation) => {
                        found.get_or_insert((Some(made), violation));
                    }
                }
            }
            if let Some((last, violation)) = found {
                let mut path = vec![];
                let mut at = index;
                while let (parent, Some(made)) = parents[at as usize] {
                    path.push(made);
                    at = parent;
                }
                path.reverse();
                path.extend(last);
                report.states = parents.len();
                let story = story(&mut model, &path, &violation);
                report.broken = Some((violation, story));
                return report;
            }
        }
        level = below;
    }
    report.states = parents.len();
    report
}

/// I4: follows a state while nothing goes wrong: whoever can move does, requests succeed, and time
/// passes when nothing else does.
fn live(model: &mut Model, mut world: World) -> Result<usize, Violation> {
    world.left = Budget::default();
    world.creates = Default::default();
    world.writes = 0;
    let budget = std::mem::replace(&mut model.configuration.budget, generous());
    world.left = Budget::default();
    let mut quiet = 0;
    let mut result = Err(Violation { number: "I4", what: "it never ends".to_owned() });
    for length in 0..PATIENT {
        if model.running(&world).next().is_none() {
            result = Ok(length);
            break;
        }
        let before = world;
        world = match calm(model, &world, length) {
            Some(Ok(next)) => next,
            Some(Err(violation)) => {
                result = Err(violation);
                break;
            }
            None => world,
        };
        // Polls and waits go round; the clock goes on.
        quiet = if world == before { 2 } else { quiet + 1 };
        if quiet % 12 == 2 {
            world = model.later(world, 11);
        }
    }
    model.configuration.budget = budget;
    result
}

/// A budget of which so much is gone that I11 does not count in runs that begin in the middle.
fn generous() -> Budget {
    Budget { crash: 100, ..Budget::default() }
}

/// One move in which nothing goes wrong.
fn calm(model: &mut Model, world: &World, turn: usize) -> Option<Outcome> {
    let moves = model.moves(world).into_iter().filter(|(made, _)| {
        matches!(
            made,
            Move::Claim { .. }
                | Move::Land { .. }
                | Move::Commit { .. }
                | Move::Finish { how: Finish::Succeed, .. }
        )
    });
    let moves: Vec<_> = moves.collect();
    let pick = turn % moves.len().max(1);
    moves.into_iter().nth(pick).map(|(_, outcome)| outcome)
}

/// A path, told.
fn story(model: &mut Model, path: &[Move], violation: &Violation) -> String {
    let mut world = model.start();
    let mut text = String::new();
    for (number, made) in path.iter().enumerate() {
        let told = tell(model, &world, *made);
        let moves = model.moves(&world);
        let (_, outcome) =
            moves.into_iter().find(|(it, _)| it == made).expect("it was made before");
        let _ = writeln!(text, "  {:>2}. {told}", number + 1);
        let Ok(next) = outcome else { break };
        if next.entry != world.entry {
            let _ = writeln!(text, "      entry: {}", entry_text(model, &next));
        }
        for slot in 0..next.slots.len() {
            if let (Slot::Accepted { operation, .. }, true) =
                (next.slots[slot], next.slots[slot] != world.slots[slot])
            {
                let operation = model.tables.operations.get(operation);
                let end = operation
                    .ending
                    .as_ref()
                    .map_or_else(String::new, |it| format!(", ended {it:?}"));
                let _ = writeln!(text, "      operation {}: {:?}{end}", slot + 1, operation.stage);
            }
        }
        world = next;
    }
    let _ = writeln!(text, "  => {violation}");
    text
}

fn entry_text(model: &Model, world: &World) -> String {
    match model.tables.entries.get(world.entry) {
        None => "none".to_owned(),
        Some(entry) => format!(
            "{:?} {} owned={} unsettled={}",
            entry.state,
            entry.identifier.as_deref().unwrap_or("-"),
            entry.owned,
            entry.unsettled.len()
        ),
    }
}

fn tell(model: &mut Model, world: &World, made: Move) -> String {
    let ask = |slot: u8| format!("{:?}", model.configuration.asks[slot as usize]);
    match made {
        Move::Ask(slot) => format!("request {} arrives and is decided on: {}", slot + 1, ask(slot)),
        Move::Read(slot) => {
            format!("request {} arrives and reads the entry: {}", slot + 1, ask(slot))
        }
        Move::Cancel(slot) => format!("the caller wants operation {} stopped", slot + 1),
        Move::Claim { worker, slot } => {
            format!("worker {} claims operation {}", worker + 1, slot + 1)
        }
        Move::Steal { worker, slot } => {
            format!(
                "worker {} takes the lease of operation {} from one that lives",
                worker + 1,
                slot + 1
            )
        }
        Move::Land { worker, way } => {
            let doing = doing(model, world, worker);
            let moves = model.moves(world);
            let outcome = moves.into_iter().find(|(it, _)| *it == Move::Land { worker, way });
            let answer = match outcome {
                Some((_, Ok(next))) => match next.workers[worker as usize] {
                    Worker::Busy(lease) => match lease.doing {
                        Doing::Answer(event) => {
                            short(&format!("{:?}", model.tables.events.get(event)))
                        }
                        Doing::Call { .. } => String::new(),
                    },
                    Worker::Idle => "too late: the lease is lost".to_owned(),
                },
                _ => "…".to_owned(),
            };
            format!("worker {} {doing}: {answer}", worker + 1)
        }
        Move::Lose { worker } => {
            let doing = doing(model, world, worker);
            format!("worker {} {doing}: no answer; the call is in the air", worker + 1)
        }
        Move::Commit { worker } => format!("worker {} commits", worker + 1),
        Move::Crash { worker } => {
            let doing = doing(model, world, worker);
            format!("worker {} dies while it {doing}", worker + 1)
        }
        Move::StrayLands(index) => {
            let call = world.cloud.stray[index as usize].map(|(call, _)| call);
            format!(
                "a call in the air reaches the cloud: {}",
                call.map_or_else(String::new, |it| call_text(model, it))
            )
        }
        Move::Finish { request, how } => format!("the cloud's request q{request}: {how:?}"),
        Move::Vanish(resource) => format!("somebody deletes r{resource} behind our back"),
        Move::Pass(minutes) => format!("{minutes} minutes pass"),
    }
}

fn doing(model: &mut Model, world: &World, worker: u8) -> String {
    let Worker::Busy(lease) = world.workers[worker as usize] else { return "rests".to_owned() };
    match lease.doing {
        Doing::Answer(event) => {
            format!("holds an answer ({})", short(&format!("{:?}", model.tables.events.get(event))))
        }
        Doing::Call { effect, .. } => match model.deed(effect) {
            Deed::Write(call) => format!("calls {}", call_text(model, call)),
            Deed::Observe(resource) => format!("reads r{resource}"),
            Deed::Poll(request) => format!("polls q{request}"),
            Deed::Cancel(request) => format!("asks to stop q{request}"),
            Deed::LookUp(_) => "looks up".to_owned(),
        },
    }
}

fn call_text(model: &Model, call: super::cloud::Call) -> String {
    let verb = ["create", "update", "delete"][call.verb as usize];
    let token = model.token(call.token);
    let target =
        if call.target == u8::MAX { String::new() } else { format!(" of r{}", call.target) };
    format!("{verb}{target} (operation {}, token …{})", call.slot + 1, &token[35..])
}

/// Without what is empty.
fn short(text: &str) -> String {
    let mut text = text.to_owned();
    for empty in [
        ", message: None",
        ", retry_after: None",
        ", message: \"\"",
        ", code: None",
        ", names_request: false",
    ] {
        text = text.replace(empty, "");
    }
    text
}
