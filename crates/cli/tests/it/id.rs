//! `hangar id` as a user runs it.

use serde_json::{Value, json};

use crate::{error, json_of, shown};

#[test]
fn parse_prints_the_documented_members_for_each_kind() {
    let cases = [
        (
            "/planes/radius/local",
            json!({"kind": "scope", "scopes": [{"type": "radius", "name": "local"}], "types": [], "extensions": [],
                "provider": null, "type": null, "name": "local", "normalized": "/planes/radius/local"}),
        ),
        (
            "/planes/radius/local/resourceGroups",
            json!({"kind": "scopeCollection",
                "scopes": [{"type": "radius", "name": "local"}, {"type": "resourceGroups", "name": null}],
                "types": [], "extensions": [], "provider": null, "type": null, "name": null,
                "normalized": "/planes/radius/local/resourcegroups"}),
        ),
        (
            "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.S3/Bucket/My-Logs",
            json!({"kind": "resource",
                "scopes": [{"type": "aws", "name": "aws"}, {"type": "accounts", "name": "1"}, {"type": "regions", "name": "us-east-1"}],
                "types": [{"type": "AWS.S3/Bucket", "name": "My-Logs"}], "extensions": [],
                "provider": "AWS.S3", "type": "AWS.S3/Bucket", "name": "My-Logs",
                "normalized": "/planes/aws/aws/accounts/1/regions/us-east-1/providers/aws.s3/bucket/My-Logs"}),
        ),
        (
            "/subscriptions/S/providers/A.B/c",
            json!({"kind": "resourceCollection", "scopes": [{"type": "subscriptions", "name": "S"}],
                "types": [{"type": "A.B/c", "name": null}], "extensions": [],
                "provider": "A.B", "type": "A.B/c", "name": null, "normalized": "/subscriptions/s/providers/a.b/c"}),
        ),
        (
            "/subscriptions/S/providers/A.B/c/d/providers/E.F/g/h",
            json!({"kind": "extension", "scopes": [{"type": "subscriptions", "name": "S"}],
                "types": [{"type": "A.B/c", "name": "d"}], "extensions": [{"type": "E.F/g", "name": "h"}],
                "provider": "E.F", "type": "E.F/g", "name": "h",
                "normalized": "/subscriptions/s/providers/a.b/c/d/providers/e.f/g/h"}),
        ),
        (
            "/subscriptions/S/providers/A.B/c/d/providers/E.F/g",
            json!({"kind": "extensionCollection", "scopes": [{"type": "subscriptions", "name": "S"}],
                "types": [{"type": "A.B/c", "name": "d"}], "extensions": [{"type": "E.F/g", "name": null}],
                "provider": "E.F", "type": "E.F/g", "name": null,
                "normalized": "/subscriptions/s/providers/a.b/c/d/providers/e.f/g"}),
        ),
    ];
    for (id, expected) in cases {
        assert_eq!(json_of(&["id", "parse", id, "-o", "json"]), expected, "{id}");
    }
}

#[test]
fn a_bad_id_is_shown_with_the_offending_byte_underlined() {
    insta::assert_snapshot!(shown(&["id", "parse", "/planes/aws//x"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[ID0002]: a segment of the id is empty
      |
    1 | /planes/aws//x
      |             ^ the segment is empty here
    hint: remove the extra `/`, or write the missing name
    ");
    let problem = error(&["id", "parse", "/planes/aws//x", "-o", "json"]);
    assert_eq!(problem["span"], json!({"start": 12, "end": 13}));
}

#[test]
fn an_arn_becomes_an_id_and_one_without_account_asks_for_it() {
    let subnet = "arn:aws:ec2:us-east-2:179022619019:subnet/subnet-0ddfaa93733f98002";
    let id = "/planes/aws/aws/accounts/179022619019/regions/us-east-2/providers/AWS.ec2/subnet/subnet-0ddfaa93733f98002";
    assert_eq!(
        shown(&["id", "from-arn", subnet]),
        format!("exit: 0\n--- stdout\n{id}\n--- stderr\n")
    );
    let bucket = json_of(&["id", "from-arn", "arn:aws:s3:::b", "--account", "1", "-o", "json"]);
    assert_eq!(bucket["id"], "/planes/aws/aws/accounts/1/regions/global/providers/AWS.s3/bucket/b");
    let problem = error(&["id", "from-arn", "arn:aws:s3:::b", "-o", "json"]);
    assert!(problem["hint"].as_str().unwrap().contains("--account"));
    let problem: Value =
        error(&["id", "from-arn", "arn:aws:s3:::b", "--account", "x", "-o", "json"]);
    assert_eq!(problem["code"], "ID0040");
}

#[test]
fn a_control_character_in_a_name_survives_json() {
    let id = "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.X/Y/a%7Fb";
    assert_eq!(json_of(&["id", "parse", id, "-o", "json"])["name"], "a\u{7f}b");
}
