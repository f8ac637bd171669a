//! Claims about recipes: what is kept of a run, and what goes with a recipe.

use std::time::Duration;

use hangar_plan::recipe::{RecipeTask, Run, Stage};
use hangar_plan::record::{
    CloudControlLink, OperationRecord, OutputResource, PlaneKind, RecipeRecord, RecipeStatus,
    StateHead, Version, Work,
};
use serde_json::json;

use super::Make;
use super::fixture::{
    World, end, group_name, id, number, plane_name, recipe_name, recipe_step, step, success,
};
use super::state::{lock, stray, version};
use crate::{
    Commit, CommitError, Expect, GroupChange, GroupHold, Lease, OperationFilter, PlaneError,
    RecipeChange, ReferenceChange, Reservation, ReserveError, StateError, StateWrite,
};

pub(super) async fn claims(make: Make<'_>) {
    a_recipe_is_kept_with_its_first_run(make).await;
    a_run_of_a_recipe_is_an_operation_like_any_other(make).await;
    a_later_run_takes_the_place_of_the_last(make).await;
    a_run_begins_only_on_what_was_seen(make).await;
    a_refused_run_keeps_nothing(make).await;
    one_of_eight_at_once_begins(make).await;
    recipes_are_listed_by_name(make).await;
    what_came_of_a_run_is_kept_with_its_end(make).await;
    a_run_without_its_lease_keeps_nothing(make).await;
    a_run_whose_place_was_taken_leaves_the_recipe_alone(make).await;
    a_recipe_goes_with_all_of_its_state(make).await;
    a_recipe_that_was_made_again_has_a_version_of_its_own(make).await;
    a_group_with_a_recipe_stays(make).await;
    a_step_that_removes_the_last_recipe_may_remove_the_group(make).await;
    a_run_goes_when_it_is_old_and_its_recipe_stays(make).await;
}

fn saving(record: OperationRecord, recipe: RecipeRecord) -> Commit {
    recipe_step(record, RecipeChange::Save(Box::new(recipe)))
}

fn removing(record: OperationRecord, name: &str) -> Commit {
    recipe_step(record, RecipeChange::Remove(recipe_name("prod", name)))
}

/// What a run may leave, of every kind.
fn status() -> RecipeStatus {
    let cloud_control = CloudControlLink {
        type_name: "AWS.EC2/VPC".to_owned(),
        identifier: "vpc-1".to_owned(),
        confidence: "certain".to_owned(),
        id: None,
    };
    RecipeStatus {
        has_state: true,
        resources: vec![OutputResource {
            id: "/planes/aws/aws/…/vpc-1".to_owned(),
            address: Some("module.recipe.aws_vpc.net[\"a\"]".to_owned()),
            terraform_type: Some("aws_vpc".to_owned()),
            provider: None,
            cloud_control: Some(cloud_control),
        }],
        values: Some(json!({"port": number("1.50"), "zero": "\u{0}"})),
        secrets: vec!["password".to_owned()],
        warnings: vec!["odd".to_owned()],
        tool: Some("terraform 1.11.4".to_owned()),
    }
}

/// Keeps a state of a recipe in `prod`, and takes its lock.
async fn with_state(world: &World, recipe: &str) {
    let name = recipe_name("prod", recipe);
    world.store.state_write(version(world, recipe, b"state")).await.unwrap();
    world.store.state_lock(&name, &lock(world, "held")).await.unwrap();
    world.store.state_write(stray(version(world, recipe, b"stray"))).await.unwrap();
}

async fn a_recipe_is_kept_with_its_first_run(make: Make<'_>) {
    let world = World::new(make).await;
    assert_eq!(world.find_recipe("net").await, None);
    let mut reservation = world.running(1, "Net", None);
    let given = &mut reservation.recipe.as_mut().unwrap().record;
    given.status = status();
    given.source_version = Some("~> 5.0".to_owned());
    given.sealed = (0..=255).collect();
    let given = given.clone();
    world.reserve(reservation).await.unwrap();
    let kept = world.find_recipe("nET").await.unwrap();
    assert_eq!(kept.sealed, given.sealed);
    assert_eq!(kept, RecipeRecord { version: kept.version, ..given });
    assert_ne!(kept.version, Version(40), "it is the store's");
    assert_eq!(kept.name.name, "Net");
    assert_eq!(world.find_recipe("ne").await, None);
    // A deployment of that name is another thing.
    assert_eq!(world.find_deployment("net").await, None);
}

async fn a_run_of_a_recipe_is_an_operation_like_any_other(make: Make<'_>) {
    let world = World::new(make).await;
    let reservation = world.running(1, "net", None);
    let given = OperationRecord { version: Version(1), ..reservation.record.clone() };
    world.reserve(reservation).await.unwrap();
    assert_eq!(world.operation(1).await, Some(given.clone()));
    let of_group = OperationFilter { group: Some(group_name("prod")), ..Default::default() };
    assert_eq!(world.store.operation_list(&of_group, None, 10).await.unwrap(), [given]);

    let mut run = world.claim_one().await.record;
    let Work::Recipe(work) = &mut run.work else { panic!("it is a run of a recipe: {run:?}") };
    work.stage = Stage::Applying;
    work.runs = 1;
    work.run = Some(Run {
        number: 1,
        host: "here".to_owned(),
        begun_at: world.now(),
        heard_at: world.now(),
    });
    let moved = work.clone();
    let keeping = Commit { lease: Lease::Keep, ..step(run.clone(), ReferenceChange::Keep) };
    run.version = world.commit(keeping).await.unwrap().version;
    assert_eq!(world.operation(1).await.unwrap().work, Work::Recipe(moved));
    world.store.operation_cancel(id(1)).await.unwrap();
    assert!(world.operation(1).await.unwrap().is_stop_wanted());
    end(&mut run, world.now());
    world.commit(step(run, ReferenceChange::Keep)).await.unwrap();
    let over = world.operation(1).await.unwrap();
    assert_eq!((over.ending(), over.kind()), (Some(&success()), "deploy-recipe"));
}

async fn a_later_run_takes_the_place_of_the_last(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.running(1, "Net", None)).await.unwrap();
    with_state(&world, "net").await;
    let head = world.store.state_head(&recipe_name("prod", "net")).await.unwrap();
    let first = world.find_recipe("net").await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    let mut later = world.running(2, "NET", Some(first.version));
    later.recipe.as_mut().unwrap().record.task = RecipeTask::Delete;
    world.reserve(later).await.unwrap();
    let second = world.find_recipe("net").await.unwrap();
    assert_eq!(second.name, first.name, "as first spelt");
    assert_eq!(second.created_at, first.created_at);
    assert_eq!(second.version, first.version.next());
    assert_eq!((second.operation, second.started_at), (id(2), world.now()));
    assert_eq!((second.task, second.sealed), (RecipeTask::Delete, b"sealed: NET 2".to_vec()));
    let after = world.store.state_head(&recipe_name("prod", "net")).await.unwrap();
    assert_eq!(after, head, "its state is the same");
}

async fn a_run_begins_only_on_what_was_seen(make: Make<'_>) {
    let world = World::new(make).await;
    let stale = Err(ReserveError::Stale);
    assert_eq!(world.reserve(world.running(1, "net", Some(Version(1)))).await, stale);
    world.reserve(world.running(2, "net", None)).await.unwrap();
    let kept = world.find_recipe("net").await.unwrap();
    assert_eq!(world.reserve(world.running(3, "NET", None)).await, stale);
    let next = Some(kept.version.next());
    assert_eq!(world.reserve(world.running(4, "net", next)).await, stale);
    assert_eq!(world.find_recipe("net").await, Some(kept));
    for bits in [1, 3, 4] {
        assert_eq!(world.operation(bits).await, None, "{bits}");
    }
}

async fn a_refused_run_keeps_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let mut nowhere = world.running(1, "net", Some(Version(1)));
    nowhere.group = Some(GroupHold::Open(group_name("none")));
    assert_eq!(world.reserve(nowhere).await, Err(ReserveError::NoGroup), "looked at first");
    world.reserve(world.untracked(2, &["key"])).await.unwrap();
    let mut held = world.running(3, "net", None);
    held.resource_keys = vec!["key".to_owned()];
    assert_eq!(world.reserve(held.clone()).await, Err(ReserveError::Busy(id(2))));
    assert_eq!(world.find_recipe("net").await, None);
    held.recipe.as_mut().unwrap().seen = Some(Version(1));
    assert_eq!(world.reserve(held).await, Err(ReserveError::Stale), "looked at before");
    world.reserve(world.running(4, "net", None)).await.unwrap();
    let again = world.running(4, "net", None);
    assert_eq!(world.reserve(again).await, Err(ReserveError::Repeated(id(4))));
}

async fn one_of_eight_at_once_begins(make: Make<'_>) {
    let world = World::new(make).await;
    // More than once: a store that has just been opened may do one after the other.
    for round in 1..=10 {
        let (name, first) = (format!("net-{round}"), round * 10);
        let tries: Vec<_> = (first..first + 8)
            .map(|bits| {
                let (store, run) = (world.store.clone(), world.running(bits, &name, None));
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
        assert_eq!(world.find_recipe(&name).await.unwrap().operation, id(winners[0]));
    }
}

async fn recipes_are_listed_by_name(make: Make<'_>) {
    let world = World::new(make).await;
    for group in ["pro", "prod-2"] {
        world.store.group_put(&world.group(group), Expect::Absent).await.unwrap();
    }
    let names = [("prod", "b"), ("prod", "A"), ("prod", "C-1"), ("pro", "b2"), ("prod-2", "a0")];
    for (bits, (group, name)) in (1..).zip(names) {
        let mut run = world.running(bits, name, None);
        run.recipe.as_mut().unwrap().record.name = recipe_name(group, name);
        run.group = Some(GroupHold::Open(group_name(group)));
        world.reserve(run).await.unwrap();
    }
    let list = async |group: &str, after: Option<&str>, limit| {
        let found = world.store.recipe_list(&group_name(group), after, limit).await.unwrap();
        found.into_iter().map(|it| it.name.name).collect::<Vec<_>>()
    };
    assert_eq!(list("PROD", None, 10).await, ["A", "b", "C-1"]);
    assert_eq!(list("prod", None, 2).await, ["A", "b"]);
    assert_eq!(list("prod", Some("b"), 2).await, ["C-1"]);
    assert_eq!(list("prod", Some("aa"), 1).await, ["b"], "after what is not there");
    assert_eq!(list("prod", Some("c-1"), 1).await, [""; 0]);
    assert_eq!(list("pro", None, 10).await, ["b2"]);
    assert_eq!(list("none", None, 10).await, [""; 0]);
    let listed = world.store.recipe_list(&group_name("prod-2"), None, 1).await.unwrap();
    let found = world.store.recipe_find(&recipe_name("prod-2", "a0")).await.unwrap().unwrap();
    assert_eq!(found.sealed, b"sealed: a0 5");
    assert_eq!(listed, [RecipeRecord { sealed: Vec::new(), ..found }]);
}

async fn what_came_of_a_run_is_kept_with_its_end(make: Make<'_>) {
    let world = World::new(make).await;
    let (kept, mut record) = world.run(1, "Net").await;
    world.clock.advance(Duration::from_secs(1));
    end(&mut record, world.now());
    let mut over = RecipeRecord {
        ended_at: Some(world.now()),
        ending: Some(success()),
        status: status(),
        parameters: json!({"other": 1}),
        sealed: b"sealed anew".to_vec(),
        ..kept.clone()
    };
    let told = RecipeRecord {
        name: recipe_name("PROD", "nEt"),
        operation: id(9),
        created_at: world.now(),
        version: Version(1),
        ..over.clone()
    };
    world.commit(saving(record, told)).await.unwrap();
    over.version = kept.version.next();
    assert_eq!(world.find_recipe("net").await, Some(over), "what stays has stayed");
    assert!(world.operation(1).await.unwrap().ended_at.is_some());

    // A step that says nothing of it leaves it.
    let (kept, mut record) = world.run(2, "net").await;
    end(&mut record, world.now());
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    assert_eq!(world.find_recipe("net").await, Some(kept));
}

async fn a_run_without_its_lease_keeps_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let (kept, mut record) = world.run(1, "net").await;
    record.version = record.version.next();
    let told = RecipeRecord { ending: Some(success()), ..kept.clone() };
    let lost = Err(CommitError::LeaseLost);
    assert_eq!(world.commit(saving(record.clone(), told)).await, lost);
    assert_eq!(world.commit(removing(record, "net")).await, lost);
    assert_eq!(world.find_recipe("net").await, Some(kept));
}

async fn a_run_whose_place_was_taken_leaves_the_recipe_alone(make: Make<'_>) {
    let world = World::new(make).await;
    let (first, record) = world.run(1, "net").await;
    let (second, _) = world.run(2, "net").await;
    with_state(&world, "net").await;
    let told = RecipeRecord { ending: Some(success()), ..first };
    let saved = Commit { lease: Lease::Keep, ..saving(record.clone(), told) };
    let version = world.commit(saved).await.unwrap().version;
    assert_eq!(world.find_recipe("net").await.as_ref(), Some(&second));
    let mut removed = removing(OperationRecord { version, ..record }, "net");
    end(&mut removed.record, world.now());
    world.commit(removed).await.unwrap();
    assert!(world.operation(1).await.unwrap().ended_at.is_some(), "the step itself is done");
    assert_eq!(world.find_recipe("net").await, Some(second));
    let name = recipe_name("prod", "net");
    assert_eq!(world.store.state_list(&name).await.unwrap().len(), 2);
    assert!(world.store.state_head(&name).await.unwrap().lock.is_some());

    // Nor is one made that is not there.
    let record = world.record(3, None);
    world.reserve(Reservation { record, ..world.untracked(3, &[]) }).await.unwrap();
    let record = world.claim_one().await.record;
    world.commit(saving(record, world.recipe(3, "new"))).await.unwrap();
    assert_eq!(world.find_recipe("new").await, None);
}

async fn a_recipe_goes_with_all_of_its_state(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.running(8, "net-2", None)).await.unwrap();
    world.claim_one().await;
    with_state(&world, "net-2").await;
    let (_, mut record) = world.run(1, "Net").await;
    with_state(&world, "net").await;
    end(&mut record, world.now());
    // Somebody holds its state: that goes too.
    world.commit(removing(record, "nET")).await.unwrap();
    let name = recipe_name("prod", "net");
    assert_eq!(world.find_recipe("net").await, None);
    assert_eq!(world.store.state_head(&name).await.unwrap(), StateHead::default());
    assert_eq!(world.store.state_list(&name).await.unwrap(), []);
    assert_eq!(world.store.state_find(&name, 1).await.unwrap(), None);
    let late = StateWrite { lock_id: Some("held".to_owned()), ..version(&world, "net", b"late") };
    assert_eq!(world.store.state_write(late.clone()).await, Err(StateError::NoRecipe));
    assert!(world.operation(1).await.unwrap().ended_at.is_some());

    // Made again it begins anew: what held the old one holds nothing.
    world.run(2, "net").await;
    assert_eq!(world.store.state_head(&name).await.unwrap(), StateHead::default());
    assert_eq!(world.store.state_write(late).await, Err(StateError::LockLost));
    let first = world.store.state_write(version(&world, "net", b"new")).await.unwrap();
    assert_eq!(first.number, 1);
    // Another is as it was.
    let other = recipe_name("prod", "net-2");
    assert_eq!(world.store.state_list(&other).await.unwrap().len(), 2);
    assert!(world.store.state_head(&other).await.unwrap().lock.is_some());
}

async fn a_recipe_that_was_made_again_has_a_version_of_its_own(make: Make<'_>) {
    let world = World::new(make).await;
    // As near to each other as ids of one instant are at their end.
    let (first, mut record) = world.run(0x0100, "net").await;
    end(&mut record, world.now());
    world.commit(removing(record, "net")).await.unwrap();
    world.reserve(world.running(0x0500, "net", None)).await.unwrap();
    let again = world.find_recipe("net").await.unwrap();
    assert_ne!(again.version, first.version);
    let stale = world.reserve(world.running(3, "net", Some(first.version))).await;
    assert_eq!(stale, Err(ReserveError::Stale));
}

async fn a_group_with_a_recipe_stays(make: Make<'_>) {
    let world = World::new(make).await;
    for group in ["pro", "prod-2"] {
        world.store.group_put(&world.group(group), Expect::Absent).await.unwrap();
    }
    let (_, mut record) = world.run(1, "Net").await;
    end(&mut record, world.now());
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    let held = CommitError::NotEmpty(recipe_name("prod", "Net").id());
    world.reserve(world.closing(2, "prod", None)).await.unwrap();
    let mut closer = world.claim_one().await.record;
    end(&mut closer, world.now());
    let remove = |record: &OperationRecord| Commit {
        group: GroupChange::Remove,
        ..step(record.clone(), ReferenceChange::Keep)
    };
    assert_eq!(world.commit(remove(&closer)).await, Err(held.clone()));
    assert!(world.find_group("prod").await.is_some());
    assert!(world.find_recipe("net").await.is_some());
    assert_eq!(world.operation(2).await.unwrap().ended_at, None, "nothing of the step is done");
    // One who did not make the recipe cannot take it away either.
    let mut both = remove(&closer);
    both.recipe = RecipeChange::Remove(recipe_name("prod", "net"));
    assert_eq!(world.commit(both).await, Err(held));
    // Neighbours hold nothing of it.
    for (bits, group) in [(3, "pro"), (4, "prod-2")] {
        world.reserve(world.closing(bits, group, None)).await.unwrap();
        let mut record = world.claim_one().await.record;
        end(&mut record, world.now());
        world.commit(remove(&record)).await.unwrap();
        assert_eq!(world.find_group(group).await, None);
    }
    // And so its plane stays.
    let plane = plane_name(PlaneKind::Radius, "local");
    let removed = world.store.plane_remove(&plane, Expect::Any).await;
    assert_eq!(removed, Err(PlaneError::NotEmpty(group_name("prod").id())));
    // What deletes the recipe is a part of the deletion of its group; then that goes.
    let seen = world.find_recipe("net").await.map(|it| it.version);
    let mut deleting = world.running(5, "net", seen);
    deleting.record.parent = Some(id(2));
    deleting.group = Some(GroupHold::Within(group_name("prod")));
    world.reserve(deleting).await.unwrap();
    let mut record = world.claim_one().await.record;
    end(&mut record, world.now());
    world.commit(removing(record, "net")).await.unwrap();
    world.commit(remove(&closer)).await.unwrap();
    assert_eq!(world.find_group("prod").await, None);
}

async fn a_step_that_removes_the_last_recipe_may_remove_the_group(make: Make<'_>) {
    let world = World::new(make).await;
    world.settled(6, "web", "vpc-1").await;
    world.run(7, "other").await;
    // An operation that both runs a recipe and closes its group.
    let mut run = world.running(1, "net", None);
    run.group = Some(GroupHold::Close(group_name("prod"), None));
    world.reserve(run).await.unwrap();
    let mut record = world.claim_one().await.record;
    let remove = |record: &OperationRecord, recipe: RecipeChange| Commit {
        group: GroupChange::Remove,
        ..recipe_step(record.clone(), recipe)
    };
    let name = |name: &str| recipe_name("prod", name);
    let going = || RecipeChange::Remove(name("net"));
    let refused = world.commit(remove(&record, going())).await;
    let web = world.find("web").await.unwrap();
    assert_eq!(refused, Err(CommitError::NotEmpty(web.name.id())), "looked at first");
    let gone = ReferenceChange::Remove { name: web.name.clone(), seen: web.version };
    let without = Commit { lease: Lease::Keep, ..step(record.clone(), gone) };
    record.version = world.commit(without).await.unwrap().version;
    let refused = world.commit(remove(&record, going())).await;
    assert_eq!(refused, Err(CommitError::NotEmpty(name("other").id())));
    assert!(world.find_recipe("net").await.is_some(), "nothing of it is done");

    // Of the other no run is left that counts.
    let seen = world.find_recipe("other").await.map(|it| it.version);
    let mut taken = world.running(8, "other", seen);
    taken.record.parent = Some(id(1));
    taken.group = Some(GroupHold::Within(group_name("prod")));
    world.reserve(taken).await.unwrap();
    let mut last = world.claim_one().await.record;
    end(&mut last, world.now());
    world.commit(removing(last, "other")).await.unwrap();

    let kept = RecipeChange::Save(Box::new(world.find_recipe("net").await.unwrap()));
    let refused = world.commit(remove(&record, kept)).await;
    assert_eq!(refused, Err(CommitError::NotEmpty(name("net").id())), "it would stay");
    end(&mut record, world.now());
    world.commit(remove(&record, going())).await.unwrap();
    assert_eq!(world.find_group("prod").await, None);
    assert_eq!(world.find_recipe("net").await, None);
}

async fn a_run_goes_when_it_is_old_and_its_recipe_stays(make: Make<'_>) {
    let world = World::new(make).await;
    let (kept, mut record) = world.run(1, "net").await;
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.store.operation_prune(world.now()).await, Ok(0), "it runs");
    let before = world.now();
    end(&mut record, before);
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.store.operation_prune(world.now()).await, Ok(1));
    assert_eq!(world.operation(1).await, None);
    assert_eq!(world.find_recipe("net").await, Some(kept));
}
