//! The store of a load, read beside the servers that run on it.

use std::path::Path;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{DeploymentRecord, GroupName};
use hangar_simulation::history::History;
use hangar_simulation::history::collect::from_store;
use hangar_store::Reader;
use hangar_store::postgres::{Options, Postgres};
use hangar_store::sqlite::Sqlite;
use rusqlite::{Connection, OpenFlags};

use super::deeds::{DOOMED, GROUP};

/// More deployments than a group of a load has.
const DEPLOYMENTS: usize = 100;

/// Where the store is that a load is written to.
pub(crate) enum Kept<'a> {
    Sqlite(&'a Path),
    Postgres(&'a str),
}

/// An operation that is under way.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) operation: OperationId,
    pub(super) due_at: Timestamp,
    /// When a step of it was last written.
    pub(super) moved_at: Timestamp,
    /// How often it was leased.
    pub(super) epoch: i64,
    /// What it is a part of.
    pub(super) parent: Option<OperationId>,
}

impl Kept<'_> {
    /// Operations that are under way; none where the store cannot be asked just now.
    pub(super) fn running(&self) -> Vec<Running> {
        const RUNNING: &str = "SELECT id, due_at, updated_at, epoch, parent FROM operation \
                               WHERE ended_at IS NULL AND due_at IS NOT NULL";
        let read =
            |id: String, due_at: i64, updated_at: i64, epoch: i64, parent: Option<String>| {
                let (due_at, moved_at) =
                    (Timestamp::from_micros(due_at), Timestamp::from_micros(updated_at));
                let parent = parent.as_deref().and_then(OperationId::parse);
                OperationId::parse(&id).map(|operation| Running {
                    operation,
                    due_at,
                    moved_at,
                    epoch,
                    parent,
                })
            };
        match self {
            Self::Sqlite(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let rows = Connection::open_with_flags(path, flags).and_then(|connection| {
                    let mut statement = connection.prepare(RUNNING)?;
                    let rows = statement.query_map((), |row| {
                        Ok(read(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
                    })?;
                    rows.collect::<Result<Vec<_>, _>>()
                });
                rows.unwrap_or_default().into_iter().flatten().collect()
            }
            Self::Postgres(url) => block_on(async {
                let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
                let Ok((client, connection)) = connected else { return Vec::new() };
                tokio::spawn(connection);
                let text = RUNNING.replace("id,", "id::text,").replace("parent", "parent::text");
                let rows = client.query(&text, &[]).await.unwrap_or_default();
                rows.iter()
                    .filter_map(|row| {
                        read(row.get(0), row.get(1), row.get(2), row.get(3), row.get(4))
                    })
                    .collect()
            }),
        }
    }

    /// All of it, and the deployments of the load; nobody may use a file any more.
    pub(super) fn read(&self) -> (History, Vec<DeploymentRecord>) {
        block_on(async {
            match self {
                Self::Sqlite(path) => read(&Sqlite::open(path).unwrap()).await,
                Self::Postgres(url) => {
                    read(&Postgres::connect(url, Options::default()).await.unwrap()).await
                }
            }
        })
    }
}

async fn read(store: &dyn Reader) -> (History, Vec<DeploymentRecord>) {
    let mut deployments = Vec::new();
    for group in [GROUP, DOOMED] {
        let group = GroupName { plane: "local".to_owned(), group: group.to_owned() };
        deployments.extend(store.deployment_list(&group, None, DEPLOYMENTS).await.unwrap());
    }
    (from_store(store).await.unwrap(), deployments)
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
