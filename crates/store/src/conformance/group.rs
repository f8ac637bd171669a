//! Claims about groups.

use std::time::Duration;

use hangar_plan::record::{GroupName, GroupState, PlaneKind, Version};

use super::Make;
use super::fixture::{World, group_name, id, plane};
use crate::{Expect, GroupError};

pub(super) async fn claims(make: Make<'_>) {
    a_group_is_found_in_any_case_and_keeps_its_first_spelling(make).await;
    a_put_that_expects_otherwise_is_refused(make).await;
    a_put_neither_closes_nor_opens_a_group(make).await;
    groups_of_a_plane_come_in_the_order_of_their_keys(make).await;
}

async fn a_group_is_found_in_any_case_and_keeps_its_first_spelling(make: Make<'_>) {
    let world = World::new(make).await;
    let first = world.store.group_put(&world.group("Team"), Expect::Absent).await.unwrap();
    assert_eq!(first.version, Version(1));

    world.clock.advance(Duration::from_secs(1));
    let mut again = world.group("TEAM");
    again.location = None;
    let again = world.store.group_put(&again, Expect::Any).await.unwrap();
    assert_eq!(again.name, group_name("Team"));
    assert_eq!(again.created_at, first.created_at);
    assert_eq!(again.updated_at, world.now());
    assert_eq!(again.version, Version(2));
    assert_eq!(world.store.group_find(&group_name("team")).await.unwrap(), Some(again));
    assert_eq!(world.store.group_find(&group_name("teams")).await.unwrap(), None);
}

async fn a_put_that_expects_otherwise_is_refused(make: Make<'_>) {
    let world = World::new(make).await;
    let (prod, other) = (world.group("PROD"), world.group("other"));
    let cases = [(&prod, Expect::Absent), (&prod, Expect::Version(Version(2)))];
    for (group, expect) in cases.into_iter().chain([(&other, Expect::Version(Version(1)))]) {
        let refused = world.store.group_put(group, expect).await;
        assert_eq!(refused, Err(GroupError::Stale), "{expect:?}");
    }
    let put = world.store.group_put(&prod, Expect::Version(Version(1))).await.unwrap();
    assert_eq!(put.version, Version(2));
    assert_eq!(world.store.group_find(&other.name).await.unwrap(), None);
}

async fn a_put_neither_closes_nor_opens_a_group(make: Make<'_>) {
    let world = World::new(make).await;
    let mut deleting = world.group("prod");
    deleting.state = GroupState::Deleting;
    deleting.operation = Some(id(9));
    let mut new = world.group("new");
    (new.state, new.operation) = (deleting.state, deleting.operation);
    for group in [&deleting, &new] {
        let put = world.store.group_put(group, Expect::Any).await.unwrap();
        assert_eq!((put.state, put.operation), (GroupState::Ready, None));
        assert_eq!(world.store.group_find(&group.name).await.unwrap(), Some(put));
    }

    world.reserve(world.closing(1, "prod", None)).await.unwrap();
    let closed = world.find_group("prod").await.unwrap();
    for group in [&world.group("prod"), &deleting, &closed] {
        for expect in [Expect::Any, Expect::Version(closed.version), Expect::Absent] {
            let refused = world.store.group_put(group, expect).await;
            assert_eq!(refused, Err(GroupError::Deleting), "{expect:?}");
        }
    }
    assert_eq!(world.find_group("prod").await, Some(closed));
}

async fn groups_of_a_plane_come_in_the_order_of_their_keys(make: Make<'_>) {
    let world = World::new(make).await;
    for name in ["b", "A", "c-1", "C", "a.b"] {
        world.store.group_put(&world.group(name), Expect::Absent).await.unwrap();
    }
    let mut elsewhere = world.group("a");
    let plane = plane(&world, PlaneKind::Radius, "localhost");
    world.store.plane_put(&plane, Expect::Absent).await.unwrap();
    elsewhere.name = GroupName { plane: "localhost".to_owned(), group: "a".to_owned() };
    world.store.group_put(&elsewhere, Expect::Absent).await.unwrap();

    for size in 1..=7 {
        let mut names = Vec::new();
        let mut after = None;
        loop {
            let page = world.store.group_list("LOCAL", after.as_deref(), size).await.unwrap();
            assert!(page.len() <= size);
            let Some(last) = page.last() else { break };
            after = Some(last.name.key());
            names.extend(page.into_iter().map(|group| group.name.group));
        }
        assert_eq!(names, ["A", "a.b", "b", "C", "c-1", "prod"], "pages of {size}");
    }
}
