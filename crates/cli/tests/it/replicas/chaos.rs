//! Replicas that are killed and paused, and a database that restarts, under every kind of write.

use std::time::{Duration, Instant};

use hangar_store::postgres::cluster::{Cluster, ClusterOptions, Stop};
use serde_json::json;

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::http::Connection;
use crate::serve::load::{Kept, Load, Trouble, tail};
use crate::simulator::Simulator;

/// Longer than a lease lasts.
const PAUSED_FOR: Duration = Duration::from_secs(12);

/// So many are killed in each pause, however long that takes, and the database restarts after every fifth.
const KILLS: usize = 10;

#[test]
fn killed_and_paused_replicas_and_a_database_that_restarts_lose_nothing() {
    if !has_postgres("killed_and_paused_replicas_and_a_database_that_restarts_lose_nothing") {
        return;
    }
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let pauses = if full { 20 } else { 1 };
    let cluster = Cluster::start(ClusterOptions { durable: true, ..ClusterOptions::default() });
    let cluster = cluster.unwrap();
    let simulator = Simulator::start(&[]);
    let mut connection = Connection::open(simulator.address()).unwrap();
    let latency = json!({"latency": "20ms..200ms"});
    assert_eq!(connection.control("POST", "settings", &latency).unwrap().status, 200);
    let database = cluster.create_database().unwrap();
    let mut deployment =
        Deployment::start_on(Kind::Replicas, simulator.url(), Some(database.clone()), &[]);
    let load = Load::start(deployment.client(), &simulator, Trouble::None);
    let kept = Kept::Postgres(&database);
    let (mut kills, mut restarts) = (0, 0);
    for pause in 0..pauses {
        // One sleeps past its leases, the other is killed every second; they take turns at it.
        let (sleeper, victim) = (pause % 2, (pause + 1) % 2);
        load.mishap();
        deployment.servers[sleeper].signal("-STOP");
        let since = Instant::now();
        for kill in 1.. {
            std::thread::sleep(Duration::from_secs(1));
            load.dies(|| deployment.servers[victim].kill());
            load.strike(&kept);
            deployment.restart(victim);
            kills += 1;
            if kill % 5 == 0 && kill <= KILLS {
                let stop = [Stop::Kill, Stop::Fast, Stop::Immediate][restarts % 3];
                load.mishap();
                cluster.restart(stop).unwrap();
                load.mishap();
                restarts += 1;
            }
            if kill >= KILLS && since.elapsed() >= PAUSED_FOR {
                break;
            }
        }
        load.mishap();
        deployment.servers[sleeper].signal("-CONT");
        std::thread::sleep(Duration::from_secs(2));
    }
    let outcome = load.end(&kept).judge(&kept);
    println!(
        "counted: two replicas on PostgreSQL: {kills} kills, {pauses} pauses of {} s, {restarts} restarts of \
         the database, {}",
        PAUSED_FOR.as_secs(),
        outcome.figures()
    );
    assert!(
        outcome.violations.is_empty(),
        "{:#?}\n{}",
        outcome.violations,
        tail(&deployment.said())
    );
    assert!(outcome.operations > kills, "hardly anything was written");
    assert_eq!(restarts, 2 * pauses);
}
