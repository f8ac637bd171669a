//! Differences down to their smallest parts: by key, without what is only spelled otherwise, and who changed them.

use hangar_schema::{Catalog, Documents, Inputs, TypeSchema, goal, leaves, patch};
use serde_json::{Value, json};

fn schema(name: &str) -> TypeSchema {
    Catalog::bundled().get(name).unwrap()
}

/// A line for each difference of what an update, or a replacement, would make of live.
fn told(schema: &TypeSchema, live: &Value, desired: &Value, applied: Option<&Value>) -> String {
    let patch = patch(schema, &Inputs { live, desired, applied }).unwrap();
    let goal = goal(live, desired, &patch);
    let found = leaves(schema, &Documents { live, goal: &goal, applied });
    let shown = |value: Option<Value>| value.map_or("nothing".to_owned(), |it| it.to_string());
    let lines = found.into_iter().map(|leaf| {
        let (path, origin) = (leaf.keyed.unwrap_or(leaf.path), leaf.origin.name());
        format!("{path}: {} -> {} ({origin})\n", shown(leaf.before), shown(leaf.after))
    });
    lines.collect()
}

#[test]
fn tags_are_told_by_their_keys_whatever_their_order() {
    let vpc = schema("AWS::EC2::VPC");
    let tags = |tags: &[(&str, &str)]| {
        let tags = tags.iter().map(|(key, value)| json!({"Key": key, "Value": value}));
        json!({"CidrBlock": "10.0.0.0/16", "Tags": tags.collect::<Vec<_>>()})
    };
    let applied = tags(&[("a", "1"), ("b", "2"), ("gone", "x")]);
    let live = tags(&[("gone", "x"), ("hands", "y"), ("b", "two"), ("aws:x", "z"), ("a", "1")]);
    let desired = tags(&[("b", "2"), ("new", "n"), ("a", "one")]);
    insta::assert_snapshot!(told(&vpc, &live, &desired, Some(&applied)), @r#"
    /Tags/[Key=b]/Value: "two" -> "2" (drifted)
    /Tags/[Key=new]: nothing -> {"Key":"new","Value":"n"} (first-stated)
    /Tags/[Key=a]/Value: "1" -> "one" (stated)
    /Tags/[Key=gone]: {"Key":"gone","Value":"x"} -> nothing (no-longer-stated)
    /Tags/[Key=hands]: {"Key":"hands","Value":"y"} -> nothing (never-stated)
    "#);
}

#[test]
fn what_is_only_spelled_otherwise_is_in_no_part_of_a_change() {
    let group = schema("AWS::EC2::SecurityGroup");
    let rule = |port: Value, cidr: &str| json!({"IpProtocol": "tcp", "FromPort": port.clone(), "ToPort": port, "CidrIp": cidr});
    let live = json!({"GroupDescription": "d", "SecurityGroupIngress":
        [rule(json!(80), "10.0.0.0/8"), rule(json!(443), "10.0.0.0/8")]});
    let desired = json!({"GroupDescription": "d", "SecurityGroupIngress":
        [rule(json!("443"), "10.0.0.0/8"), rule(json!(80), "10.1.0.0/16")]});
    insta::assert_snapshot!(told(&group, &live, &desired, Some(&live)), @r#"/SecurityGroupIngress/1/CidrIp: "10.0.0.0/8" -> "10.1.0.0/16" (stated)"#);
    let same = json!({"GroupDescription": "d", "SecurityGroupIngress":
        [rule(json!("443"), "10.0.0.0/8"), rule(json!(80), "10.0.0.0/8")]});
    assert_eq!(told(&group, &live, &same, Some(&live)), "");
}

#[test]
fn a_policy_is_told_by_statement_and_meaning() {
    let role = schema("AWS::IAM::Role");
    let of = |statements: Value| json!({"RoleName": "r", "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": statements}});
    let live = of(json!([
        {"Sid": "one", "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}},
        {"Sid": "two", "Effect": "Allow", "Action": ["sts:AssumeRole"], "Principal": {"Service": ["lambda.amazonaws.com"]}},
    ]));
    let desired = of(json!([
        {"Sid": "two", "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ecs.amazonaws.com"}},
        {"Sid": "one", "Effect": "Allow", "Action": ["sts:AssumeRole"], "Principal": {"Service": ["ec2.amazonaws.com"]}},
        {"Effect": "Deny", "Action": "*", "Principal": "*"},
    ]));
    insta::assert_snapshot!(told(&role, &live, &desired, Some(&live)), @r#"
    /AssumeRolePolicyDocument/Statement/[Sid=two]/Principal: {"Service":["lambda.amazonaws.com"]} -> {"Service":"ecs.amazonaws.com"} (stated)
    /AssumeRolePolicyDocument/Statement/2: nothing -> {"Action":"*","Effect":"Deny","Principal":"*"} (first-stated)
    "#);
    let turned = of(json!([
        live["AssumeRolePolicyDocument"]["Statement"][1],
        live["AssumeRolePolicyDocument"]["Statement"][0]
    ]));
    assert_eq!(told(&role, &live, &turned, Some(&live)), "");
}

#[test]
fn what_only_a_new_resource_can_have_is_told_with_what_changes_besides() {
    let vpc = schema("AWS::EC2::VPC");
    let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true});
    let desired = json!({"CidrBlock": "10.1.0.0/16", "EnableDnsSupport": false});
    insta::assert_snapshot!(told(&vpc, &live, &desired, None), @r#"
    /CidrBlock: "10.0.0.0/16" -> "10.1.0.0/16" (no-record)
    /EnableDnsSupport: true -> false (no-record)
    "#);
}
