//! State files that grow large: what is in them is there after a kill, however large its parts.

use std::os::unix::fs::MetadataExt as _;

use std::path::Path;

use serde_json::{Value, json};

use crate::http::Connection;
use crate::simulator::Simulator;

const LOG_GROUP: &str = "AWS::Logs::LogGroup";
const FUNCTION: &str = "AWS::Lambda::Function";

/// Nearly as much as a desired state may hold.
const LARGE: usize = 250_000;

fn create(connection: &mut Connection, type_name: &str, desired: &Value) {
    let input = json!({"TypeName": type_name, "DesiredState": desired.to_string()});
    let answer = connection.call("CreateResource", &input).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
}

fn large_log_group(number: usize) -> Value {
    let policy = json!({"Ballast": "b".repeat(LARGE)});
    json!({"LogGroupName": format!("group-{number}"), "DataProtectionPolicy": policy})
}

/// How many resources there are.
fn count(connection: &mut Connection) -> u64 {
    let answer = connection.control("GET", "health", &Value::Null).unwrap();
    answer.body["resources"].as_u64().unwrap()
}

/// How many resources there are after a kill.
fn count_after_kill(mut simulator: Simulator, state: &Path) -> u64 {
    simulator.kill();
    let simulator = Simulator::start_on(state, &[]);
    count(&mut Connection::open(simulator.address()).unwrap())
}

#[test]
fn what_one_call_brings_to_its_end_is_kept_however_much_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("simulator.db");
    let simulator = Simulator::start_on(&state, &[]);
    let mut connection = Connection::open(simulator.address()).unwrap();
    connection.control("POST", "settings", &json!({"latency": "1h..1h"})).unwrap();
    // Together more than 64 MiB.
    for number in 0..280 {
        create(&mut connection, LOG_GROUP, &large_log_group(number));
    }
    connection.control("POST", "clock", &json!({"advance": "2h"})).unwrap();
    assert_eq!(count(&mut connection), 280);
    assert_eq!(count_after_kill(simulator, &state), 280);
}

#[test]
fn a_rewritten_file_is_read_however_large_its_resources_are() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("simulator.db");
    let simulator = Simulator::start_on(&state, &[]);
    let mut connection = Connection::open(simulator.address()).unwrap();
    // A file that is written anew takes the old one's place.
    let file = || std::fs::metadata(&state).unwrap().ino();
    // With a write-only value, what a read shows is kept apart from the whole: twice as much.
    let function = |number: u64| {
        json!({
            "FunctionName": format!("function-{number}"), "Code": {"ZipFile": "zipped"},
            "Role": "arn:aws:iam::123456789012:role/runner",
            "Environment": {"Variables": {"BALLAST": "b".repeat(LARGE)}},
        })
    };
    let mut made = 0;
    loop {
        let before = file();
        create(&mut connection, FUNCTION, &function(made));
        made += 1;
        let is_rewritten = file() != before;
        // By then, the resources are more than 64 MiB.
        if is_rewritten && made > 120 {
            break;
        }
        assert!(made < 500, "the file is never rewritten");
    }
    assert_eq!(count_after_kill(simulator, &state), made);
}

#[test]
fn a_state_file_may_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["state.new", "state", ".state", "state.db.tmp"] {
        let state = folder.path().join(name);
        let simulator = Simulator::start_on(&state, &[]);
        let mut connection = Connection::open(simulator.address()).unwrap();
        // Enough for one rewriting.
        for number in 0..40 {
            create(&mut connection, LOG_GROUP, &large_log_group(number));
        }
        assert_eq!(count_after_kill(simulator, &state), 40, "{name}");
    }
}

#[test]
fn two_state_files_of_one_stem_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let states = ["state.a", "state.b"].map(|name| folder.path().join(name));
    let simulators = states.each_ref().map(|state| Simulator::start_on(state, &[]));
    let mut connections =
        simulators.each_ref().map(|simulator| Connection::open(simulator.address()).unwrap());
    for number in 0..200 {
        let desired = large_log_group(number % 8);
        // In step, so that both are rewritten at the same time, several times.
        std::thread::scope(|scope| {
            for connection in &mut connections {
                scope.spawn(|| create(connection, LOG_GROUP, &desired));
            }
        });
    }
    for (simulator, state) in simulators.into_iter().zip(&states) {
        assert_eq!(count_after_kill(simulator, state), 8);
    }
}
