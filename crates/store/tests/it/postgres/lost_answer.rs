//! A commit whose answer is lost is answered with what became of it, and is never done twice.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_store::postgres::{Options, Postgres};
use hangar_store::{
    Claim, Commit, CommitError, DeploymentChange, Expect, GroupChange, Lease, Notice, Reader as _,
    RecipeChange, ReferenceChange, ReserveError, Store as _, StoreError, WorkerId,
};

use super::proxy::{Cut, Proxy};
use super::{connect, database, stranger};
use crate::sample;

const CUTS: [Cut; 3] = [Cut::BeforeCommit, Cut::AfterCommit, Cut::WithCommit];

/// A store behind a way that can be cut, and one that is not.
async fn pair(test: &str, patience: Duration) -> Option<(Proxy, Postgres, Postgres)> {
    let (proxy, store, direct, _) = pair_at(test, patience).await?;
    Some((proxy, store, direct))
}

/// The same, and the URL of their database.
async fn pair_at(test: &str, patience: Duration) -> Option<(Proxy, Postgres, Postgres, String)> {
    let (cluster, url) = database(test)?;
    let proxy = Proxy::start(cluster.port()).await;
    let direct = connect(&url).await;
    let through = url.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port));
    let options = Options { patience, ..Options::default() };
    let store = Postgres::connect(&through, options).await.unwrap();
    Some((proxy, store, direct, url))
}

async fn claim(store: &Postgres) -> Claim {
    let worker = WorkerId("worker".to_owned());
    store.operation_claim(worker, Duration::from_mins(1), 1).await.unwrap().remove(0)
}

fn step(claim: &Claim, message: &str) -> Commit {
    Commit {
        record: claim.record.clone(),
        reference: ReferenceChange::Keep,
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        group: GroupChange::Keep,
        lease: Lease::Keep,
        message: Some(message.to_owned()),
    }
}

async fn messages(store: &Postgres, id: OperationId) -> Vec<String> {
    let events = store.event_list(id, 0, 100).await.unwrap();
    events.into_iter().map(|event| event.message).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reservation_is_accepted_once_wherever_the_way_is_cut() {
    let Some((proxy, store, direct)) =
        pair("lost_answer::a_reservation", Duration::from_secs(10)).await
    else {
        return;
    };
    for (number, cut) in (1..).zip(CUTS) {
        let id = OperationId::from_u128(number);
        let now = store.now().await.unwrap();
        proxy.cut_next(cut);
        assert_eq!(store.operation_reserve(sample::untracked(id, now)).await, Ok(()), "{cut:?}");
        assert_eq!(messages(&direct, id).await, ["accepted"], "{cut:?}");
        // A caller that asks once more is told which it was.
        let again = store.operation_reserve(sample::untracked(id, now)).await;
        assert_eq!(again, Err(ReserveError::Repeated(id)), "{cut:?}");
    }
    assert_eq!(proxy.cuts(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_committed_once_wherever_the_way_is_cut() {
    let Some((proxy, store, direct)) =
        pair("lost_answer::a_step_is_committed", Duration::from_secs(10)).await
    else {
        return;
    };
    sample::fill(&direct, b"sealed".to_vec()).await;
    let mut claim = claim(&store).await;
    let mut expected = vec!["accepted".to_owned()];
    for cut in CUTS {
        let message = format!("{cut:?}");
        let mut commit = step(&claim, &message);
        // The reference moves with it.
        let reference = claim.reference.clone().unwrap();
        let seen = Some(reference.version);
        let write = hangar_store::ReferenceWrite { reference, seen };
        commit.reference = ReferenceChange::Save(Box::new(write));
        proxy.cut_next(cut);
        let committed = store.operation_commit(commit).await.unwrap();
        expected.push(message);
        assert_eq!(committed.version, claim.record.version.next(), "{cut:?}");
        claim.record.version = committed.version;
        let found = direct.reference_find(&sample::reference_name()).await.unwrap().unwrap();
        assert_eq!(committed.reference_version, Some(found.version), "{cut:?}");
        claim.reference = Some(found);
        assert_eq!(
            direct.operation_find(sample::ID).await.unwrap().unwrap().version,
            committed.version
        );
        assert_eq!(messages(&direct, sample::ID).await, expected, "{cut:?}");
    }
    assert_eq!(proxy.cuts(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_whose_truth_could_not_be_learned_is_not_refused_when_it_is_asked_for_again() {
    let Some((proxy, store, direct)) =
        pair("lost_answer::a_step_whose_truth", Duration::from_millis(200)).await
    else {
        return;
    };
    sample::fill(&direct, b"sealed".to_vec()).await;
    let claim = claim(&store).await;
    let commit = step(&claim, "lost");
    proxy.cut_next(Cut::AfterCommitAndStay);
    let lost = store.operation_commit(commit.clone()).await;
    assert!(matches!(&lost, Err(CommitError::Store(StoreError::Unavailable(_)))), "{lost:?}");
    // Still out of reach: still not known.
    let lost = store.operation_commit(commit.clone()).await;
    assert!(matches!(&lost, Err(CommitError::Store(StoreError::Unavailable(_)))), "{lost:?}");
    proxy.mend();
    // Another step of the same version is not that one.
    let other = store.operation_commit(step(&claim, "other")).await;
    assert_eq!(other, Err(CommitError::LeaseLost));
    let committed = store.operation_commit(commit.clone()).await.unwrap();
    assert_eq!(committed.version, claim.record.version.next());
    assert_eq!(messages(&direct, sample::ID).await, ["accepted", "lost"]);
    // Once it is known there is no doubt any more.
    assert_eq!(store.operation_commit(commit).await, Err(CommitError::LeaseLost));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_stays_in_doubt_when_the_store_fails_for_another_reason() {
    let Some((proxy, store, direct, url)) =
        pair_at("lost_answer::a_step_stays_in_doubt", Duration::from_millis(200)).await
    else {
        return;
    };
    sample::fill(&direct, b"sealed".to_vec()).await;
    let claim = claim(&store).await;
    let commit = step(&claim, "lost");
    proxy.cut_next(Cut::AfterCommitAndStay);
    let lost = store.operation_commit(commit.clone()).await;
    assert!(matches!(&lost, Err(CommitError::Store(_))), "{lost:?}");
    proxy.mend();
    // Its row is held, as by a commit that hangs, for longer than the next try waits.
    let holder = stranger(&url).await;
    holder.batch_execute("BEGIN; SELECT FROM operation FOR UPDATE").await.unwrap();
    let held = store.operation_commit(commit.clone()).await;
    let told = matches!(&held, Err(CommitError::Store(StoreError::Unavailable(why)))
        if why.contains("holds it for too long") && why.contains("the commit may have succeeded"));
    assert!(told, "{held:?}");
    holder.batch_execute("ROLLBACK").await.unwrap();
    let committed = store.operation_commit(commit).await.unwrap();
    assert_eq!(committed.version, claim.record.version.next());
    assert_eq!(messages(&direct, sample::ID).await, ["accepted", "lost"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reservation_that_finds_itself_done_waits_for_standbys_like_a_write() {
    let Some((proxy, store, _direct, url)) =
        pair_at("lost_answer::a_reservation_that_finds_itself", Duration::from_secs(10)).await
    else {
        return;
    };
    let now = store.now().await.unwrap();
    let client = stranger(&url).await;
    // Who locks a row is a transaction of its own in the log, which a standby gets after all before it.
    let locked = async |id: OperationId| {
        let sql = "SELECT xmax::text NOT IN ('0', xmin::text) FROM operation WHERE id = $1";
        client.query_one(sql, &[&id.to_string()]).await.unwrap().get::<_, bool>(0)
    };
    let [plain, found] = [1, 2].map(OperationId::from_u128);
    store.operation_reserve(sample::untracked(plain, now)).await.unwrap();
    assert!(!locked(plain).await);
    proxy.cut_next(Cut::AfterCommit);
    store.operation_reserve(sample::untracked(found, now)).await.unwrap();
    assert!(locked(found).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_in_doubt_that_let_go_is_known_though_another_has_its_operation() {
    let Some((proxy, store, direct)) =
        pair("lost_answer::a_step_in_doubt_that_let_go", Duration::from_millis(200)).await
    else {
        return;
    };
    sample::fill(&direct, b"sealed".to_vec()).await;
    let claim = claim(&store).await;
    let commit = Commit { lease: Lease::Release, ..step(&claim, "lost") };
    proxy.cut_next(Cut::AfterCommitAndStay);
    let lost = store.operation_commit(commit.clone()).await;
    assert!(matches!(&lost, Err(CommitError::Store(_))), "{lost:?}");
    let next = self::claim(&direct).await;
    assert_eq!(next.record.version, claim.record.version.next());
    proxy.mend();
    let mut told = store.notices();
    let committed = store.operation_commit(commit).await.unwrap();
    assert_eq!(committed.version, next.record.version);
    let told: Vec<Notice> = std::iter::from_fn(|| told.try_recv().ok()).collect();
    assert!(told.contains(&Notice::Moved(sample::ID)), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_in_doubt_whose_lease_went_to_another_is_lost() {
    let Some((proxy, store, direct)) =
        pair("lost_answer::a_step_in_doubt", Duration::from_millis(200)).await
    else {
        return;
    };
    sample::fill(&direct, b"sealed".to_vec()).await;
    let claim = claim(&store).await;
    proxy.cut_next(Cut::AfterCommitAndStay);
    let lost = store.operation_commit(step(&claim, "lost")).await;
    assert!(matches!(&lost, Err(CommitError::Store(_))), "{lost:?}");
    direct.lease_end_all().await.unwrap();
    let next = self::claim(&direct).await;
    assert_eq!(next.record.version, claim.record.version.next());
    proxy.mend();
    let again = store.operation_commit(step(&claim, "lost")).await;
    assert_eq!(again, Err(CommitError::LeaseLost));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_know_itself_again_is_told_as_lost() {
    let Some((proxy, store, direct)) =
        pair("lost_answer::what_does_not_know_itself", Duration::from_secs(10)).await
    else {
        return;
    };
    let now = store.now().await.unwrap();
    proxy.cut_next(Cut::AfterCommit);
    let put = store.group_put(&sample::group(now), Expect::Absent).await;
    let told = matches!(&put, Err(hangar_store::GroupError::Store(StoreError::Unavailable(why))) if why.contains("the commit may have succeeded"));
    assert!(told, "{put:?}");
    assert!(direct.group_find(&sample::group_name()).await.unwrap().is_some());
    // The way was cut before anything was to be committed: nobody notices.
    proxy.cut_next(Cut::BeforeCommit);
    store.note_put("one", "1").await.unwrap();
    assert_eq!(direct.note_find("one").await.unwrap().as_deref(), Some("1"));
}
