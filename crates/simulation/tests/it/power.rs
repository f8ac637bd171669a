//! The power fails: whatever the disk has kept of what was not synced, the store opens with exactly the
//! commits up to some instant, none of those that were answered is missing, and the engine goes on from
//! there without a second resource or a lost one.
//!
//! What was synced is known from SQLite's word for `synchronous=FULL` (tested where the store is): the
//! log at each commit; the log, then the file, at a checkpoint. The rest may be there, be there in part,
//! or be something else.

mod disk;
mod record;

use std::time::Duration;

use hangar_plan::operation::SuccessKind;
use hangar_plan::record::OperationRecord;
use hangar_simulation::history::{self, Invariant, Violation};
use hangar_simulation::rig::aws::Aws;
use hangar_simulation::rig::clock::RunClock;
use hangar_simulation::rig::collect::collect;
use hangar_simulation::rig::dice::Dice;
use hangar_simulation::rig::fate::Fair;
use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::world::World;

use crate::power::disk::{Bench, Disk, common};
use crate::power::record::{Recorder, Shot};
use crate::stage::{Stage, Way, aws, on_one_thread, put};

/// Much more is tried, for minutes rather than for seconds.
fn is_full() -> bool {
    std::env::var_os("HANGAR_TEST_FULL").is_some_and(|it| it == "1")
}

/// What was seen before each call that a little of everything made, and at the end.
fn story() -> Vec<Shot> {
    on_one_thread(async {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let clock = RunClock::new();
        let aws = aws(&clock);
        let recorder = Recorder::new(&path, &aws, &clock);
        let stage = Stage::open(&path, aws, &clock, Way::Core, Box::new(recorder.clone()));
        stage.make_group().await;
        assert_eq!(stage.put("a", true).await, SuccessKind::Created);
        // Two that run at once.
        let (b, c) = (stage.submit("b", put(true)).await, stage.submit("c", put(true)).await);
        for accepted in [b, c] {
            let ended = stage.engine.wait(accepted.record.id(), Duration::from_hours(1)).await;
            assert!(ended.unwrap().unwrap().is_ended());
        }
        recorder.look();
        stage.store.settle().await.unwrap();
        recorder.look();
        assert_eq!(stage.put("a", false).await, SuccessKind::Updated);
        recorder.look();
        // The next write begins the log anew, over what is in it.
        recorder.checkpoint();
        recorder.look();
        assert_eq!(stage.delete("b").await, SuccessKind::Deleted);
        assert_eq!(stage.put("a", false).await, SuccessKind::Noop);
        recorder.look();
        stage.engine.stop().await;
        recorder.look();
        recorder.shots()
    })
}

/// Pairs of what was seen around one commit.
fn commits(shots: &[Shot]) -> impl Iterator<Item = (&Shot, &Shot)> {
    let pairs = shots.iter().zip(&shots[1..]);
    pairs.filter(|(before, after)| {
        before.disk.file == after.disk.file && before.disk.log != after.disk.log
    })
}

/// Pairs of what was seen around one checkpoint.
fn checkpoints(shots: &[Shot]) -> impl Iterator<Item = (&Shot, &Shot)> {
    shots.iter().zip(&shots[1..]).filter(|(before, after)| before.disk.file != after.disk.file)
}

#[test]
fn a_commit_is_there_whole_or_not_at_all_wherever_the_log_ends() {
    let shots = story();
    let mut bench = Bench::new();
    let (mut tried, mut anew) = (0, 0);
    for (number, (before, after)) in commits(&shots).enumerate() {
        let (old, new) = (&before.disk.log, &after.disk.log);
        assert_ne!(before.rows, after.rows, "something was written");
        let first = common(old, new);
        anew += u32::from(first < old.len());
        let end = after.disk.end_of_commits();
        // Where something begins or ends, and in between; every byte of some commits.
        let every = is_full() && number % 10 == 0;
        let step = if is_full() { 61 } else { 4001 };
        for cut in first..=new.len() {
            if !(every || cut % step == 0 || after.disk.is_a_border(cut)) {
                continue;
            }
            let log = after.disk.cut_over(&before.disk, cut);
            let wanted = if after.disk.is_whole_in(&log) { &after.rows } else { &before.rows };
            let rows = bench.rows(&before.disk.file, &log);
            assert!(rows == *wanted, "commit {number}, cut at {cut} of {first}..{end}");
            tried += 1;
        }
    }
    assert!(tried > 1000, "{tried}");
    assert!(anew > 0, "the log is begun anew over an old one");
}

#[test]
fn garbage_where_the_log_was_not_synced_is_no_commit() {
    let shots = story();
    let mut bench = Bench::new();
    let mut dice = Dice::new(7);
    let rounds = if is_full() { 2000 } else { 20 };
    for (number, (before, after)) in commits(&shots).enumerate() {
        for round in 0..rounds {
            let log = after.disk.garbled_over(&before.disk, &mut dice);
            let is_whole = after.disk.is_whole_in(&log);
            let wanted = if is_whole { &after.rows } else { &before.rows };
            let rows = bench.rows(&before.disk.file, &log);
            assert!(rows == *wanted, "commit {number}, round {round}, whole: {is_whole}");
        }
        // What the file system left behind the end is not ours.
        let mut longer = after.disk.log.clone();
        longer.extend((0..9000).map(|_| u8::try_from(dice.below(256)).unwrap()));
        assert!(bench.rows(&before.disk.file, &longer) == after.rows, "commit {number}");
    }
}

#[test]
fn a_checkpoint_that_was_torn_is_made_good_by_the_log() {
    let shots = story();
    let mut bench = Bench::new();
    let mut dice = Dice::new(9);
    let rounds = if is_full() { 5000 } else { 200 };
    let mut count = 0;
    for (before, after) in checkpoints(&shots) {
        assert!(before.rows == after.rows, "a checkpoint changes nothing");
        for round in 0..rounds {
            let file = before.disk.file_torn_to(&after.disk.file, &mut dice);
            let rows = bench.rows(&file, &before.disk.log);
            assert!(rows == before.rows, "checkpoint {count}, round {round}");
        }
        // All is there, and the log is still what it was, or is empty.
        for log in [&before.disk.log, &after.disk.log] {
            assert!(bench.rows(&after.disk.file, log) == before.rows, "checkpoint {count}");
        }
        count += 1;
    }
    assert_eq!(count, 2);
}

/// What the invariants say once an engine has gone on with such a disk and such an AWS.
fn aftermath(disk: &Disk, shot: &Shot) -> Vec<Violation> {
    on_one_thread(async {
        let directory = tempfile::tempdir().unwrap();
        let path = disk.write_to(directory.path());
        // Whole, by its own word, before anybody works on it.
        hangar_store::sqlite::examine(&path).unwrap();
        let clock = RunClock::new();
        clock.jump(shot.at.since(clock.now()) + Duration::from_secs(1));
        let catalog = hangar_schema::Catalog::bundled();
        let world = World::restored(catalog, Settings::default(), shot.world.clone());
        let aws = Aws::of(world, clock.clone());
        let stage = Stage::open(&path, aws, &clock, Way::Core, Box::new(Fair));
        let mut history = collect(&*stage.store, &stage.aws).await.unwrap();
        for _ in 0..3600 {
            if history.operations.iter().all(OperationRecord::is_ended) {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            history = collect(&*stage.store, &stage.aws).await.unwrap();
        }
        history::check(&history)
    })
}

#[test]
fn an_engine_goes_on_from_every_commit_without_a_second_or_a_lost_resource() {
    let shots = story();
    let mut count = 0;
    for (before, after) in commits(&shots) {
        let log = &after.disk;
        // A commit that was torn in its middle is as one that never was: the borders suffice.
        for border in log.borders_over(&before.disk) {
            let log = log.cut_over(&before.disk, border);
            let disk = Disk { file: before.disk.file.clone(), log };
            let found = aftermath(&disk, before);
            assert_eq!(found, [], "commit {count}, {:?}", before.next);
            if !is_full() && border < after.disk.log.len() {
                break;
            }
        }
        assert_eq!(aftermath(&after.disk, before), [], "commit {count}, {:?}", before.next);
        count += 1;
    }
    assert!(count > 20, "{count}");
    for (before, after) in checkpoints(&shots) {
        let mut dice = Dice::new(count);
        let file = before.disk.file_torn_to(&after.disk.file, &mut dice);
        let disk = Disk { file: file.into(), log: before.disk.log.clone() };
        assert_eq!(aftermath(&disk, before), []);
    }
}

#[test]
fn a_disk_that_lies_about_what_it_synced_is_found_out() {
    // The test of the tests: without the reservation, what AWS made is nobody's.
    let shots = story();
    let (first, _) = commits(&shots).nth(1).unwrap();
    let found = aftermath(&first.disk, shots.last().unwrap());
    assert!(found.iter().any(|it| it.invariant == Invariant(2)), "{found:?}");
}
