//! Claims about the Terraform state of recipes: who may write it, what is kept of it, and its lock.

use std::time::Duration;

use hangar_plan::record::{RecipeName, StateHead, StateLock, StateVersion};
use serde_json::json;

use super::Make;
use super::fixture::{World, id, number, recipe_name};
use crate::{KEPT_STATES, StateError, StateWrite, StoredState};

pub(super) async fn claims(make: Make<'_>) {
    a_state_is_kept_as_it_was_given(make).await;
    versions_count_on_and_the_newest_is_the_current_one(make).await;
    only_the_newest_are_kept(make).await;
    a_stray_one_needs_no_lock_and_is_never_the_current_one(make).await;
    stray_ones_push_out_no_others(make).await;
    only_the_holder_of_a_lock_writes(make).await;
    a_lock_is_held_by_one_until_it_is_freed(make).await;
    a_lock_is_freed_by_its_holder_or_by_force(make).await;
    a_recipe_that_is_not_there_has_no_state(make).await;
    states_of_recipes_are_apart(make).await;
    a_large_state_comes_back_byte_for_byte(make).await;
    of_eight_who_lock_at_once_one_does(make).await;
    of_eight_who_write_at_once_each_has_a_number(make).await;
}

/// A version of the state of a recipe in `prod`, by one who holds no lock.
pub(super) fn version(world: &World, recipe: &str, sealed: &[u8]) -> StateWrite {
    StateWrite {
        recipe: recipe_name("prod", recipe),
        version: StateVersion {
            number: 40,
            serial: Some(7),
            lineage: Some("a-b".to_owned()),
            instances: 3,
            size: 1 << 40,
            digest: "00ff".to_owned(),
            operation: Some(id(1)),
            written_at: world.now(),
            stray: false,
        },
        sealed: sealed.to_vec(),
        lock_id: None,
    }
}

/// A lock that nobody has asked for yet.
pub(super) fn lock(world: &World, id_of_lock: &str) -> StateLock {
    StateLock {
        id: id_of_lock.to_owned(),
        info: json!({"Who": "root@here", "Operation": "OperationTypeApply", "n": number("1.50"), "zero": "\u{0}"}),
        taken_at: world.now(),
        operation: Some(id(1)),
    }
}

/// The same from a run that was over already.
pub(super) fn stray(write: StateWrite) -> StateWrite {
    StateWrite { version: StateVersion { stray: true, ..write.version }, ..write }
}

fn by(write: StateWrite, lock_id: &str) -> StateWrite {
    StateWrite { lock_id: Some(lock_id.to_owned()), ..write }
}

fn locked(lock: &StateLock) -> StateError {
    StateError::Locked(Box::new(lock.clone()))
}

/// A store with the recipe `Net`.
async fn with_recipe(make: Make<'_>) -> (World, RecipeName) {
    let world = World::new(make).await;
    world.run(1, "Net").await;
    (world, recipe_name("prod", "net"))
}

async fn numbers(world: &World, name: &RecipeName) -> Vec<u64> {
    let listed = world.store.state_list(name).await.unwrap();
    listed.into_iter().map(|it| it.number).collect()
}

async fn head(world: &World, name: &RecipeName) -> StateHead {
    world.store.state_head(name).await.unwrap()
}

/// Whose state the current one is.
async fn current(world: &World, name: &RecipeName) -> Option<u64> {
    head(world, name).await.current.map(|it| it.number)
}

async fn a_state_is_kept_as_it_was_given(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    assert_eq!(head(&world, &name).await, StateHead::default());
    assert_eq!(world.store.state_list(&name).await.unwrap(), []);
    assert_eq!(world.store.state_find(&name, 1).await.unwrap(), None);
    let sealed: Vec<u8> = (0..=255).collect();
    let write = version(&world, "nET", &sealed);
    let kept = world.store.state_write(write.clone()).await.unwrap();
    assert_eq!(kept, StateVersion { number: 1, ..write.version });
    let found = world.store.state_find(&recipe_name("PROD", "NET"), 1).await.unwrap();
    assert_eq!(found, Some(StoredState { version: kept.clone(), sealed }));
    assert_eq!(world.store.state_list(&name).await.unwrap(), std::slice::from_ref(&kept));
    assert_eq!(head(&world, &name).await, StateHead { lock: None, current: Some(kept.clone()) });

    // What Terraform did not say is not made up; an empty one is one.
    let least = StateVersion {
        serial: None,
        lineage: None,
        instances: 0,
        size: 0,
        digest: String::new(),
        operation: None,
        ..kept
    };
    let write = StateWrite { version: least.clone(), ..version(&world, "net", b"") };
    world.store.state_write(write).await.unwrap();
    let least = StateVersion { number: 2, ..least };
    let found = world.store.state_find(&name, 2).await.unwrap();
    assert_eq!(found, Some(StoredState { version: least, sealed: Vec::new() }));
    for number in [0, 3, u64::MAX] {
        assert_eq!(world.store.state_find(&name, number).await.unwrap(), None, "{number}");
    }
}

async fn versions_count_on_and_the_newest_is_the_current_one(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    for number in 1..=3_u64 {
        world.clock.advance(Duration::from_secs(1));
        let mut write = version(&world, "net", &number.to_be_bytes());
        // Terraform's own count tells nothing of ours.
        write.version.serial = Some(10 - number);
        let kept = world.store.state_write(write).await.unwrap();
        assert_eq!(kept.number, number);
        assert_eq!(head(&world, &name).await.current, Some(kept));
    }
    assert_eq!(numbers(&world, &name).await, [3, 2, 1], "newest first");
    let second = world.store.state_find(&name, 2).await.unwrap().unwrap();
    assert_eq!(second.sealed, 2_u64.to_be_bytes());
}

async fn only_the_newest_are_kept(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    for _ in 0..KEPT_STATES + 5 {
        world.store.state_write(version(&world, "net", b"state")).await.unwrap();
    }
    let kept: Vec<u64> = (6..=25).rev().collect();
    assert_eq!(kept.len(), KEPT_STATES);
    assert_eq!(numbers(&world, &name).await, kept);
    assert_eq!(world.store.state_find(&name, 5).await.unwrap(), None);
    assert!(world.store.state_find(&name, 6).await.unwrap().is_some());
    assert_eq!(current(&world, &name).await, Some(25));
}

async fn a_stray_one_needs_no_lock_and_is_never_the_current_one(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    let write = stray(version(&world, "net", b"stray"));
    let kept = world.store.state_write(write.clone()).await.unwrap();
    assert_eq!(kept, StateVersion { number: 1, ..write.version.clone() });
    assert_eq!(head(&world, &name).await, StateHead::default());
    world.store.state_write(version(&world, "net", b"state")).await.unwrap();
    world.store.state_lock(&name, &lock(&world, "a")).await.unwrap();
    // By nobody, by one whose lock is gone, by the holder himself.
    for write in [write.clone(), by(write.clone(), "gone"), by(write.clone(), "a")] {
        world.store.state_write(write).await.unwrap();
    }
    world.store.state_unlock(&name, None).await.unwrap();
    world.store.state_write(by(write, "a")).await.unwrap();
    assert_eq!(current(&world, &name).await, Some(2));
    assert_eq!(numbers(&world, &name).await, [6, 5, 4, 3, 2, 1]);
    let found = world.store.state_find(&name, 6).await.unwrap().unwrap();
    assert!(found.version.stray && found.sealed == b"stray");
    // The next counts on from them.
    let next = world.store.state_write(version(&world, "net", b"next")).await.unwrap();
    assert_eq!((next.number, current(&world, &name).await), (7, Some(7)));
}

async fn stray_ones_push_out_no_others(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    for _ in 0..3 {
        world.store.state_write(version(&world, "net", b"state")).await.unwrap();
    }
    for _ in 0..KEPT_STATES + 2 {
        world.store.state_write(stray(version(&world, "net", b"stray"))).await.unwrap();
    }
    let expected: Vec<u64> = (6..=25).rev().chain([3, 2, 1]).collect();
    assert_eq!(numbers(&world, &name).await, expected);
    assert_eq!(current(&world, &name).await, Some(3));
    world.store.state_write(version(&world, "net", b"state")).await.unwrap();
    let expected: Vec<u64> = (6..=26).rev().chain([3, 2, 1]).collect();
    assert_eq!(numbers(&world, &name).await, expected, "each kind is counted by itself");
    for _ in 1..KEPT_STATES {
        world.store.state_write(version(&world, "net", b"state")).await.unwrap();
    }
    let expected: Vec<u64> = (6..=45).rev().collect();
    assert_eq!(numbers(&world, &name).await, expected);
    let listed = world.store.state_list(&name).await.unwrap();
    assert!(listed.iter().all(|it| it.stray == (it.number <= 25)));
    // The newest is gone from neither, so no number comes twice.
    let next = world.store.state_write(stray(version(&world, "net", b"stray"))).await.unwrap();
    assert_eq!(next.number, 46);
}

async fn only_the_holder_of_a_lock_writes(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    let write = || version(&world, "net", b"state");
    let lost = world.store.state_write(by(write(), "a")).await;
    assert_eq!(lost, Err(StateError::LockLost), "it never was there");
    let held = lock(&world, "a");
    world.store.state_lock(&name, &held).await.unwrap();
    assert_eq!(world.store.state_write(write()).await, Err(locked(&held)));
    assert_eq!(world.store.state_write(by(write(), "b")).await, Err(locked(&held)));
    assert_eq!(world.store.state_write(by(write(), "A")).await, Err(locked(&held)));
    assert_eq!(world.store.state_list(&name).await.unwrap(), []);
    assert_eq!(world.store.state_write(by(write(), "a")).await.unwrap().number, 1);
    assert_eq!(world.store.state_write(by(write(), "a")).await.unwrap().number, 2);
    assert_eq!(head(&world, &name).await.lock, Some(held.clone()), "he has it still");
    assert_eq!(world.store.state_unlock(&name, Some("a")).await, Ok(Some(held)));
    assert_eq!(world.store.state_write(by(write(), "a")).await, Err(StateError::LockLost));
    assert_eq!(world.store.state_write(write()).await.unwrap().number, 3);
}

async fn a_lock_is_held_by_one_until_it_is_freed(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    let held = lock(&world, "a");
    world.store.state_lock(&recipe_name("PROD", "NET"), &held).await.unwrap();
    assert_eq!(head(&world, &name).await, StateHead { lock: Some(held.clone()), current: None });
    // Asked for once more it is his, as he first took it.
    world.clock.advance(Duration::from_secs(1));
    let again = StateLock { info: json!({"Who": "again"}), operation: None, ..lock(&world, "a") };
    assert_eq!(world.store.state_lock(&name, &again).await, Ok(()));
    assert_eq!(head(&world, &name).await.lock, Some(held.clone()));
    let other = lock(&world, "b");
    assert_eq!(world.store.state_lock(&name, &other).await, Err(locked(&held)));
    assert_eq!(head(&world, &name).await.lock, Some(held.clone()));
    world.store.state_unlock(&name, Some("a")).await.unwrap();
    assert_eq!(head(&world, &name).await.lock, None);
    assert_eq!(world.store.state_lock(&name, &other).await, Ok(()));
    assert_eq!(world.store.state_lock(&name, &held).await, Err(locked(&other)));
}

async fn a_lock_is_freed_by_its_holder_or_by_force(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    let unlock = async |id| world.store.state_unlock(&name, id).await;
    assert_eq!(unlock(Some("a")).await, Ok(None), "it is free");
    assert_eq!(unlock(None).await, Ok(None));
    let held = lock(&world, "a");
    world.store.state_lock(&name, &held).await.unwrap();
    assert_eq!(unlock(Some("b")).await, Err(locked(&held)));
    assert_eq!(unlock(Some("")).await, Err(locked(&held)));
    assert_eq!(head(&world, &name).await.lock, Some(held.clone()));
    assert_eq!(unlock(Some("a")).await, Ok(Some(held.clone())));
    assert_eq!(unlock(Some("a")).await, Ok(None), "once more");
    world.store.state_lock(&name, &held).await.unwrap();
    assert_eq!(unlock(None).await, Ok(Some(held)), "whoever has it");
    assert_eq!(head(&world, &name).await.lock, None);
}

async fn a_recipe_that_is_not_there_has_no_state(make: Make<'_>) {
    let (world, _) = with_recipe(make).await;
    let none = recipe_name("prod", "none");
    assert_eq!(head(&world, &none).await, StateHead::default());
    assert_eq!(world.store.state_list(&none).await.unwrap(), []);
    assert_eq!(world.store.state_find(&none, 1).await.unwrap(), None);
    let write = version(&world, "none", b"state");
    for write in [write.clone(), by(write.clone(), "a"), stray(write)] {
        assert_eq!(world.store.state_write(write).await, Err(StateError::NoRecipe));
    }
    let refused = world.store.state_lock(&none, &lock(&world, "a")).await;
    assert_eq!(refused, Err(StateError::NoRecipe));
    for id in [None, Some("a")] {
        let refused = world.store.state_unlock(&none, id).await;
        assert_eq!(refused, Err(StateError::NoRecipe));
    }
    assert_eq!(head(&world, &none).await, StateHead::default(), "nothing is left of it");
}

async fn states_of_recipes_are_apart(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    world.run(2, "net-2").await;
    world.store.state_write(version(&world, "net-2", b"other")).await.unwrap();
    world.store.state_lock(&recipe_name("prod", "net-2"), &lock(&world, "a")).await.unwrap();
    assert_eq!(head(&world, &name).await, StateHead::default());
    assert_eq!(world.store.state_lock(&name, &lock(&world, "b")).await, Ok(()));
    let write = by(version(&world, "net", b"state"), "b");
    assert_eq!(world.store.state_write(write).await.unwrap().number, 1);
    for _ in 0..KEPT_STATES {
        let write = by(version(&world, "net", b"state"), "b");
        world.store.state_write(write).await.unwrap();
    }
    assert_eq!(numbers(&world, &recipe_name("prod", "net-2")).await, [1]);
}

async fn a_large_state_comes_back_byte_for_byte(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    // Of no pattern that is as long as a page.
    let sealed: Vec<u8> =
        (0..5_000_003_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    world.store.state_write(version(&world, "net", &sealed)).await.unwrap();
    world.store.state_write(version(&world, "net", b"small")).await.unwrap();
    let found = world.store.state_find(&name, 1).await.unwrap().unwrap();
    assert!(found.sealed == sealed, "{} bytes came back", found.sealed.len());
    assert_eq!(numbers(&world, &name).await, [2, 1]);
}

async fn of_eight_who_lock_at_once_one_does(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    for round in 1..=10 {
        let tries: Vec<_> = (0..8)
            .map(|number| {
                let wanted = lock(&world, &format!("{round}-{number}"));
                let (store, name) = (world.store.clone(), name.clone());
                tokio::spawn(async move {
                    let answer = store.state_lock(&name, &wanted).await;
                    (wanted, answer)
                })
            })
            .collect();
        let mut outcomes = Vec::new();
        for outcome in tries {
            outcomes.push(outcome.await.unwrap());
        }
        let held = head(&world, &name).await.lock.unwrap();
        for (wanted, answer) in outcomes {
            let expected = if wanted == held { Ok(()) } else { Err(locked(&held)) };
            assert_eq!(answer, expected);
        }
        assert_eq!(world.store.state_unlock(&name, Some(&held.id)).await, Ok(Some(held)));
    }
}

async fn of_eight_who_write_at_once_each_has_a_number(make: Make<'_>) {
    let (world, name) = with_recipe(make).await;
    let tries: Vec<_> = (0..8_u8)
        .map(|number| {
            let (store, write) = (world.store.clone(), version(&world, "net", &[number]));
            tokio::spawn(async move { (number, store.state_write(write).await.unwrap()) })
        })
        .collect();
    for outcome in tries {
        let (number, kept) = outcome.await.unwrap();
        let found = world.store.state_find(&name, kept.number).await.unwrap().unwrap();
        assert_eq!(found.sealed, [number]);
    }
    assert_eq!(numbers(&world, &name).await, [8, 7, 6, 5, 4, 3, 2, 1]);
}
