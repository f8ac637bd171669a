//! Claims about references that are written outside of any operation: what was seen of them, their names.

use hangar_plan::deployment::{AwsRow, Member, RowKind};
use hangar_plan::operation::EntryState;
use hangar_plan::record::{Drift, DriftState, Reference, Version};
use serde_json::json;

use super::Make;
use super::fixture::{World, end, id, reference_name, save, step};
use crate::{
    Commit, DeploymentChange, Expect, OperationFilter, ReferenceChange, ReferenceError,
    ReferenceFilter, ReferenceWrite, ReserveError,
};

pub(super) async fn claims(make: Make<'_>) {
    what_was_seen_is_kept_and_moves_nothing_else(make).await;
    what_was_seen_is_refused_where_it_may_be_wrong(make).await;
    a_rename_is_kept_with_the_name_before(make).await;
    a_rename_of_the_case_only_is_a_spelling(make).await;
    what_depends_on_a_reference_follows_its_name(make).await;
    what_manages_a_reference_follows_its_name(make).await;
    a_name_that_is_taken_is_refused(make).await;
    a_rename_is_refused_where_the_old_name_is_needed(make).await;
    one_of_eight_renames_at_once_wins(make).await;
}

/// Writes what was seen of a reference, by one who saw `seen`.
async fn amend(
    world: &World,
    reference: &Reference,
    seen: Option<u64>,
) -> Result<Version, ReferenceError> {
    let write = ReferenceWrite { reference: reference.clone(), seen: seen.map(Version) };
    world.store.reference_save(write).await
}

async fn rename(
    world: &World,
    alias: &str,
    new: &str,
    seen: u64,
) -> Result<Reference, ReferenceError> {
    let name = reference_name("prod", "AWS::EC2::VPC", alias);
    world.store.reference_rename(&name, new, Version(seen)).await
}

fn drift(world: &World) -> Drift {
    Drift {
        state: DriftState::Drifted,
        paths: vec!["/Tags".to_owned()],
        differences: Vec::new(),
        reason: Some("why".to_owned()),
        checked_at: world.now(),
    }
}

async fn what_was_seen_is_kept_and_moves_nothing_else(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.settled(1, "web", "vpc-1").await;
    let mut seen = world.reference("WEB");
    seen.scope.region = hangar_ids::Region::parse("eu-west-1").unwrap();
    seen.entry.identifier = Some("vpc-2".to_owned());
    seen.entry.owned = false;
    seen.entry.operation = Some(id(9));
    seen.entry.retiring = vec!["vpc-0".to_owned()];
    seen.entry.unsettled = vec![world.attempt(1, 1)];
    seen.former_keys = vec!["local/prod/aws.ec2/vpc/old".to_owned()];
    seen.managed_by = Some(world.deployment(1, "App").name);
    seen.created_at = world.now().after(super::fixture::LEASE);
    seen.entry.state = EntryState::Missing;
    seen.depends_on = vec!["/a".to_owned(), "/b".to_owned()];
    seen.drift = Some(drift(&world));
    seen.documents.observed = Some(json!({"a": 1}));
    seen.documents.observed_at = Some(world.now());
    seen.updated_at = world.now().after(super::fixture::MOMENT);
    assert_eq!(amend(&world, &seen, Some(2)).await, Ok(Version(3)));

    let mut expected = before.clone();
    expected.entry.state = seen.entry.state;
    expected.depends_on.clone_from(&seen.depends_on);
    expected.drift.clone_from(&seen.drift);
    expected.documents = seen.documents;
    expected.updated_at = seen.updated_at;
    expected.version = Version(3);
    assert_eq!(world.find("web").await, Some(expected.clone()));
    let state = Some(EntryState::Missing);
    let filter = ReferenceFilter { state, ..ReferenceFilter::default() };
    assert_eq!(world.store.reference_list(&filter, None, 10).await.unwrap(), [expected.clone()]);

    // Nothing of what was seen stays that is not said again.
    assert_eq!(amend(&world, &before, Some(3)).await, Ok(Version(4)));
    assert_eq!(world.find("web").await, Some(Reference { version: Version(4), ..before }));
}

async fn what_was_seen_is_refused_where_it_may_be_wrong(make: Make<'_>) {
    let world = World::new(make).await;
    let web = world.reference("web");
    for seen in [None, Some(1)] {
        assert_eq!(amend(&world, &web, seen).await, Err(ReferenceError::Absent));
    }
    let before = world.settled(1, "web", "vpc-1").await;
    for seen in [None, Some(1), Some(3)] {
        assert_eq!(amend(&world, &web, seen).await, Err(ReferenceError::Stale), "{seen:?}");
    }
    assert_eq!(world.find("web").await, Some(before.clone()));

    let mut again = world.reservation(2, "web");
    again.reference.as_mut().unwrap().seen = Some(before.version);
    world.reserve(again).await.unwrap();
    for seen in [Some(2), Some(3)] {
        assert_eq!(amend(&world, &web, seen).await, Err(ReferenceError::Busy(id(2))));
    }
    // Its entry still names the operation; that has ended, so it holds nothing.
    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    assert_eq!(amend(&world, &web, Some(3)).await, Ok(Version(4)));

    world.reserve(world.closing(3, "prod", None)).await.unwrap();
    assert_eq!(amend(&world, &web, Some(4)).await, Err(ReferenceError::GroupDeleting));
    let nowhere = world.reference("nowhere");
    assert_eq!(amend(&world, &nowhere, None).await, Err(ReferenceError::Absent));
}

async fn a_rename_is_kept_with_the_name_before(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.settled(1, "Web", "vpc-1").await;
    // Found in any case.
    let renamed = rename(&world, "WEB", "Site", 2).await.unwrap();
    let mut expected = before.clone();
    "Site".clone_into(&mut expected.name.alias);
    expected.former_keys = vec![before.name.key()];
    expected.version = Version(3);
    assert_eq!(renamed, expected);
    assert_eq!(world.find("site").await, Some(renamed.clone()));
    assert_eq!(world.find("web").await, None);
    assert_eq!(world.store.counts().await.unwrap().references, 1);
    let subject = world.operation(1).await.unwrap().resource().unwrap().subject.clone();
    let mapped = world.store.reference_find_by_resource(&subject.resource_key("vpc-1")).await;
    assert_eq!(mapped, Ok(Some(renamed)));
    // Operations keep the name that they had.
    assert_eq!(subject.reference, Some(before.name.clone()));
    let of = |name| OperationFilter { reference: Some(name), ..OperationFilter::default() };
    let listed = world.store.operation_list(&of(before.name.clone()), None, 10).await.unwrap();
    assert_eq!(listed.len(), 1);

    // The resource is still this one's only, and the old name is free for another.
    let mut import = world.reservation(2, "web");
    import.reference.as_mut().unwrap().reference.entry.identifier = Some("vpc-1".to_owned());
    let refused = world.reserve(import.clone()).await;
    assert_eq!(refused, Err(ReserveError::Mapped(expected.name.id())));
    import.reference.as_mut().unwrap().reference.entry.identifier = None;
    world.reserve(import).await.unwrap();
    assert_eq!(world.find("web").await.unwrap().version, Version(1));

    // Every name that it had is known, once and oldest first.
    for (seen, alias) in (3..).zip(["third", "site", "third", "fourth"]) {
        let at = world.find("site").await.or(world.find("third").await).unwrap().name.alias;
        rename(&world, &at, alias, seen).await.unwrap();
    }
    let last = world.find("fourth").await.unwrap();
    assert_eq!(last.version, Version(7));
    let known = ["web", "site", "third"].map(|it| format!("local/prod/aws.ec2/vpc/{it}"));
    assert_eq!(last.former_keys, known);
    assert_eq!(last.first_key(), before.name.key());
    // And stays known when operations write it.
    let write = ReferenceWrite { reference: last.clone(), seen: Some(last.version) };
    let mut put = world.reservation(5, "fourth");
    put.reference = Some(write);
    world.reserve(put).await.unwrap();
    assert_eq!(world.find("fourth").await.unwrap().former_keys, last.former_keys);
}

async fn a_rename_of_the_case_only_is_a_spelling(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.settled(1, "web", "vpc-1").await;
    let renamed = rename(&world, "web", "WEB", 2).await.unwrap();
    let mut expected = before;
    "WEB".clone_into(&mut expected.name.alias);
    expected.version = Version(3);
    assert_eq!(renamed, expected);
    assert_eq!(world.find("web").await, Some(renamed.clone()));
    // The name that it has changes nothing.
    assert_eq!(rename(&world, "web", "WEB", 3).await, Ok(renamed.clone()));
    assert_eq!(world.find("web").await, Some(renamed));
    assert_eq!(rename(&world, "web", "WEB", 2).await, Err(ReferenceError::Stale));
}

async fn what_depends_on_a_reference_follows_its_name(make: Make<'_>) {
    let world = World::new(make).await;
    let web = world.settled(1, "web", "vpc-1").await.name;
    let ids = |name: &str, rest: &[&str]| {
        rest.iter().map(|it| (*it).to_owned()).chain([name.to_owned()]).collect::<Vec<_>>()
    };
    let (shouted, other) = (web.id().to_uppercase(), "/planes/radius/local/other");
    let dependants = [
        ("a", ids(&web.id(), &[other])),
        ("b", ids(&shouted, &[])),
        ("c", ids(&web.id(), &[&shouted])),
        ("d", ids(&format!("{}2", web.id()), &[other])),
        ("e", Vec::new()),
    ];
    for (bits, (alias, depends_on)) in (2..).zip(&dependants) {
        let mut reference = world.settled(bits, alias, &format!("vpc-{bits}")).await;
        reference.depends_on.clone_from(depends_on);
        amend(&world, &reference, Some(2)).await.unwrap();
    }
    let before = world.find("a").await.unwrap();
    let new = rename(&world, "web", "site", 2).await.unwrap().name.id();
    let expected = [
        ("a", ids(&new, &[other]), 4),
        ("b", ids(&new, &[]), 4),
        ("c", ids(&new, &[&new]), 4),
        ("d", dependants[3].1.clone(), 3),
        ("e", Vec::new(), 3),
    ];
    for (alias, depends_on, version) in expected {
        let found = world.find(alias).await.unwrap();
        assert_eq!(found.depends_on, depends_on, "{alias}");
        assert_eq!(found.version, Version(version), "{alias}");
    }
    let (version, depends_on) = (Version(4), vec![other.to_owned(), new]);
    assert_eq!(world.find("a").await, Some(Reference { depends_on, version, ..before }));

    // A spelling is nothing to follow.
    rename(&world, "site", "SITE", 3).await.unwrap();
    assert_eq!(world.find("a").await.unwrap().version, Version(4));

    // One that an operation works on cannot follow.
    let mut put = world.reservation(9, "b");
    let reference = world.find("b").await.unwrap();
    let write = put.reference.as_mut().unwrap();
    write.seen = Some(reference.version);
    write.reference.depends_on = reference.depends_on;
    world.reserve(put).await.unwrap();
    assert_eq!(rename(&world, "site", "web", 4).await, Err(ReferenceError::Busy(id(9))));
    assert_eq!(world.find("site").await.unwrap().version, Version(4));
    assert_eq!(world.find("a").await.unwrap().version, Version(4), "nor does any other");
}

async fn what_manages_a_reference_follows_its_name(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.deploying(1, "App", None)).await.unwrap();
    let mut run = world.claim_one().await.record;
    let mut app = world.find_deployment("app").await.unwrap();
    let mut creating = world.reservation(2, "web");
    creating.reference.as_mut().unwrap().reference.managed_by = Some(app.name.clone());
    world.reserve(creating).await.unwrap();
    let claim = world.claim_one().await;
    let mut web = claim.reference.clone().unwrap();
    (web.entry.state, web.entry.operation) = (EntryState::Ready, None);
    let mut commit = step(claim.record, save(web, claim.reference.map(|it| it.version)));
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();

    // While a run is under way it cannot follow, and so nothing is renamed.
    assert_eq!(rename(&world, "web", "site", 2).await, Err(ReferenceError::Busy(id(1))));

    let member = |name: &str, depends_on: Vec<String>| Member {
        kind: RowKind::Aws(AwsRow {
            type_name: hangar_ids::TypeName::parse("AWS::EC2::VPC").unwrap(),
            scope: super::fixture::scope(),
        }),
        name: name.to_owned(),
        address: name.to_owned(),
        depends_on,
    };
    let web = reference_name("prod", "AWS::EC2::VPC", "web");
    app.holdings.managed =
        Some(vec![member("Web", Vec::new()), member("other", vec![web.id(), "/b".to_owned()])]);
    (app.ending, app.ended_at) = (Some(super::fixture::success()), Some(world.now()));
    end(&mut run, world.now());
    let deployment = DeploymentChange::Save(Box::new(app));
    let ending = Commit { deployment, ..step(run, ReferenceChange::Keep) };
    world.commit(ending).await.unwrap();
    let before = world.find_deployment("app").await.unwrap();

    let renamed = rename(&world, "web", "site", 2).await.unwrap();
    let mut expected = before.clone();
    expected.version = before.version.next();
    expected.holdings.managed = Some(vec![
        Member { address: "Web".to_owned(), ..member("site", Vec::new()) },
        member("other", vec![renamed.name.id(), "/b".to_owned()]),
    ]);
    assert_eq!(world.find_deployment("app").await, Some(expected.clone()));

    // One that it does not name leaves it as it is.
    world.settled(3, "alone", "vpc-3").await;
    rename(&world, "alone", "lonely", 2).await.unwrap();
    assert_eq!(world.find_deployment("app").await, Some(expected));
}

async fn a_name_that_is_taken_is_refused(make: Make<'_>) {
    let world = World::new(make).await;
    let web = world.settled(1, "web", "vpc-1").await;
    let site = world.settled(2, "Site", "vpc-2").await;
    let taken = Err(ReferenceError::Taken(site.name.id()));
    for alias in ["Site", "SITE"] {
        assert_eq!(rename(&world, "web", alias, 2).await, taken);
    }
    assert_eq!(world.find("web").await, Some(web));
    assert_eq!(world.find("site").await, Some(site));

    // Another type's or group's name is another's.
    world.store.group_put(&world.group("dev"), Expect::Any).await.unwrap();
    for (bits, group, type_name) in [(3, "prod", "AWS::S3::Bucket"), (4, "dev", "AWS::EC2::VPC")] {
        let mut reservation = world.reservation(bits, "free");
        let name = reference_name(group, type_name, "free");
        reservation.reference.as_mut().unwrap().reference.name = name;
        world.reserve(reservation).await.unwrap();
    }
    rename(&world, "web", "free", 2).await.unwrap();
}

async fn a_rename_is_refused_where_the_old_name_is_needed(make: Make<'_>) {
    let world = World::new(make).await;
    assert_eq!(rename(&world, "web", "site", 1).await, Err(ReferenceError::Absent));
    world.reserve(world.reservation(1, "web")).await.unwrap();
    assert_eq!(rename(&world, "web", "site", 1).await, Err(ReferenceError::Busy(id(1))));

    // What is not settled is looked for by its old name.
    let claim = world.claim_one().await;
    let (mut record, mut reference) = (claim.record, claim.reference.unwrap());
    end(&mut record, world.now());
    reference.entry.operation = None;
    let unsettled = [
        (EntryState::Unknown, vec![]),
        (EntryState::Ready, vec![world.attempt(1, 1)]),
        (EntryState::Unknown, vec![world.attempt(1, 1)]),
    ];
    for (seen, (state, attempts)) in (1..).zip(unsettled) {
        (reference.entry.state, reference.entry.unsettled) = (state, attempts);
        let mut commit = step(record.clone(), save(reference.clone(), Some(Version(seen))));
        commit.lease = crate::Lease::Keep;
        record.version = world.commit(commit).await.unwrap().version;
        for alias in ["site", "WEB"] {
            let refused = rename(&world, "web", alias, seen + 1).await;
            assert_eq!(refused, Err(ReferenceError::Unsettled), "{state:?}");
            assert_eq!(rename(&world, "web", alias, 1).await, Err(ReferenceError::Stale));
        }
    }

    world.settled(2, "other", "vpc-2").await;
    world.reserve(world.closing(3, "prod", None)).await.unwrap();
    let refused = rename(&world, "other", "site", 2).await;
    assert_eq!(refused, Err(ReferenceError::GroupDeleting));
    assert!(world.find("site").await.is_none());
}

async fn one_of_eight_renames_at_once_wins(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in 1..=8 {
        world.settled(bits, &format!("web-{bits}"), &format!("vpc-{bits}")).await;
    }
    let tries: Vec<_> = (1..=8)
        .map(|bits| {
            let store = world.store.clone();
            let name = reference_name("prod", "AWS::EC2::VPC", &format!("web-{bits}"));
            tokio::spawn(async move { store.reference_rename(&name, "site", Version(2)).await })
        })
        .collect();
    let mut answers = Vec::new();
    for attempt in tries {
        answers.push(attempt.await.unwrap());
    }
    let site = world.find("site").await.unwrap();
    let winners: Vec<&Reference> = answers.iter().flatten().collect();
    assert_eq!(winners, [&site]);
    let beaten = answers.iter().filter(|it| **it == Err(ReferenceError::Taken(site.name.id())));
    assert_eq!(beaten.count(), 7, "{answers:?}");
    let resource = site.entry.identifier.as_deref().unwrap();
    let bits: u128 = resource.trim_start_matches("vpc-").parse().unwrap();
    assert_eq!(site.former_keys, [format!("local/prod/aws.ec2/vpc/web-{bits}")]);
}
