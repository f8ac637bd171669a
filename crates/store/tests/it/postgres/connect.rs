//! Who is let in, what is refused, and what is said of it.

use std::time::{Duration, Instant};

use hangar_store::postgres::cluster::ClusterOptions;
use hangar_store::postgres::{Options, Postgres};
use hangar_store::{Reader as _, Store as _, StoreError};

use super::{connect, database, stranger};
use crate::cluster;

/// Why a URL is refused.
async fn refusal(url: &str) -> String {
    match Postgres::connect(url, Options::default()).await {
        Err(StoreError::Unavailable(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_cannot_be_connected_to_is_told_without_the_password() {
    let Some((cluster, url)) = database("connect::what_cannot_be_connected_to") else { return };
    let port = cluster.port();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let cases = [
        ("hunter2".to_owned(), "write it as postgres://"),
        ("http://hangar:hunter2@127.0.0.1/x".to_owned(), "write it as postgres://"),
        ("postgres://hangar:hunter2@127.0.0.1:port/x".to_owned(), "write it as postgres://"),
        (
            "postgres://hangar:hunter2@127.0.0.1/x?sslmode=hunter2".to_owned(),
            "write it as postgres://",
        ),
        ("postgres:///x?password=hunter2".to_owned(), "it has no host"),
        (format!("postgres://hangar:hunter2@127.0.0.1:{closed}/x"), "127.0.0.1:"),
        (format!("postgres://hangar:hunter2@127.0.0.1:{port}/none"), "create the database"),
        (format!("postgres://nobody:hunter2@127.0.0.1:{port}/postgres"), "nobody"),
        (
            format!("{}?sslmode=require", url.replace("hangar@", "hangar:hunter2@")),
            "private network",
        ),
    ];
    for (url, says) in cases {
        let why = refusal(&url).await;
        assert!(why.contains(says), "{url}: {why}");
        assert!(!why.contains("hunter2"), "{why}");
    }
    let store = connect(&url.replace("hangar@", "hangar:hunter2@")).await;
    assert!(!format!("{store:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_wrong_password_is_told_without_it() {
    let test = "postgres::connect::a_wrong_password";
    let Some(cluster) = cluster::own(test, ClusterOptions::default()) else { return };
    cluster.run("CREATE ROLE locked LOGIN PASSWORD 'right'").unwrap();
    let rules = cluster.directory().join("data/pg_hba.conf");
    let rule = "host all locked 127.0.0.1/32 scram-sha-256\nhost all hangar 127.0.0.1/32 trust\n";
    std::fs::write(rules, rule).unwrap();
    cluster.run("SELECT pg_reload_conf()").unwrap();
    let url =
        |password: &str| cluster.url("postgres").replace("hangar@", &format!("locked{password}@"));
    // The rules are read when the server gets to it.
    let deadline = Instant::now() + Duration::from_secs(20);
    let why = loop {
        match Postgres::connect(&url(":hunter2"), Options::default()).await {
            Err(StoreError::Unavailable(why)) if why.contains("rejects the user") => break why,
            other => assert!(Instant::now() < deadline, "{other:?}"),
        }
    };
    assert!(!why.contains("hunter2"), "{why}");
    let none = refusal(&url("")).await;
    assert!(none.contains("password"), "{none}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_in_time() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://hangar@127.0.0.1:{}/x", silent.local_addr().unwrap().port());
    let started = Instant::now();
    let why = refusal(&url).await;
    assert!(why.contains("did not answer"), "{why}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn what_could_lose_an_answer_or_cannot_be_written_is_refused() {
    let Some((cluster, url)) = database("connect::what_could_lose_an_answer") else { return };
    let name = url.rsplit('/').next().unwrap().to_owned();
    cluster.run("CREATE ROLE careless LOGIN").unwrap();
    cluster.run(&format!("GRANT ALL ON DATABASE {name} TO careless")).unwrap();
    let careless = url.replace("hangar@", "careless@");
    let cases = [
        (format!("DATABASE {name}"), "synchronous_commit = off", &url, "synchronous_commit"),
        ("ROLE careless".to_owned(), "synchronous_commit = off", &careless, "synchronous_commit"),
        (
            format!("DATABASE {name}"),
            "default_transaction_read_only = on",
            &url,
            "default_transaction_read_only",
        ),
    ];
    for (whose, setting, url, says) in cases {
        cluster.run(&format!("ALTER {whose} SET {setting}")).unwrap();
        let why = refusal(url).await;
        assert!(why.contains(says) && why.contains("ALTER DATABASE"), "{why}");
        cluster.run(&format!("ALTER {whose} RESET ALL")).unwrap();
    }
    let by_url = format!("{url}?options=-c%20synchronous_commit%3Doff");
    assert!(refusal(&by_url).await.contains("synchronous_commit"));
    connect(&url).await;
}

#[tokio::test]
async fn a_session_that_is_opened_later_is_refused_as_well() {
    let Some((cluster, url)) = database("connect::a_session_that_is_opened_later") else { return };
    let name = url.rsplit('/').next().unwrap();
    let store = connect(&url).await;
    store.note_put("one", "1").await.unwrap();
    cluster.run(&format!("ALTER DATABASE {name} SET synchronous_commit = off")).unwrap();
    // Those that are open stay as they were set; those that come are looked at.
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ";
    store.note_put("two", "2").await.unwrap();
    cluster.run(&format!("{end} '{name}'")).unwrap();
    let refused = loop {
        match store.note_put("three", "3").await {
            // One that does not know yet that it was ended.
            Err(StoreError::Unavailable(why)) if !why.contains("synchronous_commit") => {}
            other => break other,
        }
    };
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    cluster.run(&format!("ALTER DATABASE {name} RESET ALL")).unwrap();
    store.note_put("three", "3").await.unwrap();
}

#[tokio::test]
async fn what_a_crash_of_the_machine_could_damage_is_warned_of() {
    let Some((_, url)) = database("connect::what_a_crash_of_the_machine") else { return };
    let store = connect(&url).await;
    assert!(store.warnings().iter().any(|it| it.contains("fsync")), "{:?}", store.warnings());
    let test = "postgres::connect::what_a_crash_of_the_machine";
    let settings = vec![("full_page_writes".to_owned(), "off".to_owned())];
    let Some(durable) = cluster::own(test, ClusterOptions { durable: true, settings }) else {
        return;
    };
    let store = connect(&durable.create_database().unwrap()).await;
    let [warning] = store.warnings() else { panic!("{:?}", store.warnings()) };
    assert!(warning.contains("full_page_writes"), "{warning}");
}

#[tokio::test]
async fn who_wants_a_store_alone_is_refused_while_another_uses_it() {
    let Some((_, url)) = database("connect::who_wants_a_store_alone") else { return };
    let alone = async || Postgres::connect_alone(&url, Options::default()).await;
    let refused = |connected: Result<Postgres, StoreError>, says: &str| match connected {
        Err(StoreError::Unavailable(why)) => assert!(why.contains(says), "{why}"),
        other => panic!("{other:?}"),
    };
    let store = connect(&url).await;
    let other = connect(&url).await;
    refused(alone().await, "stop all replicas first");
    drop(other);
    refused(alone().await, "stop all replicas first");
    // Its session broke, and it has another.
    let client = stranger(&url).await;
    let holders = "FROM pg_locks WHERE locktype = 'advisory' AND granted AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())";
    let holder = async || -> Option<i32> {
        let rows = client.query(&format!("SELECT pid {holders}"), &[]).await.unwrap();
        rows.first().map(|row| row.get(0))
    };
    let broken = holder().await;
    client.execute("SELECT pg_terminate_backend($1)", &[&broken]).await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while holder().await.is_none_or(|it| Some(it) == broken) {
        assert!(Instant::now() < deadline, "it does not say any more that it uses the store");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    refused(alone().await, "stop all replicas first");
    drop(store);
    let held = alone().await.unwrap();
    refused(alone().await, "stop all replicas first");
    refused(Postgres::connect(&url, Options::default()).await, "uses it exclusively");
    drop(held);
    connect(&url).await;
}

#[tokio::test]
async fn time_is_the_databases() {
    let Some((_, url)) = database("connect::time_is_the_databases") else { return };
    let store = connect(&url).await;
    let ask = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let client = stranger(&url).await;
    let told = async || client.query_one(ask, &[]).await.unwrap().get::<_, i64>(0);
    let before = told().await;
    let now = store.now().await.unwrap().as_micros();
    assert!(before <= now && now <= told().await);
}

#[tokio::test]
async fn a_store_whose_server_is_gone_is_not_healthy_until_it_is_back() {
    use hangar_store::postgres::cluster::Stop;
    let test = "postgres::connect::a_store_whose_server_is_gone";
    let Some(cluster) = cluster::own(test, ClusterOptions::default()) else { return };
    let store = connect(&cluster.create_database().unwrap()).await;
    assert_eq!(store.health().await, Ok(()));
    cluster.stop(Stop::Fast).unwrap();
    assert!(matches!(store.health().await, Err(StoreError::Unavailable(_))));
    let written = store.note_put("one", "1").await;
    assert!(matches!(written, Err(StoreError::Unavailable(_))), "{written:?}");
    cluster.start_again().unwrap();
    assert_eq!(store.health().await, Ok(()));
    store.note_put("one", "1").await.unwrap();
}
