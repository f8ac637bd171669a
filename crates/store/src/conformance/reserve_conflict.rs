//! Claims about what a reservation is refused for; a refused one leaves nothing.

use std::time::Duration;

use hangar_plan::record::Version;

use super::Make;
use super::fixture::{MOMENT, World, end, group_name, id, machine_of, repeatable, save, step};
use crate::{GroupHold, REPEATABLE_FOR, ReferenceChange, Reservation, ReserveError};

pub(super) async fn claims(make: Make<'_>) {
    a_group_must_be_there_and_take_writes(make).await;
    an_alias_is_taken_only_as_it_was_seen(make).await;
    an_alias_whose_operation_ended_is_free(make).await;
    a_resource_is_held_by_one_operation(make).await;
    a_resource_is_mapped_by_one_reference(make).await;
    a_repeated_request_is_told_its_operation_first(make).await;
    a_refused_reservation_leaves_nothing(make).await;
    who_saw_an_alias_before_it_was_removed_does_not_take_what_has_its_name(make).await;
}

async fn a_group_must_be_there_and_take_writes(make: Make<'_>) {
    let world = World::new(make).await;
    let mut nowhere = world.reservation(1, "web");
    nowhere.group = Some(GroupHold::Open(group_name("nowhere")));
    assert_eq!(world.reserve(nowhere).await, Err(ReserveError::NoGroup));

    world.reserve(world.closing(1, "prod", None)).await.unwrap();
    let refused = world.reserve(world.reservation(2, "web")).await;
    assert_eq!(refused, Err(ReserveError::GroupDeleting(Some(id(1)))));
    // An operation without a group asks for none.
    world.reserve(world.untracked(3, &[])).await.unwrap();
}

/// What a second put of an alias asks for, by one who saw `seen`.
fn again(world: &World, bits: u128, alias: &str, seen: Option<u64>) -> Reservation {
    let mut reservation = world.reservation(bits, alias);
    if let Some(write) = &mut reservation.reference {
        write.seen = seen.map(Version);
    }
    reservation
}

async fn an_alias_is_taken_only_as_it_was_seen(make: Make<'_>) {
    let world = World::new(make).await;
    let absent = world.reserve(again(&world, 1, "web", Some(1))).await;
    assert_eq!(absent, Err(ReserveError::Stale));

    assert_eq!(world.settled(1, "web", "vpc-1").await.version, Version(2));
    for seen in [None, Some(1), Some(3)] {
        let refused = world.reserve(again(&world, 2, "web", seen)).await;
        assert_eq!(refused, Err(ReserveError::Stale), "{seen:?}");
    }
    world.reserve(again(&world, 2, "web", Some(2))).await.unwrap();
    assert_eq!(world.find("web").await.unwrap().version, Version(3));

    for seen in [None, Some(2), Some(3)] {
        let refused = world.reserve(again(&world, 3, "web", seen)).await;
        assert_eq!(refused, Err(ReserveError::Busy(id(2))), "{seen:?}");
    }
}

async fn an_alias_whose_operation_ended_is_free(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let mut ended = step(world.claim_one().await.record, ReferenceChange::Keep);
    end(&mut ended.record, world.now());
    world.commit(ended).await.unwrap();
    // Its entry still names the operation; that has ended, so it holds nothing.
    assert_eq!(world.find("web").await.unwrap().entry.operation, Some(id(1)));
    let unseen = world.reserve(again(&world, 2, "web", None)).await;
    assert_eq!(unseen, Err(ReserveError::Stale));

    // Nor does one that was removed since.
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.store.operation_prune(world.now()).await.unwrap(), 1);
    world.reserve(again(&world, 2, "web", Some(1))).await.unwrap();
}

async fn a_resource_is_held_by_one_operation(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &["b", "a", "b"])).await.unwrap();
    let refused = world.reserve(world.untracked(2, &["c", "a"])).await;
    assert_eq!(refused, Err(ReserveError::Busy(id(1))));
    // What the refused one would have taken is free, and keys compare by case.
    world.reserve(world.untracked(3, &["c", "A"])).await.unwrap();
    let mut tracked = world.reservation(4, "web");
    tracked.resource_keys = vec!["b".to_owned()];
    assert_eq!(world.reserve(tracked).await, Err(ReserveError::Busy(id(1))));
    let holder = async |key: &str| {
        let found = world.store.operation_find_holding(key).await.unwrap();
        found.map(|record| record.id())
    };
    assert_eq!([holder("a").await, holder("A").await], [Some(id(1)), Some(id(3))]);
    assert_eq!(holder("d").await, None);
    let claims = world.claim(10).await;
    let first = claims.into_iter().find(|it| it.record.id() == id(1)).unwrap();
    let mut ended = step(first.record, ReferenceChange::Keep);
    end(&mut ended.record, world.now());
    world.commit(ended).await.unwrap();
    assert_eq!(holder("a").await, None);
}

async fn a_resource_is_mapped_by_one_reference(make: Make<'_>) {
    let world = World::new(make).await;
    let holder = world.settled(1, "web", "vpc-a").await;
    let import = |bits, alias, identifier: &str| {
        let mut reservation = world.reservation(bits, alias);
        if let Some(write) = &mut reservation.reference {
            write.reference.entry.identifier = Some(identifier.to_owned());
        }
        reservation
    };
    let refused = world.reserve(import(2, "other", "vpc-a")).await;
    assert_eq!(refused, Err(ReserveError::Mapped(holder.name.id())));
    // Identifiers keep their case.
    world.reserve(import(2, "other", "vpc-A")).await.unwrap();

    // The reference that maps it may say so again.
    let mut same = import(3, "WEB", "vpc-a");
    if let Some(write) = &mut same.reference {
        write.seen = Some(holder.version);
    }
    world.reserve(same).await.unwrap();

    let subject = world.operation(3).await.unwrap().resource().unwrap().subject.clone();
    let (held, free) = (subject.resource_key("vpc-a"), subject.resource_key("vpc-0"));
    let found = world.store.reference_find_by_resource(&held).await.unwrap();
    assert_eq!(found.unwrap().name.alias, "web");
    assert_eq!(world.store.reference_find_by_resource(&free).await.unwrap(), None);
}

async fn a_repeated_request_is_told_its_operation_first(make: Make<'_>) {
    let world = World::new(make).await;
    let repeated = |bits, alias, request_id| {
        let mut reservation = world.reservation(bits, alias);
        reservation.record.repeatability = Some(repeatable(request_id));
        reservation
    };
    world.reserve(repeated(1, "web", "r")).await.unwrap();
    let busy = world.reserve(repeated(2, "web", "other")).await;
    assert_eq!(busy, Err(ReserveError::Busy(id(1))));
    let twice = world.reserve(repeated(2, "web", "r")).await;
    assert_eq!(twice, Err(ReserveError::Repeated(id(1))));
    let elsewhere = world.reserve(repeated(2, "elsewhere", "r")).await;
    assert_eq!(elsewhere, Err(ReserveError::Repeated(id(1))));
    let mut gone = repeated(2, "web", "r");
    gone.group = Some(GroupHold::Open(group_name("nowhere")));
    assert_eq!(world.reserve(gone).await, Err(ReserveError::Repeated(id(1))));
    // One whose answer was lost asks with the same operation.
    let same = world.reserve(world.reservation(1, "web")).await;
    assert_eq!(same, Err(ReserveError::Repeated(id(1))));

    world.clock.advance(REPEATABLE_FOR.saturating_sub(MOMENT));
    let young = world.reserve(repeated(2, "b", "r")).await;
    assert_eq!(young, Err(ReserveError::Repeated(id(1))));
    world.clock.advance(MOMENT);
    world.reserve(repeated(2, "b", "r")).await.unwrap();
}

async fn a_refused_reservation_leaves_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &["held"])).await.unwrap();
    let before = world.store.counts().await.unwrap();
    let mut refused = world.reservation(2, "web");
    refused.resource_keys = vec!["free".to_owned(), "held".to_owned()];
    refused.record.repeatability = Some(repeatable("r"));
    machine_of(&mut refused.record).operation.attempts[0].request_token =
        Some("request".to_owned());
    assert_eq!(world.reserve(refused.clone()).await, Err(ReserveError::Busy(id(1))));

    assert_eq!(world.store.counts().await.unwrap(), before);
    assert_eq!(world.operation(2).await, None);
    assert_eq!(world.find("web").await, None);
    assert_eq!(world.messages(2).await, []);
    assert_eq!(world.store.operation_find_by_request("request").await.unwrap(), None);
    let repeated = world.store.operation_find_repeated("r", REPEATABLE_FOR).await.unwrap();
    assert_eq!(repeated, None);
    refused.resource_keys = vec!["free".to_owned()];
    world.reserve(refused).await.unwrap();
    let claims = world.claim(10).await;
    let record = claims.into_iter().find(|it| it.record.id() == id(2)).unwrap().record;
    // And a save of the reference that it made is the reference's second version.
    let reference = world.find("web").await.unwrap();
    let first = reference.version;
    let committed = world.commit(step(record, save(reference, Some(first)))).await.unwrap();
    assert_eq!(committed.reference_version, Some(first.next()));
}

async fn who_saw_an_alias_before_it_was_removed_does_not_take_what_has_its_name(make: Make<'_>) {
    let world = World::new(make).await;
    // Ids as operations have them: all of it is random.
    let ids =
        [0x0191_f3a8_7c2e_7abc_8def_0123_4567_89ab, 0x0191_f3a8_7c2e_7abc_9abc_4455_6677_8899];
    let mut seen = Vec::new();
    for id in ids {
        world.reserve(world.reservation(id, "web")).await.unwrap();
        let claim = world.claim_one().await;
        let reference = claim.reference.unwrap();
        let first = reference.version;
        seen.push(first);
        if id == ids[0] {
            let name = reference.name.clone();
            let mut gone = step(claim.record, ReferenceChange::Remove { name, seen: first });
            end(&mut gone.record, world.now());
            world.commit(gone).await.unwrap();
        } else {
            let mut done = step(claim.record, save(reference, Some(first)));
            end(&mut done.record, world.now());
            world.commit(done).await.unwrap();
        }
    }
    assert_ne!(seen[0], seen[1]);
    let mut stale = world.reservation(3, "web");
    stale.reference.as_mut().unwrap().seen = Some(seen[0].next());
    assert_eq!(world.reserve(stale).await, Err(ReserveError::Stale));
}
