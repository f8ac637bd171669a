//! What only a server, and several who share it, can show.

mod clock;
mod connect;
mod damage;
mod erasure;
mod held;
mod lost_answer;
mod migration;
mod proxy;
mod races;
mod recipe;
mod replicas;
mod restart;

use hangar_store::postgres::cluster::Cluster;
use hangar_store::postgres::{Options, Postgres};

use crate::cluster;

/// The server that tests share, and the URL of an empty database in it.
fn database(test: &str) -> Option<(&'static Cluster, String)> {
    let cluster = cluster::shared(&format!("postgres::{test}"))?;
    Some((cluster, cluster.create_database().unwrap()))
}

async fn connect(url: &str) -> Postgres {
    Postgres::connect(url, Options::default()).await.unwrap()
}

/// A session for somebody who is no store.
async fn stranger(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    // It ends with the client.
    tokio::spawn(connection);
    client
}
