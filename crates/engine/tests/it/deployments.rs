//! Templates, deployed: create, then nothing, then exactly what changed; failures, stops, what exists already.

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_engine::{Accepted, DeploymentAsk, DeploymentRefused, Leave};
use hangar_plan::deployment::{DeploymentTask, DeploymentWork, RowState, Stated};
use hangar_plan::operation::{Ending, SuccessKind};
use hangar_plan::record::{DeploymentName, OperationRecord, Work};
use hangar_simulator::core::settings::Settings;
use hangar_template::source::Sources;
use serde_json::{Value, json};

use crate::plane::{Plane, done, group, subject};
use crate::team::{called, change_elsewhere, delete_elsewhere, left, make_elsewhere};

const NETWORK: &str = "
extension aws
param cidr string = '10.0.0.0/16'
param dns bool = true
param zones array = ['a', 'b']
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: cidr, EnableDnsSupport: dns }
}
resource parts 'AWS.EC2/Subnet@default' = [for (zone, i) in zones: {
  alias: 'part-${zone}'
  properties: {
    VpcId: net.properties.VpcId
    CidrBlock: cidrSubnet(cidr, 24, i)
    AvailabilityZone: 'eu-central-1${zone}'
  }
}]
output vpc string = net.properties.VpcId
output first string = parts[0].properties.SubnetId
";

pub(crate) fn asking(text: &str, parameters: Value) -> DeploymentAsk {
    let Value::Object(parameters) = parameters else { panic!("not an object") };
    DeploymentAsk {
        name: DeploymentName { group: group(), name: "app".to_owned() },
        task: DeploymentTask::Deploy,
        sources: Sources::of("main.bicep", text.as_bytes()),
        entry: "main.bicep".to_owned(),
        template_path: None,
        parameters: parameters.into_iter().collect::<BTreeMap<_, _>>(),
        scope: Some(subject("AWS.EC2/VPC", "net").scope),
        leave: Leave::default(),
        plan: None,
        repeatability: None,
        correlation_id: None,
    }
}

pub(crate) async fn submit(plane: &Plane, ask: DeploymentAsk) -> Accepted {
    match plane.engine.deployment_submit(ask).await {
        Ok(accepted) => accepted,
        Err(DeploymentRefused::Template(problems)) => panic!("{problems:#?}"),
        Err(refused) => panic!("{refused:?}"),
    }
}

pub(crate) async fn deploy(plane: &Plane, text: &str, parameters: Value) -> OperationRecord {
    let accepted = submit(plane, asking(text, parameters)).await;
    plane.finish(accepted).await
}

pub(crate) async fn plan(plane: &Plane, text: &str, parameters: Value) -> Value {
    let ask = DeploymentAsk { task: DeploymentTask::Plan, ..asking(text, parameters) };
    let accepted = submit(plane, ask).await;
    let record = plane.finish(accepted).await;
    assert_eq!(done(&record), SuccessKind::Planned);
    work(&record).result.clone().unwrap()
}

pub(crate) fn work(record: &OperationRecord) -> &DeploymentWork {
    match &record.work {
        Work::Deployment(work) => work,
        Work::Resource(_) | Work::Group(_) | Work::Recipe(_) => panic!("not a deployment"),
    }
}

/// What was done with each resource, by its address.
pub(crate) fn stated(record: &OperationRecord) -> Vec<(String, String)> {
    let rows = work(record).rows.iter();
    rows.map(|row| {
        let word = match &row.state {
            RowState::Done { stated, .. } => stated.as_str().to_owned(),
            RowState::Failed { failure, .. } => format!("failed: {}", failure.code),
            RowState::Skipped { because } => format!("skipped: {because}"),
            other => format!("{other:?}"),
        };
        (row.address.clone(), word)
    })
    .collect()
}

pub(crate) fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

pub(crate) fn actions(plan: &Value) -> Vec<(String, String)> {
    let changes = plan["changes"].as_array().unwrap().iter();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    changes.map(|it| (text(&it["address"]), text(&it["action"]))).collect()
}

#[tokio::test]
async fn the_same_template_creates_then_does_nothing_then_changes_what_changed() {
    let plane = Plane::start().await;
    let first = deploy(&plane, NETWORK, json!({})).await;
    assert_eq!(done(&first), SuccessKind::Deployed);
    assert_eq!(
        stated(&first),
        pairs(&[("net", "created"), ("parts[0]", "created"), ("parts[1]", "created")])
    );
    let kept = plane.store.deployment_find(&work(&first).deployment).await.unwrap().unwrap();
    let vpc = plane.reference("AWS.EC2/VPC", "net").await.unwrap();
    let outputs = kept.outputs.unwrap();
    assert_eq!(outputs["vpc"]["value"].as_str(), vpc.entry.identifier.as_deref());
    assert_eq!(outputs["vpc"]["type"], "string");
    let part = plane.reference("AWS.EC2/Subnet", "part-a").await.unwrap();
    assert_eq!(outputs["first"]["value"].as_str(), part.entry.identifier.as_deref());
    assert_eq!(part.depends_on, [vpc.name.id()]);
    assert!(part.entry.owned);

    let reads = called(&plane, "GetResource").await.len();
    let second = deploy(&plane, NETWORK, json!({})).await;
    assert_eq!(done(&second), SuccessKind::Noop);
    assert_eq!(called(&plane, "GetResource").await.len() - reads, 3, "one read each");
    assert_eq!(plane.writes().await, 3, "no write but the creates");

    let third = deploy(&plane, NETWORK, json!({"dns": false})).await;
    assert_eq!(
        stated(&third),
        pairs(&[("net", "updated"), ("parts[0]", "unchanged"), ("parts[1]", "unchanged")])
    );
    assert_eq!(called(&plane, "UpdateResource").await.len(), 1);
}

#[tokio::test]
async fn what_fails_stops_only_what_depends_on_it() {
    let text = "
extension aws
resource lost 'AWS.SQS/Queue@default' existing = { alias: 'nobody' }
resource after 'AWS.S3/Bucket@default' = {
  alias: 'after'
  properties: { BucketName: lost.properties.QueueName }
}
resource last 'AWS.S3/Bucket@default' = {
  alias: 'last'
  dependsOn: [after]
  properties: { BucketName: 'last' }
}
resource alone 'AWS.S3/Bucket@default' = { alias: 'alone', properties: { BucketName: 'alone' } }
output never string = after.properties.Arn
";
    let plane = Plane::start().await;
    let record = deploy(&plane, text, json!({})).await;
    assert_eq!(
        stated(&record),
        pairs(&[
            ("lost", "failed: ResourceNotFound"),
            ("after", "skipped: 0"),
            ("last", "skipped: 0"),
            ("alone", "created"),
        ])
    );
    let Some(Ending::Failed(failure)) = record.ending() else { panic!("{:?}", record.ending()) };
    assert_eq!(failure.code, "DeploymentFailed");
    assert_eq!(failure.findings[0].path, "lost");
    assert_eq!(left(&plane).await.len(), 1);
    let kept = plane.store.deployment_find(&work(&record).deployment).await.unwrap().unwrap();
    assert!(kept.outputs.is_none() && kept.rows.len() == 4);
}

#[tokio::test]
async fn what_exists_is_read_by_its_name_or_by_its_alias_and_never_written() {
    let plane = Plane::start().await;
    make_elsewhere(&plane, "AWS::S3::Bucket", json!({"BucketName": "theirs"})).await;
    let text = "
extension aws
resource theirs 'AWS.S3/Bucket@default' existing = { properties: { BucketName: 'theirs' } }
resource named 'AWS.S3/Bucket@default' existing = { name: 'theirs' }
@nullIfNotFound()
resource none 'AWS.S3/Bucket@default' existing = { name: 'nobody' }
resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: { LogGroupName: '/of/${theirs.name}/${named.properties.BucketName}' }
}
output arn string = theirs.properties.Arn
output missing bool = none == null
";
    let record = deploy(&plane, text, json!({})).await;
    assert_eq!(
        stated(&record),
        pairs(&[("theirs", "read"), ("named", "read"), ("none", "absent"), ("logs", "created")])
    );
    let outputs = work(&record).result.clone().unwrap();
    assert_eq!(outputs["missing"]["value"], true);
    assert!(outputs["arn"]["value"].as_str().unwrap().contains("theirs"), "{outputs}");
    assert_eq!(left(&plane).await.len(), 1, "what exists gets no reference");
}

#[tokio::test]
async fn a_wrong_template_starts_nothing() {
    let plane = Plane::start().await;
    let wrong = [
        ("extension aws\nresource a 'AWS.S3/Bucket@default' = {\n  properties: {}\n}\n", "alias"),
        (
            "extension aws\nresource a 'AWS.S3/Bucket@default' = {\n  alias: 'a'\n  properties: { BuketName: 'x' }\n}\n",
            "BucketName",
        ),
        ("param x string\n", "x"),
        (
            "extension aws\n@secure()\nparam p string = 'canary'\nresource a 'AWS.S3/Bucket@default' = {\n  alias: 'a'\n  properties: { BucketName: p }\n}\n",
            "names are shown",
        ),
        ("resource", ""),
        (
            "extension aws\nresource a 'AWS.S3/Bucket@default' = {\n  alias: 'a'\n  properties: { Arn: 'x' }\n}\n",
            "Arn",
        ),
    ];
    for (text, expected) in wrong {
        let refused = plane.engine.deployment_submit(asking(text, json!({}))).await;
        let Err(DeploymentRefused::Template(problems)) = refused else {
            panic!("{text} gave {refused:?}")
        };
        let told = format!("{problems:?}");
        assert!(told.contains(expected), "{told}");
        assert!(problems.iter().all(|it| it.diagnostic.span().is_some()), "{told}");
    }
    let name = DeploymentName { group: group(), name: "app".to_owned() };
    assert!(plane.store.deployment_find(&name).await.unwrap().is_none());
    assert!(left(&plane).await.is_empty());
}

#[tokio::test]
async fn a_plan_tells_what_a_deployment_then_does_and_writes_nothing() {
    let plane = Plane::start().await;
    let fresh = plan(&plane, NETWORK, json!({})).await;
    assert_eq!(
        actions(&fresh),
        pairs(&[("net", "create"), ("parts[0]", "create"), ("parts[1]", "create")])
    );
    let part = &fresh["changes"][1]["changed"];
    let waits = part.as_array().unwrap().iter().find(|it| it["path"] == "/VpcId").unwrap();
    assert_eq!(waits["unknown"], "known after net");
    assert!(left(&plane).await.is_empty());

    deploy(&plane, NETWORK, json!({})).await;
    let none = plan(&plane, NETWORK, json!({})).await;
    assert_eq!(
        actions(&none),
        pairs(&[("net", "no-op"), ("parts[0]", "no-op"), ("parts[1]", "no-op")])
    );
    let changed = plan(&plane, NETWORK, json!({"dns": false})).await;
    assert_eq!(changed["changes"][0]["action"], "update");
    let dns = &changed["changes"][0]["changed"][0];
    assert_eq!(
        (&dns["path"], &dns["before"], &dns["after"]),
        (&json!("/EnableDnsSupport"), &json!(true), &json!(false))
    );
    assert_eq!((&dns["cause"], &dns["source"]["line"]), (&json!("stated"), &json!(8)));
    assert_eq!(changed["changes"][0]["changed"].as_array().unwrap().len(), 1);
    assert_eq!(changed["changes"][1]["action"], "no-op", "what it reads does not change");
    let replaced = plan(&plane, NETWORK, json!({"cidr": "10.9.0.0/16"})).await;
    assert_eq!(replaced["changes"][0]["action"], "replace");
    assert_eq!(replaced["changes"][1]["action"], "replace", "it cannot follow into another VPC");
    assert_eq!(replaced["changes"][0]["changed"][0]["requiresReplacement"], true);
    assert_eq!(plane.writes().await, 3, "no write but the creates");
}

#[tokio::test]
async fn what_hands_changed_is_put_back_and_what_they_deleted_is_made_again() {
    let plane = Plane::start().await;
    let first = deploy(&plane, NETWORK, json!({})).await;
    let identifier =
        |record: &OperationRecord, row: usize| work(record).rows[row].identifier.clone().unwrap();
    change_elsewhere(
        &plane,
        "AWS::EC2::VPC",
        &identifier(&first, 0),
        json!({"EnableDnsSupport": false}),
    )
    .await;
    delete_elsewhere(&plane, "AWS::EC2::Subnet", &identifier(&first, 1)).await;
    let again = deploy(&plane, NETWORK, json!({})).await;
    assert_eq!(
        stated(&again),
        pairs(&[("net", "updated"), ("parts[0]", "created"), ("parts[1]", "unchanged")])
    );
    assert_ne!(identifier(&first, 1), identifier(&again, 1));
}

#[tokio::test]
async fn a_second_run_waits_until_the_first_is_over() {
    let settings = Settings { latency: "300ms..300ms".parse().unwrap(), ..Settings::default() };
    let plane = Plane::start_with(settings).await;
    let accepted = submit(&plane, asking(NETWORK, json!({}))).await;
    let refused = plane.engine.deployment_submit(asking(NETWORK, json!({}))).await;
    let Err(DeploymentRefused::Running(id)) = refused else { panic!("{refused:?}") };
    assert_eq!(id, accepted.record.id());
    plane.finish(accepted).await;
    let again = deploy(&plane, NETWORK, json!({})).await;
    assert_eq!(done(&again), SuccessKind::Noop);
}

#[tokio::test]
async fn a_stop_begins_nothing_more_and_follows_what_was_sent() {
    let settings = Settings { latency: "700ms..700ms".parse().unwrap(), ..Settings::default() };
    let plane = Plane::start_with(settings).await;
    let accepted = submit(&plane, asking(NETWORK, json!({}))).await;
    while called(&plane, "CreateResource").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    plane.engine.cancel(accepted.record.id()).await.unwrap();
    let record = plane.finish(accepted).await;
    assert!(matches!(record.ending(), Some(Ending::Canceled(_))), "{:?}", record.ending());
    assert_eq!(
        stated(&record),
        pairs(&[("net", "created"), ("parts[0]", "Canceled"), ("parts[1]", "Canceled")])
    );
    assert_eq!(left(&plane).await.len(), 1);
}

#[tokio::test]
async fn secrets_reach_the_cloud_and_nothing_else() {
    let text = "
extension aws
@secure()
param password string
resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: 'secret'
  properties: { Name: 'db', SecretString: password, Description: 'of ${password}' }
}
@secure()
output again string = password
output arn string = secret.properties.Id
";
    let plane = Plane::start().await;
    let record = deploy(&plane, text, json!({"password": "canary-4711"})).await;
    assert_eq!(done(&record), SuccessKind::Deployed);
    let outputs = work(&record).result.clone().unwrap();
    assert_eq!(outputs["again"], json!({"type": "securestring"}));
    let reference = plane.reference("AWS.SecretsManager/Secret", "secret").await.unwrap();
    assert!(reference.documents.secrets.contains_key("/Description"), "{:?}", reference.documents);
    let told = format!("{record:?} {reference:?}");
    assert!(!told.contains("canary"), "{told}");
    let planned = plan(&plane, text, json!({"password": "canary-4712"})).await;
    assert!(!planned.to_string().contains("canary"), "{planned}");
    assert_eq!(planned["changes"][0]["action"], "update");
    let again = deploy(&plane, text, json!({"password": "canary-4711"})).await;
    assert_eq!(done(&again), SuccessKind::Noop, "{:?}", stated(&again));
}

#[tokio::test]
async fn a_replacement_is_made_only_where_it_is_allowed() {
    let text = "
extension aws
param cidr string
resource net 'AWS.EC2/VPC@default' = { alias: 'net', properties: { CidrBlock: cidr } }
";
    let plane = Plane::start().await;
    deploy(&plane, text, json!({"cidr": "10.0.0.0/16"})).await;
    let refused = deploy(&plane, text, json!({"cidr": "10.1.0.0/16"})).await;
    assert_eq!(stated(&refused), pairs(&[("net", "failed: ReplaceRequired")]));
    let mut ask = asking(text, json!({"cidr": "10.1.0.0/16"}));
    ask.leave.replace = true;
    let accepted = submit(&plane, ask).await;
    let record = plane.finish(accepted).await;
    assert_eq!(stated(&record), pairs(&[("net", "replaced")]));
    assert!(matches!(
        work(&record).rows[0].state,
        RowState::Done { stated: Stated::Put(SuccessKind::Replaced), .. }
    ));
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_finished_by_the_next_process() {
    let settings = Settings { latency: "200ms..200ms".parse().unwrap(), ..Settings::default() };
    let mut plane = Plane::start_with(settings).await;
    let accepted = submit(&plane, asking(NETWORK, json!({}))).await;
    let id = accepted.record.id();
    while called(&plane, "CreateResource").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    plane.restart().await;
    let record = plane.engine.wait(id, Duration::from_mins(1)).await.unwrap().unwrap();
    assert_eq!(done(&record), SuccessKind::Deployed, "{:?}", stated(&record));
    assert_eq!(left(&plane).await.len(), 3);
}

#[tokio::test]
async fn nested_resources_of_one_name_are_two() {
    let text = "
extension aws
resource a 'AWS.SQS/Queue@default' = {
  alias: 'a'
  properties: { QueueName: 'a' }
  resource n 'AWS.SQS/Queue@default' = { alias: 'an', properties: { QueueName: 'an' } }
}
resource b 'AWS.SQS/Queue@default' = {
  alias: 'b'
  properties: { QueueName: 'b' }
  resource n 'AWS.SQS/Queue@default' = { alias: 'bn', properties: { QueueName: 'bn' } }
}
output one string = a::n.properties.QueueName
output two string = b::n.properties.QueueName
";
    let plane = Plane::start().await;
    let record = deploy(&plane, text, json!({})).await;
    let addresses: Vec<String> = stated(&record).into_iter().map(|it| it.0).collect();
    assert_eq!(addresses, ["a", "a::n", "b", "b::n"]);
    assert_eq!(left(&plane).await.len(), 4);
    let outputs = work(&record).result.clone().unwrap();
    assert_eq!((&outputs["one"]["value"], &outputs["two"]["value"]), (&json!("an"), &json!("bn")));
}

#[tokio::test]
async fn a_secret_that_aws_returns_has_not_drifted_and_is_not_repaired_away() {
    let text = "
extension aws
@secure()
param password string
resource par 'AWS.SSM/Parameter@default' = {
  alias: 'par'
  properties: { Name: 'par', Type: 'String', Value: 'plain', Tags: { a: toUpper(password) } }
}
";
    let plane = Plane::start().await;
    deploy(&plane, text, json!({"password": "canary"})).await;
    let name = crate::plane::name("AWS.SSM/Parameter", "par");
    let checked = plane.engine.reference_check(&name).await.unwrap();
    let drift = checked.drift.unwrap();
    assert_eq!(drift.state, hangar_plan::record::DriftState::InSync, "{drift:?}");
    // What has drifted is repaired, and the secret beside it stays.
    change_elsewhere(&plane, "AWS::SSM::Parameter", "par", json!({"Value": "other"})).await;
    let repaired = crate::team::run(&plane, crate::team::REPAIR).await;
    assert_eq!(crate::team::tally(&repaired).repaired, 1);
    let live = &plane.existing("AWS::SSM::Parameter").await[0];
    assert_eq!(live["properties"]["Tags"]["a"], "CANARY", "{live}");
    assert_eq!(live["properties"]["Value"], "plain");
}

#[tokio::test]
async fn a_plan_tells_that_a_name_is_taken() {
    let text = "
extension aws
resource q 'AWS.S3/Bucket@default' = { alias: 'q', properties: { BucketName: 'theirs' } }
";
    let plane = Plane::start().await;
    make_elsewhere(&plane, "AWS::S3::Bucket", json!({"BucketName": "theirs"})).await;
    assert_eq!(plan(&plane, text, json!({})).await["changes"][0]["action"], "refused");
    let mut ask = asking(text, json!({}));
    ask.leave.adopt = true;
    ask.task = DeploymentTask::Plan;
    let accepted = submit(&plane, ask.clone()).await;
    let record = plane.finish(accepted).await;
    assert_eq!(work(&record).result.clone().unwrap()["changes"][0]["action"], "adopt");
    ask.task = DeploymentTask::Deploy;
    let accepted = submit(&plane, ask).await;
    assert_eq!(stated(&plane.finish(accepted).await), pairs(&[("q", "imported")]));
}

const RECIPE: &str = "
extension aws
resource net 'Hangar.Recipes/recipes@2023-10-01-preview' = {
  name: 'net'
  properties: { source: './network', parameters: { cidr: '10.0.0.0/16' } }
}
resource bucket 'AWS.S3/Bucket@default' = {
  alias: 'files'
  properties: { BucketName: net.properties.status.values.bucket }
}
";

#[tokio::test]
async fn a_recipe_that_does_not_fit_its_module_is_told_at_its_place_and_nothing_is_started() {
    let plane = Plane::start().await;
    let told = async |module: Option<&str>| {
        let mut ask = asking(RECIPE, json!({}));
        if let Some(module) = module {
            ask.sources.insert("network/main.tf", module.as_bytes());
        }
        let refused = plane.engine.deployment_submit(ask).await;
        let Err(DeploymentRefused::Template(problems)) = refused else { panic!("{refused:?}") };
        let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
        let span = problem.diagnostic.span().unwrap();
        format!("{} {}", problem.diagnostic.code.as_str(), &RECIPE[span.start..span.end])
    };
    assert_eq!(told(None).await, "TMPL0021 './network'");
    assert_eq!(told(Some("variable \"size\" { default = 1 }")).await, "TMPL0022 cidr");
    let both = "variable \"cidr\" {}\nvariable \"size\" {}";
    assert_eq!(told(Some(both)).await, "TMPL0022 parameters");
    assert!(left(&plane).await.is_empty());
}

#[tokio::test]
async fn a_plan_with_a_recipe_needs_no_terraform_and_tells_what_is_not_known() {
    let plane = Plane::start().await;
    let mut ask = DeploymentAsk { task: DeploymentTask::Plan, ..asking(RECIPE, json!({})) };
    ask.sources.insert("network/main.tf", "variable \"cidr\" {}".as_bytes());
    let accepted = submit(&plane, ask).await;
    let record = plane.finish(accepted).await;
    assert_eq!(done(&record), SuccessKind::Planned);
    let found = work(&record).result.clone().unwrap();
    let [recipe, bucket] = found["changes"].as_array().unwrap().as_slice() else {
        panic!("{found}")
    };
    assert_eq!((&recipe["action"], &recipe["name"]), (&json!("run"), &json!("net")));
    assert_eq!(recipe.get("scope"), None);
    let mut changed = recipe["changed"].clone();
    for it in changed.as_array_mut().unwrap() {
        let place = it.as_object_mut().unwrap().remove("source").unwrap();
        assert_eq!(place["line"], 5, "{recipe:#}");
    }
    assert_eq!(
        changed,
        json!([{"path": "/source", "after": "./network"},
               {"path": "/parameters/cidr", "after": "10.0.0.0/16"}])
    );
    assert_eq!(bucket["action"], "create");
    assert_eq!(bucket["changed"][0]["unknown"], "known after net");
}
