//! What a command says and does while AWS cannot be reached, or takes its time.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{APP, OPERATION, TEMPLATE, accepted, command, deployment, done, folder, row};
use crate::fake_api::{Answer, FakeApi, json};
use crate::http::Connection;
use crate::place::{Place, Running};
use crate::simulator::Simulator;

/// Nothing listens on the discard port.
const DEAD: &str = "http://127.0.0.1:9";

const REFUSED: &str = "cannot reach http://127.0.0.1:9: connection refused";

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path().join("app.bicep"), TEMPLATE).unwrap();
    place
}

#[test]
fn a_deploy_that_never_reaches_aws_says_why_at_once_and_leaves_everything_open() {
    let place = place();
    let deploy = ["deploy", "app.bicep", "--yes", "--aws"];
    let mut running = Running::start(&mut place.command(&[&deploy[..], &[DEAD]].concat()));
    let began = Instant::now();
    running.until(&format!("waiting: vpc: {REFUSED}; retrying ("));
    // Five seconds on a machine that is not busy.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let (code, said) = running.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(began.elapsed() < Duration::from_mins(2), "{:?}", began.elapsed());
    let (_, error) = said.split_once("error[CLI0095]: ").unwrap();
    assert!(error.contains(REFUSED), "{error}");
    let (_, id) = error.split_once("`hangar operation wait ").unwrap();
    let id = id.split(['`', ' ']).next().unwrap();
    assert!(error.contains(&format!("`hangar operation cancel {id}`")), "{error}");

    let shown = place.json(&["operation", "show", id]);
    assert_eq!(shown["status"], "Running");
    assert_eq!(shown["waiting"]["code"], "AwsUnreachable", "{shown}");
    assert_eq!(shown["waiting"]["message"], format!("vpc: {REFUSED}"));
    let listed = place.json(&["operation", "list", "--running"]);
    let waits = listed.as_array().unwrap().iter().filter(|it| it.get("waiting").is_some());
    assert_eq!(waits.count(), 2, "{listed}");

    // The same command goes on where it left off, with one resource for each name.
    let simulator = Simulator::start(&[]);
    let output = place.run(&[&deploy[..], &[simulator.url()]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("operations were unfinished; continuing"), "{said}");
    let references = place.json(&["resource", "list"]);
    assert_eq!(references.as_array().unwrap().len(), 2, "{references}");
    let mut connection = Connection::open(simulator.address()).unwrap();
    let listed = connection.call("ListResources", &json!({"TypeName": "AWS::EC2::VPC"})).unwrap();
    assert_eq!(listed.body["ResourceDescriptions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_put_that_never_reaches_aws_ends_too() {
    let place = Place::new();
    let put = ["resource", "put", "AWS.EC2/VPC", "--alias", "net", "--properties"];
    let output = place.run(&[&put[..], &["CidrBlock=10.0.0.0/16", "--aws", DEAD]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let (before, after) = said.split_once("error[CLI0095]: ").unwrap();
    assert_eq!(before.matches(&format!("waiting: {REFUSED}\n")).count(), 1, "{said}");
    assert!(after.contains("stays open"), "{said}");
}

#[test]
fn an_aws_that_accepts_connections_and_never_answers_is_told_and_ends_every_command() {
    // Connections wait in its queue.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let deploy = || {
        let place = place();
        let deploy = ["deploy", "app.bicep", "--yes", "--aws", &url];
        (Running::start(&mut place.command(&deploy)), place)
    };
    let read = |arguments: &[&str]| {
        let place = place();
        let simulator = Simulator::start(&[]);
        place.stdout(&["deploy", "app.bicep", "--yes", "--aws", simulator.url()]);
        (Running::start(&mut place.command(&[arguments, &["--aws", &url]].concat())), place)
    };
    let resolve = || {
        let place = place();
        let manifest = "kind: ConfigMap\ndata:\n  a: ${cfn:app/Out}\n";
        fs::write(place.path().join("m.yaml"), manifest).unwrap();
        let mut command = place.command(&["resolve", "-f", "m.yaml", "--aws", &url]);
        (Running::start(&mut command), place)
    };
    let all = [deploy(), read(&["plan", "app.bicep"]), read(&["drift"]), resolve()];
    let began = Instant::now();
    for (at, (mut running, _place)) in all.into_iter().enumerate() {
        running.until("waiting");
        if at == 0 {
            // Five seconds on a machine that is not busy.
            assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        }
        let (code, said) = running.end();
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains(&format!("{url} accepts the connection and does not answer")),
            "{said}"
        );
    }
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[test]
fn sigterm_and_ctrl_c_end_a_deploy_that_waits_for_aws() {
    for signal in ["-TERM", "-INT"] {
        let place = place();
        let deploy = ["deploy", "app.bicep", "--yes", "--aws", DEAD];
        let mut running = Running::start(&mut place.command(&deploy));
        running.until("waiting: vpc: ");
        running.signal(signal);
        let began = Instant::now();
        let (code, said) = running.end();
        assert_eq!(code, Some(1), "{signal}: {said}");
        assert!(began.elapsed() < Duration::from_secs(25), "{signal}: {:?}", began.elapsed());
        assert!(said.contains("error[API0007]: "), "{signal}: {said}");
    }
}

#[test]
fn sigterm_leaves_a_run_that_does_not_stop_and_says_that_it_is_open() {
    let folder = folder();
    let under_way = || vec![row("vpc", "Running", &json!({}))];
    let api = FakeApi::start(move |request, _| match (&*request.method, &*request.path) {
        ("PUT", APP) => {
            accepted(201, OPERATION, deployment(OPERATION, "Running", &under_way(), &json!({})))
        }
        ("POST", _) => json(204, Value::Null),
        ("GET", APP) => json(200, deployment(OPERATION, "Running", &under_way(), &json!({}))),
        _ => Answer::Nothing,
    });
    let mut running = Running::start(&mut command(&api, &folder, &["deploy", "app.bicep"]));
    running.until("running");
    running.signal("-TERM");
    let began = Instant::now();
    let (code, said) = running.end();
    let lasted = began.elapsed();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error[API0007]: stopped waiting; operation"), "{said}");
    assert!(lasted < Duration::from_secs(25), "{lasted:?}");
    assert!(api.lines().iter().any(|line| line.starts_with("POST")), "it was not cancelled first");
}

/// Answers with a run whose one row waits, until half a minute has passed.
fn slow() -> FakeApi {
    let began = Instant::now();
    let at = "2026-01-02T03:04:05Z";
    let waiting = json!({"code": "AwsThrottled", "message": "AWS throttles the calls: Throttling: slow",
                         "since": at, "retryAt": at, "attempts": 2});
    let waits =
        row("vpc", "Running", &json!({"waiting": waiting, "verb": "create", "startedAt": at}));
    let rows = vec![waits, row("subnet", "Waiting", &json!({"waitsOn": ["vpc"]}))];
    FakeApi::start(move |request, _| match (&*request.method, &*request.path) {
        ("PUT", APP) => {
            accepted(201, OPERATION, deployment(OPERATION, "Running", &rows, &json!({})))
        }
        ("GET", APP) if began.elapsed() > Duration::from_secs(34) => {
            json(200, deployment(OPERATION, "Succeeded", &done("created"), &json!({})))
        }
        ("GET", APP) => json(200, deployment(OPERATION, "Running", &rows, &json!({}))),
        _ => Answer::Nothing,
    })
}

#[test]
fn a_run_that_takes_long_says_why_once_and_then_that_it_goes_on() {
    let (lines, events) = (slow(), slow());
    let (text, programs) = (folder(), folder());
    let people = Running::start(&mut command(&lines, &text, &["deploy", "app.bicep"]));
    let json = ["deploy", "app.bicep", "-o", "json"];
    let output = command(&events, &programs, &json).output().unwrap();
    let (code, said) = people.end();
    assert_eq!(code, Some(0), "{said}");
    let reason = "waiting: vpc: AWS throttles the calls: Throttling: slow; retrying (3rd attempt)";
    let (_, after) = said.split_once(reason).unwrap();
    assert_eq!(after.matches("still creating vpc (").count(), 1, "{said}");

    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let documents = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events: Vec<Value> = documents.filter(|it| it.get("event").is_some()).collect();
    let of =
        |name: &str| events.iter().filter(|it| it["event"] == name).cloned().collect::<Vec<_>>();
    assert_eq!(of("waiting")[0]["waiting"]["code"], "AwsThrottled", "{told}");
    assert_eq!(of("waiting")[0]["resources"], json!(["vpc"]));
    assert_eq!(of("running").len(), 1, "{told}");
    assert_eq!(of("running")[0]["resources"], json!(["vpc"]));
}
