//! What the database alone can do, asked by this process with the fewest words: the store's share of a
//! figure is seen beside it.

mod postgres;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OpenFlags};

use super::drive::float;
pub(crate) use postgres::connect;

use super::names::{LARGE_GROUP, Names, scattered};
use super::store::{Database, Place};

/// Single rows a second, by one caller, of references all over the store.
pub(crate) async fn selects(place: &Place, names: Names, span: Duration) -> Result<f64> {
    let path = match &place.database {
        Database::File(path) => path,
        Database::Url(url) => return postgres::selects(url, names, span).await,
    };
    let connection = open(path)?;
    let sql = "SELECT * FROM reference WHERE group_key = ?1 AND type_key = ?2 AND alias_key = ?3";
    let mut statement = connection.prepare(sql)?;
    repeated(span, |place| {
        let key = key(names, scattered(place) % names.references);
        let mut rows = statement.query(key.clone())?;
        let row = rows.next()?.with_context(|| format!("no row of {key:?}"))?;
        read(row).map(|_| ())
    })
}

/// Pages of 100 rows a second, by one caller.
pub(crate) async fn pages(place: &Place, span: Duration) -> Result<f64> {
    let path = match &place.database {
        Database::File(path) => path,
        Database::Url(url) => return postgres::pages(url, span).await,
    };
    let connection = open(path)?;
    let sql = "SELECT * FROM reference WHERE group_key = ?1 AND (type_key, alias_key) > ('', '')
        ORDER BY type_key, alias_key LIMIT 100";
    let mut statement = connection.prepare(sql)?;
    repeated(span, |_| {
        let mut rows = statement.query([format!("local/{LARGE_GROUP}")])?;
        while let Some(row) = rows.next()? {
            read(row)?;
        }
        Ok(())
    })
}

/// Transactions of one row of a kilobyte a second, by one caller, each of them synced.
pub(crate) async fn commits(place: &Place, span: Duration) -> Result<f64> {
    if let Database::Url(url) = &place.database {
        return postgres::commits(url, span).await;
    }
    let path = place.dir().join("baseline.db");
    let connection = Connection::open(&path).context("cannot make a file for a baseline")?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    )?;
    let mut statement = connection.prepare("INSERT INTO line (text) VALUES (?1)")?;
    let text = "x".repeat(1000);
    repeated(span, |_| statement.execute([&text]).map(|_| ()).map_err(anyhow::Error::from))
}

/// What a reference is found by.
fn key(names: Names, number: u64) -> [String; 3] {
    let group = format!("local/{}", names.group(number));
    [group, Names::kind(number).path.to_ascii_lowercase(), Names::alias(number)]
}

fn open(path: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(connection)
}

/// Every column, as a store must: the row's last pages are read only when they are asked for.
fn read(row: &rusqlite::Row<'_>) -> Result<usize> {
    let mut bytes = 0;
    for column in 0..row.as_ref().column_count() {
        bytes += row.get_ref(column)?.as_str().map_or(8, str::len);
    }
    Ok(bytes)
}

/// How often a second something can be done.
fn repeated(span: Duration, mut deed: impl FnMut(u64) -> Result<()>) -> Result<f64> {
    let started = Instant::now();
    let mut count = 0;
    while started.elapsed() < span {
        deed(count)?;
        count += 1;
    }
    Ok(float(count) / started.elapsed().as_secs_f64())
}
