//! Recipes and their Terraform state where several write: of those who meet one wins, and what is lost on the way
//! is told.

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_plan::record::{OperationRecord, StateHead};
use hangar_store::postgres::{Options, Postgres};
use hangar_store::{
    Commit, DeploymentChange, GroupChange, Lease, Reader as _, RecipeChange, RecipeWrite,
    ReferenceChange, Reservation, StateError, StateWrite, Store as _, StoreError, WorkerId,
};

use super::proxy::{Cut, Proxy};
use super::{connect, database, stranger};
use crate::sample;

const ROUNDS: u128 = 30;
const RUN: OperationId = OperationId::from_u128(1);
const CUTS: [Cut; 3] = [Cut::BeforeCommit, Cut::AfterCommit, Cut::WithCommit];

/// Two replicas with a recipe whose state nobody holds.
async fn pair(test: &str) -> Option<[Arc<Postgres>; 2]> {
    let (_, url) = database(test)?;
    let stores = [Arc::new(connect(&url).await), Arc::new(connect(&url).await)];
    sample::fill_recipe(&*stores[0], RUN, b"sealed").await;
    stores[0].state_unlock(&sample::recipe_name(), None).await.unwrap();
    Some(stores)
}

/// A store behind a way that can be cut, and one that is not, with such a recipe.
async fn behind(test: &str) -> Option<(Proxy, Postgres, Postgres)> {
    let (cluster, url) = database(test)?;
    let proxy = Proxy::start(cluster.port()).await;
    let direct = connect(&url).await;
    sample::fill_recipe(&direct, RUN, b"sealed").await;
    direct.state_unlock(&sample::recipe_name(), None).await.unwrap();
    let through = url.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port));
    let store = Postgres::connect(&through, Options::default()).await.unwrap();
    Some((proxy, store, direct))
}

async fn claim(store: &Postgres) -> OperationRecord {
    let worker = WorkerId("worker".to_owned());
    let claims = store.operation_claim(worker, Duration::from_mins(1), 1).await.unwrap();
    claims.into_iter().next().unwrap().record
}

fn step(record: OperationRecord, recipe: RecipeChange) -> Commit {
    Commit {
        record,
        reference: ReferenceChange::Keep,
        deployment: DeploymentChange::Keep,
        recipe,
        group: GroupChange::Keep,
        lease: Lease::Keep,
        message: None,
    }
}

fn is_unavailable<T>(answer: &Result<T, StateError>) -> bool {
    matches!(answer, Err(StateError::Store(StoreError::Unavailable(why)))
        if why.contains("the commit may have succeeded"))
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_lock_at_once_one_does() {
    let Some([one, two]) = pair("recipe::of_two_who_lock").await else { return };
    let (now, name) = (one.now().await.unwrap(), sample::recipe_name());
    for round in 0..ROUNDS {
        let wanted = ["a", "b"].map(|who| sample::state_lock(now, &format!("{who}-{round}")));
        let (first, second) =
            tokio::join!(one.state_lock(&name, &wanted[0]), two.state_lock(&name, &wanted[1]));
        let held = one.state_head(&name).await.unwrap().lock.unwrap();
        let refused = StateError::Locked(Box::new(held.clone()));
        for (wanted, answer) in wanted.iter().zip([first, second]) {
            let expected = if *wanted == held { Ok(()) } else { Err(refused.clone()) };
            assert_eq!(answer, expected, "round {round}");
        }
        assert_eq!(two.state_unlock(&name, Some(&held.id)).await, Ok(Some(held)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_lost_the_lock_writes_nothing_after_the_one_who_has_it() {
    let Some([one, two]) = pair("recipe::who_lost_the_lock").await else { return };
    let (now, name) = (one.now().await.unwrap(), sample::recipe_name());
    let by = move |lock_id: &str| StateWrite {
        lock_id: Some(lock_id.to_owned()),
        ..sample::state(now, lock_id.as_bytes())
    };
    for round in 0..ROUNDS {
        let [loser, winner] = ["a", "b"].map(|who| format!("{who}-{round}"));
        one.state_lock(&name, &sample::state_lock(now, &loser)).await.unwrap();
        let first = one.state_write(by(&loser)).await.unwrap().number;
        let going_on = async {
            let store = Arc::clone(&one);
            let written = tokio::spawn(async move {
                let mut last = first;
                loop {
                    match store.state_write(by(&loser)).await {
                        Ok(kept) => last = kept.number,
                        Err(StateError::LockLost | StateError::Locked(_)) => return last,
                        Err(other) => panic!("{other}"),
                    }
                }
            });
            written.await.unwrap()
        };
        let taking = async {
            two.state_unlock(&name, None).await.unwrap();
            two.state_lock(&name, &sample::state_lock(now, &winner)).await.unwrap();
            two.state_write(by(&winner)).await.unwrap().number
        };
        let (last_of_loser, of_winner) = tokio::join!(going_on, taking);
        assert_eq!(of_winner, last_of_loser + 1, "round {round}");
        let head = one.state_head(&name).await.unwrap();
        assert_eq!(head.current.unwrap().number, of_winner);
        let found = one.state_find(&name, of_winner).await.unwrap().unwrap();
        assert_eq!(found.sealed, winner.as_bytes());
        two.state_unlock(&name, Some(&winner)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recipe_that_goes_leaves_nothing_that_was_written_meanwhile() {
    let Some([one, two]) = pair("recipe::a_recipe_that_goes").await else { return };
    let (now, name) = (one.now().await.unwrap(), sample::recipe_name());
    for round in 0..ROUNDS {
        let record = claim(&one).await;
        let going = tokio::spawn({
            let (store, name) = (Arc::clone(&one), name.clone());
            async move { store.operation_commit(step(record, RecipeChange::Remove(name))).await }
        });
        let writing: Vec<_> = (0..4)
            .map(|_| {
                let store = Arc::clone(&two);
                tokio::spawn(async move { store.state_write(sample::state(now, b"late")).await })
            })
            .collect();
        for answer in writing {
            match answer.await.unwrap() {
                Ok(_) | Err(StateError::NoRecipe) => {}
                Err(other) => panic!("round {round}: {other}"),
            }
        }
        going.await.unwrap().unwrap();
        assert_eq!(one.state_list(&name).await.unwrap(), []);
        assert_eq!(one.state_head(&name).await.unwrap(), StateHead::default());
        let late = one.state_write(sample::state(now, b"late")).await;
        assert_eq!(late, Err(StateError::NoRecipe));
        let next = OperationId::from_u128(2 + round);
        one.operation_reserve(sample::running(next, now, b"sealed")).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_whose_answer_was_lost_is_held_and_a_state_may_be_kept_twice() {
    let Some((proxy, store, direct)) = behind("recipe::a_lock_whose_answer").await else { return };
    let (now, name) = (store.now().await.unwrap(), sample::recipe_name());
    for cut in CUTS {
        let wanted = sample::state_lock(now, &format!("{cut:?}"));
        proxy.cut_next(cut);
        assert_eq!(store.state_lock(&name, &wanted).await, Ok(()), "{cut:?}");
        assert_eq!(direct.state_head(&name).await.unwrap().lock.as_ref(), Some(&wanted));
        direct.state_unlock(&name, Some(&wanted.id)).await.unwrap();
    }
    // One version is there already.
    proxy.cut_next(Cut::AfterCommit);
    let lost = store.state_write(sample::state(now, b"once")).await;
    assert!(is_unavailable(&lost), "{lost:?}");
    assert_eq!(direct.state_list(&name).await.unwrap().len(), 2);
    assert_eq!(store.state_write(sample::state(now, b"once")).await.unwrap().number, 3);

    store.state_lock(&name, &sample::state_lock(now, "a")).await.unwrap();
    proxy.cut_next(Cut::AfterCommit);
    let lost = store.state_unlock(&name, Some("a")).await;
    assert!(is_unavailable(&lost), "{lost:?}");
    assert_eq!(direct.state_head(&name).await.unwrap().lock, None);
    assert_eq!(store.state_unlock(&name, Some("a")).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recipe_moves_once_with_its_step_wherever_the_way_is_cut() {
    let Some((proxy, store, direct)) = behind("recipe::a_recipe_moves_once").await else { return };
    let name = sample::recipe_name();
    let mut record = claim(&store).await;
    for cut in CUTS {
        let before = direct.recipe_find(&name).await.unwrap().unwrap();
        let mut recipe = before.clone();
        recipe.sealed = format!("{cut:?}").into_bytes();
        proxy.cut_next(cut);
        let saving = step(record.clone(), RecipeChange::Save(Box::new(recipe.clone())));
        record.version = store.operation_commit(saving).await.unwrap().version;
        recipe.version = before.version.next();
        assert_eq!(direct.recipe_find(&name).await.unwrap(), Some(recipe), "{cut:?}");
    }
    proxy.cut_next(Cut::AfterCommit);
    store.operation_commit(step(record, RecipeChange::Remove(name.clone()))).await.unwrap();
    assert_eq!(direct.recipe_find(&name).await.unwrap(), None);
    assert_eq!(proxy.cuts(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_goes_takes_no_recipe_with_it_that_came_in_meanwhile() {
    use hangar_plan::group::{GroupTask, GroupWork};
    use hangar_plan::record::{Group, GroupName, RecipeName, Work};
    use hangar_store::{CommitError, Expect, GroupHold, ReserveError};
    let Some([one, two]) = pair("recipe::a_group_that_goes").await else { return };
    claim(&one).await;
    let now = one.now().await.unwrap();
    for round in 0..ROUNDS {
        let group = GroupName { plane: "local".to_owned(), group: format!("group-{round}") };
        let put = Group { name: group.clone(), ..sample::group(now) };
        one.group_put(&put, Expect::Absent).await.unwrap();
        let [closer, run] = [1, 2].map(|bits| OperationId::from_u128((round + 1) * 100 + bits));
        let close = async {
            let (store, group) = (Arc::clone(&one), group.clone());
            let closing = tokio::spawn(async move {
                let work = GroupWork::new(closer, group.clone(), GroupTask::Delete, now);
                let closing = Reservation {
                    record: OperationRecord::new(Work::Group(Box::new(work)), now),
                    group: Some(GroupHold::Close(group, None)),
                    ..sample::untracked(closer, now)
                };
                store.operation_reserve(closing).await.unwrap();
                let worker = WorkerId("worker".to_owned());
                let lease_for = Duration::from_hours(1);
                let claims = store.operation_claim(worker, lease_for, 100).await.unwrap();
                let mut records = claims.into_iter().map(|claim| claim.record);
                let record = records.find(|record| record.id() == closer).unwrap();
                let removing =
                    Commit { group: GroupChange::Remove, ..step(record, RecipeChange::Keep) };
                store.operation_commit(removing).await
            });
            closing.await.unwrap()
        };
        let name = RecipeName { group: group.clone(), name: "net".to_owned() };
        let come = async {
            let mut running = sample::running(run, now, b"sealed");
            running.group = Some(GroupHold::Open(group.clone()));
            let RecipeWrite { mut record, seen } = running.recipe.take().unwrap();
            record.name = name.clone();
            running.recipe = Some(RecipeWrite { record, seen });
            two.operation_reserve(running).await
        };
        let (closed, came) = match round {
            0 => {
                let closed = close.await;
                (closed, come.await)
            }
            1 => {
                let came = come.await;
                (close.await, came)
            }
            _ => tokio::join!(close, come),
        };
        let is_there = one.recipe_find(&name).await.unwrap().is_some();
        assert_eq!(is_there, came.is_ok(), "round {round}");
        match (closed, came) {
            (Ok(_), Err(ReserveError::GroupDeleting(_) | ReserveError::NoGroup)) => {
                assert_ne!(round, 1);
                assert!(one.group_find(&group).await.unwrap().is_none());
            }
            (Err(CommitError::NotEmpty(held)), Ok(())) => {
                assert_ne!(round, 0);
                assert_eq!(held, name.id());
            }
            other => panic!("round {round}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn rows_that_cannot_be_read_are_named_by_table_and_key() {
    let Some((_, url)) = database("recipe::rows_that_cannot_be_read") else { return };
    let store = connect(&url).await;
    sample::fill_recipe(&store, RUN, b"sealed").await;
    let damages = [
        "UPDATE recipe SET body = '[\"hunter2\"]'",
        "UPDATE terraform_state SET body = '[\"hunter2\"]'",
        "UPDATE terraform_lock SET body = '[\"hunter2\"]'",
    ];
    for sql in damages {
        stranger(&url).await.batch_execute(sql).await.unwrap();
    }
    let name = sample::recipe_name();
    let named = |error: StoreError, parts: &[&str]| {
        let StoreError::Damaged(why) = &error else { panic!("{error}") };
        assert!(!why.contains("hunter2"), "{why}");
        assert!(parts.iter().all(|part| why.contains(part)), "{parts:?}: {why}");
    };
    named(store.recipe_find(&name).await.unwrap_err(), &["recipe", "local/prod/net", "body"]);
    let listed = store.recipe_list(&sample::group_name(), None, 10).await;
    named(listed.unwrap_err(), &["recipe", "local/prod/net", "body"]);
    let key = "local/prod/net/1";
    named(store.state_find(&name, 1).await.unwrap_err(), &["terraform_state", key, "body"]);
    named(store.state_list(&name).await.unwrap_err(), &["terraform_state", key, "body"]);
    named(store.state_head(&name).await.unwrap_err(), &["local/prod/net", "lock"]);
    let StateError::Store(error) = store.state_unlock(&name, None).await.unwrap_err() else {
        panic!("it is damaged")
    };
    named(error, &["local/prod/net", "lock"]);
}
