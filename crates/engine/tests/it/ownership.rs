//! Which deployment manages what: what left a template, what another one names, and the end of all of it.

use std::fmt::Write as _;

use hangar_engine::{Ask, DeleteMode, DeploymentAsk, DeploymentRefused, Leave, Reach};
use hangar_plan::deployment::{DeploymentTask, Fate, OnRemove};
use hangar_plan::operation::{Ending, SuccessKind};
use hangar_plan::record::{DeploymentName, DeploymentRecord, OperationRecord, Subject};
use hangar_simulator::core::settings::Settings;
use hangar_store::mapping::find_mapping;
use serde_json::json;

use crate::deployments::{actions, asking, deploy, pairs, stated, submit, work};
use crate::plane::{Plane, VPC, done, group, put};
use crate::team::{LOGS, called, left, make_elsewhere};

const SERVICE: &str = "AWS.ECS/Service";

/// Log groups that need each other in the order they are named in, the last one first.
fn logs(aliases: &[&str]) -> String {
    let mut text = "extension aws\n".to_owned();
    let mut before: Option<String> = None;
    for alias in aliases {
        let needs = before.map(|it| format!("dependsOn: [{it}]")).unwrap_or_default();
        let _ = write!(
            text,
            "resource {alias} 'AWS.Logs/LogGroup@default' = {{\n  alias: '{alias}'\n  {needs}\n  properties: {{ LogGroupName: '{alias}' }}\n}}\n"
        );
        before = Some((*alias).to_owned());
    }
    text
}

fn named(name: &str) -> DeploymentName {
    DeploymentName { group: group(), name: name.to_owned() }
}

/// A template that is deployed by another name, and so.
fn asking_as(name: &str, text: &str, leave: Leave) -> DeploymentAsk {
    DeploymentAsk { name: named(name), leave, ..asking(text, json!({})) }
}

fn removing(on_remove: OnRemove) -> Leave {
    Leave { on_remove, ..Leave::default() }
}

fn taking_over() -> Leave {
    Leave { reach: Reach::TakeOver, ..Leave::default() }
}

async fn run(plane: &Plane, ask: DeploymentAsk) -> OperationRecord {
    let accepted = submit(plane, ask).await;
    plane.finish(accepted).await
}

async fn destroy(plane: &Plane, name: &str, on_remove: OnRemove) -> OperationRecord {
    run(plane, DeploymentAsk::destroy(named(name), on_remove)).await
}

async fn kept(plane: &Plane, name: &str) -> Option<DeploymentRecord> {
    plane.store.deployment_find(&named(name)).await.unwrap()
}

fn names(record: &DeploymentRecord) -> Vec<String> {
    record.members().into_iter().map(|member| member.name).collect()
}

async fn aliases(plane: &Plane) -> Vec<String> {
    left(plane).await.into_iter().map(|reference| reference.name.alias).collect()
}

async fn manager(plane: &Plane, alias: &str) -> Option<String> {
    plane.reference(LOGS, alias).await.unwrap().managed_by.map(|name| name.name)
}

/// A delete of one log group that AWS refuses, so many times.
async fn refuse(plane: &Plane, identifier: &str, times: u32) {
    plane
        .arm(json!({"operation": "DeleteResource", "identifier": identifier, "times": times,
                    "effect": "fail", "code": "InvalidRequest", "message": "in use"}))
        .await;
}

#[tokio::test]
async fn what_left_the_template_is_kept_and_listed() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a", "b"]), json!({})).await;
    assert_eq!(manager(&plane, "b").await.as_deref(), Some("app"));
    let ask = asking(&logs(&["a"]), json!({}));
    let planned = run(&plane, DeploymentAsk { task: DeploymentTask::Plan, ..ask.clone() }).await;
    let found = work(&planned).result.clone().unwrap();
    assert_eq!(actions(&found), pairs(&[("a", "no-op"), ("b", "keep")]));
    for _ in 0..2 {
        let record = run(&plane, ask.clone()).await;
        assert_eq!(stated(&record), pairs(&[("a", "unchanged")]));
        let record = kept(&plane, "app").await.unwrap();
        assert_eq!(names(&record), ["a", "b"], "it stays managed, however often");
        assert_eq!(record.holdings.left[0].fate, Fate::Kept { because: None });
    }
    assert_eq!(aliases(&plane).await, ["a", "b"]);
    assert!(called(&plane, "DeleteResource").await.is_empty());
}

#[tokio::test]
async fn what_left_is_deleted_when_all_of_the_template_is_done_and_what_needs_others_goes_first() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a", "b", "c"]), json!({})).await;
    let ask = asking_as("app", &logs(&["d"]), removing(OnRemove::Delete));
    let planned = DeploymentAsk { task: DeploymentTask::Plan, ..ask.clone() };
    let planned = run(&plane, planned).await;
    let found = work(&planned).result.clone().unwrap();
    assert_eq!(
        actions(&found),
        pairs(&[("d", "create"), ("a", "delete"), ("b", "delete"), ("c", "delete")])
    );
    assert_eq!(aliases(&plane).await, ["a", "b", "c"], "a plan takes nothing away");
    let record = run(&plane, ask).await;
    assert_eq!(done(&record), SuccessKind::Deployed);
    assert_eq!(
        stated(&record),
        pairs(&[("d", "created"), ("a", "deleted"), ("b", "deleted"), ("c", "deleted")])
    );
    assert_eq!(called(&plane, "DeleteResource").await, ["c", "b", "a"]);
    assert_eq!(names(&kept(&plane, "app").await.unwrap()), ["d"]);
    assert_eq!(aliases(&plane).await, ["d"]);
}

#[tokio::test]
async fn another_symbol_for_the_same_alias_changes_nothing() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a"]), json!({})).await;
    let moved = logs(&["a"]).replace("resource a ", "resource renamed ");
    let record = run(&plane, asking_as("app", &moved, removing(OnRemove::Delete))).await;
    assert_eq!(stated(&record), pairs(&[("renamed", "unchanged")]));
    assert_eq!(plane.writes().await, 1);
    assert_eq!(names(&kept(&plane, "app").await.unwrap()), ["a"]);
}

#[tokio::test]
async fn what_is_not_owned_is_only_detached_and_stays_listed() {
    let plane = Plane::start().await;
    let theirs = make_elsewhere(&plane, "AWS::Logs::LogGroup", json!({"LogGroupName": "a"})).await;
    crate::team::import(&plane, LOGS, "a", &theirs).await;
    deploy(&plane, &logs(&["a", "b"]), json!({})).await;
    let record = run(&plane, asking_as("app", "extension aws\n", removing(OnRemove::Delete))).await;
    assert_eq!(stated(&record), pairs(&[("a", "detached"), ("b", "deleted")]));
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 1);
    assert!(aliases(&plane).await.is_empty());
    let record = kept(&plane, "app").await.unwrap();
    let detached = &record.holdings.detached;
    assert_eq!((detached.len(), detached[0].identifier.as_deref()), (1, Some("a")));
    assert!(names(&record).is_empty());
}

#[tokio::test]
async fn a_row_that_fails_keeps_everything_that_was_to_go() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a"]), json!({})).await;
    let missing = format!(
        "{}resource gone 'AWS.SQS/Queue@default' existing = {{ alias: 'nobody' }}\n",
        logs(&["b"])
    );
    let record = run(&plane, asking_as("app", &missing, removing(OnRemove::Delete))).await;
    assert_eq!(
        stated(&record),
        pairs(&[("b", "created"), ("gone", "failed: ResourceNotFound"), ("a", "skipped: 1")])
    );
    let Some(Ending::Failed(failure)) = record.ending() else { panic!("it did not fail") };
    assert!(failure.message.contains("1 not removed"), "{}", failure.message);
    assert_eq!(names(&kept(&plane, "app").await.unwrap()), ["b", "a"]);
    let record = run(&plane, asking_as("app", &logs(&["b"]), removing(OnRemove::Delete))).await;
    assert_eq!(stated(&record), pairs(&[("b", "unchanged"), ("a", "deleted")]));
}

#[tokio::test]
async fn a_delete_that_is_refused_fails_its_row_and_stays_managed() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a", "b"]), json!({})).await;
    deploy(&plane, &logs(&["a", "b"]).replace("dependsOn: [a]", ""), json!({})).await;
    refuse(&plane, "a", 1).await;
    let ask = asking_as("app", "extension aws\n", removing(OnRemove::Delete));
    let record = run(&plane, ask.clone()).await;
    assert_eq!(stated(&record), pairs(&[("a", "failed: InvalidRequest"), ("b", "deleted")]));
    assert_eq!(names(&kept(&plane, "app").await.unwrap()), ["a"]);
    assert_eq!(stated(&run(&plane, ask).await), pairs(&[("a", "deleted")]));
    assert!(names(&kept(&plane, "app").await.unwrap()).is_empty());
}

#[tokio::test]
async fn an_alias_of_another_deployment_is_refused_at_its_place_and_changes_hands_with_take_over() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a", "b"]), json!({})).await;
    let refused = asking_as("web", &logs(&["a"]), Leave::default());
    let Err(DeploymentRefused::Template(problems)) = plane.engine.deployment_submit(refused).await
    else {
        panic!("it was let in")
    };
    assert_eq!(problems[0].diagnostic.code.to_string(), "TMPL0230");
    assert!(problems[0].diagnostic.message.contains("`app`"));
    assert!(problems[0].diagnostic.span().is_some());
    assert!(kept(&plane, "web").await.is_none(), "nothing was started");

    let taken = run(&plane, asking_as("web", &logs(&["a"]), taking_over())).await;
    assert_eq!(stated(&taken), pairs(&[("a", "unchanged")]));
    assert!(taken.warnings[0].ends_with("this deployment takes it over"), "{:?}", taken.warnings);
    assert_eq!(manager(&plane, "a").await.as_deref(), Some("web"));
    let record = run(&plane, asking_as("app", &logs(&["b"]), removing(OnRemove::Delete))).await;
    assert_eq!(stated(&record), pairs(&[("b", "unchanged")]));
    let Fate::TakenOver { by } = &work(&record).holdings.left[0].fate else {
        panic!("{:?}", work(&record).holdings.left)
    };
    assert_eq!(by.name, "web");
    assert_eq!(aliases(&plane).await, ["a", "b"]);
    let again = run(&plane, asking_as("app", &logs(&["b"]), removing(OnRemove::Delete))).await;
    assert!(work(&again).holdings.left.is_empty(), "it is told once");
    destroy(&plane, "app", OnRemove::Delete).await;
    assert_eq!(aliases(&plane).await, ["a"]);
}

#[tokio::test]
async fn of_two_deployments_that_begin_at_once_one_gets_the_alias() {
    let settings = Settings { latency: "50ms".parse().unwrap(), ..Settings::default() };
    let plane = Plane::start_with(settings).await;
    let ask = |name: &str| asking_as(name, &logs(&["a"]), Leave::default());
    let (one, two) = (submit(&plane, ask("one")).await, submit(&plane, ask("two")).await);
    let (one, two) = (plane.finish(one).await, plane.finish(two).await);
    let mut came: Vec<String> =
        [&one, &two].into_iter().flat_map(stated).map(|(_, word)| word).collect();
    came.sort();
    assert_eq!(came, ["created", "failed: ManagedElsewhere"]);
    let manager = manager(&plane, "a").await.unwrap();
    let (winner, loser) = if manager == "one" { ("one", "two") } else { ("two", "one") };
    destroy(&plane, loser, OnRemove::Delete).await;
    assert_eq!(aliases(&plane).await, ["a"], "the other one's stays");
    destroy(&plane, winner, OnRemove::Delete).await;
    assert!(plane.existing("AWS::Logs::LogGroup").await.is_empty());
}

#[tokio::test]
async fn what_hands_made_anew_by_the_same_alias_is_not_the_deployments() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a", "b"]), json!({})).await;
    let delete = Ask::Delete { identifier: None, mode: DeleteMode::Delete };
    let accepted = plane.submit(LOGS, "a", delete).await.unwrap();
    plane.finish(accepted).await;
    let again = put(json!({"LogGroupName": "a"}));
    let accepted = plane.submit(LOGS, "a", again).await.unwrap();
    plane.finish(accepted).await;
    assert_eq!(manager(&plane, "a").await, None);
    let changed = put(json!({"LogGroupName": "b", "RetentionInDays": 7}));
    let accepted = plane.submit(LOGS, "b", changed).await.unwrap();
    plane.finish(accepted).await;
    assert_eq!(
        manager(&plane, "b").await.as_deref(),
        Some("app"),
        "a write by hand changes no hands"
    );
    let record = run(&plane, asking_as("app", "extension aws\n", removing(OnRemove::Delete))).await;
    assert_eq!(stated(&record), pairs(&[("b", "deleted")]));
    assert_eq!(aliases(&plane).await, ["a"]);
}

#[tokio::test]
async fn destroying_takes_all_away_and_forgets_the_deployment_when_all_went_well() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a", "b"]), json!({})).await;
    deploy(&plane, &logs(&["c"]), json!({})).await;
    refuse(&plane, "a", 1).await;
    let record = destroy(&plane, "app", OnRemove::Delete).await;
    let Some(Ending::Failed(failure)) = record.ending() else { panic!("it did not fail") };
    assert!(failure.message.contains("destroy it again"), "{}", failure.message);
    let left = kept(&plane, "app").await.unwrap();
    assert_eq!((names(&left), left.rows.len()), (vec!["a".to_owned()], 3));
    let record = destroy(&plane, "APP", OnRemove::Delete).await;
    assert_eq!(done(&record), SuccessKind::Deleted);
    assert!(kept(&plane, "app").await.is_none());
    assert!(aliases(&plane).await.is_empty());
    assert!(plane.existing("AWS::Logs::LogGroup").await.is_empty());
    let gone = DeploymentAsk::destroy(named("app"), OnRemove::Delete);
    let Err(DeploymentRefused::For(failure)) = plane.engine.deployment_submit(gone).await else {
        panic!("there is nothing to destroy")
    };
    assert_eq!(failure.code, "DeploymentNotFound");
}

#[tokio::test]
async fn a_deployment_that_is_only_forgotten_leaves_all_to_whoever_names_it_next() {
    let plane = Plane::start().await;
    deploy(&plane, &logs(&["a"]), json!({})).await;
    assert_eq!(done(&destroy(&plane, "app", OnRemove::Keep).await), SuccessKind::Deleted);
    assert!(kept(&plane, "app").await.is_none());
    assert_eq!(aliases(&plane).await, ["a"]);
    let record = run(&plane, asking_as("web", &logs(&["a"]), Leave::default())).await;
    assert_eq!(stated(&record), pairs(&[("a", "unchanged")]));
    assert_eq!(manager(&plane, "a").await.as_deref(), Some("web"));
    let record = destroy(&plane, "web", OnRemove::Detach).await;
    assert_eq!(stated(&record), pairs(&[("a", "detached")]));
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 1);
}

const CASCADE: &str = "
extension aws
param cidr string
resource net 'AWS.EC2/VPC@default' = { alias: 'net', properties: { CidrBlock: cidr } }
resource part 'AWS.EC2/Subnet@default' = {
  alias: 'part'
  properties: { VpcId: net.properties.VpcId, CidrBlock: cidrSubnet(cidr, 24, 0) }
}
";

#[tokio::test]
async fn what_was_replaced_goes_when_nothing_hangs_on_it_any_more() {
    let plane = Plane::start().await;
    deploy(&plane, CASCADE, json!({"cidr": "10.0.0.0/16"})).await;
    let old = plane.reference(VPC, "net").await.unwrap().entry.identifier.unwrap();
    // AWS refuses it while the subnet is in it, and once more for good measure of the rounds.
    refuse(&plane, &old, 1).await;
    let mut ask = asking(CASCADE, json!({"cidr": "10.1.0.0/16"}));
    ask.leave.replace = true;
    let record = run(&plane, ask).await;
    assert_eq!(stated(&record), pairs(&[("net", "replaced"), ("part", "replaced")]));
    let net = plane.reference(VPC, "net").await.unwrap();
    assert!(net.entry.retiring.is_empty(), "{:?}", net.entry.retiring);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
    assert_eq!(plane.existing("AWS::EC2::Subnet").await.len(), 1);
    assert!(kept(&plane, "app").await.unwrap().holdings.retiring.is_empty());
    let again = deploy(&plane, CASCADE, json!({"cidr": "10.1.0.0/16"})).await;
    assert_eq!(done(&again), SuccessKind::Noop);
}

#[tokio::test]
async fn what_was_replaced_and_never_goes_is_told_and_ends_the_run() {
    let plane = Plane::start().await;
    deploy(&plane, CASCADE, json!({"cidr": "10.0.0.0/16"})).await;
    let old = plane.reference(VPC, "net").await.unwrap().entry.identifier.unwrap();
    refuse(&plane, &old, 1000).await;
    let mut ask = asking(CASCADE, json!({"cidr": "10.1.0.0/16"}));
    ask.leave.replace = true;
    let record = run(&plane, ask).await;
    assert_eq!(done(&record), SuccessKind::Deployed);
    let stays = &kept(&plane, "app").await.unwrap().holdings.retiring;
    assert_eq!((stays.len(), stays[0].address.as_str()), (1, "net"));
    assert_eq!(stays[0].identifier, old);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 2);
}

#[tokio::test]
async fn a_resource_is_mapped_in_every_spelling_of_its_identifier() {
    let plane = Plane::start().await;
    let cluster = "arn:aws:ecs:eu-central-1:000000000042:cluster/web";
    let service = json!({"Cluster": cluster, "ServiceName": "shop", "TaskDefinition": "shop:1"});
    plane.put_of(SERVICE, "shop", service).await;
    let identifier = plane.reference(SERVICE, "shop").await.unwrap().entry.identifier.unwrap();
    let (service, _) = identifier.split_once('|').unwrap();
    // As a list of AWS has it.
    let listed = format!("{service}|web");
    let subject = crate::plane::subject(SERVICE, "none");
    let subject = Subject { reference: None, ..subject };
    let mapped = find_mapping(&*plane.store, &subject, &listed).await.unwrap();
    assert_eq!(mapped.unwrap().name.alias, "shop");
    let other = format!("{service}|other");
    assert!(find_mapping(&*plane.store, &subject, &other).await.unwrap().is_none());
    let import =
        Ask::Import { identifier: listed, owned: true, properties: None, secret_paths: Vec::new() };
    let refused = plane.submit(SERVICE, "again", import).await.unwrap_err();
    assert_eq!(refused.code, "ResourceMapped");
}
