//! The same of PostgreSQL: one connection, statements prepared.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio_postgres::{Client, NoTls};

use super::super::drive::float;
use super::super::names::{LARGE_GROUP, Names, scattered};
use super::key;

/// A connection that goes on as long as its client is there.
pub(crate) async fn connect(url: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("cannot connect to PostgreSQL")?;
    // Whoever asks hears of its end.
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

pub(super) async fn selects(url: &str, names: Names, span: Duration) -> Result<f64> {
    let client = connect(url).await?;
    let sql = "SELECT * FROM reference WHERE group_key = $1 AND type_key = $2 AND alias_key = $3";
    let statement = client.prepare(sql).await?;
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < span {
        let [group, kind, alias] = key(names, scattered(count) % names.references);
        client.query_one(&statement, &[&group, &kind, &alias]).await?;
        count += 1;
    }
    Ok(float(count) / started.elapsed().as_secs_f64())
}

pub(super) async fn pages(url: &str, span: Duration) -> Result<f64> {
    let client = connect(url).await?;
    let sql = "SELECT * FROM reference WHERE group_key = $1 AND (type_key, alias_key) > ($2, $3)
        ORDER BY type_key, alias_key LIMIT 100";
    let statement = client.prepare(sql).await?;
    let group = format!("local/{LARGE_GROUP}");
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < span {
        client.query(&statement, &[&group, &"", &""]).await?;
        count += 1;
    }
    Ok(float(count) / started.elapsed().as_secs_f64())
}

pub(super) async fn commits(url: &str, span: Duration) -> Result<f64> {
    let client = connect(url).await?;
    client
        .batch_execute("CREATE TABLE line (id bigserial PRIMARY KEY, text text NOT NULL)")
        .await?;
    let statement = client.prepare("INSERT INTO line (text) VALUES ($1)").await?;
    let text = "x".repeat(1000);
    let (started, mut count) = (Instant::now(), 0);
    while started.elapsed() < span {
        client.execute(&statement, &[&text]).await?;
        count += 1;
    }
    client.batch_execute("DROP TABLE line").await?;
    Ok(float(count) / started.elapsed().as_secs_f64())
}
