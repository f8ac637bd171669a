//! The core and the state file inside this process, without HTTP: what one call takes.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use hangar_schema::Catalog;
use hangar_simulator::core::call::{Call, Common};
use hangar_simulator::core::place::Place;
use hangar_simulator::core::reply::Reply;
use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::time::{SpanRange, Timestamp};
use hangar_simulator::core::world::{Outcome, World};
use hangar_simulator::journal::Journal;

use crate::stock;

/// How many calls are timed of each kind.
const CALLS: u64 = 2000;

/// Microseconds of one call.
pub(crate) struct PerCall {
    pub(crate) create: f64,
    pub(crate) get: f64,
    pub(crate) update: f64,
}

/// The calls on one type, in a world of its own.
pub(crate) fn calls(type_name: &str) -> PerCall {
    let latency = SpanRange { least: Duration::ZERO, most: Duration::ZERO };
    let settings = Settings { latency, ..Settings::default() };
    let mut world = World::new(Catalog::bundled(), settings);
    let place = Place::default();
    let mut clock = 1_800_000_000_000;
    let mut call = |call: &Call| {
        clock += 1;
        let answer = world.call(&place, call, Timestamp::from_millis(clock));
        black_box(world.take_changes());
        match answer.outcome {
            Outcome::Answered(Ok(reply)) => reply,
            other => panic!("{type_name}: {other:?}"),
        }
    };
    // The first call of a type compiles its schema.
    call(&creation(type_name, CALLS));
    let creations: Vec<Call> = (0..CALLS).map(|number| creation(type_name, number)).collect();
    let (create, made) = timed(&creations, &mut call);
    let polls: Vec<Call> = made.iter().map(poll).collect();
    let identifiers: Vec<String> = polls.iter().map(|poll| identifier(call(poll))).collect();
    let name = || type_name.to_owned();
    let reads: Vec<Call> = identifiers
        .iter()
        .map(|it| Call::GetResource { type_name: name(), identifier: it.clone() })
        .collect();
    let (get, _) = timed(&reads, &mut call);
    let patch = r#"[{"op": "add", "path": "/Tags", "value": [{"Key": "a", "Value": "b"}]}]"#;
    let updates: Vec<Call> = identifiers
        .iter()
        .map(|it| Call::UpdateResource {
            type_name: name(),
            identifier: it.clone(),
            patch_document: patch.to_owned(),
            common: Common::default(),
        })
        .collect();
    let (update, _) = timed(&updates, &mut call);
    PerCall { create, get, update }
}

fn creation(type_name: &str, number: u64) -> Call {
    Call::CreateResource {
        type_name: type_name.to_owned(),
        desired_state: stock::desired(type_name, number).to_string(),
        common: Common::default(),
    }
}

fn poll(reply: &Reply) -> Call {
    let Reply::Progress(event) = reply else { panic!("a write is answered with its progress") };
    Call::GetResourceRequestStatus { request_token: event.request_token.clone() }
}

fn identifier(reply: Reply) -> String {
    let Reply::Progress(event) = reply else { panic!("a poll is answered with progress") };
    event.identifier.expect("a write that is over has named its resource")
}

fn timed(calls: &[Call], call: &mut impl FnMut(&Call) -> Reply) -> (f64, Vec<Reply>) {
    let started = Instant::now();
    let replies: Vec<Reply> = calls.iter().map(call).collect();
    let took = started.elapsed().as_secs_f64() * 1e6;
    #[allow(clippy::cast_precision_loss, reason = "a few thousand")]
    let each = took / calls.len() as f64;
    (each, replies)
}

/// How long the state file takes to open and read, ten times.
pub(crate) fn open(path: &Path) -> Vec<Duration> {
    let open = |_| {
        let started = Instant::now();
        let opened = Journal::open(path).expect("the simulator wrote it");
        let took = started.elapsed();
        drop(black_box(opened));
        took
    };
    (0..10).map(open).collect()
}
