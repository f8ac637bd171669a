//! How it came to a state, told so that a person can follow it.

use std::fmt::Write as _;

use super::cloud::Call;
use super::invariant::Violation;
use super::model::{Deed, Model, Move};
use super::world::{Doing, Slot, Worker, World};

/// A path, told.
pub(super) fn story(model: &mut Model, path: &[Move], violation: &Violation) -> String {
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
            "{:?} {} owned={} unsettled={} retiring={:?}",
            entry.state,
            entry.identifier.as_deref().unwrap_or("-"),
            entry.owned,
            entry.unsettled.len(),
            entry.retiring
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

fn call_text(model: &Model, call: Call) -> String {
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
