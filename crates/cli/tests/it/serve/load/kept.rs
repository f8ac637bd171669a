//! The store of a load, read beside the servers that run on it.

use std::path::Path;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_simulation::history::History;
use hangar_simulation::history::collect::from_store;
use hangar_store::postgres::{Options, Postgres};
use hangar_store::sqlite::Sqlite;
use rusqlite::{Connection, OpenFlags};

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
}

impl Kept<'_> {
    /// Operations that are under way; none where the store cannot be asked just now.
    pub(super) fn running(&self) -> Vec<Running> {
        const RUNNING: &str = "SELECT id, due_at, updated_at, epoch FROM operation \
                               WHERE ended_at IS NULL AND due_at IS NOT NULL";
        let read = |id: String, due_at: i64, updated_at: i64, epoch: i64| {
            let (due_at, moved_at) =
                (Timestamp::from_micros(due_at), Timestamp::from_micros(updated_at));
            OperationId::parse(&id).map(|operation| Running { operation, due_at, moved_at, epoch })
        };
        match self {
            Self::Sqlite(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let rows = Connection::open_with_flags(path, flags).and_then(|connection| {
                    let mut statement = connection.prepare(RUNNING)?;
                    let rows = statement.query_map((), |row| {
                        Ok(read(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                    })?;
                    rows.collect::<Result<Vec<_>, _>>()
                });
                rows.unwrap_or_default().into_iter().flatten().collect()
            }
            Self::Postgres(url) => block_on(async {
                let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
                let Ok((client, connection)) = connected else { return Vec::new() };
                tokio::spawn(connection);
                let text = RUNNING.replace("id,", "id::text,");
                let rows = client.query(&text, &[]).await.unwrap_or_default();
                rows.iter()
                    .filter_map(|row| read(row.get(0), row.get(1), row.get(2), row.get(3)))
                    .collect()
            }),
        }
    }

    /// All of it; nobody may use a file any more.
    pub(super) fn read(&self) -> History {
        block_on(async {
            match self {
                Self::Sqlite(path) => from_store(&Sqlite::open(path).unwrap()).await.unwrap(),
                Self::Postgres(url) => {
                    let store = Postgres::connect(url, Options::default()).await.unwrap();
                    from_store(&store).await.unwrap()
                }
            }
        })
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
