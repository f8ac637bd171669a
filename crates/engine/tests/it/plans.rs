//! What a plan tells of each property: why it changes, where it is stated, what of it is secret or not known.

use std::fmt::Write as _;

use hangar_plan::operation::SuccessKind;
use serde_json::{Value, json};

use crate::deployments::{actions, deploy, pairs, plan};
use crate::plane::{Plane, done};
use crate::team::{called, change_elsewhere};
use hangar_simulator::core::habits::added::AddedHabits;
use hangar_simulator::core::settings::{ArrayOrder, Fidelity, Settings};

/// A plan as lines, with the lines of the template behind an `@`.
fn lines(plan: &Value) -> String {
    let mut text = String::new();
    for change in plan["changes"].as_array().unwrap() {
        let _ = write!(text, "{} {}", plain(&change["address"]), plain(&change["action"]));
        if change["mayReplace"] == true {
            text.push_str(" may-replace");
        }
        if let Some(reason) = change["reason"].as_str() {
            let _ = write!(text, ": {reason}");
        }
        text.push_str(&at(change));
        text.push('\n');
        for changed in change["changed"].as_array().unwrap() {
            property(&mut text, changed, 1);
        }
    }
    text
}

fn property(text: &mut String, changed: &Value, depth: usize) {
    let path = changed.get("keyed").unwrap_or(&changed["path"]);
    let _ = write!(text, "{:1$}{2}", "", 2 * depth, plain(path));
    for member in ["before", "after", "unknown", "secret", "cause"] {
        if let Some(value) = changed.get(member) {
            let _ = write!(text, " {member}={}", plain(value));
        }
    }
    for flag in ["requiresReplacement", "mayReplace"] {
        if changed[flag] == true {
            let _ = write!(text, " {flag}");
        }
    }
    if depth == 1 && changed["cause"].is_null() && changed["reason"].is_string() {
        let _ = write!(text, " ({})", plain(&changed["reason"]));
    }
    text.push_str(&at(changed));
    text.push('\n');
    for part in changed["parts"].as_array().into_iter().flatten() {
        property(text, part, depth + 1);
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn at(told: &Value) -> String {
    match told.get("source") {
        Some(source) => format!(" @{}:{}", source["line"], source["column"]),
        None => String::new(),
    }
}

async fn identifier(plane: &Plane, kind: &str, alias: &str) -> String {
    plane.reference(kind, alias).await.unwrap().entry.identifier.unwrap()
}

const NET: &str = "extension aws
param dns bool = true
param tags array
var shared = { hostnames: true }
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: '10.0.0.0/16'
    EnableDnsSupport: dns
    EnableDnsHostnames: shared.hostnames
    Tags: tags
  }
}
";

fn tags(tags: &[(&str, &str)]) -> Value {
    tags.iter().map(|(key, value)| json!({"Key": key, "Value": value})).collect()
}

#[tokio::test]
async fn each_property_says_who_changed_it_and_where_it_is_stated() {
    let plane = Plane::start().await;
    let given = json!({"tags": tags(&[("a", "1"), ("b", "2"), ("c", "3")])});
    assert_eq!(done(&deploy(&plane, NET, given.clone()).await), SuccessKind::Deployed);
    let reads = called(&plane, "GetResource").await.len();
    let quiet = plan(&plane, NET, given.clone()).await;
    assert_eq!(actions(&quiet), pairs(&[("net", "no-op")]));
    assert_eq!(called(&plane, "GetResource").await.len() - reads, 1, "one read each");

    let vpc = identifier(&plane, "AWS.EC2/VPC", "net").await;
    let hands = tags(&[("c", "3"), ("hands", "x"), ("b", "two")]);
    let to = json!({"EnableDnsHostnames": false, "Tags": hands});
    change_elsewhere(&plane, "AWS::EC2::VPC", &vpc, to).await;
    let given = json!({"dns": false, "tags": tags(&[("new", "n"), ("b", "2"), ("a", "1")])});
    insta::assert_snapshot!(lines(&plan(&plane, NET, given).await), @r#"
    net update @5:10
      /EnableDnsHostnames before=false after=true cause=drifted @10:5
      /EnableDnsSupport before=true after=false cause=stated @9:5
      /Tags before=[{"Key":"c","Value":"3"},{"Key":"hands","Value":"x"},{"Key":"b","Value":"two"}] after=[{"Key":"new","Value":"n"},{"Key":"b","Value":"2"},{"Key":"a","Value":"1"}] (set for the first time; drifted: it was changed in AWS since it was applied; no longer in the template; drifted: it was added in AWS and is not in the template) @11:5
        /Tags/[Key=new] after={"Key":"new","Value":"n"} cause=first-stated @11:5
        /Tags/[Key=b]/Value before=two after=2 cause=drifted @11:5
        /Tags/[Key=a] after={"Key":"a","Value":"1"} cause=drifted @11:5
        /Tags/[Key=c] before={"Key":"c","Value":"3"} cause=no-longer-stated @11:5
        /Tags/[Key=hands] before={"Key":"hands","Value":"x"} cause=never-stated @11:5
    "#);
    let fewer =
        NET.replace("    EnableDnsSupport: dns\n    EnableDnsHostnames: shared.hostnames\n", "");
    let given = json!({"tags": tags(&[("hands", "x"), ("b", "two"), ("c", "3")])});
    insta::assert_snapshot!(lines(&plan(&plane, &fewer, given).await), @r#"
    net update @5:10
      /EnableDnsHostnames before=false cause=no-longer-stated
    "#);
}

#[tokio::test]
async fn what_is_made_of_something_new_follows_it_and_says_of_what() {
    let text = "extension aws
param cidr string = '10.0.0.0/16'
param dns bool = true
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: cidr
    EnableDnsSupport: dns
  }
}
resource part 'AWS.EC2/Subnet@default' = {
  alias: 'part'
  properties: {
    VpcId: net.properties.VpcId
    CidrBlock: '10.0.0.0/24'
    MapPublicIpOnLaunch: dns
  }
}
resource doors 'AWS.EC2/SecurityGroup@default' = {
  alias: 'doors'
  properties: {
    GroupDescription: 'doors'
    Tags: [
      { Key: 'net', Value: net.properties.VpcId }
      { Key: 'kind', Value: 'doors' }
    ]
  }
}
output net string = net.properties.VpcId
output dns bool = dns
";
    let plane = Plane::start().await;
    insta::assert_snapshot!(lines(&plan(&plane, text, json!({})).await), @r#"
    net create @4:10
      /CidrBlock after=10.0.0.0/16 @7:5
      /EnableDnsSupport after=true @8:5
    part create @11:10
      /CidrBlock after=10.0.0.0/24 @15:5
      /MapPublicIpOnLaunch after=true @16:5
      /VpcId unknown=known after net @14:5
    doors create @19:10
      /GroupDescription after=doors @22:5
      /Tags/0/Key after=net @24:9
      /Tags/0/Value unknown=known after net @24:21
      /Tags/1 after={"Key":"kind","Value":"doors"} @25:7
    "#);
    assert_eq!(done(&deploy(&plane, text, json!({})).await), SuccessKind::Deployed);
    let vpc = identifier(&plane, "AWS.EC2/VPC", "net").await;
    let other = plan(&plane, text, json!({"cidr": "10.9.0.0/16", "dns": false})).await;
    insta::assert_snapshot!(lines(&other), @r#"
    net replace: these changes require a new resource; deploy with --replace @4:10
      /CidrBlock before=10.0.0.0/16 after=10.9.0.0/16 requiresReplacement (can be set at creation only) @7:5
      /EnableDnsSupport before=true after=false cause=stated @8:5
    part replace: it depends on net, which will be a new resource, so it must be replaced; deploy with --replace @11:10
      /VpcId unknown=known after net requiresReplacement (can be set at creation only, and net will be a new resource) @14:5
      /MapPublicIpOnLaunch before=true after=false cause=stated @16:5
    doors unknown: the changes are known once its dependencies are deployed @19:10
      /Tags/0/Value unknown=known after net @24:21
    "#);
    let outputs = &other["outputs"];
    assert_eq!(
        outputs["dns"],
        json!({"type": "bool", "value": false, "before": true, "change": "update"})
    );
    let net =
        json!({"type": "string", "unknown": "known after net", "before": vpc, "change": "unknown"});
    assert_eq!(outputs["net"], net);
}

#[tokio::test]
async fn no_secret_is_told_at_any_depth_and_the_rest_is() {
    let text = "extension aws
@secure()
param password string
param plain string = 'x'
resource task 'AWS.ECS/TaskDefinition@default' = {
  alias: 'task'
  properties: {
    Family: plain
    Tags: [
      { Key: 'a', Value: password }
      { Key: 'b', Value: plain }
    ]
  }
}
resource kept 'AWS.SecretsManager/Secret@default' = {
  alias: 'kept'
  properties: {
    Name: 'kept'
    Description: password
    SecretString: password
    Tags: [
      { Key: 'b', Value: plain }
    ]
  }
}
";
    let plane = Plane::start().await;
    let given = |password: &str, plain: &str| json!({"password": password, "plain": plain});
    let fresh = plan(&plane, text, given("canary-1", "x")).await;
    insta::assert_snapshot!(lines(&fresh), @r#"
    task create @5:10
      /Family after=x @8:5
      /Tags/0/Key after=a @10:9
      /Tags/0/Value secret=true @10:19
      /Tags/1 after={"Key":"b","Value":"x"} @11:7
    kept create @15:10
      /Description secret=true @19:5
      /Name after=kept @18:5
      /SecretString secret=true @20:5
      /Tags after=[{"Key":"b","Value":"x"}] @21:5
    "#);
    deploy(&plane, text, given("canary-1", "x")).await;
    let other = plan(&plane, text, given("canary-2", "y")).await;
    insta::assert_snapshot!(lines(&other), @r#"
    task replace: these changes require a new resource; deploy with --replace @5:10
      /Family before=x after=y requiresReplacement (can be set at creation only) @8:5
      /Tags secret=true cause=stated @9:5
        /Tags/[Key=a]/Value secret=true cause=stated @10:19
        /Tags/[Key=b]/Value before=x after=y @11:19
    kept update @15:10
      /Description secret=true cause=stated @19:5
      /SecretString secret=true cause=write-only-changed @20:5
      /Tags before=[{"Key":"b","Value":"x"}] after=[{"Key":"b","Value":"y"}] cause=stated @21:5
        /Tags/[Key=b]/Value before=x after=y cause=stated @22:19
    "#);
    let secret = identifier(&plane, "AWS.SecretsManager/Secret", "kept").await;
    let to = json!({"Description": "canary-3"});
    change_elsewhere(&plane, "AWS::SecretsManager::Secret", &secret, to).await;
    let drifted = plan(&plane, text, given("canary-1", "x")).await;
    insta::assert_snapshot!(lines(&drifted), @r#"
    task no-op @5:10
    kept update @15:10
      /Description secret=true cause=drifted @19:5
      /SecretString secret=true cause=write-only-repeated @20:5
    "#);
    for told in [fresh, other, drifted] {
        assert!(!told.to_string().contains("canary"), "{told:#}");
    }
}

#[tokio::test]
async fn what_is_only_spelled_otherwise_is_no_change() {
    let text = "extension aws
param statements array
param days int = 7
resource role 'AWS.IAM/Role@default' = {
  alias: 'role'
  properties: {
    RoleName: 'role'
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: statements }
  }
}
resource queue 'AWS.SQS/Queue@default' = {
  alias: 'queue'
  properties: {
    QueueName: 'queue'
    DelaySeconds: days
  }
}
";
    let plane = Plane::start().await;
    let one = json!({"Sid": "one", "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}});
    let two = json!({"Sid": "two", "Effect": "Allow", "Action": ["sts:AssumeRole"], "Principal": {"Service": ["ecs.amazonaws.com"]}});
    deploy(&plane, text, json!({"statements": [one, two]})).await;
    let spelled = json!({"Sid": "one", "Effect": "Allow", "Action": ["sts:assumerole"], "Principal": {"Service": ["ec2.amazonaws.com"]}});
    let again = plan(&plane, text, json!({"statements": [two, spelled]})).await;
    assert_eq!(actions(&again), pairs(&[("role", "no-op"), ("queue", "no-op")]), "{again:#}");
    let three = json!({"Sid": "two", "Effect": "Deny", "Action": "sts:AssumeRole", "Principal": {"Service": "ecs.amazonaws.com"}});
    let other = plan(&plane, text, json!({"statements": [three, spelled]})).await;
    insta::assert_snapshot!(lines(&other), @r#"
    role update @4:10
      /AssumeRolePolicyDocument before={"Statement":[{"Action":"sts:AssumeRole","Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Sid":"one"},{"Action":"sts:AssumeRole","Effect":"Allow","Principal":{"Service":"ecs.amazonaws.com"},"Sid":"two"}],"Version":"2012-10-17"} after={"Statement":[{"Action":"sts:AssumeRole","Effect":"Deny","Principal":{"Service":"ecs.amazonaws.com"},"Sid":"two"},{"Action":["sts:assumerole"],"Effect":"Allow","Principal":{"Service":["ec2.amazonaws.com"]},"Sid":"one"}],"Version":"2012-10-17"} cause=stated @8:5
        /AssumeRolePolicyDocument/Statement/[Sid=two]/Effect before=Allow after=Deny cause=stated @8:56
    queue no-op @11:10
    "#);
}

#[tokio::test]
async fn what_aws_may_replace_for_is_marked() {
    let text = "extension aws
param engine string = '8.0.35'
resource db 'AWS.RDS/DBInstance@default' = {
  alias: 'db'
  properties: {
    DBInstanceIdentifier: 'db'
    DBInstanceClass: 'db.t3.micro'
    Engine: 'mysql'
    StorageType: engine
    MasterUsername: 'admin'
    MasterUserPassword: 'canary-of-a-password'
  }
}
";
    let plane = Plane::start().await;
    deploy(&plane, text, json!({"engine": "gp2"})).await;
    let other = plan(&plane, text, json!({"engine": "gp3"})).await;
    insta::assert_snapshot!(lines(&other), @r#"
    db update may-replace @3:10
      /StorageType before=gp2 after=gp3 cause=stated mayReplace @9:5
      /MasterUserPassword secret=true cause=write-only-repeated @11:5
    "#);
    assert!(!other.to_string().contains("canary"), "{other:#}");
}

#[tokio::test]
async fn what_would_fail_says_where() {
    let text = "extension aws
param factor int
resource other 'AWS.Logs/LogGroup@default' = {
  alias: 'other'
  properties: { LogGroupName: 'other' }
}
resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: {
    LogGroupName: 'logs'
    RetentionInDays: factor * (empty(other.properties.Arn) ? 1 : 7)
  }
}
output bad string = substring(other.properties.Arn, 0, 999)
";
    let plane = Plane::start().await;
    let made = "extension aws\nresource other 'AWS.Logs/LogGroup@default' = {\n  alias: 'other'\n  properties: { LogGroupName: 'other' }\n}\n";
    deploy(&plane, made, json!({})).await;
    let told = plan(&plane, text, json!({"factor": 2})).await;
    assert_eq!(actions(&told), pairs(&[("other", "no-op"), ("logs", "create")]));
    let told = plan(&plane, text, json!({"factor": 3})).await;
    insta::assert_snapshot!(lines(&told), @r#"
    other no-op @3:10
    logs refused: /RetentionInDays: `RetentionInDays` is `21`, which is not an allowed value; use one of `1`, `3`, `5`, `7`, `14`, `30`, `60`, `90`, `120`, `150`, `180`, `365` and 10 more @11:5
    "#);
    assert_eq!(told["outputProblem"]["source"]["line"], 14, "{told:#}");
}

#[tokio::test]
async fn what_changes_beside_a_secret_is_told_part_by_part() {
    let group = |rules: &str, rest: &str| {
        format!(
            "extension aws
@secure()
param pw string
resource group 'AWS.EC2/SecurityGroup@default' = {{
  alias: 'group'
  properties: {{
    GroupDescription: 'd'
    {rules}
  }}
}}
resource role 'AWS.IAM/Role@default' = {{
  alias: 'role'
  properties: {{
    RoleName: 'role'
    AssumeRolePolicyDocument: {{
      Version: '2012-10-17'
      Statement: [
        {{ Sid: pw, Effect: 'Allow', Action: 'sts:AssumeRole', Principal: {rest} }}
      ]
    }}
  }}
}}
"
        )
    };
    let rule = |port: u16, cidr: &str, description: &str| {
        format!(
            "{{ IpProtocol: 'tcp', FromPort: {port}, ToPort: {port}, CidrIp: '{cidr}', Description: {description} }}"
        )
    };
    let rules = |rules: &[String]| format!("SecurityGroupIngress: [{}]", rules.join(", "));
    let ours = "{ Service: 'ec2.amazonaws.com' }";
    // The positions in the snapshots are those of the template.
    let plane = Plane::start_with(Settings {
        latency: "0..0".parse().unwrap(),
        fidelity: Fidelity::Plain,
        array_order: ArrayOrder::Kept,
        ..Settings::default()
    })
    .await;
    let given = |pw: &str| json!({"pw": pw});
    let (first, other) = (rule(22, "10.0.0.0/8", "pw"), rule(80, "10.0.0.0/8", "'plain'"));
    let text = group(&rules(&[first.clone(), other.clone()]), ours);
    assert_eq!(done(&deploy(&plane, &text, given("canary-1")).await), SuccessKind::Deployed);
    let quiet = plan(&plane, &text, given("canary-1")).await;
    assert_eq!(actions(&quiet), pairs(&[("group", "no-op"), ("role", "no-op")]));
    let mut all = Vec::new();

    // Only the secret.
    let told = plan(&plane, &text, given("canary-2")).await;
    insta::assert_snapshot!(lines(&told), @r#"
    group update @4:10
      /SecurityGroupIngress secret=true cause=stated @8:5
        /SecurityGroupIngress/0/Description secret=true cause=stated @8:97
    role update @11:10
      /AssumeRolePolicyDocument secret=true cause=stated @15:5
        /AssumeRolePolicyDocument/Statement/[Sid=«secret»]/Sid secret=true cause=stated @18:11
    "#);
    all.push(told);
    // The secret, a new rule, a port, and who may take the role.
    let open = rule(0, "0.0.0.0/0", "'all'");
    let moved = [rule(443, "10.0.0.0/8", "'plain'"), rule(22, "10.0.0.0/8", "pw"), open];
    let told = plan(&plane, &group(&rules(&moved), "'*'"), given("canary-2")).await;
    insta::assert_snapshot!(lines(&told), @r#"
    group update @4:10
      /SecurityGroupIngress secret=true cause=stated @8:5
        /SecurityGroupIngress/0 after={"CidrIp":"10.0.0.0/8","Description":"plain","FromPort":443,"IpProtocol":"tcp","ToPort":443} @8:28
        /SecurityGroupIngress/1/Description secret=true @8:192
        /SecurityGroupIngress/2 after={"CidrIp":"0.0.0.0/0","Description":"all","FromPort":0,"IpProtocol":"tcp","ToPort":0} @8:211
        /SecurityGroupIngress/1 before={"CidrIp":"10.0.0.0/8","Description":"plain","FromPort":80,"IpProtocol":"tcp","ToPort":80} @8:5
    role update @11:10
      /AssumeRolePolicyDocument secret=true cause=stated @15:5
        /AssumeRolePolicyDocument/Statement/[Sid=«secret»]/Principal before={"Service":"ec2.amazonaws.com"} after=* @18:63
        /AssumeRolePolicyDocument/Statement/[Sid=«secret»]/Sid secret=true cause=stated @18:11
    "#);
    all.push(told);
    // All but the secret.
    let told = plan(
        &plane,
        &group(&rules(&[rule(23, "10.0.0.0/8", "pw"), other]), "'*'"),
        given("canary-1"),
    )
    .await;
    insta::assert_snapshot!(lines(&told), @r#"
    group update @4:10
      /SecurityGroupIngress secret=true cause=array-written @8:5
        /SecurityGroupIngress/0/FromPort before=22 after=23 @8:49
        /SecurityGroupIngress/0/ToPort before=22 after=23 @8:63
    role update @11:10
      /AssumeRolePolicyDocument secret=true cause=policy-written @15:5
        /AssumeRolePolicyDocument/Statement/[Sid=«secret»]/Principal before={"Service":"ec2.amazonaws.com"} after=* @18:63
    "#);
    all.push(told);
    // The list is emptied, or not stated any more.
    let told = plan(&plane, &group("SecurityGroupIngress: []", ours), given("canary-1")).await;
    insta::assert_snapshot!(lines(&told), @r#"
    group update @4:10
      /SecurityGroupIngress secret=true cause=array-written @8:5
        /SecurityGroupIngress/1 before={"CidrIp":"10.0.0.0/8","Description":"plain","FromPort":80,"IpProtocol":"tcp","ToPort":80} @8:5
        /SecurityGroupIngress/0/CidrIp before=10.0.0.0/8 @8:5
        /SecurityGroupIngress/0/Description secret=true @8:5
        /SecurityGroupIngress/0/FromPort before=22 @8:5
        /SecurityGroupIngress/0/IpProtocol before=tcp @8:5
        /SecurityGroupIngress/0/ToPort before=22 @8:5
    role no-op @11:10
    "#);
    all.push(told);
    let told = plan(&plane, &group("", ours), given("canary-1")).await;
    insta::assert_snapshot!(lines(&told), @r#"
    group update @4:10
      /SecurityGroupIngress secret=true cause=no-longer-stated
        /SecurityGroupIngress/0/CidrIp before=10.0.0.0/8
        /SecurityGroupIngress/0/Description secret=true
        /SecurityGroupIngress/0/FromPort before=22
        /SecurityGroupIngress/0/IpProtocol before=tcp
        /SecurityGroupIngress/0/ToPort before=22
        /SecurityGroupIngress/1 before={"CidrIp":"10.0.0.0/8","Description":"plain","FromPort":80,"IpProtocol":"tcp","ToPort":80}
    role no-op @11:10
    "#);
    all.push(told);
    // Somebody changed the secret: what else is there may be one.
    let id = identifier(&plane, "AWS.EC2/SecurityGroup", "group").await;
    let by_hand = json!({"SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22,
        "CidrIp": "10.0.0.0/8", "Description": "canary-3"}]});
    change_elsewhere(&plane, "AWS::EC2::SecurityGroup", &id, by_hand).await;
    let told = plan(&plane, &text, given("canary-1")).await;
    insta::assert_snapshot!(lines(&told), @r#"
    group update @4:10
      /SecurityGroupIngress secret=true cause=drifted @8:5
        /SecurityGroupIngress/0/Description secret=true cause=drifted @8:97
        /SecurityGroupIngress/1 after={"CidrIp":"10.0.0.0/8","Description":"plain","FromPort":80,"IpProtocol":"tcp","ToPort":80} @8:116
    role no-op @11:10
    "#);
    all.push(told);
    for told in all {
        let told = told.to_string();
        assert!(!told.contains("canary") && !told.contains('\u{f8ff}'), "{told}");
    }
}

#[tokio::test]
async fn what_aws_does_with_a_property_is_noted_before_anything_is_sent() {
    let habit = "AWS::Athena::NamedQuery\t/Database\tcase\t\"lower\"\n";
    let plane = Plane::start_with(Settings {
        latency: "0..0".parse().unwrap(),
        habits: AddedHabits::read(habit).unwrap(),
        ..Settings::default()
    })
    .await;
    let text = |model: &str| {
        format!(
            "extension aws
resource query 'AWS.Athena/NamedQuery@default' = {{
  alias: 'query'
  properties: {{
    Database: 'Sales'
    QueryString: 'select 1'
  }}
}}
resource response 'AWS.ApiGatewayV2/RouteResponse@default' = {{
  alias: 'response'
  properties: {{
    ApiId: 'a'
    RouteId: 'r'
    RouteResponseKey: '$default'{model}
  }}
}}
"
        )
    };
    deploy(&plane, &text("\n    ModelSelectionExpression: 'm'"), json!({})).await;
    let told = plan(&plane, &text(""), json!({})).await;
    let notes = |address: &str| {
        let changes = told["changes"].as_array().unwrap();
        let change = changes.iter().find(|change| change["address"] == address).unwrap();
        let notes = change["notes"].as_array().cloned().unwrap_or_default();
        let note = |note: &Value| {
            format!("{} {}", note["path"].as_str().unwrap(), note["code"].as_str().unwrap())
        };
        (change["action"].clone(), notes.iter().map(note).collect::<Vec<_>>())
    };
    let respelled = vec!["/Database create-only-respelled".to_owned()];
    assert_eq!(notes("query"), (json!("no-op"), respelled));
    let ignored = vec!["/ModelSelectionExpression removal-ignored".to_owned()];
    assert_eq!(notes("response"), (json!("update"), ignored));
}
