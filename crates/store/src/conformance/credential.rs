//! Claims about credentials, and about the key that they are sealed with.

use std::time::Duration;

use hangar_plan::record::{CredentialName, CredentialRecord, PlaneKind, Version};

use super::Make;
use super::fixture::{World, credential};
use crate::{CredentialError, Expect, Resealed, StaleError};

pub(super) async fn claims(make: Make<'_>) {
    a_credential_is_found_in_any_case_and_keeps_its_first_spelling(make).await;
    credentials_come_in_the_order_of_their_keys(make).await;
    a_write_that_expects_otherwise_is_refused(make).await;
    another_key_is_taken_with_every_credential(make).await;
    another_key_is_refused_unless_all_is_as_it_was_seen(make).await;
}

async fn put(world: &World, plane: &str, name: &str) -> CredentialRecord {
    let own = super::fixture::plane(world, PlaneKind::Aws, plane);
    world.store.plane_put(&own, Expect::Any).await.unwrap();
    let credential = credential(world, plane, name);
    world.store.credential_put(&credential, Expect::Absent).await.unwrap()
}

async fn a_credential_is_found_in_any_case_and_keeps_its_first_spelling(make: Make<'_>) {
    let world = World::new(make).await;
    let first = put(&world, "Aws", "Default").await;
    let expected = CredentialRecord { version: Version(1), ..credential(&world, "Aws", "Default") };
    assert_eq!(first, expected);
    assert_eq!(world.store.credential_find(&first.name).await.unwrap(), Some(expected));

    world.clock.advance(Duration::from_secs(1));
    let mut again = credential(&world, "AWS", "DEFAULT");
    again.sealed = vec![0, 255, 7];
    again.shown = serde_json::json!({"kind": "AssumeRole"});
    again.location = None;
    let kept = world.store.credential_put(&again, Expect::Any).await.unwrap();
    let (created_at, version) = (first.created_at, Version(2));
    assert_eq!(kept, CredentialRecord { name: first.name, created_at, version, ..again.clone() });
    assert_eq!(world.store.credential_find(&again.name).await.unwrap(), Some(kept));
    let other = CredentialName { plane: "aws".to_owned(), name: "000000000000".to_owned() };
    assert_eq!(world.store.credential_find(&other).await.unwrap(), None);

    assert_eq!(world.store.credential_remove(&other, Expect::Any).await, Ok(false));
    assert_eq!(world.store.credential_remove(&again.name, Expect::Any).await, Ok(true));
    assert_eq!(world.store.credential_find(&again.name).await.unwrap(), None);
    assert_eq!(put(&world, "aws", "default").await.version, Version(1));
}

async fn credentials_come_in_the_order_of_their_keys(make: Make<'_>) {
    let world = World::new(make).await;
    assert_eq!(world.store.credential_list(None).await.unwrap(), []);
    for (plane, name) in
        [("gov", "default"), ("aws", "default"), ("AWS", "000000000001"), ("aws-2", "Default")]
    {
        put(&world, plane, name).await;
    }
    let aws = ["aws/000000000001", "aws/default"];
    let cases = [
        (None, vec!["aws-2/default", aws[0], aws[1], "gov/default"]),
        (Some("AWS"), aws.to_vec()),
        (Some("none"), vec![]),
    ];
    for (plane, expected) in cases {
        let found = world.store.credential_list(plane).await.unwrap();
        let keys: Vec<String> = found.iter().map(|it| it.name.key()).collect();
        assert_eq!(keys, expected, "{plane:?}");
        for credential in found {
            let kept = world.store.credential_find(&credential.name).await.unwrap();
            assert_eq!(kept, Some(credential));
        }
    }
}

async fn a_write_that_expects_otherwise_is_refused(make: Make<'_>) {
    let world = World::new(make).await;
    let first = put(&world, "aws", "default").await;
    let again = credential(&world, "AWS", "Default");
    for expect in [Expect::Absent, Expect::Version(Version(2))] {
        let refused = world.store.credential_put(&again, expect).await;
        assert_eq!(refused, Err(CredentialError::Stale), "{expect:?}");
        let refused = world.store.credential_remove(&again.name, expect).await;
        assert_eq!(refused, Err(StaleError::Stale), "{expect:?}");
    }
    assert_eq!(world.store.credential_find(&again.name).await.unwrap(), Some(first));
    let kept = world.store.credential_put(&again, Expect::Version(Version(1))).await.unwrap();
    assert_eq!(kept.version, Version(2));
    let second = Expect::Version(Version(2));
    assert_eq!(world.store.credential_remove(&again.name, second).await, Ok(true));
    assert_eq!(world.store.credential_put(&again, second).await, Err(CredentialError::Stale));
    assert_eq!(world.store.credential_remove(&again.name, second).await, Err(StaleError::Stale));
    assert_eq!(world.store.credential_remove(&again.name, Expect::Absent).await, Ok(false));
}

/// A credential of the fixture sealed anew.
fn resealed(plane: &str, name: &str) -> Resealed {
    let before = format!("sealed: {plane}/{name}").into_bytes();
    let sealed = format!("sealed anew: {plane}/{name}").into_bytes();
    let name = CredentialName { plane: plane.to_owned(), name: name.to_owned() };
    Resealed { name, before, sealed }
}

async fn another_key_is_taken_with_every_credential(make: Make<'_>) {
    let world = World::new(make).await;
    world.store.key_check_put("one").await.unwrap();
    assert_eq!(world.store.key_rotate("one", "two", &[]).await, Ok(()));
    assert_eq!(world.store.key_check().await.unwrap().as_deref(), Some("two"));
    assert_eq!(world.store.key_check_put("three").await.unwrap(), "two");

    let default = put(&world, "aws", "default").await;
    put(&world, "gov", "default").await;
    let mut anew = [resealed("aws", "default"), resealed("gov", "default")];
    // Its name in any case.
    anew[0].name.plane.make_ascii_uppercase();
    assert_eq!(world.store.key_rotate("two", "three", &anew).await, Ok(()));
    assert_eq!(world.store.key_check().await.unwrap().as_deref(), Some("three"));
    let expected = CredentialRecord { sealed: anew[0].sealed.clone(), ..default };
    assert_eq!(world.store.credential_find(&expected.name).await.unwrap(), Some(expected));
    let other = world.store.credential_find(&anew[1].name).await.unwrap().unwrap();
    assert_eq!((other.sealed, other.version), (anew[1].sealed.clone(), Version(1)));
}

async fn another_key_is_refused_unless_all_is_as_it_was_seen(make: Make<'_>) {
    let world = World::new(make).await;
    let stale = Err(StaleError::Stale);
    assert_eq!(world.store.key_rotate("one", "two", &[]).await, stale, "there is no key yet");
    world.store.key_check_put("one").await.unwrap();
    assert_eq!(world.store.key_rotate("other", "two", &[]).await, stale);
    put(&world, "aws", "default").await;
    put(&world, "gov", "default").await;
    let before = world.store.credential_list(None).await.unwrap();
    let both = [resealed("aws", "default"), resealed("gov", "default")];
    let other = Resealed { before: b"other".to_vec(), ..both[1].clone() };
    let cases = [
        ("other", both.to_vec()),
        ("one", vec![]),
        ("one", both[..1].to_vec()),
        ("one", vec![both[0].clone(), other]),
        ("one", vec![both[0].clone(), both[1].clone(), resealed("gone", "default")]),
    ];
    for (old, anew) in cases {
        assert_eq!(world.store.key_rotate(old, "two", &anew).await, stale, "{old} {anew:?}");
    }
    assert_eq!(world.store.credential_list(None).await.unwrap(), before);
    assert_eq!(world.store.key_check().await.unwrap().as_deref(), Some("one"));
    assert_eq!(world.store.key_rotate("one", "two", &both).await, Ok(()));
}
