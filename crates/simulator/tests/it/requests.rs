//! Asynchronous requests: their way through the states, tokens, cancelling, forgetting.

use hangar_simulator::core::settings::Settings;
use serde_json::{Value, json};

use crate::caller::Caller;

const VPC: &str = "AWS::EC2::VPC";

fn slow() -> Caller {
    Caller::with(Settings { latency: "60s..60s".parse().unwrap(), ..Settings::default() })
}

fn create_vpc(token: &str) -> Value {
    json!({"TypeName": VPC, "DesiredState": r#"{"CidrBlock":"10.0.0.0/16"}"#, "ClientToken": token})
}

fn event(answer: Result<Value, (String, String)>) -> Value {
    answer.unwrap()["ProgressEvent"].clone()
}

fn poll(caller: &mut Caller, begun: &Value) -> Value {
    let body = json!({"RequestToken": begun["RequestToken"]});
    event(caller.call("GetResourceRequestStatus", &body))
}

#[test]
fn a_create_is_pending_then_in_progress_then_done() {
    let mut caller = slow();
    // Requests wait only if others run.
    let begun = (0..30)
        .map(|round| event(caller.call("CreateResource", &create_vpc(&format!("t{round}")))))
        .find(|begun| begun["OperationStatus"] == "PENDING")
        .unwrap();
    let mut seen = vec![begun["OperationStatus"].clone()];
    let mut named_before_the_end = false;
    for _ in 0..60 {
        caller.now += 1000;
        let now = poll(&mut caller, &begun);
        let is_open = now["OperationStatus"] != "SUCCESS";
        named_before_the_end |= is_open && now["Identifier"].is_string();
        assert_eq!(now["RetryAfter"].is_number(), is_open, "{now}");
        if Some(&now["OperationStatus"]) != seen.last() {
            seen.push(now["OperationStatus"].clone());
        }
    }
    assert_eq!(seen, ["PENDING", "IN_PROGRESS", "SUCCESS"]);
    assert!(named_before_the_end && begun["Identifier"].is_null());
    let identifier = poll(&mut caller, &begun)["Identifier"].clone();
    assert!(caller.read(VPC, identifier.as_str().unwrap()).is_ok());
}

#[test]
fn a_client_token_is_one_request_for_36_hours() {
    let mut caller = Caller::new();
    let first = event(caller.call("CreateResource", &create_vpc("t")));
    let second = event(caller.call("CreateResource", &create_vpc("t")));
    assert_eq!(first["RequestToken"], second["RequestToken"]);
    let other = json!({"TypeName": VPC, "DesiredState": r#"{"CidrBlock":"10.1.0.0/16"}"#, "ClientToken": "t"});
    let (exception, message) = caller.call("CreateResource", &other).unwrap_err();
    assert_eq!(exception, "ClientTokenConflictException");
    assert!(message.contains(first["RequestToken"].as_str().unwrap()), "{message}");
    let hours = |count: u64| count * 3_600_000;
    caller.now += hours(36) - 1;
    let still = event(caller.call("CreateResource", &create_vpc("t")));
    assert_eq!(still["RequestToken"], first["RequestToken"]);
    caller.now += 1;
    let anew = event(caller.call("CreateResource", &create_vpc("t")));
    assert_ne!(anew["RequestToken"], first["RequestToken"]);
    let listed = caller.call("ListResources", &json!({"TypeName": VPC})).unwrap();
    assert_eq!(listed["ResourceDescriptions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_request_is_forgotten_after_seven_days_and_its_resource_stays() {
    let mut caller = Caller::new();
    let begun = event(caller.call("CreateResource", &create_vpc("t")));
    let ended = poll(&mut caller, &begun);
    caller.now += 7 * 24 * 3_600_000 - 1;
    assert_eq!(poll(&mut caller, &begun)["OperationStatus"], "SUCCESS");
    caller.now += 1;
    let body = json!({"RequestToken": begun["RequestToken"]});
    let refused = caller.call("GetResourceRequestStatus", &body).unwrap_err();
    assert_eq!(refused.0, "RequestTokenNotFoundException");
    assert!(caller.read(VPC, ended["Identifier"].as_str().unwrap()).is_ok());
}

#[test]
fn one_operation_works_on_a_resource_at_a_time() {
    let mut caller = Caller::new();
    let name = "one-at-a-time";
    let desired = json!({"BucketName": name}).to_string();
    let create = json!({"TypeName": "AWS::S3::Bucket", "DesiredState": desired});
    caller.succeed("CreateResource", &create).unwrap();
    caller.world.set_settings(Settings {
        latency: "60s..60s".parse().unwrap(),
        ..caller.world.settings().clone()
    });
    let delete = json!({"TypeName": "AWS::S3::Bucket", "Identifier": name});
    let begun = event(caller.call("DeleteResource", &delete));
    let (exception, message) = caller.call("DeleteResource", &delete).unwrap_err();
    assert_eq!(exception, "ConcurrentOperationException");
    assert!(message.contains(begun["RequestToken"].as_str().unwrap()), "{message}");
    caller.now += 61_000;
    assert_eq!(poll(&mut caller, &begun)["OperationStatus"], "SUCCESS");
    // Now there is nothing to delete, which is found out later.
    let again = caller.call("DeleteResource", &delete).unwrap();
    caller.now += 61_000;
    let ended = poll(&mut caller, &again["ProgressEvent"]);
    assert_eq!(
        (&ended["OperationStatus"], &ended["ErrorCode"]),
        (&json!("FAILED"), &json!("NotFound"))
    );
}

#[test]
fn an_empty_patch_stays_pending_for_ever_and_can_be_cancelled() {
    let mut caller = Caller::new();
    let identifier = caller.succeed("CreateResource", &create_vpc("t")).unwrap();
    let empty = json!({"TypeName": VPC, "Identifier": identifier, "PatchDocument": "[]"});
    let begun = event(caller.call("UpdateResource", &empty));
    caller.now += 24 * 3_600_000;
    assert_eq!(poll(&mut caller, &begun)["OperationStatus"], "PENDING");
    let cancelled = event(
        caller.call("CancelResourceRequest", &json!({"RequestToken": begun["RequestToken"]})),
    );
    assert_eq!(cancelled["OperationStatus"], "CANCEL_IN_PROGRESS");
    assert_eq!(poll(&mut caller, &begun)["OperationStatus"], "CANCEL_COMPLETE");
}

#[test]
fn a_cancelled_create_leaves_the_resource_if_its_identifier_was_out() {
    let mut caller = slow();
    let early = event(caller.call("CreateResource", &create_vpc("early")));
    event(caller.call("CancelResourceRequest", &json!({"RequestToken": early["RequestToken"]})));
    caller.now += 2000;
    let ended = poll(&mut caller, &early);
    assert_eq!(ended["OperationStatus"], "CANCEL_COMPLETE");
    assert!(ended["Identifier"].is_null(), "{ended}");
    let late = event(caller.call("CreateResource", &create_vpc("late")));
    let named = (0..60).find_map(|_| {
        caller.now += 1000;
        poll(&mut caller, &late)["Identifier"].as_str().map(str::to_owned)
    });
    event(caller.call("CancelResourceRequest", &json!({"RequestToken": late["RequestToken"]})));
    caller.now += 2000;
    let ended = poll(&mut caller, &late);
    assert_eq!(ended["OperationStatus"], "CANCEL_COMPLETE");
    assert!(caller.read(VPC, &named.unwrap()).is_ok());
}

#[test]
fn a_first_answer_is_in_progress_and_states_no_time_to_ask_again() {
    let mut caller = slow();
    for round in 0..10 {
        let begun = event(caller.call("CreateResource", &create_vpc(&format!("t{round}"))));
        assert_eq!(begun["OperationStatus"], "IN_PROGRESS");
        assert!(begun["RetryAfter"].is_null(), "{begun}");
        assert!(poll(&mut caller, &begun)["RetryAfter"].is_number());
    }
}

#[test]
fn a_cancel_of_an_ended_request_is_refused_and_of_a_cancelled_one_repeated() {
    let mut caller = slow();
    let cancel = |caller: &mut Caller, begun: &Value| {
        let body = json!({"RequestToken": begun["RequestToken"]});
        caller.call("CancelResourceRequest", &body)
    };
    let create = |name: &str| json!({"TypeName": "AWS::S3::Bucket", "DesiredState": json!({"BucketName": name}).to_string()});
    let stopped = event(caller.call("CreateResource", &create("stopped")));
    cancel(&mut caller, &stopped).unwrap();
    caller.now += 2000;
    assert_eq!(event(cancel(&mut caller, &stopped))["OperationStatus"], "CANCEL_COMPLETE");
    for status in ["SUCCESS", "FAILED"] {
        let begun = event(caller.call("CreateResource", &create("ended")));
        caller.now += 61_000;
        let (exception, message) = cancel(&mut caller, &begun).unwrap_err();
        assert_eq!(exception, "ValidationException");
        let token = begun["RequestToken"].as_str().unwrap();
        assert_eq!(message, format!("Request {token} is already in status {status}"));
    }
}

#[test]
fn requests_are_listed_the_latest_first_by_pages_and_filters() {
    let mut caller = Caller::new();
    let mut tokens = Vec::new();
    for round in 0..45 {
        let begun = event(caller.call("CreateResource", &create_vpc(&format!("t{round}"))));
        tokens.insert(0, begun["RequestToken"].clone());
    }
    let mut listed = Vec::new();
    let mut body = json!({"MaxResults": 10});
    loop {
        let page = caller.call("ListResourceRequests", &body).unwrap();
        let events = page["ResourceRequestStatusSummaries"].as_array().unwrap();
        assert!(events.len() <= 10);
        listed.extend(events.iter().map(|event| event["RequestToken"].clone()));
        let Some(next) = page["NextToken"].as_str() else { break };
        body["NextToken"] = next.into();
        // What is accepted meanwhile does not shift the pages.
        caller.call("CreateResource", &create_vpc(&format!("more{}", listed.len()))).unwrap();
    }
    assert_eq!(listed, tokens);
    let filtered = |operations: &[&str], statuses: &[&str]| json!({"ResourceRequestStatusFilter": {"Operations": operations, "OperationStatuses": statuses}});
    let mut count = |body: &Value| {
        let page = caller.call("ListResourceRequests", body).unwrap();
        page["ResourceRequestStatusSummaries"].as_array().unwrap().len()
    };
    assert_eq!(count(&filtered(&["CREATE"], &["SUCCESS"])), 20);
    assert_eq!(count(&filtered(&["DELETE"], &[])), 0);
    assert_eq!(count(&filtered(&[], &["FAILED", "PENDING"])), 0);
}

#[test]
fn a_write_is_not_seen_by_reads_before_the_delay_is_over() {
    let mut caller = Caller::with(Settings {
        latency: "0..0".parse().unwrap(),
        read_delay: std::time::Duration::from_secs(10),
        ..Settings::default()
    });
    let create = json!({"TypeName": "AWS::S3::Bucket", "DesiredState": r#"{"BucketName":"late"}"#});
    caller.succeed("CreateResource", &create).unwrap();
    let read = |caller: &mut Caller| caller.read("AWS::S3::Bucket", "late").map(drop);
    assert_eq!(read(&mut caller).unwrap_err().0, "ResourceNotFoundException");
    caller.now += 10_000;
    read(&mut caller).unwrap();
    let delete = json!({"TypeName": "AWS::S3::Bucket", "Identifier": "late"});
    caller.succeed("DeleteResource", &delete).unwrap();
    read(&mut caller).unwrap();
    caller.now += 10_000;
    assert!(read(&mut caller).is_err());
    assert!(
        caller.world.state().regions[&caller.place].resource("AWS::S3::Bucket", "late").is_none()
    );
}

#[test]
fn a_forgotten_request_still_does_what_it_was_about_to_do() {
    let mut caller = slow();
    let desired = json!({"BucketName": "forgotten"}).to_string();
    let create =
        json!({"TypeName": "AWS::S3::Bucket", "DesiredState": desired, "ClientToken": "t"});
    let begun = event(caller.call("CreateResource", &create));
    assert!(caller.world.forget_request(begun["RequestToken"].as_str().unwrap()));
    let body = json!({"RequestToken": begun["RequestToken"]});
    let refused = caller.call("GetResourceRequestStatus", &body).unwrap_err();
    assert_eq!(refused.0, "RequestTokenNotFoundException");
    let listed = caller.call("ListResourceRequests", &json!({})).unwrap();
    assert_eq!(listed["ResourceRequestStatusSummaries"], json!([]));
    caller.now += 61_000;
    assert!(caller.read("AWS::S3::Bucket", "forgotten").is_ok());
}
