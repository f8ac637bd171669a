//! Commands that follow an operation hear of it as it happens, wherever that is told, and else ask.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::fake_api::{Answer, FakeApi, json, refused};
use crate::{hangar, shown_of};

const OPERATION: &str = "0191f3a8-7c2e-7abc-8def-0123456789ab";
const STATUS: &str = "/planes/radius/local/providers/System.Resources/operationStatuses/\
                      0191f3a8-7c2e-7abc-8def-0123456789ab";
const NET: &str = "/planes/radius/local/resourceGroups/default/providers/AWS.EC2/VPC:reference/net";

const MESSAGES: [&str; 3] = ["accepted", "create sent", "created"];

fn event(at: usize) -> Value {
    json!({"sequence": at + 1, "at": "2026-01-02T03:04:05Z", "message": MESSAGES[at]})
}

/// How the operation is after so many events; it ends with the last.
fn status(events: usize) -> Value {
    let all: Vec<Value> = (0..events).map(event).collect();
    let word = if events == MESSAGES.len() { "Succeeded" } else { "Creating" };
    let mut status = json!({
        "id": STATUS, "name": OPERATION, "status": word, "kind": "put", "resourceType": "AWS.EC2/VPC",
        "reference": NET, "startTime": "2026-01-02T03:04:05Z", "attempts": [], "events": all,
        "warnings": [], "calls": {"writes": 1, "polls": 2, "reads": 1},
    });
    if events == MESSAGES.len() {
        status["properties"] =
            json!({"outcome": "created", "convergence": "converged", "identifier": "vpc-1"});
    }
    status
}

/// A stream that tells these events, and the end behind the last.
fn told(events: std::ops::Range<usize>) -> Answer {
    let mut text = "retry: 1000\n\n".to_owned();
    let all = MESSAGES.len();
    let ends = events.end == all;
    for at in events {
        let _ = write!(text, "id: {}\nevent: progress\ndata: {}\n\n: quiet\n\n", at + 1, event(at));
    }
    if ends {
        let _ = write!(text, "event: end\ndata: {}\n\n", status(all));
    }
    Answer::Events(text)
}

fn wait(api: &FakeApi, more: &[&str]) -> String {
    let mut command = hangar(&["operation", "wait", OPERATION]);
    shown_of(command.args(["--server", &api.url(), "--data-dir", "/nowhere"]).args(more))
}

#[test]
fn the_end_of_an_operation_is_heard_without_asking() {
    let api = FakeApi::start(|_, _| told(0..3));
    insta::assert_snapshot!(wait(&api, &[]), @"
    exit: 0
    --- stdout
    created AWS.EC2/VPC `net`: vpc-1
    --- stderr
    operation 0191f3a8-7c2e-7abc-8def-0123456789ab: accepted
    operation 0191f3a8-7c2e-7abc-8def-0123456789ab: create sent
    operation 0191f3a8-7c2e-7abc-8def-0123456789ab: created
    ");
    assert_eq!(api.lines(), [format!("GET {STATUS}/events")]);
    let asked = &api.received()[0];
    assert_eq!(asked.header("accept"), Some("text/event-stream"));
    assert_eq!(asked.header("last-event-id"), None);
}

#[test]
fn programs_get_one_document_at_the_end() {
    let api = FakeApi::start(|_, _| told(0..3));
    let shown = wait(&api, &["-o", "json"]);
    let document = shown.strip_prefix("exit: 0\n--- stdout\n").unwrap();
    let document = document.strip_suffix("--- stderr\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(document).unwrap(), status(3));
}

#[test]
fn a_stream_that_breaks_is_taken_up_where_it_was() {
    let api = FakeApi::start(|request, before| match (request.path.ends_with("/events"), before) {
        (true, 0) => told(0..1),
        (true, _) => told(1..3),
        (false, _) => json(200, status(1)),
    });
    let shown = wait(&api, &[]);
    for message in MESSAGES {
        assert_eq!(shown.matches(&format!(": {message}\n")).count(), 1, "{shown}");
    }
    let events = format!("GET {STATUS}/events");
    assert_eq!(api.lines(), [events.clone(), format!("GET {STATUS}"), events]);
    assert_eq!(api.received()[2].header("last-event-id"), Some("1"));
}

#[test]
fn a_connection_that_is_cut_before_it_says_anything_is_tried_again() {
    let api = FakeApi::start(|request, before| match (request.path.ends_with("/events"), before) {
        (true, 0) => Answer::Nothing,
        (true, _) => told(2..3),
        (false, _) => json(200, status(2)),
    });
    let shown = wait(&api, &[]);
    for message in MESSAGES {
        assert_eq!(shown.matches(&format!(": {message}\n")).count(), 1, "{shown}");
    }
    assert_eq!(api.received()[2].header("last-event-id"), Some("2"), "what the status told counts");
}

#[test]
fn a_server_that_does_not_tell_is_asked() {
    for (code, name) in [(404, "RouteNotFound"), (503, "ServerBusy"), (400, "InvalidHeader")] {
        let api = FakeApi::start(move |request, before| {
            match (request.path.ends_with("/events"), before) {
                (true, _) => refused(code, name, "no"),
                (false, before) => json(200, status(before + 1)),
            }
        });
        let shown = wait(&api, &[]);
        assert!(shown.starts_with("exit: 0\n--- stdout\ncreated "), "{name}: {shown}");
        for message in MESSAGES {
            assert_eq!(shown.matches(&format!(": {message}\n")).count(), 1, "{name}: {shown}");
        }
        let asked = format!("GET {STATUS}");
        assert_eq!(api.lines(), [format!("{asked}/events"), asked.clone(), asked.clone(), asked]);
    }
}

#[test]
fn an_operation_that_is_not_there_is_told_as_such() {
    let api =
        FakeApi::start(|_, _| refused(404, "OperationNotFound", "there is no such operation"));
    let shown = wait(&api, &[]);
    assert!(shown.starts_with("exit: 1\n--- stdout\n--- stderr\nerror"), "{shown}");
    assert!(shown.contains("there is no such operation"), "{shown}");
}

#[test]
fn what_an_operation_cost_is_shown() {
    let api = FakeApi::start(|_, _| json(200, status(3)));
    let mut command = hangar(&["operation", "show", OPERATION]);
    let shown = shown_of(command.args(["--server", &api.url(), "--data-dir", "/nowhere"]));
    let calls = shown.lines().find(|line| line.starts_with("calls")).unwrap();
    assert_eq!(calls.split_once(' ').unwrap().1.trim(), "1 write, 2 polls, 1 read");
}

/// A refusal with a time to come back.
fn busy(code: &str) -> Answer {
    let headers = vec![("Retry-After", "1".to_owned())];
    let body = json!({"error": {"code": code, "message": "too much"}});
    Answer::Json { status: 503, headers, body }
}

fn make_group(api: &FakeApi) -> String {
    let mut command = hangar(&["group", "create", "prod"]);
    shown_of(command.args(["--server", &api.url(), "--data-dir", "/nowhere"]))
}

#[test]
fn a_write_that_a_busy_server_turns_away_is_the_same_write_again() {
    let api = FakeApi::start(|request, before| match (request.method.as_str(), before) {
        ("PUT", 0 | 1) => busy("ServerBusy"),
        ("PUT", _) => json(201, json!({"id": request.path, "name": "prod"})),
        _ => refused(404, "ResourceGroupNotFound", "there is none"),
    });
    let shown = make_group(&api);
    assert!(shown.starts_with("exit: 0"), "{shown}");
    assert_eq!(shown.matches("note: server busy, retrying").count(), 1, "{shown}");
    let puts: Vec<_> = api.received().into_iter().filter(|it| it.method == "PUT").collect();
    assert_eq!(puts.len(), 3);
    let name = |at: usize| puts[at].header("repeatability-request-id").unwrap().to_owned();
    assert!(name(0) == name(1) && name(1) == name(2));
}

#[test]
fn the_answer_of_a_write_that_was_tried_is_not_asked_for_again() {
    let api = FakeApi::start(|request, _| match request.method.as_str() {
        "PUT" => busy("ConnectTimeout"),
        _ => refused(404, "ResourceGroupNotFound", "there is none"),
    });
    let shown = make_group(&api);
    assert!(shown.starts_with("exit: 1"), "{shown}");
    assert_eq!(api.received().iter().filter(|it| it.method == "PUT").count(), 1);
}
