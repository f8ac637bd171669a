//! The process is killed while writes are in flight, again and again on the same state file:
//! whatever was acknowledged is there afterwards, and nothing is there twice.

mod check;
mod large;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use hangar_simulator::core::random::Random;

use crate::http::Connection;
use crate::simulator::Simulator;
use check::Found;
use writer::Writer;

/// How a loop of kills goes.
struct Loop {
    kills: usize,
    /// A state file lives through so many kills; then another one begins.
    kills_per_file: usize,
    moment: Moment,
    /// Each resource carries so many bytes besides.
    ballast: usize,
}

/// When a kill comes; then a random while later.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// After less than so many acknowledged writes of a round.
    Writes(u64),
    /// When the file begins to be rewritten; after 1,000 writes if it never does.
    Rewriting,
}

/// What a loop of kills went through.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    acknowledged: u64,
    /// Writes whose answer had not come when the kill did, and those of them that were done.
    in_flight: u64,
    done_unheard: u64,
    /// Kills that cut off a rewriting of the file.
    rewritings: usize,
    lost: Vec<String>,
}

fn is_full() -> bool {
    std::env::var_os("HANGAR_TEST_FULL").is_some()
}

#[test]
fn no_acknowledged_write_is_lost_by_a_kill() {
    let kills = if is_full() { 1000 } else { 200 };
    let moment = Moment::Writes(80);
    let tally = Loop { kills, kills_per_file: 20, moment, ballast: 0 }.run(1);
    println!(
        "counted: {} kills under writes: {} acknowledged changes, {} lost; {} in flight, \
         {} of them done",
        tally.kills,
        tally.acknowledged,
        tally.lost.len(),
        tally.in_flight,
        tally.done_unheard
    );
    assert!(tally.lost.is_empty(), "{}", tally.lost.join("\n"));
    assert!(tally.in_flight > 0, "no kill came while a write was on its way");
}

#[test]
fn no_acknowledged_write_is_lost_by_a_kill_while_the_file_is_rewritten() {
    let kills = if is_full() { 100 } else { 20 };
    let moment = Moment::Rewriting;
    let tally = Loop { kills, kills_per_file: 2, moment, ballast: 200_000 }.run(2);
    println!(
        "counted: {} kills at a rewriting: {} acknowledged changes, {} lost; {} rewritings cut off",
        tally.kills,
        tally.acknowledged,
        tally.lost.len(),
        tally.rewritings
    );
    assert!(tally.lost.is_empty(), "{}", tally.lost.join("\n"));
    assert!(tally.rewritings > 0, "no kill came while the file was rewritten");
}

impl Loop {
    fn run(&self, seed: u64) -> Tally {
        let mut tally = Tally::default();
        let mut random = Random::new(seed, &["kill"]);
        while tally.kills < self.kills && tally.lost.is_empty() {
            let folder = tempfile::tempdir().unwrap();
            let state = folder.path().join("simulator.db");
            let rounds = self.kills_per_file.min(self.kills - tally.kills);
            self.live_through(rounds, &state, &mut random, &mut tally);
        }
        tally
    }

    /// So many kills of one state file, and a last look at it.
    fn live_through(&self, kills: usize, state: &Path, random: &mut Random, tally: &mut Tally) {
        let mut writers: Vec<Writer> = (0..4)
            .map(|number| Writer::new(number, random.below(u64::MAX), self.ballast))
            .collect();
        for round in 0..kills {
            let mut simulator = Simulator::start_on(state, &[]);
            recover(&simulator, &mut writers, tally);
            if !tally.lost.is_empty() {
                return;
            }
            let is_due = self.moment.sign(state, random);
            // Every other one at once, so that some come in time however quick the deed is.
            let width = if round % 2 == 0 { 1 } else { self.moment.width() };
            let later = Duration::from_nanos(random.below(width));
            write_until_killed(&mut simulator, &mut writers, is_due, later);
            tally.kills += 1;
            tally.rewritings += usize::from(!neighbours(state).is_empty());
        }
        let simulator = Simulator::start_on(state, &[]);
        recover(&simulator, &mut writers, tally);
        // What was repeated is there once, too.
        recover(&simulator, &mut writers, tally);
        tally.acknowledged += writers.iter().map(Writer::acknowledged).sum::<u64>();
    }
}

/// What lies beside the state file: a file that is written anew, before it takes the old one's
/// place.
fn neighbours(state: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(state.parent().unwrap()).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path != state).collect()
}

/// Compares what is there with what was acknowledged, then repeats what was in flight.
fn recover(simulator: &Simulator, writers: &mut [Writer], tally: &mut Tally) {
    let mut connection = Connection::open(simulator.address()).unwrap();
    let found = Found::read(&mut connection);
    let complaints = writers.iter().flat_map(|writer| check::complaints(&found, writer));
    tally.lost.extend(complaints);
    if !tally.lost.is_empty() {
        return;
    }
    for writer in writers {
        if let Some(write) = writer.in_flight() {
            tally.in_flight += 1;
            tally.done_unheard += u64::from(check::is_done(&found, writer, write));
        }
        writer.repeat(&mut connection);
    }
}

impl Moment {
    /// A kill comes less than so many nanoseconds later: about as long as the deed takes.
    fn width(self) -> u64 {
        match self {
            Self::Writes(_) => 1_000_000,
            Self::Rewriting => 60_000_000,
        }
    }

    /// Whether the moment has come, asked with the number of acknowledged writes.
    fn sign(self, state: &Path, random: &mut Random) -> impl Fn(u64) -> bool + use<> {
        let state = state.to_owned();
        // What an earlier kill left of a rewriting says nothing of the next one.
        for left in neighbours(&state) {
            std::fs::remove_file(left).unwrap();
        }
        let (enough, waits_for_rewriting) = match self {
            Self::Writes(end) => (random.below(end), false),
            Self::Rewriting => (1000, true),
        };
        move |acknowledged| {
            acknowledged >= enough || (waits_for_rewriting && !neighbours(&state).is_empty())
        }
    }
}

/// Lets all writers write; kills a little later than the moment comes.
fn write_until_killed(
    simulator: &mut Simulator,
    writers: &mut [Writer],
    is_due: impl Fn(u64) -> bool,
    later: Duration,
) {
    let address = simulator.address();
    let (told, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        for writer in writers {
            let told = told.clone();
            scope.spawn(move || writer.write_until_cut(address, &told));
        }
        drop(told);
        let mut acknowledged = 0;
        while !is_due(acknowledged) {
            match heard.recv_timeout(LOOK_AGAIN) {
                Ok(()) => acknowledged += 1,
                Err(RecvTimeoutError::Timeout) => {}
                // Every writer gave up; the scope tells why.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let begun = Instant::now();
        while begun.elapsed() < later {
            std::hint::spin_loop();
        }
        simulator.kill();
    });
}

/// A rewriting begins between two writes and tells nobody.
const LOOK_AGAIN: Duration = Duration::from_micros(200);
