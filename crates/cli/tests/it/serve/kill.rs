//! `kill -9` of the server under every kind of write, at any moment and at every named call of the store and of
//! AWS.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Server;
use super::load::{Kept, Load, Trouble, roll, tail};
use crate::http::Connection;
use crate::simulator::Simulator;

/// Each write of the store and each call of AWS that a server makes while it serves.
const CALLS: [&str; 20] = [
    "store.operation_reserve",
    "store.operation_claim",
    "store.operation_commit",
    "store.operation_renew",
    "store.operation_cancel",
    "store.reference_save",
    "store.reference_rename",
    "store.group_put",
    "store.lease_end_all",
    "store.operation_prune",
    "store.budget_take",
    "store.budget_throttled",
    "aws.create",
    "aws.update",
    "aws.delete",
    "aws.observe",
    "aws.poll",
    "aws.requests",
    "aws.cancel",
    "aws.list",
];

/// How long it may take until a server has come to where it dies.
const REACHED_WITHIN: Duration = Duration::from_secs(30);

fn simulator() -> Simulator {
    let simulator = Simulator::start(&[]);
    set_latency(&simulator, "20ms..200ms");
    simulator
}

fn set_latency(simulator: &Simulator, latency: &str) {
    let mut connection = Connection::open(simulator.address()).unwrap();
    let latency = json!({"latency": latency});
    assert_eq!(connection.control("POST", "settings", &latency).unwrap().status, 200);
}

#[test]
fn a_killed_server_makes_nothing_twice_and_forgets_nothing() {
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let kills = if full { 1000 } else { 60 };
    let simulator = simulator();
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), simulator.url());
    let file = folder.path().join("hangar.db");
    let kept = Kept::Sqlite(&file);
    let load = Load::start(server.client(), &simulator, Trouble::Faults);
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..kills {
        std::thread::sleep(Duration::from_millis(20 + roll(&mut dice) % 230));
        load.dies(|| server.kill());
        server = Server::start(folder.path(), simulator.url());
        load.moved(server.address());
        load.strike(&kept);
        load.came_back();
    }
    let ended = load.end(&kept);
    server.kill();
    let outcome = ended.judge(&kept);
    println!("counted: kill -9 of hangar serve on SQLite: {kills} kills, {}", outcome.figures());
    assert!(outcome.violations.is_empty(), "{:#?}\n{}", outcome.violations, tail(&server.said()));
    // On a busy machine few are accepted between two kills; that any are shows that it was under load.
    assert!(outcome.operations > kills / 10, "hardly anything was written");
    assert!(outcome.runs.count() > 0, "nothing was deployed");
}

#[test]
#[cfg(debug_assertions)]
fn a_server_that_dies_before_or_after_any_call_makes_nothing_twice_and_forgets_nothing() {
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let rounds = if full { 10 } else { 1 };
    let simulator = simulator();
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), simulator.url());
    let file = folder.path().join("hangar.db");
    let kept = Kept::Sqlite(&file);
    let load = Load::start(server.client(), &simulator, Trouble::Faults);
    let mut dice = 0x0f1e_2d3c_4b5a_6978_u64;
    let mut deaths = 0;
    server.kill();
    for round in 0..rounds {
        for (call, when) in CALLS.iter().flat_map(|call| [(call, "before"), (call, "after")]) {
            let nth = if round == 0 { 1 } else { 1 + roll(&mut dice) % 12 };
            let place = format!("{call}.{when}.{nth}");
            if call.ends_with("renew") {
                // Leases are renewed while a call of AWS takes its time.
                let late = json!({"effect": "delay", "millis": 4000, "times": 3});
                let mut aws = Connection::open(simulator.address()).unwrap();
                assert_eq!(aws.control("POST", "faults", &late).unwrap().status, 201);
            }
            // What is to be stopped must not be done before.
            let slow = *call == "aws.cancel";
            set_latency(&simulator, if slow { "500ms..1s" } else { "20ms..200ms" });
            server = Server::start_to_die(folder.path(), simulator.url(), &place);
            load.moved(server.address());
            load.strike(&kept);
            load.came_back();
            let since = Instant::now();
            while !server.has_ended() {
                assert!(since.elapsed() < REACHED_WITHIN, "{place} was not reached");
                std::thread::sleep(Duration::from_millis(5));
            }
            load.mishap();
            deaths += 1;
        }
    }
    server = Server::start(folder.path(), simulator.url());
    load.moved(server.address());
    let ended = load.end(&kept);
    server.kill();
    let outcome = ended.judge(&kept);
    println!("counted: deaths at named calls on SQLite: {deaths}, {}", outcome.figures());
    assert!(outcome.violations.is_empty(), "{:#?}\n{}", outcome.violations, tail(&server.said()));
}
