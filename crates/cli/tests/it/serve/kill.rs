//! `kill -9` of the server under every kind of write: puts, changes, patches, replacements, deletes, drift,
//! the deletion of groups.

use std::time::Duration;

use serde_json::json;

use super::Server;
use super::load::{Load, roll, tail};
use crate::http::Connection;
use crate::simulator::Simulator;

#[test]
fn a_killed_server_makes_nothing_twice_and_forgets_nothing() {
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let kills = if full { 1000 } else { 200 };
    let simulator = Simulator::start(&[]);
    let mut connection = Connection::open(simulator.address()).unwrap();
    let latency = json!({"latency": "20ms..200ms"});
    assert_eq!(connection.control("POST", "settings", &latency).unwrap().status, 200);
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), simulator.url());
    let load = Load::start(server.client());
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..kills {
        std::thread::sleep(Duration::from_millis(20 + roll(&mut dice) % 230));
        server.kill();
        server = Server::start(folder.path(), simulator.url());
        load.moved(server.address());
    }
    let outcome = load.end(&simulator);
    println!(
        "counted: kill -9 of hangar serve: {kills} kills, {} writes answered, {} operations accepted, \
         {} complaints",
        outcome.answered,
        outcome.accepted,
        outcome.complaints.len()
    );
    assert!(outcome.complaints.is_empty(), "{:#?}\n{}", outcome.complaints, tail(&server.said()));
    // On a busy machine few are accepted between two kills; that any are shows that it was under load.
    assert!(outcome.accepted > kills / 10, "hardly anything was written");
}
