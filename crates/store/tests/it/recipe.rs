//! Recipes and their Terraform state in the file: copied whole, told when damaged, gone when they go.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_plan::record::StateHead;
use hangar_store::keys::Keys;
use hangar_store::sqlite::{self, Options, Source, Sqlite};
use hangar_store::{
    Commit, DeploymentChange, KEPT_STATES, Reader as _, RecipeChange, Store as _, StoreError,
    WorkerId,
};
use rusqlite::Connection;

use crate::sample;

const RUN: OperationId = OperationId::from_u128(2);

/// A store that empties its log only when it is asked.
fn open(path: &Path) -> Sqlite {
    let options = Options { settle_after: Duration::from_hours(1), ..Options::default() };
    Sqlite::open_with(path, options).unwrap()
}

/// Whether a part of what is sealed is in any file of the store.
fn is_kept(directory: &Path, sealed: &[u8]) -> bool {
    let parts: Vec<&[u8]> = sealed.chunks(1000).map(|part| &part[..part.len().min(16)]).collect();
    fs::read_dir(directory).unwrap().any(|entry| {
        let content = fs::read(entry.unwrap().path()).unwrap();
        parts.iter().any(|part| content.windows(part.len()).any(|window| window == *part))
    })
}

fn names<T: std::fmt::Debug>(answer: Result<T, StoreError>, parts: &[&str]) {
    let error = answer.unwrap_err();
    let StoreError::Damaged(why) = &error else { panic!("{error}") };
    assert!(!why.contains("hunter2"), "{why}");
    for part in parts {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[tokio::test]
async fn a_copy_has_recipes_with_their_state_and_lock() {
    let directory = tempfile::tempdir().unwrap();
    let (path, copy) = (directory.path().join("store.db"), directory.path().join("copy.db"));
    let (new, aside) = (directory.path().join("new.db"), directory.path().join("aside.db"));
    let store = open(&path);
    let sealed = Keys::generate().seal(b"to", &vec![b'x'; 300_000]);
    sample::fill_recipe(&store, RUN, &sealed).await;
    Source::open(&path).unwrap().copy_to(&copy).unwrap();
    sqlite::examine(&copy).unwrap();
    fs::copy(&copy, &new).unwrap();
    let name = sample::recipe_name();
    let (recipe, head) = (store.recipe_find(&name).await, store.state_head(&name).await);
    drop(store);
    drop(open(&new));
    sqlite::replace(&path, &new, &aside).unwrap();
    for path in [&copy, &path] {
        let copied = open(path);
        assert_eq!(copied.recipe_find(&name).await, recipe);
        assert_eq!(copied.state_head(&name).await, head);
        let state = copied.state_find(&name, 1).await.unwrap().unwrap();
        assert!(state.sealed == sealed);
    }
    assert_eq!(recipe.unwrap().unwrap().sealed, sealed);
    let head = head.unwrap();
    assert!(head.lock.is_some() && head.current.is_some());
}

#[tokio::test]
async fn rows_that_cannot_be_read_are_named_by_table_and_key() {
    let damaged = async |sql: &str| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let store = open(&path);
        sample::fill_recipe(&store, RUN, b"sealed").await;
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        (directory, store)
    };
    let (name, group) = (sample::recipe_name(), sample::group_name());
    let (_directory, store) = damaged(r#"UPDATE recipe SET body = '["hunter2"]'"#).await;
    names(store.recipe_find(&name).await, &["recipe", "local/prod/net", "body"]);
    names(store.recipe_list(&group, None, 10).await, &["recipe", "local/prod/net", "body"]);

    let (_directory, store) = damaged(r#"UPDATE terraform_state SET body = '["hunter2"]'"#).await;
    let key = "local/prod/net/1";
    names(store.state_find(&name, 1).await, &["terraform_state", key, "body"]);
    names(store.state_list(&name).await, &["terraform_state", key, "body"]);
    names(store.state_head(&name).await, &["terraform_state", "local/prod/net", "current"]);

    let (_directory, store) = damaged(r#"UPDATE terraform_lock SET body = '["hunter2"]'"#).await;
    names(store.state_head(&name).await, &["local/prod/net", "lock"]);
    // Who cannot be told from another is not pushed aside.
    let refused = store.state_unlock(&name, None).await;
    assert!(matches!(&refused, Err(hangar_store::StateError::Store(StoreError::Damaged(_)))));

    let (_directory, store) = damaged("UPDATE operation SET machine = '{\"recipe\": {}}'").await;
    names(store.operation_find(RUN).await, &["operation", &RUN.to_string(), "machine"]);
}

#[tokio::test]
async fn what_was_forgotten_of_a_recipe_is_in_neither_file_nor_log() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store.db"));
    let keys = Keys::generate();
    let seal = || keys.seal(b"to", &vec![b'x'; 20_000]);
    let (first, last) = (seal(), seal());
    let now = store.now().await.unwrap();
    sample::fill_recipe(&store, RUN, &first).await;
    store.state_unlock(&sample::recipe_name(), None).await.unwrap();
    for _ in 1..KEPT_STATES {
        store.state_write(sample::state(now, b"between")).await.unwrap();
    }
    // The recipe is sealed with the same bytes here: it is written anew.
    let worker = WorkerId("worker".to_owned());
    let claims = store.operation_claim(worker, Duration::from_secs(10), 10).await.unwrap();
    let mut record = claims.into_iter().next().unwrap().record;
    let mut recipe = store.recipe_find(&sample::recipe_name()).await.unwrap().unwrap();
    recipe.sealed = b"anew".to_vec();
    let step = |record: &hangar_plan::record::OperationRecord, recipe| Commit {
        record: record.clone(),
        reference: hangar_store::ReferenceChange::Keep,
        deployment: DeploymentChange::Keep,
        recipe,
        group: hangar_store::GroupChange::Keep,
        lease: hangar_store::Lease::Keep,
        message: None,
    };
    let saved = store.operation_commit(step(&record, RecipeChange::Save(Box::new(recipe)))).await;
    record.version = saved.unwrap().version;
    store.settle().await.unwrap();
    assert!(is_kept(directory.path(), &first), "its first state is the oldest that is kept");
    store.state_write(sample::state(now, &last)).await.unwrap();
    store.settle().await.unwrap();
    assert!(!is_kept(directory.path(), &first));
    assert!(is_kept(directory.path(), &last));

    let removed =
        store.operation_commit(step(&record, RecipeChange::Remove(sample::recipe_name())));
    removed.await.unwrap();
    store.settle().await.unwrap();
    assert!(!is_kept(directory.path(), &last));
    let head = store.state_head(&sample::recipe_name()).await.unwrap();
    assert_eq!(head, StateHead::default());
    sqlite::examine(&directory.path().join("store.db")).unwrap();
}
