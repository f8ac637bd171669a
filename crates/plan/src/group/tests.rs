//! The deletion of a group, played through: a small world in which references go, refuse, or wait for each
//! other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::operation::FailureKind;

/// What becomes of a reference that is to be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// It goes, unless something that depends on it is there.
    Goes,
    /// It goes, whatever depends on it.
    GoesAnyhow,
    /// It never goes.
    Stays,
    /// Nobody knows what it stands for, and nobody learns.
    Unknown,
    /// What it stands for is found when it is deleted.
    Found,
    /// It cannot even be asked for.
    TurnedAway,
}

struct World {
    work: GroupWork,
    left: BTreeMap<usize, (Nature, Vec<usize>)>,
    standing: BTreeMap<usize, Standing>,
    /// For how many more looks an operation is under way.
    busy_for: BTreeMap<usize, usize>,
    slowness: usize,
    /// Every launch: what was asked for together.
    launches: Vec<Vec<usize>>,
    messages: Vec<String>,
    now: Timestamp,
}

impl World {
    fn new(references: &[(Nature, &[usize])], slowness: usize) -> Self {
        let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
        let id = OperationId::from_u128(1);
        let now = Timestamp::from_micros(1);
        let left: BTreeMap<_, _> = references
            .iter()
            .map(|(nature, below)| (*nature, below.to_vec()))
            .enumerate()
            .collect();
        Self {
            work: GroupWork::new(id, group, GroupTask::Delete, now),
            standing: left.keys().map(|key| (*key, Standing::Free)).collect(),
            left,
            busy_for: BTreeMap::new(),
            slowness,
            launches: Vec::new(),
            messages: Vec::new(),
            now,
        }
    }

    fn members(&self) -> (Vec<usize>, Vec<Member>) {
        let member = |(key, (nature, below)): (&usize, &(Nature, Vec<usize>))| Member {
            id: format!("/Ref/{key}"),
            // As another put may have spelt it.
            depends_on: below.iter().map(|it| format!("/rEF/{it}")).collect(),
            unsettled: matches!(nature, Nature::Unknown | Nature::Found),
            standing: self.standing[key].clone(),
        };
        (self.left.keys().copied().collect(), self.left.iter().map(member).collect())
    }

    /// One look, and what comes of it.
    fn look(&mut self) {
        let (keys, members) = self.members();
        let turn = self.work.turn();
        let decided = sweep(&self.work, &members, self.now);
        let launched: Vec<usize> = decided.launch.iter().map(|index| keys[*index]).collect();
        self.work = decided.work;
        self.messages.extend(decided.message);
        self.now = self.now.after(decided.look_after.max(Duration::from_micros(1)));
        assert!(launched.is_empty() || self.work.turn() == turn, "launched in a turn of its own");
        for key in &launched {
            assert_eq!(self.standing[key], Standing::Free, "{key} is launched twice in a turn");
            if self.left[key].0 == Nature::TurnedAway {
                self.refuse(*key);
                continue;
            }
            self.standing.insert(*key, Standing::Busy);
            self.busy_for.insert(*key, (key * 7) % (self.slowness + 1));
        }
        assert!(self.busy_for.len() <= 32, "too many at once");
        if !launched.is_empty() {
            self.launches.push(launched);
        }
        self.pass();
        if self.work.turn() != turn {
            let refused = self.standing.values_mut();
            for standing in refused.filter(|it| matches!(it, Standing::Refused { .. })) {
                *standing = Standing::Free;
            }
        }
    }

    fn pass(&mut self) {
        let mut ended = Vec::new();
        for (key, looks) in &mut self.busy_for {
            match looks.checked_sub(1) {
                Some(fewer) => *looks = fewer,
                None => ended.push(*key),
            }
        }
        for key in ended {
            self.busy_for.remove(&key);
            let needed = self.left.values().any(|(_, below)| below.contains(&key));
            let goes = match self.left[&key].0 {
                Nature::Goes | Nature::Found => !needed || self.left[&key].1.contains(&key),
                Nature::GoesAnyhow => true,
                Nature::Stays | Nature::Unknown | Nature::TurnedAway => false,
            };
            if goes {
                self.left.remove(&key);
                self.standing.remove(&key);
            } else {
                if self.left[&key].0 == Nature::Found {
                    self.left.get_mut(&key).unwrap().0 = Nature::Goes;
                }
                self.refuse(key);
            }
        }
    }

    fn refuse(&mut self, key: usize) {
        let (code, message) = ("InUse".to_owned(), format!("{key} is in use"));
        self.standing.insert(key, Standing::Refused { code, message });
    }

    fn run(&mut self) -> Ending {
        for _ in 0..10_000 {
            if let Some(ending) = &self.work.ending {
                return ending.clone();
            }
            self.look();
        }
        panic!("it does not end: {:#?}", self.work);
    }

    fn failure(&mut self) -> crate::operation::Failure {
        match self.run() {
            Ending::Failed(failure) | Ending::Canceled(failure) => failure,
            Ending::Succeeded(_) => panic!("it succeeded"),
        }
    }
}

fn deleted(ending: &Ending) -> bool {
    matches!(ending, Ending::Succeeded(success) if success.kind == SuccessKind::Deleted)
}

#[test]
fn an_empty_group_goes_at_once() {
    let mut world = World::new(&[], 0);
    world.look();
    assert!(deleted(world.work.ending.as_ref().unwrap()));
}

#[test]
fn what_depends_goes_before_what_it_depends_on() {
    // 2 → 1 → 0, and 3 → 0.
    let all: [(Nature, &[usize]); 4] =
        [(Nature::Goes, &[]), (Nature::Goes, &[0]), (Nature::Goes, &[1]), (Nature::Goes, &[0])];
    let mut world = World::new(&all, 0);
    assert!(deleted(&world.run()));
    assert_eq!(world.launches, [vec![2, 3], vec![1], vec![0]]);
    assert_eq!((world.work.round, world.work.tally.done), (1, 4));
}

#[test]
fn a_circle_goes_together_and_what_is_below_it_after_it() {
    // 1 ⇄ 2, 1 → 0, 3 → 3.
    let all: [(Nature, &[usize]); 4] = [
        (Nature::Goes, &[]),
        (Nature::GoesAnyhow, &[2, 0]),
        (Nature::GoesAnyhow, &[1]),
        (Nature::Goes, &[3]),
    ];
    let mut world = World::new(&all, 0);
    assert!(deleted(&world.run()));
    assert_eq!(world.launches, [vec![3], vec![1, 2], vec![0]]);
}

#[test]
fn what_was_refused_is_tried_again_as_long_as_anything_goes() {
    let all: [(Nature, &[usize]); 2] = [(Nature::Stays, &[]), (Nature::GoesAnyhow, &[])];
    let mut world = World::new(&all, 0);
    let failure = world.failure();
    assert_eq!(failure.code, "GroupNotEmpty");
    assert_eq!(failure.kind, FailureKind::Conflict);
    assert_eq!(world.launches, [vec![0, 1], vec![0]]);
    assert_eq!(failure.findings.len(), 1);
    assert_eq!(failure.findings[0].path, "/Ref/0");
    assert_eq!(failure.findings[0].code, "InUse");
    assert_eq!((world.work.tally.done, world.work.tally.refused), (1, 1));
    assert!(world.messages.iter().any(|it| it.starts_with("round 1: 1 deleted, 1 refused")));
}

#[test]
fn what_waits_for_something_that_stays_is_tried_all_the_same() {
    // 1 → 0, and 1 stays.
    let all: [(Nature, &[usize]); 2] = [(Nature::GoesAnyhow, &[]), (Nature::Stays, &[0])];
    let mut world = World::new(&all, 0);
    assert_eq!(world.failure().findings.len(), 1);
    assert_eq!(world.launches, [vec![1], vec![0], vec![1]]);
}

#[test]
fn what_cannot_even_be_asked_for_is_told_too() {
    let all: [(Nature, &[usize]); 2] = [(Nature::TurnedAway, &[]), (Nature::Goes, &[0])];
    let mut world = World::new(&all, 0);
    assert_eq!(world.failure().findings[0].path, "/Ref/0");
}

#[test]
fn an_unknown_create_stops_it_before_anything_else_goes() {
    let all: [(Nature, &[usize]); 3] =
        [(Nature::Goes, &[]), (Nature::Unknown, &[]), (Nature::Unknown, &[])];
    let mut world = World::new(&all, 0);
    let failure = world.failure();
    assert_eq!((failure.code.as_str(), failure.kind), ("AliasUnknown", FailureKind::Conflict));
    assert_eq!(failure.findings.len(), 2);
    assert_eq!(world.launches, [vec![1, 2]]);
    assert_eq!(world.left.len(), 3);
}

#[test]
fn what_is_found_is_deleted_with_the_rest() {
    // 1 is found when it is looked for; it is needed by 2, so it goes in its turn.
    let all: [(Nature, &[usize]); 3] =
        [(Nature::Goes, &[]), (Nature::Found, &[]), (Nature::Goes, &[1])];
    let mut world = World::new(&all, 0);
    assert!(deleted(&world.run()));
    assert_eq!(world.launches, [vec![1], vec![0, 2], vec![1]]);
}

#[test]
fn what_is_under_way_is_waited_for_and_the_looks_become_rarer() {
    let mut world = World::new(&[(Nature::Goes, &[]), (Nature::Goes, &[])], 0);
    world.standing.insert(0, Standing::Busy);
    world.busy_for.insert(0, 20);
    let mut waits = Vec::new();
    while world.launches.is_empty() && world.work.ending.is_none() {
        let before = world.now;
        world.look();
        waits.push(world.now.since(before));
    }
    assert_eq!(waits[0], Duration::from_millis(200));
    assert!(waits.contains(&Duration::from_secs(1)));
    assert!(waits.iter().all(|wait| *wait <= Duration::from_secs(1)));
    assert!(world.messages[0].starts_with("waiting for running operations"));
    assert!(deleted(&world.run()));
}

#[test]
fn a_stop_launches_nothing_more_and_waits_for_what_runs() {
    let all = vec![(Nature::Goes, &[][..]); 50];
    let mut world = World::new(&all, 9);
    while world.launches.is_empty() {
        world.look();
    }
    world.work.cancel_requested = true;
    let launched = world.launches.clone();
    let failure = world.failure();
    assert_eq!((failure.code.as_str(), failure.kind), ("OperationCanceled", FailureKind::Canceled));
    assert_eq!(world.launches, launched);
    assert!(world.busy_for.is_empty());
    assert_eq!(world.left.len(), 50 - launched[0].len());
}

#[test]
fn a_stop_does_not_wait_for_what_was_under_way_before() {
    let mut world = World::new(&[(Nature::Goes, &[])], 0);
    world.standing.insert(0, Standing::Busy);
    world.busy_for.insert(0, 1_000);
    world.work.cancel_requested = true;
    world.look();
    assert!(matches!(world.work.ending, Some(Ending::Canceled(_))));
}

#[test]
fn no_more_than_two_hundred_are_told_and_all_are_counted() {
    let all = vec![(Nature::Stays, &[][..]); 300];
    let failure = World::new(&all, 0).failure();
    assert_eq!(failure.findings.len(), 200);
    assert!(failure.message.contains("300 resources"));
}

#[test]
fn work_that_was_kept_before_its_fields_were_known_can_be_read() {
    let kept = r#"{"id": "0191f3a8-7c2e-7abc-8def-0123456789ab",
        "group": {"plane": "local", "group": "team"}, "task": {"drift": {"repair": true, "prune": false}},
        "round": 1, "tally": {"done": 0, "in_sync": 0, "drifted": 0, "missing": 0, "unknown": 0,
        "repaired": 0, "pruned": 0, "refused": 0}, "cancel_requested": false, "started_at": 5,
        "ending": null}"#;
    let work: GroupWork = serde_json::from_str(kept).unwrap();
    assert_eq!(work.clearing, Clearing::default());
    let again: GroupWork = serde_json::from_str(&serde_json::to_string(&work).unwrap()).unwrap();
    assert_eq!(again, work);
}

/// All that depend on `key`, directly or not.
fn above(left: &BTreeMap<usize, (Nature, Vec<usize>)>, key: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![key];
    while let Some(at) = open.pop() {
        for (other, (_, below)) in left {
            if *other != at && below.contains(&at) && found.insert(*other) {
                open.push(*other);
            }
        }
    }
    found
}

fn natures() -> impl Strategy<Value = Nature> {
    prop_oneof![
        6 => Just(Nature::Goes),
        2 => Just(Nature::GoesAnyhow),
        1 => Just(Nature::Stays),
        1 => Just(Nature::TurnedAway),
        1 => Just(Nature::Found),
    ]
}

proptest! {
    #[test]
    fn it_always_ends_and_nothing_goes_before_what_depends_on_it(
        all in prop::collection::vec((natures(), prop::collection::vec(0usize..40, 0..3)), 0..40),
        slowness in 0usize..5,
    ) {
        let all: Vec<(Nature, &[usize])> =
            all.iter().map(|(nature, below)| (*nature, below.as_slice())).collect();
        let mut world = World::new(&all, slowness);
        while world.work.ending.is_none() {
            let (left, standing) = (world.left.clone(), world.standing.clone());
            let (launches, phase) = (world.launches.len(), world.work.clearing.phase);
            world.look();
            if phase != Phase::Clear {
                continue;
            }
            for key in world.launches[launches..].iter().flatten() {
                for (other, (_, below)) in &left {
                    let waits = other != key && below.contains(key);
                    let refused = matches!(standing[other], Standing::Refused { .. });
                    let circle = above(&left, *other).contains(key);
                    prop_assert!(!waits || refused || circle, "{key} before {other}");
                }
            }
            prop_assert!(world.work.round <= 42, "too many rounds");
        }
        let ending = world.work.ending.clone().unwrap();
        prop_assert_eq!(deleted(&ending), world.left.is_empty());
        // Only what stays, and what it needs, is left.
        let stays = |nature| matches!(nature, Nature::Stays | Nature::TurnedAway);
        let keeps = |key: &usize| {
            let above = above(&world.left, *key);
            stays(world.left[key].0)
                || above.iter().any(|it| stays(world.left[it].0))
                || above.contains(key)
                || above.iter().any(|it| self::above(&world.left, *it).contains(it))
        };
        prop_assert!(world.left.keys().all(keeps), "{:?}", world.left);
    }
}
