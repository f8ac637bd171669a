//! Claims about resources that a reference has replaced and is going to delete: they are its own.

use hangar_plan::record::{Reference, ReferenceName, Version};

use super::Make;
use super::fixture::{World, end, reference_name, save, step};
use crate::{CommitError, ReferenceChange, Reservation, ReserveError};

pub(super) async fn claims(make: Make<'_>) {
    what_a_reference_retires_is_found_by_its_resource(make).await;
    what_one_retires_no_other_takes_in(make).await;
    what_one_has_no_other_retires(make).await;
    a_resource_in_both_places_is_no_conflict_with_itself(make).await;
    what_is_retired_is_free(make).await;
    what_retires_follows_a_rename(make).await;
    what_retires_goes_with_its_reference(make).await;
}

fn identifiers(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The alias that stands for a resource, as a step leaves it that has replaced others.
async fn replaced(world: &World, bits: u128, alias: &str, now: &str, before: &[&str]) -> Reference {
    let first = before.first().unwrap_or(&now);
    let reference = world.settled(bits, alias, first).await;
    change(world, bits + 1, &reference, now, before).await.unwrap();
    world.find(alias).await.unwrap()
}

/// Runs an operation on a reference that there is, which leaves it so.
async fn change(
    world: &World,
    bits: u128,
    reference: &Reference,
    now: &str,
    retiring: &[&str],
) -> Result<(), CommitError> {
    let mut reservation = world.reservation(bits, &reference.name.alias);
    let write = reservation.reference.as_mut().unwrap();
    write.seen = Some(reference.version);
    write.reference.entry.identifier.clone_from(&reference.entry.identifier);
    write.reference.entry.retiring.clone_from(&reference.entry.retiring);
    world.reserve(reservation).await.unwrap();
    let claim = world.claim_one().await;
    let mut changed = claim.reference.unwrap();
    let seen = Some(changed.version);
    changed.entry.identifier = Some(now.to_owned());
    changed.entry.retiring = identifiers(retiring);
    let mut commit = step(claim.record.clone(), save(changed, seen));
    end(&mut commit.record, world.now());
    let committed = world.commit(commit).await.map(drop);
    if committed.is_err() {
        let mut commit = step(claim.record, ReferenceChange::Keep);
        end(&mut commit.record, world.now());
        world.commit(commit).await.unwrap();
    }
    committed
}

/// What an import of a resource asks for.
fn import(world: &World, bits: u128, alias: &str, identifier: &str) -> Reservation {
    let mut reservation = world.reservation(bits, alias);
    let write = reservation.reference.as_mut().unwrap();
    write.reference.entry.identifier = Some(identifier.to_owned());
    reservation
}

/// The alias of the reference that has a resource.
async fn holder(world: &World, identifier: &str) -> Option<String> {
    let subject = world.operation(1).await.unwrap().resource().unwrap().subject.clone();
    let key = subject.resource_key(identifier);
    let found = world.store.reference_find_by_resource(&key).await.unwrap();
    if let Some(reference) = &found {
        assert_eq!(world.find(&reference.name.alias).await, found);
    }
    found.map(|reference| reference.name.alias)
}

async fn what_a_reference_retires_is_found_by_its_resource(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-3", &["vpc-1", "vpc-2", "vpc-1"]).await;
    assert_eq!(web.entry.retiring, ["vpc-1", "vpc-2", "vpc-1"]);
    world.settled(3, "other", "vpc-4").await;
    for (identifier, expected) in [
        ("vpc-1", Some("web")),
        ("vpc-2", Some("web")),
        ("vpc-3", Some("web")),
        ("vpc-4", Some("other")),
        ("VPC-1", None),
    ] {
        assert_eq!(holder(&world, identifier).await.as_deref(), expected, "{identifier}");
    }
}

async fn what_one_retires_no_other_takes_in(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-2", &["vpc-1"]).await;
    let refused = world.reserve(import(&world, 3, "other", "vpc-1")).await;
    assert_eq!(refused, Err(ReserveError::Mapped(web.name.id())));
    assert_eq!(world.find("other").await, None);

    let other = world.settled(3, "other", "vpc-3").await;
    let refused = change(&world, 4, &other, "vpc-1", &[]).await;
    assert_eq!(refused, Err(CommitError::Mapped(web.name.id())));
    assert_eq!(holder(&world, "vpc-1").await.as_deref(), Some("web"));
    // The reference that retires it may stand for it again.
    change(&world, 5, &web, "vpc-1", &["vpc-2"]).await.unwrap();
    assert_eq!(world.find("web").await.unwrap().entry.retiring, ["vpc-2"]);
}

async fn what_one_has_no_other_retires(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-2", &["vpc-1"]).await;
    let other = world.settled(3, "other", "vpc-3").await;
    for (bits, retiring) in [(4, "vpc-1"), (5, "vpc-2")] {
        let other =
            Reference { version: world.find("other").await.unwrap().version, ..other.clone() };
        let refused = change(&world, bits, &other, "vpc-3", &["vpc-0", retiring]).await;
        assert_eq!(refused, Err(CommitError::Mapped(web.name.id())), "{retiring}");
    }
    assert_eq!(holder(&world, "vpc-0").await, None, "a refused step leaves nothing");
}

async fn a_resource_in_both_places_is_no_conflict_with_itself(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-1", &["vpc-1"]).await;
    assert_eq!(holder(&world, "vpc-1").await.as_deref(), Some("web"));
    change(&world, 3, &web, "vpc-1", &["vpc-1"]).await.unwrap();
    // It stays mapped when it is retiring no more.
    let web = world.find("web").await.unwrap();
    change(&world, 4, &web, "vpc-1", &[]).await.unwrap();
    assert_eq!(holder(&world, "vpc-1").await.as_deref(), Some("web"));
}

async fn what_is_retired_is_free(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-3", &["vpc-1", "vpc-2"]).await;
    change(&world, 3, &web, "vpc-3", &["vpc-2"]).await.unwrap();
    assert_eq!(holder(&world, "vpc-1").await, None);
    assert_eq!(holder(&world, "vpc-2").await.as_deref(), Some("web"));
    world.reserve(import(&world, 4, "other", "vpc-1")).await.unwrap();
}

async fn what_retires_follows_a_rename(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-2", &["vpc-1"]).await;
    let site = world.store.reference_rename(&web.name, "site", web.version).await.unwrap();
    assert_eq!(holder(&world, "vpc-1").await.as_deref(), Some("site"));
    // Nor does what was seen of it free anything.
    let write = crate::ReferenceWrite { reference: site.clone(), seen: Some(site.version) };
    assert_eq!(world.store.reference_save(write).await, Ok(site.version.next()));
    let refused = world.reserve(import(&world, 3, "web", "vpc-1")).await;
    assert_eq!(refused, Err(ReserveError::Mapped(site.name.id())));
}

async fn what_retires_goes_with_its_reference(make: Make<'_>) {
    let world = World::new(make).await;
    let web = replaced(&world, 1, "web", "vpc-2", &["vpc-1"]).await;
    let mut reservation = world.reservation(3, "web");
    let write = reservation.reference.as_mut().unwrap();
    *write = crate::ReferenceWrite { seen: Some(web.version), reference: web };
    write.reference.entry.operation = Some(reservation.record.id());
    world.reserve(reservation).await.unwrap();
    let claim = world.claim_one().await;
    let name: ReferenceName = reference_name("prod", "AWS::EC2::VPC", "WEB");
    let seen: Version = claim.reference.unwrap().version;
    let mut remove = step(claim.record, ReferenceChange::Remove { name, seen });
    end(&mut remove.record, world.now());
    world.commit(remove).await.unwrap();
    assert_eq!(holder(&world, "vpc-1").await, None);
    world.reserve(import(&world, 4, "other", "vpc-1")).await.unwrap();
}
