//! Claims about deployments: what is kept of a run, and what becomes of it with its group.

use std::time::Duration;

use hangar_plan::record::{DeploymentRecord, OperationRecord, Version};

use super::Make;
use super::fixture::{
    World, deployment_name, end, group_name, id, number, plane_name, step, success,
};
use crate::{
    Commit, CommitError, DeploymentChange, Expect, GroupChange, GroupHold, OperationFilter,
    ReferenceChange, Reservation, ReserveError,
};

pub(super) async fn claims(make: Make<'_>) {
    a_deployment_is_kept_with_its_first_run(make).await;
    a_run_of_a_template_is_an_operation_like_any_other(make).await;
    a_later_run_takes_the_place_of_the_last(make).await;
    a_run_begins_only_on_what_was_seen(make).await;
    a_refused_run_keeps_nothing(make).await;
    one_of_eight_at_once_begins(make).await;
    deployments_are_listed_by_name(make).await;
    what_came_of_a_run_is_kept_with_its_end(make).await;
    a_run_without_its_lease_keeps_nothing(make).await;
    a_run_whose_place_was_taken_leaves_the_deployment_alone(make).await;
    a_run_takes_its_own_deployment_away_and_no_other(make).await;
    deployments_go_with_their_group(make).await;
    a_deployment_that_was_made_again_has_a_version_of_its_own(make).await;
    a_run_goes_when_it_is_old_and_its_deployment_stays(make).await;
}

/// A run, leased.
async fn begun(world: &World, bits: u128, name: &str) -> (DeploymentRecord, OperationRecord) {
    let seen = world.find_deployment(name).await.map(|it| it.version);
    world.reserve(world.deploying(bits, name, seen)).await.unwrap();
    let record = world.claim_one().await.record;
    assert_eq!(record.id(), id(bits));
    (world.find_deployment(name).await.unwrap(), record)
}

/// A step of a run that writes its deployment.
fn stepping(record: OperationRecord, deployment: DeploymentRecord) -> Commit {
    let deployment = DeploymentChange::Save(Box::new(deployment));
    Commit { deployment, ..step(record, ReferenceChange::Keep) }
}

/// Removes a group by operation `bits`.
async fn remove_group(world: &World, bits: u128, group: &str) {
    world.reserve(world.closing(bits, group, None)).await.unwrap();
    let mut record = world.claim_one().await.record;
    end(&mut record, world.now());
    let removing = Commit { group: GroupChange::Remove, ..step(record, ReferenceChange::Keep) };
    world.commit(removing).await.unwrap();
    assert_eq!(world.find_group(group).await, None);
}

async fn a_deployment_is_kept_with_its_first_run(make: Make<'_>) {
    let world = World::new(make).await;
    assert_eq!(world.find_deployment("app").await, None);
    let mut reservation = world.deploying(1, "App", None);
    let given = &mut reservation.deployment.as_mut().unwrap().record;
    given.rows = vec![world.row(1)];
    given.outputs = Some(serde_json::json!({"n": {"type": "int", "value": number("1.50")}}));
    let given = given.clone();
    world.reserve(reservation).await.unwrap();
    let kept = world.find_deployment("aPP").await.unwrap();
    assert_eq!(kept, DeploymentRecord { version: kept.version, ..given });
    assert_ne!(kept.version, Version(40), "it is the store's");
    assert_eq!(kept.name.name, "App");
    assert_eq!(world.find_deployment("ap").await, None);
}

async fn a_run_of_a_template_is_an_operation_like_any_other(make: Make<'_>) {
    let world = World::new(make).await;
    let reservation = world.deploying(1, "app", None);
    let given = OperationRecord { version: Version(1), ..reservation.record.clone() };
    world.reserve(reservation).await.unwrap();
    world.reserve(world.part(2, 1)).await.unwrap();
    assert_eq!(world.operation(1).await, Some(given.clone()));
    let of_group = OperationFilter { group: Some(group_name("prod")), ..Default::default() };
    assert_eq!(world.store.operation_list(&of_group, None, 10).await.unwrap(), [given]);
    let parts = OperationFilter { parent: Some(id(1)), ..Default::default() };
    let parts = world.store.operation_list(&parts, None, 10).await.unwrap();
    assert_eq!(parts.iter().map(OperationRecord::id).collect::<Vec<_>>(), [id(2)]);

    let mut run = world.claim(1).await.remove(0).record;
    world.store.operation_cancel(id(1)).await.unwrap();
    assert!(world.operation(1).await.unwrap().is_stop_wanted());
    end(&mut run, world.now());
    world.commit(step(run, ReferenceChange::Keep)).await.unwrap();
    let over = world.operation(1).await.unwrap();
    assert_eq!((over.ending(), over.kind()), (Some(&success()), "deploy"));
}

async fn a_later_run_takes_the_place_of_the_last(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.deploying(1, "App", None)).await.unwrap();
    let first = world.find_deployment("app").await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    world.reserve(world.deploying(2, "APP", Some(first.version))).await.unwrap();
    let second = world.find_deployment("app").await.unwrap();
    assert_eq!(second.name, first.name, "as first spelt");
    assert_eq!(second.created_at, first.created_at);
    assert_eq!(second.version, first.version.next());
    assert_eq!((second.operation, second.started_at), (id(2), world.now()));
}

async fn a_run_begins_only_on_what_was_seen(make: Make<'_>) {
    let world = World::new(make).await;
    let stale = Err(ReserveError::Stale);
    assert_eq!(world.reserve(world.deploying(1, "app", Some(Version(1)))).await, stale);
    world.reserve(world.deploying(2, "app", None)).await.unwrap();
    let kept = world.find_deployment("app").await.unwrap();
    assert_eq!(world.reserve(world.deploying(3, "APP", None)).await, stale);
    let next = Some(kept.version.next());
    assert_eq!(world.reserve(world.deploying(4, "app", next)).await, stale);
    assert_eq!(world.find_deployment("app").await, Some(kept));
    for bits in [1, 3, 4] {
        assert_eq!(world.operation(bits).await, None, "{bits}");
    }
}

async fn a_refused_run_keeps_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let mut nowhere = world.deploying(1, "app", Some(Version(1)));
    nowhere.group = Some(GroupHold::Open(group_name("none")));
    assert_eq!(world.reserve(nowhere).await, Err(ReserveError::NoGroup), "looked at first");
    world.reserve(world.untracked(2, &["key"])).await.unwrap();
    let mut held = world.deploying(3, "app", None);
    held.resource_keys = vec!["key".to_owned()];
    assert_eq!(world.reserve(held.clone()).await, Err(ReserveError::Busy(id(2))));
    assert_eq!(world.find_deployment("app").await, None);
    held.deployment.as_mut().unwrap().seen = Some(Version(1));
    assert_eq!(world.reserve(held).await, Err(ReserveError::Stale), "looked at before");
    world.reserve(world.deploying(4, "app", None)).await.unwrap();
    let again = world.deploying(4, "app", None);
    assert_eq!(world.reserve(again).await, Err(ReserveError::Repeated(id(4))));
}

async fn one_of_eight_at_once_begins(make: Make<'_>) {
    let world = World::new(make).await;
    // More than once: a store that has just been opened may do one after the other.
    for round in 1..=10 {
        let (name, first) = (format!("app-{round}"), round * 10);
        let tries: Vec<_> = (first..first + 8)
            .map(|bits| {
                let (store, run) = (world.store.clone(), world.deploying(bits, &name, None));
                tokio::spawn(async move { (bits, store.operation_reserve(run).await) })
            })
            .collect();
        let mut winners = Vec::new();
        for outcome in tries {
            match outcome.await.unwrap() {
                (bits, Ok(())) => winners.push(bits),
                (_, refused) => assert_eq!(refused, Err(ReserveError::Stale)),
            }
        }
        assert_eq!(winners.len(), 1, "{winners:?}");
        assert_eq!(world.find_deployment(&name).await.unwrap().operation, id(winners[0]));
        for bits in first..first + 8 {
            assert_eq!(world.operation(bits).await.is_some(), winners[0] == bits, "{bits}");
        }
    }
}

async fn deployments_are_listed_by_name(make: Make<'_>) {
    let world = World::new(make).await;
    for group in ["pro", "prod-2"] {
        world.store.group_put(&world.group(group), Expect::Absent).await.unwrap();
    }
    let names = [("prod", "b"), ("prod", "A"), ("prod", "C-1"), ("pro", "b2"), ("prod-2", "a0")];
    for (bits, (group, name)) in (1..).zip(names) {
        let mut run = world.deploying(bits, name, None);
        run.deployment.as_mut().unwrap().record.name = deployment_name(group, name);
        run.group = Some(GroupHold::Open(group_name(group)));
        world.reserve(run).await.unwrap();
    }
    let list = async |group: &str, after: Option<&str>, limit| {
        let found = world.store.deployment_list(&group_name(group), after, limit).await.unwrap();
        found.into_iter().map(|it| it.name.name).collect::<Vec<_>>()
    };
    assert_eq!(list("PROD", None, 10).await, ["A", "b", "C-1"]);
    assert_eq!(list("prod", None, 2).await, ["A", "b"]);
    assert_eq!(list("prod", Some("b"), 2).await, ["C-1"]);
    assert_eq!(list("prod", Some("aa"), 1).await, ["b"], "after what is not there");
    assert_eq!(list("prod", Some("c-1"), 1).await, [""; 0]);
    assert_eq!(list("pro", None, 10).await, ["b2"]);
    assert_eq!(list("none", None, 10).await, [""; 0]);
    let whole = world.store.deployment_list(&group_name("prod-2"), None, 1).await.unwrap();
    let found = world.store.deployment_find(&deployment_name("prod-2", "a0")).await.unwrap();
    assert_eq!(whole.first(), found.as_ref());
}

async fn what_came_of_a_run_is_kept_with_its_end(make: Make<'_>) {
    let world = World::new(make).await;
    let (kept, mut record) = begun(&world, 1, "App").await;
    world.clock.advance(Duration::from_secs(1));
    end(&mut record, world.now());
    let mut over = DeploymentRecord {
        ended_at: Some(world.now()),
        ending: Some(success()),
        rows: vec![world.row(1)],
        outputs: Some(serde_json::json!({"n": {"type": "int", "value": number("1.50")}})),
        ..kept.clone()
    };
    let told = DeploymentRecord {
        name: deployment_name("PROD", "aPp"),
        operation: id(9),
        created_at: world.now(),
        version: Version(1),
        ..over.clone()
    };
    world.commit(stepping(record, told)).await.unwrap();
    over.version = kept.version.next();
    assert_eq!(world.find_deployment("app").await, Some(over), "what stays has stayed");
    assert!(world.operation(1).await.unwrap().ended_at.is_some());

    // A step that says nothing of it leaves it.
    let (kept, mut record) = begun(&world, 2, "app").await;
    end(&mut record, world.now());
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    assert_eq!(world.find_deployment("app").await, Some(kept));
}

async fn a_run_without_its_lease_keeps_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let (kept, mut record) = begun(&world, 1, "app").await;
    record.version = record.version.next();
    let told = DeploymentRecord { ending: Some(success()), ..kept.clone() };
    assert_eq!(world.commit(stepping(record, told)).await, Err(CommitError::LeaseLost));
    assert_eq!(world.find_deployment("app").await, Some(kept));
}

async fn a_run_whose_place_was_taken_leaves_the_deployment_alone(make: Make<'_>) {
    let world = World::new(make).await;
    let (first, record) = begun(&world, 1, "app").await;
    let (second, _) = begun(&world, 2, "app").await;
    let told = DeploymentRecord { ending: Some(success()), ..first };
    let mut commit = stepping(record, told);
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    assert!(world.operation(1).await.unwrap().ended_at.is_some(), "the step itself is done");
    assert_eq!(world.find_deployment("app").await, Some(second));

    // Nor is one made that is not there.
    let record = world.record(3, None);
    world.reserve(Reservation { record, ..world.untracked(3, &[]) }).await.unwrap();
    let record = world.claim_one().await.record;
    world.commit(stepping(record, world.deployment(3, "new"))).await.unwrap();
    assert_eq!(world.find_deployment("new").await, None);
}

async fn a_run_takes_its_own_deployment_away_and_no_other(make: Make<'_>) {
    let world = World::new(make).await;
    let forgetting = |mut record: OperationRecord, name: &str| {
        end(&mut record, world.now());
        let deployment = DeploymentChange::Remove(deployment_name("prod", name));
        Commit { deployment, ..step(record, ReferenceChange::Keep) }
    };
    let (_, record) = begun(&world, 1, "app").await;
    let (second, later) = begun(&world, 2, "app").await;
    let (other, _) = begun(&world, 3, "web").await;
    world.commit(forgetting(record, "app")).await.unwrap();
    assert_eq!(world.find_deployment("app").await, Some(second), "a later run has its place");
    world.commit(forgetting(later, "aPP")).await.unwrap();
    assert_eq!(world.find_deployment("app").await, None);
    assert_eq!(world.find_deployment("web").await, Some(other));
}

async fn deployments_go_with_their_group(make: Make<'_>) {
    let world = World::new(make).await;
    world.store.group_put(&world.group("prod-2"), Expect::Absent).await.unwrap();
    let (kept, mut record) = begun(&world, 1, "app").await;
    let mut other = world.deploying(2, "app", None);
    other.deployment.as_mut().unwrap().record.name = deployment_name("prod-2", "app");
    other.group = Some(GroupHold::Open(group_name("prod-2")));
    world.reserve(other).await.unwrap();
    world.claim_one().await;

    // One that its operation did not close stays, and so do its deployments.
    let stranger = Commit {
        group: GroupChange::Remove,
        lease: crate::Lease::Keep,
        ..step(record.clone(), ReferenceChange::Keep)
    };
    record.version = world.commit(stranger).await.unwrap().version;
    assert_eq!(world.find_deployment("app").await, Some(kept.clone()));

    remove_group(&world, 3, "prod").await;
    assert_eq!(world.find_deployment("app").await, None);
    let list = world.store.deployment_list(&group_name("prod"), None, 10).await.unwrap();
    assert_eq!(list, []);
    let name = deployment_name("prod-2", "app");
    assert!(world.store.deployment_find(&name).await.unwrap().is_some());

    // What still runs brings nothing back.
    end(&mut record, world.now());
    world.commit(stepping(record, kept)).await.unwrap();
    assert_eq!(world.find_deployment("app").await, None);
    let plane = plane_name(hangar_plan::record::PlaneKind::Radius, "local");
    assert!(world.store.plane_find(&plane).await.unwrap().is_some());
}

async fn a_deployment_that_was_made_again_has_a_version_of_its_own(make: Make<'_>) {
    let world = World::new(make).await;
    // Ids as they are in life: random.
    let (first, second, third) = (0x0191_abcd_1234_5678, 0x0192_4321_dcba_8765, 0x0193_1111_2222);
    let (seen, mut record) = begun(&world, first, "app").await;
    end(&mut record, world.now());
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    remove_group(&world, 1, "prod").await;
    world.store.group_put(&world.group("prod"), Expect::Absent).await.unwrap();
    let (again, _) = begun(&world, second, "app").await;
    assert_ne!(again.version, seen.version);
    let late = world.deploying(third, "app", Some(seen.version));
    assert_eq!(world.reserve(late).await, Err(ReserveError::Stale));
    assert_eq!(world.find_deployment("app").await, Some(again));
}

async fn a_run_goes_when_it_is_old_and_its_deployment_stays(make: Make<'_>) {
    let world = World::new(make).await;
    let (kept, mut record) = begun(&world, 1, "app").await;
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.store.operation_prune(world.now()).await, Ok(0), "it runs");
    let before = world.now();
    end(&mut record, before);
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.store.operation_prune(world.now()).await, Ok(1));
    assert_eq!(world.operation(1).await, None);
    assert_eq!(world.find_deployment("app").await, Some(kept));
}
