//! Faults that the simulator makes on order, and the class that each is told as.

use std::time::{Duration, Instant};

use hangar_provider::{ErrorClass, Observation, Provider, RequestFilter, RequestState};
use hangar_provider_aws::CallName;
use serde_json::{Value, json};

use crate::cloud::{LOG_GROUP, VPC, hasty_provider, place, provider, simulator, target};

fn exception(operation: &str, exception: &str, message: Option<&str>) -> Value {
    let mut fault = json!({"operation": operation, "effect": "exception", "exception": exception});
    if let Some(message) = message {
        fault["message"] = json!(message);
    }
    fault
}

/// The class and code of each call in turn, which all meet an exception.
#[tokio::test]
async fn every_exception_that_the_simulator_knows_is_classed() {
    let table = [
        ("AlreadyExistsException", ErrorClass::Refused),
        ("ClientTokenConflictException", ErrorClass::TokenConflict),
        ("ConcurrentModificationException", ErrorClass::Busy),
        ("ConcurrentOperationException", ErrorClass::Busy),
        ("GeneralServiceException", ErrorClass::Unanswered),
        ("HandlerFailureException", ErrorClass::Unanswered),
        ("HandlerInternalFailureException", ErrorClass::Unanswered),
        ("InvalidCredentialsException", ErrorClass::Forbidden),
        ("InvalidRequestException", ErrorClass::Refused),
        ("NetworkFailureException", ErrorClass::Unanswered),
        ("NotStabilizedException", ErrorClass::Unanswered),
        ("NotUpdatableException", ErrorClass::Refused),
        ("PrivateTypeException", ErrorClass::Unsupported),
        ("RequestTokenNotFoundException", ErrorClass::UnknownRequest),
        ("ResourceConflictException", ErrorClass::Busy),
        ("ServiceInternalErrorException", ErrorClass::Unanswered),
        ("ServiceLimitExceededException", ErrorClass::Refused),
        ("ThrottlingException", ErrorClass::Throttled),
        ("TypeNotFoundException", ErrorClass::Unsupported),
        ("UnsupportedActionException", ErrorClass::Unsupported),
        ("ValidationException", ErrorClass::Refused),
        ("SerializationException", ErrorClass::Refused),
        ("UnknownOperationException", ErrorClass::Refused),
        ("AccessDeniedException", ErrorClass::Forbidden),
        ("InternalFailure", ErrorClass::Unanswered),
        ("ServiceUnavailable", ErrorClass::Unanswered),
    ];
    let faults = table.map(|(name, _)| exception("UpdateResource", name, Some("in these words")));
    let simulator = simulator(&faults).await;
    let (provider, calls) = provider(&simulator.url());
    for (name, class) in table {
        let updated = provider.update(&target(VPC), "vpc-1", &json!([]), name).await;
        let error = updated.unwrap_err();
        assert_eq!((error.class, error.code.as_str()), (class, name));
        assert_eq!(error.message, "in these words");
    }
    let made = table.map(|(_, class)| (CallName::UpdateResource, Err(class)));
    assert_eq!(*calls.lock().unwrap(), made);
}

#[tokio::test]
async fn a_throttle_is_one_call_and_the_next_one_goes_through() {
    let simulator = simulator(&[exception("GetResource", "ThrottlingException", None)]).await;
    let (provider, calls) = provider(&simulator.url());
    let vpcs = target(VPC);
    let error = provider.observe(&vpcs, "vpc-1").await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Throttled);
    assert!(error.class.is_definite());
    assert_eq!(provider.observe(&vpcs, "vpc-1").await, Ok(Observation::Absent));
    let get = CallName::GetResource;
    assert_eq!(*calls.lock().unwrap(), [(get, Err(ErrorClass::Throttled)), (get, Ok(()))]);
}

#[tokio::test]
async fn a_lost_reply_is_unanswered_and_its_token_finds_what_was_made() {
    for when in ["before", "after"] {
        let fault = json!({"operation": "CreateResource", "effect": "drop-reply", "when": when});
        let simulator = simulator(&[fault]).await;
        let (provider, calls) = provider(&simulator.url());
        let vpcs = target(VPC);
        let desired = json!({"CidrBlock": "10.0.0.0/16"});
        let error = provider.create(&vpcs, &desired, "lost").await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unanswered, "{error}");
        assert_eq!(error.code, "ConnectionLost");
        assert!(!error.message.contains("CidrBlock"), "{error}");
        // No hidden repetition.
        assert_eq!(calls.lock().unwrap().len(), 1);
        provider.create(&vpcs, &desired, "lost").await.unwrap();
        let page = provider.requests(&place(), &RequestFilter::default(), None).await.unwrap();
        assert_eq!(page.requests.len(), 1, "{when}");
        let page = provider.list(&vpcs, None, 10, None).await.unwrap();
        assert_eq!(page.resources.len(), 1, "{when}");
    }
}

#[tokio::test]
async fn a_lost_reply_on_a_connection_that_was_used_before_is_unanswered() {
    let fault = json!({"operation": "DeleteResource", "effect": "drop-reply", "when": "before"});
    let simulator = simulator(&[fault]).await;
    let (provider, _) = provider(&simulator.url());
    let vpcs = target(VPC);
    provider.list(&vpcs, None, 10, None).await.unwrap();
    let error = provider.delete(&vpcs, "vpc-1", "lost").await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Unanswered, "{error}");
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_is_unanswered() {
    let late = |operation: &str| json!({"operation": operation, "effect": "delay", "millis": 5000});
    let faults = ["CreateResource", "DescribeType", "GetCallerIdentity"].map(late);
    let simulator = simulator(&faults).await;
    let provider = hasty_provider(&simulator.url());
    let vpcs = target(VPC);
    let begun = Instant::now();
    let desired = json!({"CidrBlock": "10.0.0.0/16"});
    let errors = [
        provider.create(&vpcs, &desired, "late").await.unwrap_err(),
        provider.describe_type(&vpcs).await.unwrap_err(),
        provider.identity(&place()).await.unwrap_err(),
    ];
    assert!(begun.elapsed() < Duration::from_secs(4));
    for error in errors {
        let told = (error.class, error.code.as_str());
        assert_eq!(told, (ErrorClass::Unanswered, "AnswerTimeout"), "{error}");
    }
    // The write was accepted all the same: its token says so.
    let (patient, _) = crate::cloud::provider(&simulator.url());
    let again = patient.create(&vpcs, &desired, "late").await.unwrap();
    assert_eq!(again.state, RequestState::Success);
}

#[tokio::test]
async fn the_query_calls_are_classed_by_the_same_table() {
    for operation in ["DescribeType", "GetCallerIdentity"] {
        let faults = [
            exception(operation, "ThrottlingException", Some("slower")),
            exception(operation, "AccessDeniedException", Some("not you")),
            exception(operation, "ServiceUnavailable", Some("not now")),
            json!({"operation": operation, "effect": "drop-reply"}),
        ];
        let simulator = simulator(&faults).await;
        let (provider, _) = provider(&simulator.url());
        for (class, code, message) in [
            (ErrorClass::Throttled, "Throttling", "slower"),
            (ErrorClass::Forbidden, "AccessDenied", "not you"),
            (ErrorClass::Unanswered, "ServiceUnavailable", "not now"),
            (ErrorClass::Unanswered, "ConnectionLost", ""),
        ] {
            let error = if operation == "DescribeType" {
                provider.describe_type(&target(VPC)).await.unwrap_err()
            } else {
                provider.identity(&place()).await.unwrap_err()
            };
            assert_eq!((error.class, error.code.as_str()), (class, code), "{error}");
            assert!(error.message.contains(message), "{error}");
        }
    }
}

#[tokio::test]
async fn a_handler_that_fails_says_why_and_what_it_left() {
    let fault = json!({
        "operation": "CreateResource", "effect": "fail", "code": "NotStabilized",
        "message": "still waiting", "withIdentifier": true,
    });
    let simulator = simulator(&[fault]).await;
    let (provider, _) = provider(&simulator.url());
    let groups = target(LOG_GROUP);
    let begun = provider.create(&groups, &json!({"LogGroupName": "a"}), "t").await.unwrap();
    let ended = provider.poll(&place(), &begun.request_token).await.unwrap();
    assert_eq!(ended.state, RequestState::Failed);
    assert_eq!(ended.error_code.map(|code| code.0).as_deref(), Some("NotStabilized"));
    assert_eq!(ended.message.as_deref(), Some("still waiting"));
    assert_eq!(ended.identifier.as_deref(), Some("a"));
}

#[tokio::test]
async fn places_do_not_see_each_other_and_accounts_are_padded() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    let here = target(LOG_GROUP);
    provider.create(&here, &json!({"LogGroupName": "a"}), "t").await.unwrap();
    assert_ne!(provider.observe(&here, "a").await, Ok(Observation::Absent));
    for (account, region, is_there) in [
        ("000000000042", "eu-central-1", true),
        ("43", "eu-central-1", false),
        ("42", "us-gov-west-1", false),
    ] {
        let mut there = here.clone();
        there.place.account = account.parse().unwrap();
        there.place.region = region.parse().unwrap();
        let observed = provider.observe(&there, "a").await.unwrap();
        assert_eq!(observed != Observation::Absent, is_there, "{account} {region}");
        let identity = provider.identity(&there.place).await.unwrap();
        assert_eq!(identity.account, there.place.account.padded());
    }
}

#[tokio::test]
async fn a_type_that_lists_under_a_parent_gets_it() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    let streams = target("AWS::Logs::LogStream");
    let (group, stream) = ("parent", json!({"LogGroupName": "parent", "LogStreamName": "s"}));
    provider.create(&streams, &stream, "t").await.unwrap();
    let parent = json!({"LogGroupName": group});
    let page = provider.list(&streams, Some(&parent), 10, None).await.unwrap();
    assert_eq!(page.resources.len(), 1);
    let other = json!({"LogGroupName": "other"});
    let page = provider.list(&streams, Some(&other), 10, None).await.unwrap();
    assert_eq!(page.resources, []);
}
