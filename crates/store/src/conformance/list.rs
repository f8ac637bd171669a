//! Claims about lists: everything once, in order, whatever the size of a page.

use std::collections::BTreeSet;

use hangar_plan::group::GroupTask;
use hangar_plan::operation::EntryState;
use hangar_plan::record::Reference;

use super::Make;
use super::fixture::{World, end, group_name, id, machine_of, reference_name, step, success};
use crate::{
    Expect, OperationFilter, ReferenceChange, ReferenceFilter, ReferenceOutline, ReferencePosition,
    Reservation,
};

pub(super) async fn claims(make: Make<'_>) {
    references_come_once_and_in_order(make).await;
    a_place_need_not_be_in_the_list(make).await;
    operations_come_newest_first(make).await;
    operations_are_listed_by_their_parent(make).await;
    events_come_in_sequence(make).await;
    the_last_events_come_in_sequence(make).await;
}

const GROUPS: [&str; 3] = ["prod", "Dev", "prod-2"];
const TYPES: [&str; 3] = ["AWS::S3::Bucket", "AWS::EC2::VPC", "AWS::EC2::VPCEndpoint"];
const ALIASES: [&str; 4] = ["b", "A", "a-1", "Z"];
const STATES: [EntryState; 3] = [EntryState::Ready, EntryState::Unknown, EntryState::Failed];

/// A reference in every group, of every type, of every name, in some state or other.
async fn populate(world: &World) -> Vec<Reference> {
    let mut references = Vec::new();
    for group in GROUPS {
        world.store.group_put(&world.group(group), Expect::Any).await.unwrap();
        for type_name in TYPES {
            for alias in ALIASES {
                let mut reference = world.reference(alias);
                reference.name = reference_name(group, type_name, alias);
                reference.depends_on = vec![format!("/{group}/{alias}")];
                reference.last_operation = Some((id(7), success()));
                reference.entry.state = STATES[references.len() * 7 / 5 % STATES.len()];
                references.push(reference);
            }
        }
    }
    for (bits, reference) in (1..).zip(&references) {
        let reservation = world.untracked(bits, &[]);
        let write = crate::ReferenceWrite { reference: reference.clone(), seen: None };
        let reservation = Reservation { reference: Some(write), ..reservation };
        world.reserve(reservation).await.unwrap();
    }
    references.sort_by_key(place);
    references
}

fn place(reference: &Reference) -> ReferencePosition {
    crate::rules::position(&reference.name)
}

fn outline(reference: Reference) -> ReferenceOutline {
    let Reference { name, scope, entry, depends_on, last_operation, version, .. } = reference;
    ReferenceOutline { name, scope, entry, depends_on, last_operation, version }
}

fn holds(filter: &ReferenceFilter, reference: &Reference) -> bool {
    let at = place(reference);
    filter.group.as_ref().is_none_or(|group| group.key() == at.group)
        && filter.type_key.as_ref().is_none_or(|key| key.to_ascii_lowercase() == at.type_key)
        && filter.state.is_none_or(|state| state == reference.entry.state)
}

fn filters() -> Vec<ReferenceFilter> {
    let mut filters = Vec::new();
    for group in [None, Some(group_name("PROD")), Some(group_name("none"))] {
        for type_key in [None, Some("aws.ec2/vpc".to_owned())] {
            for state in [None, Some(EntryState::Unknown), Some(EntryState::Missing)] {
                let (group, type_key) = (group.clone(), type_key.clone());
                filters.push(ReferenceFilter { group, type_key, state });
            }
        }
    }
    filters
}

async fn references_come_once_and_in_order(make: Make<'_>) {
    let world = World::new(make).await;
    let all = populate(&world).await;
    for filter in filters() {
        let expected: Vec<_> = all.iter().filter(|it| holds(&filter, it)).map(place).collect();
        for size in [1, 2, 5, 100] {
            let mut found = Vec::new();
            loop {
                let page = world.store.reference_list(&filter, found.last(), size).await.unwrap();
                assert!(page.len() <= size);
                if page.is_empty() {
                    break;
                }
                found.extend(page.iter().map(place));
            }
            assert_eq!(found, expected, "{filter:?} in pages of {size}");
        }
    }
}

async fn a_place_need_not_be_in_the_list(make: Make<'_>) {
    let world = World::new(make).await;
    let all = populate(&world).await;
    let mut places: BTreeSet<ReferencePosition> = all.iter().map(place).collect();
    for text in ["", "local/prod", "~"] {
        let text = || text.to_owned();
        places.insert(ReferencePosition { group: text(), type_key: text(), alias: text() });
    }
    for filter in filters() {
        for after in &places {
            let rest = all.iter().filter(|it| holds(&filter, it)).map(place);
            let expected: Vec<_> = rest.filter(|at| at > after).take(3).collect();
            let page = world.store.reference_list(&filter, Some(after), 3).await.unwrap();
            let found: Vec<_> = page.iter().map(place).collect();
            assert_eq!(found, expected, "{filter:?} after {after:?}");
            // An outline says the same of the same references.
            let outlines = world.store.reference_outline_list(&filter, Some(after), 3).await;
            let expected: Vec<_> = page.into_iter().map(outline).collect();
            assert_eq!(outlines, Ok(expected), "{filter:?} after {after:?}");
        }
    }
}

async fn operations_come_newest_first(make: Make<'_>) {
    let world = World::new(make).await;
    world.store.group_put(&world.group("dev"), Expect::Any).await.unwrap();
    let subjects = [("prod", "a"), ("prod", "b"), ("dev", "a")];
    let mut subject_of = Vec::new();
    for bits in 1..=12_u128 {
        let (group, alias) = subjects[(bits % 3) as usize];
        let mut reservation = world.untracked(bits, &[]);
        if bits % 4 != 0 {
            let name = reference_name(group, "AWS::EC2::VPC", alias);
            machine_of(&mut reservation.record).subject.reference = Some(name);
            subject_of.push((bits, Some((group, alias))));
        } else {
            subject_of.push((bits, None));
        }
        world.reserve(reservation).await.unwrap();
    }
    let is_running = |bits: u128| !bits.is_multiple_of(5);
    for claim in world.claim(100).await {
        if !is_running(claim.record.id().as_u128()) {
            let mut commit = step(claim.record, ReferenceChange::Keep);
            end(&mut commit.record, world.now());
            world.commit(commit).await.unwrap();
        }
    }
    for running in [false, true] {
        for group in [None, Some("PROD"), Some("none")] {
            for alias in [None, Some("A")] {
                let filter = OperationFilter {
                    parent: None,
                    reference: alias.map(|it| reference_name("Prod", "AWS::EC2::VPC", it)),
                    group: group.map(group_name),
                    running,
                };
                let fits = |(bits, subject): &&(u128, Option<(&str, &str)>)| {
                    (!running || is_running(*bits))
                        && group.is_none_or(|group| {
                            subject.is_some_and(|(it, _)| it.eq_ignore_ascii_case(group))
                        })
                        && (alias.is_none() || *subject == Some(("prod", "a")))
                };
                let expected: Vec<u128> =
                    subject_of.iter().rev().filter(fits).map(|(bits, _)| *bits).collect();
                for size in [1, 3, 100] {
                    let found = operations(&world, &filter, size).await;
                    assert_eq!(found, expected, "{filter:?} in pages of {size}");
                }
            }
        }
    }
}

async fn operations_are_listed_by_their_parent(make: Make<'_>) {
    let world = World::new(make).await;
    world.store.group_put(&world.group("dev"), Expect::Any).await.unwrap();
    for (bits, group) in [(1, "prod"), (2, "dev")] {
        let record = world.group_record(bits, group, GroupTask::Delete);
        world.reserve(Reservation { record, ..world.untracked(bits, &[]) }).await.unwrap();
    }
    // Their parts in turn, each third one ended.
    for bits in 3..=14_u128 {
        let (parent, group) = if bits.is_multiple_of(2) { (2, "dev") } else { (1, "prod") };
        let mut reservation = world.untracked(bits, &[]);
        let name = reference_name(group, "AWS::EC2::VPC", &format!("a{bits}"));
        machine_of(&mut reservation.record).subject.reference = Some(name);
        reservation.record.parent = Some(id(parent));
        world.reserve(reservation).await.unwrap();
    }
    let is_running = |bits: u128| bits < 3 || !bits.is_multiple_of(3);
    for claim in world.claim(100).await {
        assert_eq!(claim.record.parent.is_some(), claim.record.id().as_u128() > 2);
        if !is_running(claim.record.id().as_u128()) {
            let mut commit = step(claim.record, ReferenceChange::Keep);
            end(&mut commit.record, world.now());
            // What it is a part of was told once.
            commit.record.parent = None;
            world.commit(commit).await.unwrap();
        }
    }
    for running in [false, true] {
        for parent in [None, Some(1), Some(2), Some(3)] {
            for group in [None, Some("PROD")] {
                let filter = OperationFilter {
                    reference: None,
                    parent: parent.map(id),
                    group: group.map(group_name),
                    running,
                };
                let fits = |bits: &u128| {
                    let (own, odd) = (*bits < 3, !bits.is_multiple_of(2));
                    let of_parent = |parent| !own && (parent == 1) == odd && parent < 3;
                    (!running || is_running(*bits))
                        && parent.is_none_or(of_parent)
                        && (group.is_none() || odd)
                };
                let expected: Vec<u128> = (1..=14).rev().filter(fits).collect();
                for size in [1, 3, 100] {
                    let found = operations(&world, &filter, size).await;
                    assert_eq!(found, expected, "{filter:?} in pages of {size}");
                }
            }
        }
    }
    let name = reference_name("prod", "AWS::EC2::VPC", "A3");
    for (parent, expected) in [(1, vec![3]), (2, vec![])] {
        let (reference, parent) = (Some(name.clone()), Some(id(parent)));
        let filter = OperationFilter { reference, parent, ..OperationFilter::default() };
        assert_eq!(operations(&world, &filter, 10).await, expected);
    }
}

async fn operations(world: &World, filter: &OperationFilter, size: usize) -> Vec<u128> {
    let mut found: Vec<u128> = Vec::new();
    loop {
        let before = found.last().map(|bits| id(*bits));
        let page = world.store.operation_list(filter, before, size).await.unwrap();
        assert!(page.len() <= size);
        if page.is_empty() {
            return found;
        }
        found.extend(page.iter().map(|record| record.id().as_u128()));
    }
}

async fn events_come_in_sequence(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in [1, 2] {
        world.reserve(world.untracked(bits, &[])).await.unwrap();
    }
    for claim in world.claim(2).await {
        let mut commit = step(claim.record, ReferenceChange::Keep);
        commit.lease = crate::Lease::Keep;
        for number in 2..=5 {
            commit.message = Some(format!("{number}"));
            commit.record.version = world.commit(commit.clone()).await.unwrap().version;
        }
    }
    let list = |after, limit| {
        let store = world.store.clone();
        async move {
            let events = store.event_list(id(1), after, limit).await.unwrap();
            assert!(events.iter().all(|event| event.operation == id(1)));
            events.iter().map(|event| event.sequence).collect::<Vec<_>>()
        }
    };
    assert_eq!(list(0, 100).await, [1, 2, 3, 4, 5]);
    assert_eq!(list(0, 2).await, [1, 2]);
    assert_eq!(list(2, 2).await, [3, 4]);
    assert!(list(5, 2).await.is_empty());
    assert!(list(u64::MAX, 2).await.is_empty());
}

async fn the_last_events_come_in_sequence(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in [1, 2, 3] {
        world.reserve(world.untracked(bits, &[])).await.unwrap();
    }
    let mut commit = step(world.claim(2).await.remove(1).record, ReferenceChange::Keep);
    commit.lease = crate::Lease::Keep;
    for number in 2..=5 {
        commit.message = Some(format!("{number}"));
        commit.record.version = world.commit(commit.clone()).await.unwrap().version;
    }
    let all = world.store.event_list(id(2), 0, 100).await.unwrap();
    for (limit, first) in [(0, 5), (1, 4), (2, 3), (5, 0), (100, 0), (usize::MAX, 0)] {
        let last = world.store.event_list_last(id(2), limit).await.unwrap();
        assert_eq!(last, all[first..], "{limit}");
    }
    assert_eq!(world.store.event_list_last(id(4), 2).await.unwrap(), []);
}
