//! Groups, one row each.

use hangar_plan::operation::OperationId;
use hangar_plan::record::{Group, GroupState, Version};

use super::database::Database;
use super::lock::{Alone, Locks, TAKE};
use super::row::{Row, Table};
use super::writing::{InDoubt, Job, Writing, given};
use super::{deployment, operation, plane, recipe, reference};
use crate::column::{to_integer, to_json, to_limit, to_word};
use crate::rules::{self, PresentGroup, RecipeStep};
use crate::{
    Commit, CommitError, Expect, GroupChange, GroupError, GroupHold, ReferenceChange, StoreError,
};

const GROUP: Table = Table { name: "resource_group", key: &["group_key"] };

pub(super) const FIND: &str = "SELECT * FROM resource_group WHERE group_key = $1";
pub(super) const LIST: &str = "SELECT * FROM resource_group
    WHERE plane_key = $1 AND group_key > $2 ORDER BY group_key LIMIT $3";
const PUT: &str = "INSERT INTO resource_group
    (plane_key, group_key, state, body, created_at, updated_at, version)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (group_key) DO UPDATE SET
        state = excluded.state, body = excluded.body,
        updated_at = excluded.updated_at, version = excluded.version";
pub(super) const REMOVE: &str = "DELETE FROM resource_group WHERE group_key = $1";

pub(super) async fn find(database: &Database<'_>, key: &str) -> Result<Option<Group>, StoreError> {
    database.find(&GROUP, FIND, &[&key], decode).await
}

pub(super) async fn list(
    database: &Database<'_>,
    plane: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<Group>, StoreError> {
    database.list(&GROUP, LIST, &[&plane, &after, &to_limit(limit)], decode).await
}

/// Makes or changes one.
pub(super) struct Put<'g> {
    pub(super) group: &'g Group,
    pub(super) expect: Expect,
}

impl Job for Put<'_> {
    type Output = Group;
    type Error = GroupError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, plane::EXISTS, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Group, GroupError> {
        let (plane, key) = (rules::plane_of_group(&self.group.name), self.group.name.key());
        let locks = Locks::default().plane(&plane, Alone::No).group(&key, Alone::Yes);
        let database = &writing.database;
        let (begun, has_plane, present) = tokio::join!(
            biased;
            writing.begin(&locks),
            plane::exists(database, &plane),
            find(database, &key),
        );
        begun?;
        if !has_plane? {
            return Err(GroupError::NoPlane(plane));
        }
        let present = present?;
        rules::may_put(present.as_ref(), self.expect)?;
        let group = rules::group_kept(self.group.clone(), present.as_ref());
        write(writing, &group);
        Ok(group)
    }
}

/// The key of the group that a new operation needs something of.
pub(super) fn key_of(hold: &GroupHold) -> String {
    match hold {
        GroupHold::Open(name) | GroupHold::Within(name) | GroupHold::Close(name, _) => name.key(),
    }
}

/// What there is under a key, as one who wants to write in it or to close it must know it; the group too
/// where it is being deleted.
pub(super) async fn present(
    database: &Database<'_>,
    key: &str,
) -> Result<Option<PresentGroup>, StoreError> {
    let found = database
        .find(&GROUP, FIND, &[&key], |row| {
            let version = Version(row.count("version")?);
            // Nearly every one is ready: its body is not needed.
            match state(row.get("state")?) {
                GroupState::Ready => Ok((version, GroupState::Ready, None)),
                GroupState::Deleting => Ok((version, GroupState::Deleting, decode(row)?.operation)),
            }
        })
        .await?;
    let Some((version, state, operation)) = found else { return Ok(None) };
    let runs = match operation {
        Some(id) => operation::is_running(database, id).await?,
        None => false,
    };
    Ok(Some(PresentGroup { version, state, operation, runs }))
}

/// What a word says of a group: one that is not ready takes nothing in.
pub(super) fn state(word: &str) -> GroupState {
    if word == to_word(&GroupState::Ready) { GroupState::Ready } else { GroupState::Deleting }
}

/// Closes a group, which the caller has checked.
pub(super) async fn close(
    writing: &mut Writing<'_>,
    key: &str,
    by: OperationId,
) -> Result<(), StoreError> {
    if let Some(group) = find(&writing.database, key).await? {
        write(writing, &rules::closed(group, by));
    }
    Ok(())
}

/// Does with the group that an operation closed what is to become of it. One that it did not close is left.
pub(super) async fn change(
    writing: &mut Writing<'_>,
    commit: &Commit,
    of_recipe: &RecipeStep,
) -> Result<(), CommitError> {
    let (record, change) = (&commit.record, commit.group);
    let Some(name) = record.group().filter(|_| change != GroupChange::Keep) else { return Ok(()) };
    let key = name.key();
    let group = find(&writing.database, &key).await?;
    let Some(group) = group.filter(|it| rules::is_closed_by(it, record.id())) else {
        return Ok(());
    };
    if change == GroupChange::Reopen {
        write(writing, &rules::reopened(group));
        return Ok(());
    }
    if let Some(id) = left_in(writing, &key, &commit.reference).await? {
        return Err(CommitError::NotEmpty(id));
    }
    if let Some(id) = recipe::left_in(&writing.database, &key, of_recipe).await? {
        return Err(CommitError::NotEmpty(id));
    }
    deployment::remove_all(writing, &key);
    writing.put(REMOVE, given![key]);
    Ok(())
}

/// The id of one reference that is in a group after a change of one, which is not written yet.
async fn left_in(
    writing: &Writing<'_>,
    key: &str,
    change: &ReferenceChange,
) -> Result<Option<String>, StoreError> {
    let going = match change {
        ReferenceChange::Save(write) if write.reference.name.group.key() == key => {
            return Ok(Some(write.reference.name.id()));
        }
        ReferenceChange::Remove { name, .. } => Some(rules::position(name)),
        ReferenceChange::Keep | ReferenceChange::Save(_) => None,
    };
    let first = reference::first_in(&writing.database, key).await?;
    Ok(first.into_iter().find(|(at, _)| Some(at) != going.as_ref()).map(|(_, id)| id))
}

fn write(writing: &mut Writing<'_>, group: &Group) {
    writing.put(
        PUT,
        given![
            group.name.plane.to_ascii_lowercase(),
            group.name.key(),
            to_word(&group.state),
            to_json(group),
            group.created_at.as_micros(),
            group.updated_at.as_micros(),
            to_integer(group.version.0),
        ],
    );
}

fn decode(row: &Row<'_>) -> Result<Group, StoreError> {
    row.json("body")
}
