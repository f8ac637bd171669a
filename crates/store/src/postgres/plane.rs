//! Planes, one row each.

use hangar_plan::record::{Plane, PlaneKind, PlaneName};

use super::database::Database;
use super::lock::{Alone, Locks, TAKE};
use super::row::{Row, Table};
use super::writing::{InDoubt, Job, Writing, given};
use super::{credential, group, operation, reference};
use crate::column::{to_integer, to_json};
use crate::{Expect, PlaneError, StaleError, StoreError, rules};

const PLANE: Table = Table { name: "plane", key: &["plane_key"] };

/// Sorts after every key.
const AFTER_ALL: &str = "\u{10FFFF}";

pub(super) const FIND: &str = "SELECT * FROM plane WHERE plane_key = $1";
pub(super) const EXISTS: &str = "SELECT plane_key FROM plane WHERE plane_key = $1";
pub(super) const LIST: &str =
    "SELECT * FROM plane WHERE plane_key > $1 AND plane_key < $2 ORDER BY plane_key";
const PUT: &str = "INSERT INTO plane (plane_key, body, version) VALUES ($1, $2, $3)
    ON CONFLICT (plane_key) DO UPDATE SET body = excluded.body, version = excluded.version";
pub(super) const REMOVE: &str = "DELETE FROM plane WHERE plane_key = $1";

pub(super) async fn find(database: &Database<'_>, key: &str) -> Result<Option<Plane>, StoreError> {
    database.find(&PLANE, FIND, &[&key], decode).await
}

pub(super) async fn exists(database: &Database<'_>, name: &PlaneName) -> Result<bool, StoreError> {
    Ok(!database.query(EXISTS, &[&name.key()]).await?.is_empty())
}

pub(super) async fn list(
    database: &Database<'_>,
    kind: Option<PlaneKind>,
) -> Result<Vec<Plane>, StoreError> {
    let (first, end) = match kind {
        // `0` comes after `/`.
        Some(kind) => (format!("{}/", kind.as_str()), format!("{}0", kind.as_str())),
        None => (String::new(), AFTER_ALL.to_owned()),
    };
    database.list(&PLANE, LIST, &[&first, &end], decode).await
}

/// Makes or changes one.
pub(super) struct Put<'p> {
    pub(super) plane: &'p Plane,
    pub(super) expect: Expect,
}

impl Job for Put<'_> {
    type Output = Plane;
    type Error = StaleError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Plane, StaleError> {
        let key = self.plane.name.key();
        let locks = Locks::default().plane(&self.plane.name, Alone::Yes);
        let (begun, present) =
            tokio::join!(biased; writing.begin(&locks), find(&writing.database, &key));
        begun?;
        let present = present?;
        rules::may_write(present.as_ref().map(|it| it.version), self.expect)?;
        let plane = rules::plane_kept(self.plane.clone(), present.as_ref());
        writing.put(PUT, given![key, to_json(&plane), to_integer(plane.version.0)]);
        Ok(plane)
    }
}

/// Removes one, if nothing is in it; tells whether there was one.
pub(super) struct Remove<'p> {
    pub(super) name: &'p PlaneName,
    pub(super) expect: Expect,
}

impl Job for Remove<'_> {
    type Output = bool;
    type Error = PlaneError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<bool, PlaneError> {
        let key = self.name.key();
        let locks = Locks::default().plane(self.name, Alone::Yes);
        let database = &writing.database;
        let (begun, present) = tokio::join!(biased; writing.begin(&locks), find(database, &key));
        begun?;
        let present = present?;
        let (mut held, mut running) = (None, None);
        if present.is_some() {
            // In this order: what works on a thing that is gone by now is there to be seen. No step makes
            // a thing that was not there: that comes with a reservation, which waits for the plane.
            held = held_in(database, self.name).await?;
            running = operation::first_of_plane(database, self.name).await?;
        }
        let version = present.as_ref().map(|it| it.version);
        rules::may_remove_plane(version, self.expect, held, running)?;
        writing.put(REMOVE, given![key]);
        Ok(present.is_some())
    }
}

/// The id of one thing that is in a plane.
async fn held_in(database: &Database<'_>, name: &PlaneName) -> Result<Option<String>, StoreError> {
    let plane = name.name.to_ascii_lowercase();
    match name.kind {
        PlaneKind::Radius => {
            Ok(group::list(database, &plane, "", 1).await?.pop().map(|it| it.name.id()))
        }
        PlaneKind::Aws => {
            if let Some(id) = reference::first_of_plane(database, &plane).await? {
                return Ok(Some(id));
            }
            let mut credentials = credential::list(database, Some(&plane)).await?;
            Ok(credentials.pop().map(|it| it.name.id()))
        }
    }
}

fn decode(row: &Row<'_>) -> Result<Plane, StoreError> {
    row.json("body")
}
