use hangar_ids::{AccountId, Region, TypeName};
use hangar_plan::Timestamp;
use hangar_plan::operation::{
    AttemptOutcome, Entry, Failure, FailureKind, Kind, OperationId, Policy, Stage, Verb,
};
use hangar_plan::record::{
    AwsScope, Difference, Documents, DriftState, GroupName, ReferenceName, Version,
};

use super::*;

pub(in crate::render) fn stored() -> Reference {
    Reference {
        name: ReferenceName {
            group: GroupName { plane: "local".into(), group: "rg".into() },
            type_name: TypeName::parse("AWS.EC2/VPC").unwrap(),
            alias: "net".into(),
        },
        scope: AwsScope {
            plane: "aws".into(),
            account: AccountId::parse("1").unwrap(),
            region: Region::parse("us-east-1").unwrap(),
        },
        entry: Entry {
            identifier: Some("vpc-1".into()),
            owned: true,
            state: EntryState::Ready,
            operation: None,
            unsettled: vec![],
            retiring: vec![],
            failed_at: None,
        },
        documents: Documents {
            observed: Some(json!({"VpcId": "vpc-1", "Secret": "x"})),
            secret_paths: vec!["/Secret".into()],
            applied: Some(json!({"CidrBlock": "10.0.0.0/16"})),
            ..Documents::default()
        },
        depends_on: vec![],
        drift: None,
        former_keys: vec![],
        managed_by: None,
        last_operation: None,
        created_at: Timestamp::from_micros(0),
        updated_at: Timestamp::from_micros(0),
        version: Version(1),
    }
}

fn running() -> Operation {
    Operation {
        id: OperationId::from_u128(7),
        kind: Kind::Put,
        policy: Policy {
            tracked: true,
            readable: true,
            may_create: true,
            marker: true,
            handler_timeout: std::time::Duration::from_secs(1),
            replace: None,
            adopt: None,
            held: None,
            unstored: Vec::new(),
        },
        stage: Stage::Observe { absences: 0 },
        identifier: None,
        attempts: vec![],
        tries: 0,
        looked_at: None,
        waiting_since: None,
        waiting: None,
        cancel_requested: false,
        cancel_sent: false,
        started_at: Timestamp::from_micros(0),
        adopting: None,
        closing: None,
        changed: Vec::new(),
        doubtful_reads: false,
        ending: None,
    }
}

fn shown(stored: &Reference, running: Option<&Operation>, seen: Seen) -> Value {
    reference(stored.clone(), &ETag::of_reference(stored), running, seen)
}

#[test]
fn a_reference_shows_what_it_maps_to_and_no_secret() {
    let mut body = shown(&stored(), None, Seen::Stored);
    body["etag"].take();
    assert_eq!(
        body,
        json!({
            "id": "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net",
            "name": "net", "type": "AWS.EC2/VPC:reference", "etag": null,
            "mapsTo": {
                "scope": "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC",
                "primaryIdentifier": "vpc-1"},
            "ownedResource": true,
            "properties": {"VpcId": "vpc-1", "provisioningState": "Succeeded"},
            "appliedProperties": {"CidrBlock": "10.0.0.0/16"}, "secretPaths": ["/Secret"],
            "state": "ready", "retiring": [], "dependsOn": [],
            "systemData": {"createdAt": "1970-01-01T00:00:00Z", "lastModifiedAt": "1970-01-01T00:00:00Z"},
        })
    );
}

#[test]
fn a_tag_that_a_caller_has_is_good_after_an_upgrade() {
    // SHA-256 of the JSON text of collection, identifier, owner, applied, secrets and observed.
    let body = shown(&stored(), None, Seen::Stored);
    assert_eq!(body["etag"], "\"b10b4210430c44660c6d67659e1f005b\"");
}

#[test]
fn a_running_operation_gives_its_word_and_a_failed_one_its_error() {
    let mut busy = stored();
    busy.entry.operation = Some(OperationId::from_u128(7));
    let body = shown(&busy, Some(&running()), Seen::Stored);
    assert_eq!(body["properties"]["provisioningState"], "Accepted");
    assert_eq!(body["operation"], "00000000-0000-0000-0000-000000000007");
    assert_eq!(body["etag"], shown(&stored(), None, Seen::Stored)["etag"]);

    let mut failed = stored();
    failed.entry.state = EntryState::Failed;
    let failure = Failure {
        kind: FailureKind::Provider,
        code: "AlreadyExists".into(),
        message: "m".into(),
        findings: vec![],
    };
    failed.last_operation = Some((OperationId::from_u128(8), Ending::Failed(failure)));
    let body = shown(&failed, None, Seen::Stored);
    assert_eq!(body["properties"]["provisioningState"], "Failed");
    assert_eq!(body["lastOperation"]["error"]["code"], "AlreadyExists");
}

#[test]
fn a_live_look_is_shown_and_changes_no_tag() {
    let now = shown(&stored(), None, Seen::Now(json!({"VpcId": "vpc-1", "New": 1, "Secret": 2})));
    assert_eq!(
        now["properties"],
        json!({"VpcId": "vpc-1", "New": 1, "provisioningState": "Succeeded"})
    );
    assert_eq!(now["etag"], shown(&stored(), None, Seen::Stored)["etag"]);
    let gone = shown(&stored(), None, Seen::Gone);
    assert_eq!((&gone["state"], &gone["properties"]["VpcId"]), (&json!("missing"), &Value::Null));
}

#[test]
fn a_reference_shows_what_it_depends_on_how_it_drifted_and_what_is_not_settled() {
    let mut odd = stored();
    odd.depends_on = vec!["/planes/x".into()];
    odd.drift = Some(Drift {
        state: DriftState::Drifted,
        paths: vec!["/EnableDnsSupport".into()],
        differences: vec![
            Difference {
                path: "/EnableDnsSupport".into(),
                keyed: None,
                applied: Some(json!(true)),
                live: Some(json!(false)),
                secret: false,
            },
            Difference {
                path: "/Secret/Part".into(),
                keyed: None,
                applied: Some(json!("hunter2")),
                live: None,
                secret: false,
            },
        ],
        reason: None,
        checked_at: Timestamp::from_micros(1_000_000),
    });
    odd.entry.retiring = vec!["vpc-0".into()];
    odd.entry.unsettled = vec![Attempt {
        operation: OperationId::from_u128(7),
        number: 2,
        verb: Verb::Create,
        client_token: "t".into(),
        born_at: Timestamp::from_micros(0),
        marked: true,
        unanswered: 1,
        sent_at: Some(Timestamp::from_micros(2_000_000)),
        request_token: None,
        begun: false,
        identifier: None,
        outcome: AttemptOutcome::Lost,
        replaces: None,
    }];
    let body = shown(&odd, None, Seen::Stored);
    assert_eq!(body["dependsOn"], json!(["/planes/x"]));
    assert_eq!(body["retiring"], json!(["vpc-0"]));
    assert_eq!(
        body["drift"],
        json!({"state": "Drifted", "paths": ["/EnableDnsSupport"], "checkedAt": "1970-01-01T00:00:01Z",
            "differences": [{"path": "/EnableDnsSupport", "applied": true, "live": false},
                            {"path": "/Secret/Part", "secret": true}]})
    );
    assert_eq!(
        body["unsettled"],
        json!([{"operation": "00000000-0000-0000-0000-000000000007", "attempt": 2,
            "sentAt": "1970-01-01T00:00:02Z"}])
    );
    let unread = Drift {
        state: DriftState::Unknown,
        reason: Some("why".into()),
        paths: vec![],
        differences: vec![],
        checked_at: Timestamp::from_micros(0),
    };
    odd.drift = Some(unread);
    assert_eq!(shown(&odd, None, Seen::Stored)["drift"]["reason"], "why");
}
