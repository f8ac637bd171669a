//! `kill -9` of one replica after another, under every kind of write, with an AWS that misbehaves.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it counted")]

use std::time::Duration;

use hangar_store::postgres::cluster::Cluster;
use serde_json::json;

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::http::Connection;
use crate::serve::load::{Kept, Load, Trouble, roll, tail};
use crate::simulator::Simulator;

fn killed(replicas: usize, kills: usize) {
    let simulator = Simulator::start(&[]);
    let mut connection = Connection::open(simulator.address()).unwrap();
    let latency = json!({"latency": "20ms..200ms"});
    assert_eq!(connection.control("POST", "settings", &latency).unwrap().status, 200);
    let database = Cluster::shared().unwrap().create_database().unwrap();
    let kept = Kept::Postgres(&database);
    let kind = Kind::Replicas;
    let mut deployment =
        Deployment::start_many(kind, replicas, simulator.url(), Some(database.clone()), &[]);
    let load = Load::start(deployment.client(), &simulator, Trouble::Faults);
    let mut dice = 0x7f4a_7c15_2545_f491_u64;
    for _ in 0..kills {
        std::thread::sleep(Duration::from_millis(roll(&mut dice) % 250));
        let victim = usize::try_from(roll(&mut dice)).unwrap() % replicas;
        load.dies(|| deployment.servers[victim].kill());
        load.strike(&kept);
        deployment.restart(victim);
        load.came_back();
    }
    let outcome = load.end(&kept).judge(&kept);
    println!(
        "counted: kill -9 of one of {replicas} replicas on PostgreSQL: {kills} kills, {}",
        outcome.figures()
    );
    let said = tail(&deployment.said());
    assert!(outcome.violations.is_empty(), "{:#?}\n{said}", outcome.violations);
    assert!(outcome.operations > kills / 10, "hardly anything was written");
}

#[test]
fn one_of_two_killed_replicas_makes_nothing_twice_and_forgets_nothing() {
    if !has_postgres("one_of_two_killed_replicas_makes_nothing_twice_and_forgets_nothing") {
        return;
    }
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    killed(2, if full { 1000 } else { 16 });
}

#[test]
fn one_of_three_killed_replicas_makes_nothing_twice_and_forgets_nothing() {
    if !has_postgres("one_of_three_killed_replicas_makes_nothing_twice_and_forgets_nothing") {
        return;
    }
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    killed(3, if full { 200 } else { 10 });
}
