//! Claims about planes.

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::group::GroupTask;
use hangar_plan::record::{GroupName, Plane, PlaneKind, Version};

use super::Make;
use super::fixture::{World, credential, end, id, machine_of, plane, plane_name as name, step};
use crate::{
    CredentialError, Expect, GroupChange, GroupError, PlaneError, ReferenceChange, ReserveError,
    StaleError,
};

pub(super) async fn claims(make: Make<'_>) {
    two_planes_are_there_from_the_start(make).await;
    a_plane_is_found_in_any_case_and_keeps_its_first_spelling(make).await;
    planes_come_in_the_order_of_their_keys(make).await;
    a_write_that_expects_otherwise_is_refused(make).await;
    a_plane_that_holds_a_group_stays(make).await;
    a_plane_that_a_reference_is_in_stays(make).await;
    a_plane_that_has_a_credential_stays(make).await;
    a_plane_that_an_operation_works_in_stays(make).await;
    nothing_is_put_in_a_plane_that_is_not_there(make).await;
    nothing_begins_in_a_plane_that_is_not_there(make).await;
}

async fn put(world: &World, kind: PlaneKind, name: &str) -> Plane {
    world.store.plane_put(&plane(world, kind, name), Expect::Absent).await.unwrap()
}

async fn remove(world: &World, kind: PlaneKind, own: &str) -> Result<bool, PlaneError> {
    world.store.plane_remove(&name(kind, own), Expect::Any).await
}

async fn two_planes_are_there_from_the_start(make: Make<'_>) {
    let world = World::new(make).await;
    let built_in = |kind, own| Plane {
        name: name(kind, own),
        location: Some("global".to_owned()),
        tags: BTreeMap::new(),
        properties: BTreeMap::new(),
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
        version: Version(1),
    };
    let planes = [built_in(PlaneKind::Aws, "aws"), built_in(PlaneKind::Radius, "local")];
    assert_eq!(world.store.plane_list(None).await.unwrap(), planes);
    for plane in planes {
        assert_eq!(world.store.plane_find(&plane.name).await.unwrap(), Some(plane));
    }
}

async fn a_plane_is_found_in_any_case_and_keeps_its_first_spelling(make: Make<'_>) {
    let world = World::new(make).await;
    let first = put(&world, PlaneKind::Aws, "Gov").await;
    let expected = Plane { version: Version(1), ..plane(&world, PlaneKind::Aws, "Gov") };
    assert_eq!(first, expected);

    world.clock.advance(Duration::from_secs(1));
    let mut again = plane(&world, PlaneKind::Aws, "GOV");
    again.location = None;
    again.properties.clear();
    let kept = world.store.plane_put(&again, Expect::Any).await.unwrap();
    let (created_at, version) = (first.created_at, Version(2));
    assert_eq!(kept, Plane { name: first.name, created_at, version, ..again });
    let find = |kind, own| {
        let (store, name) = (world.store.clone(), name(kind, own));
        async move { store.plane_find(&name).await.unwrap() }
    };
    assert_eq!(find(PlaneKind::Aws, "gov").await, Some(kept));
    assert_eq!(find(PlaneKind::Radius, "gov").await, None, "another kind's is another");

    assert_eq!(remove(&world, PlaneKind::Aws, "gOV").await, Ok(true));
    assert_eq!(find(PlaneKind::Aws, "gov").await, None);
    assert_eq!(remove(&world, PlaneKind::Aws, "gov").await, Ok(false));
    assert_eq!(put(&world, PlaneKind::Aws, "gov").await.version, Version(1));
}

async fn planes_come_in_the_order_of_their_keys(make: Make<'_>) {
    let world = World::new(make).await;
    for (kind, name) in [
        (PlaneKind::Radius, "B"),
        (PlaneKind::Aws, "b"),
        (PlaneKind::Aws, "A"),
        (PlaneKind::Radius, "é"),
    ] {
        put(&world, kind, name).await;
    }
    let aws = ["A", "aws", "b"];
    let radius = ["B", "local", "é"];
    let all = [aws, radius].concat();
    let cases = [
        (None, all),
        (Some(PlaneKind::Aws), aws.to_vec()),
        (Some(PlaneKind::Radius), radius.to_vec()),
    ];
    for (kind, expected) in cases {
        let found = world.store.plane_list(kind).await.unwrap();
        let names: Vec<&str> = found.iter().map(|it| it.name.name.as_str()).collect();
        assert_eq!(names, expected, "{kind:?}");
    }
}

async fn a_write_that_expects_otherwise_is_refused(make: Make<'_>) {
    let world = World::new(make).await;
    let first = put(&world, PlaneKind::Aws, "gov").await;
    let gov = plane(&world, PlaneKind::Aws, "GOV");
    for expect in [Expect::Absent, Expect::Version(Version(2))] {
        let refused = world.store.plane_put(&gov, expect).await;
        assert_eq!(refused, Err(StaleError::Stale), "{expect:?}");
        let refused = world.store.plane_remove(&gov.name, expect).await;
        assert_eq!(refused, Err(PlaneError::Stale), "{expect:?}");
    }
    assert_eq!(world.store.plane_find(&gov.name).await.unwrap(), Some(first));
    let kept = world.store.plane_put(&gov, Expect::Version(Version(1))).await.unwrap();
    assert_eq!(kept.version, Version(2));
    let removed = world.store.plane_remove(&gov.name, Expect::Version(Version(2))).await;
    assert_eq!(removed, Ok(true));

    let first = Expect::Version(Version(1));
    assert_eq!(world.store.plane_put(&gov, first).await, Err(StaleError::Stale));
    assert_eq!(world.store.plane_remove(&gov.name, first).await, Err(PlaneError::Stale));
    assert_eq!(world.store.plane_remove(&gov.name, Expect::Absent).await, Ok(false));
}

async fn a_plane_that_holds_a_group_stays(make: Make<'_>) {
    let world = World::new(make).await;
    let held = world.find_group("prod").await.unwrap().name.id();
    let refused = remove(&world, PlaneKind::Radius, "LOCAL").await;
    assert_eq!(refused, Err(PlaneError::NotEmpty(held)));
    assert_eq!(world.store.plane_list(None).await.unwrap().len(), 2);

    // The neighbours in the order of keys hold what is theirs.
    for plane in ["local-", "local0", "loca"] {
        put(&world, PlaneKind::Radius, plane).await;
    }
    let mut elsewhere = world.group("a");
    elsewhere.name = GroupName { plane: "Local0".to_owned(), group: "a".to_owned() };
    world.store.group_put(&elsewhere, Expect::Any).await.unwrap();
    for (plane, expected) in [
        ("local-", Ok(true)),
        ("loca", Ok(true)),
        ("local0", Err(PlaneError::NotEmpty(elsewhere.name.id()))),
    ] {
        assert_eq!(remove(&world, PlaneKind::Radius, plane).await, expected, "{plane}");
    }
    // An AWS plane of the same name holds no group.
    put(&world, PlaneKind::Aws, "local").await;
    assert_eq!(remove(&world, PlaneKind::Aws, "local").await, Ok(true));
}

async fn a_plane_that_a_reference_is_in_stays(make: Make<'_>) {
    let world = World::new(make).await;
    let planes = ["Aws", "gov", "gov-", "gov0", "go"];
    for plane in &planes[1..] {
        put(&world, PlaneKind::Aws, plane).await;
    }
    // One that maps a resource, and one that does not yet.
    for (bits, plane, identifier) in
        [(1, "aws", Some("vpc-1")), (2, "GOV0", Some("vpc-2")), (3, "Gov", None)]
    {
        let mut reservation = world.reservation(bits, &format!("web-{bits}"));
        let reference = &mut reservation.reference.as_mut().unwrap().reference;
        plane.clone_into(&mut reference.scope.plane);
        reference.entry.identifier = identifier.map(str::to_owned);
        world.reserve(reservation).await.unwrap();
    }
    let mut held = Vec::new();
    for alias in ["web-1", "web-3", "web-2"] {
        held.push(world.find(alias).await.unwrap().name.id());
    }
    let refused = |at: usize| Err(PlaneError::NotEmpty(held[at].clone()));
    let expected = [refused(0), refused(1), Ok(true), refused(2), Ok(true)];
    for (plane, expected) in planes.into_iter().zip(expected) {
        assert_eq!(remove(&world, PlaneKind::Aws, plane).await, expected, "{plane}");
    }
}

async fn a_plane_that_has_a_credential_stays(make: Make<'_>) {
    let world = World::new(make).await;
    put(&world, PlaneKind::Aws, "gov").await;
    put(&world, PlaneKind::Radius, "gov").await;
    let held = credential(&world, "GOV", "default");
    world.store.credential_put(&held, Expect::Absent).await.unwrap();
    let refused = remove(&world, PlaneKind::Aws, "gov").await;
    assert_eq!(refused, Err(PlaneError::NotEmpty(held.name.id())));
    assert_eq!(remove(&world, PlaneKind::Aws, "aws").await, Ok(true), "it is another's");
    assert_eq!(remove(&world, PlaneKind::Radius, "gov").await, Ok(true));
    world.store.credential_remove(&held.name, Expect::Any).await.unwrap();
    assert_eq!(remove(&world, PlaneKind::Aws, "gov").await, Ok(true));
}

async fn a_plane_that_an_operation_works_in_stays(make: Make<'_>) {
    let world = World::new(make).await;
    put(&world, PlaneKind::Aws, "gov").await;
    let mut untracked = world.untracked(1, &[]);
    "GOV".clone_into(&mut machine_of(&mut untracked.record).subject.scope.plane);
    world.reserve(untracked).await.unwrap();
    // A look through a group that is deleted meanwhile.
    let mut look = world.untracked(2, &[]);
    look.record = world.group_record(2, "prod", GroupTask::Drift { repair: false, prune: false });
    world.reserve(look).await.unwrap();
    let mut claims = world.claim(10).await;
    world.reserve(world.closing(3, "prod", None)).await.unwrap();
    let mut removal = step(world.claim_one().await.record, ReferenceChange::Keep);
    removal.group = GroupChange::Remove;
    end(&mut removal.record, world.now());
    world.commit(removal).await.unwrap();

    let busy = |bits| Err(PlaneError::Busy(id(bits)));
    assert_eq!(remove(&world, PlaneKind::Aws, "gov").await, busy(1));
    assert_eq!(remove(&world, PlaneKind::Radius, "Local").await, busy(2));
    assert_eq!(remove(&world, PlaneKind::Aws, "aws").await, Ok(true), "nobody works in it");
    assert_eq!(claims.len(), 2);
    for claim in claims.drain(..) {
        let mut commit = step(claim.record, ReferenceChange::Keep);
        end(&mut commit.record, world.now());
        world.commit(commit).await.unwrap();
    }
    assert_eq!(remove(&world, PlaneKind::Aws, "gov").await, Ok(true));
    assert_eq!(remove(&world, PlaneKind::Radius, "local").await, Ok(true));
}

async fn nothing_is_put_in_a_plane_that_is_not_there(make: Make<'_>) {
    let world = World::new(make).await;
    // One of the other kind does not do.
    put(&world, PlaneKind::Aws, "lab").await;
    put(&world, PlaneKind::Radius, "gov").await;
    let mut group = world.group("a");
    group.name = GroupName { plane: "Lab".to_owned(), group: "a".to_owned() };
    let refused = world.store.group_put(&group, Expect::Any).await;
    assert_eq!(refused, Err(GroupError::NoPlane(name(PlaneKind::Radius, "Lab"))));
    assert_eq!(world.store.group_find(&group.name).await, Ok(None));
    let credential = credential(&world, "Gov", "default");
    let refused = world.store.credential_put(&credential, Expect::Any).await;
    assert_eq!(refused, Err(CredentialError::NoPlane(name(PlaneKind::Aws, "Gov"))));
    assert_eq!(world.store.credential_list(None).await, Ok(Vec::new()));

    put(&world, PlaneKind::Radius, "LAB").await;
    put(&world, PlaneKind::Aws, "GOV").await;
    world.store.group_put(&group, Expect::Any).await.unwrap();
    world.store.credential_put(&credential, Expect::Any).await.unwrap();
}

async fn nothing_begins_in_a_plane_that_is_not_there(make: Make<'_>) {
    let world = World::new(make).await;
    let refused = || Err(ReserveError::NoPlane(name(PlaneKind::Aws, "Gov")));
    let mut tracked = world.reservation(1, "web");
    let reference = &mut tracked.reference.as_mut().unwrap().reference;
    "Gov".clone_into(&mut reference.scope.plane);
    assert_eq!(world.reserve(tracked.clone()).await, refused());
    let mut untracked = world.untracked(2, &[]);
    "Gov".clone_into(&mut machine_of(&mut untracked.record).subject.scope.plane);
    assert_eq!(world.reserve(untracked.clone()).await, refused());
    assert_eq!((world.operation(1).await, world.operation(2).await), (None, None));
    assert_eq!(world.find("web").await, None);
    // The group is looked at before.
    tracked.group = Some(crate::GroupHold::Open(super::fixture::group_name("nowhere")));
    assert_eq!(world.reserve(tracked).await, Err(ReserveError::NoGroup));

    put(&world, PlaneKind::Aws, "gov").await;
    world.reserve(untracked).await.unwrap();
    world.reserve(world.reservation(1, "web")).await.unwrap();
}
