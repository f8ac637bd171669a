//! Runs that are held to a plan: they do just that, or nothing.

use std::sync::Arc;
use std::time::Duration;

use hangar_engine::{Ask, DeploymentAsk, Leave, Reach};
use hangar_ids::TypeName;
use hangar_plan::deployment::{DeploymentTask, Fresh, Holding, OnRemove, Planned};
use hangar_plan::operation::{Ending, Failure, OperationId, SuccessKind};
use hangar_plan::record::{DeploymentName, DeploymentRecord, OperationRecord};
use hangar_schema::Catalog;
use hangar_simulator::core::settings::Settings;
use hangar_template::deployment::{GroupFacts, Inputs, MissingParameter};
use hangar_template::program::compile;
use serde_json::{Map, Value, json};

use crate::deployments::{actions, asking, deploy, pairs, stated, submit, work};
use crate::plane::{Plane, done, group};
use crate::team::{LOGS, called, change_elsewhere, delete_elsewhere, make_elsewhere};

const LOG_GROUP: &str = "AWS::Logs::LogGroup";

/// `b` waits for `a`; `s` has a secret.
const STACK: &str = "
extension aws
param days int = 7
param last int = 1
@secure()
param pass string = 'canary-1'
resource a 'AWS.Logs/LogGroup@default' = {
  alias: 'a'
  properties: { LogGroupName: 'a', RetentionInDays: days }
}
resource b 'AWS.Logs/LogGroup@default' = {
  alias: 'b'
  dependsOn: [a]
  properties: { LogGroupName: 'b', RetentionInDays: last }
}
resource s 'AWS.SecretsManager/Secret@default' = {
  alias: 's'
  properties: { Name: 's', SecretString: pass }
}
output name string = a.properties.LogGroupName
";

pub(crate) async fn planned(plane: &Plane, ask: &DeploymentAsk) -> (Value, Planned) {
    let ask = DeploymentAsk { task: DeploymentTask::Plan, ..ask.clone() };
    let accepted = submit(plane, ask).await;
    let record = plane.finish(accepted).await;
    assert_eq!(done(&record), SuccessKind::Planned, "{:?}", record.ending());
    let result = work(&record).result.clone().unwrap();
    assert!(!result.to_string().contains("canary"), "{result}");
    let seal = Some(result["seal"].as_str().unwrap().to_owned());
    let changes = result["changes"].as_array().unwrap().clone();
    let outputs = result["outputs"].as_object().cloned();
    let kept_defaults = result["keptDefaults"].as_str().map(str::to_owned);
    (result, Planned { seal, fresh_seal: None, changes, scope: None, outputs, kept_defaults })
}

pub(crate) async fn apply(plane: &Plane, ask: &DeploymentAsk, plan: &Planned) -> OperationRecord {
    let ask = DeploymentAsk { plan: Some(plan.clone()), ..ask.clone() };
    let accepted = submit(plane, ask).await;
    plane.finish(accepted).await
}

fn failure(record: &OperationRecord) -> Failure {
    match record.ending() {
        Some(Ending::Failed(failure)) => failure.clone(),
        other => panic!("{other:?}"),
    }
}

async fn kept(plane: &Plane) -> Option<DeploymentRecord> {
    let name = DeploymentName { group: group(), name: "app".to_owned() };
    plane.store.deployment_find(&name).await.unwrap()
}

/// Applies a plan that has moved: nothing is written, in AWS or here.
async fn is_refused(plane: &Plane, ask: &DeploymentAsk, plan: &Planned) -> Vec<String> {
    let before = kept(plane).await;
    let references = crate::team::left(plane).await;
    plane.forget_calls().await;
    let record = apply(plane, ask, plan).await;
    let failure = failure(&record);
    assert_eq!(failure.code, "PlanMoved", "{}", failure.message);
    assert_eq!(plane.writes().await, 0);
    assert_eq!(crate::team::left(plane).await, references, "no reference was touched");
    let now = kept(plane).await.unwrap();
    assert!(matches!(now.ending, Some(Ending::Failed(_))), "{:?}", now.ending);
    if let Some(before) = before {
        assert_eq!(now.outputs, before.outputs);
        assert_eq!((now.rows, now.holdings), (before.rows, before.holdings));
    } else {
        assert!(now.members().is_empty());
    }
    assert!(!format!("{record:?}").contains("canary"));
    failure.findings.into_iter().map(|it| format!("{}: {}", it.path, it.message)).collect()
}

#[tokio::test]
async fn a_plan_that_holds_is_applied_just_so() {
    let plane = Plane::start().await;
    let first = asking(STACK, json!({}));
    let (result, plan) = planned(&plane, &first).await;
    assert_eq!(actions(&result), pairs(&[("a", "create"), ("b", "create"), ("s", "create")]));
    let record = apply(&plane, &first, &plan).await;
    assert_eq!(done(&record), SuccessKind::Deployed, "{:?}", stated(&record));
    assert_eq!(plane.writes().await, 3);
    let kept = kept(&plane).await.unwrap();
    assert_eq!(kept.members().len(), 3, "what it made it manages");
    assert_eq!(kept.outputs.unwrap()["name"]["value"], "a");

    plane.forget_calls().await;
    let second = asking(STACK, json!({"days": 14, "pass": "canary-2"}));
    let (result, plan) = planned(&plane, &second).await;
    assert_eq!(actions(&result), pairs(&[("a", "update"), ("b", "no-op"), ("s", "update")]));
    let (_, again) = planned(&plane, &second).await;
    assert_eq!(plan.seal, again.seal, "the same plan has the same seal");
    let record = apply(&plane, &second, &plan).await;
    assert_eq!(stated(&record), pairs(&[("a", "updated"), ("b", "unchanged"), ("s", "updated")]));
    assert_eq!((plane.writes().await, called(&plane, "UpdateResource").await.len()), (2, 2));
    assert_eq!(work(&record).holding, Holding::Verified);
    // Applied again it is another: there is nothing left to do.
    let told = is_refused(&plane, &second, &plan).await;
    assert_eq!(told[0], "a: planned: update a; now: no-op a");
}

#[tokio::test]
async fn whatever_moves_between_plan_and_apply_is_told_and_nothing_is_written() {
    let plane = Plane::start().await;
    deploy(&plane, STACK, json!({})).await;
    let ask = asking(STACK, json!({"days": 14}));
    let (_, plan) = planned(&plane, &ask).await;

    let other =
        asking(&STACK.replace("RetentionInDays: last", "RetentionInDays: 3"), json!({"days": 14}));
    let told = is_refused(&plane, &other, &plan).await;
    assert_eq!(told, ["b: planned: no-op b; now: update b"]);
    let told = is_refused(&plane, &asking(STACK, json!({"days": 30})), &plan).await;
    assert_eq!(told, ["a: /RetentionInDays: planned: 7 to 14; now: 7 to 30"]);
    let more = format!(
        "{STACK}resource c 'AWS.Logs/LogGroup@default' = {{\n  alias: 'c'\n  properties: {{ LogGroupName: 'c' }}\n}}\n"
    );
    let told = is_refused(&plane, &asking(&more, json!({"days": 14})), &plan).await;
    assert_eq!(told, ["c: it is not in the plan; now: create"]);
    let secret = asking(STACK, json!({"days": 14, "pass": "canary-3"}));
    let told = is_refused(&plane, &secret, &plan).await;
    assert!(told[0].starts_with("s: planned: no-op"), "{told:?}");

    change_elsewhere(&plane, LOG_GROUP, "a", json!({"RetentionInDays": 3})).await;
    let told = is_refused(&plane, &ask, &plan).await;
    assert_eq!(told, ["a: /RetentionInDays: planned: 7 to 14; now: 3 to 14"]);
    change_elsewhere(&plane, LOG_GROUP, "a", json!({"RetentionInDays": 7})).await;
    delete_elsewhere(&plane, LOG_GROUP, "b").await;
    let told = is_refused(&plane, &ask, &plan).await;
    assert_eq!(told, ["b: planned: no-op b; now: create"]);
    make_elsewhere(&plane, LOG_GROUP, json!({"LogGroupName": "b", "RetentionInDays": 1})).await;
    // A comment is no change.
    let commented = asking(&format!("// why\n{STACK}"), json!({"days": 14}));
    let record = apply(&plane, &commented, &plan).await;
    assert_eq!(stated(&record)[0], ("a".to_owned(), "updated".to_owned()));
}

#[tokio::test]
async fn a_secret_that_only_the_seal_knows_of_moves_a_plan() {
    let plane = Plane::start().await;
    let ask = asking(STACK, json!({"pass": "canary-1"}));
    let (_, plan) = planned(&plane, &ask).await;
    let told = is_refused(&plane, &asking(STACK, json!({"pass": "canary-2"})), &plan).await;
    assert_eq!(told, [": a secret value differs, or a part of the plan that is not shown"]);
    assert_eq!(done(&apply(&plane, &ask, &plan).await), SuccessKind::Deployed);
}

#[tokio::test]
async fn an_alias_that_was_imported_or_made_meanwhile_moves_a_plan() {
    let plane = Plane::start().await;
    let ask = asking(STACK, json!({}));
    let (_, plan) = planned(&plane, &ask).await;
    let theirs = make_elsewhere(&plane, LOG_GROUP, json!({"LogGroupName": "x"})).await;
    crate::team::import(&plane, LOGS, "a", &theirs).await;
    let told = is_refused(&plane, &ask, &plan).await;
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("a: planned: create; now: replace x"), "{told:?}");
}

#[tokio::test]
async fn a_name_that_is_taken_meanwhile_moves_a_plan_also_where_it_could_be_taken_in() {
    let plane = Plane::start().await;
    let leave = Leave { adopt: true, ..Leave::default() };
    let ask = DeploymentAsk { leave, ..asking(STACK, json!({})) };
    let (_, plan) = planned(&plane, &ask).await;
    make_elsewhere(&plane, LOG_GROUP, json!({"LogGroupName": "b"})).await;
    let told = is_refused(&plane, &ask, &plan).await;
    assert!(told[0].starts_with("b: planned: create; now: adopt"), "{told:?}");
    let (result, plan) = planned(&plane, &ask).await;
    assert_eq!(actions(&result)[1], ("b".to_owned(), "adopt".to_owned()));
    plane.forget_calls().await;
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(stated(&record)[1], ("b".to_owned(), "imported".to_owned()));
    assert!(plane.reference(LOGS, "b").await.unwrap().entry.owned);
    assert_eq!(called(&plane, "CreateResource").await.len(), 2, "none for what was taken in");
}

#[tokio::test]
async fn what_another_deployment_took_meanwhile_is_not_taken_back() {
    let plane = Plane::start().await;
    deploy(&plane, STACK, json!({})).await;
    let leave = Leave { reach: Reach::TakeOver, ..Leave::default() };
    let ask = DeploymentAsk { leave, ..asking(STACK, json!({"days": 14})) };
    let (_, plan) = planned(&plane, &ask).await;
    let name = DeploymentName { group: group(), name: "other".to_owned() };
    let other = DeploymentAsk { name, leave, ..asking(STACK, json!({})) };
    let accepted = submit(&plane, other).await;
    plane.finish(accepted).await;
    let told = is_refused(&plane, &ask, &plan).await;
    assert_eq!(told, [": a secret value differs, or a part of the plan that is not shown"]);
}

#[tokio::test]
async fn what_is_to_go_is_what_was_planned_to_go() {
    let plane = Plane::start().await;
    deploy(&plane, STACK, json!({})).await;
    let less = STACK.split("resource b").next().unwrap();
    let leave = Leave { on_remove: OnRemove::Delete, ..Leave::default() };
    let ask = DeploymentAsk { leave, ..asking(less, json!({})) };
    let (result, plan) = planned(&plane, &ask).await;
    assert_eq!(actions(&result), pairs(&[("a", "no-op"), ("b", "delete"), ("s", "delete")]));
    let detach = Leave { on_remove: OnRemove::Detach, ..Leave::default() };
    let told = is_refused(&plane, &DeploymentAsk { leave: detach, ..ask.clone() }, &plan).await;
    assert!(told[0].starts_with("b: planned: delete b; now: detach b"), "{told:?}");
    let accepted = plane
        .submit(
            LOGS,
            "b",
            Ask::Delete { identifier: None, mode: hangar_engine::DeleteMode::Detach },
        )
        .await
        .unwrap();
    plane.finish(accepted).await;
    let told = is_refused(&plane, &ask, &plan).await;
    assert_eq!(told, ["b: planned: delete b; now: no such resource"]);
    let (_, plan) = planned(&plane, &ask).await;
    plane.forget_calls().await;
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(stated(&record), pairs(&[("a", "unchanged"), ("s", "deleted")]));
    assert_eq!(plane.writes().await, 1);
}

#[tokio::test]
async fn values_of_defaults_that_are_not_kept_yet_do_not_move_a_plan() {
    let text = "
extension aws
param at string = utcNow()
param id string = newGuid()
resource a 'AWS.Logs/LogGroup@default' = {
  alias: 'a'
  properties: { LogGroupName: 'a', Tags: [{ Key: 'at', Value: '${at}-${id}' }] }
}
resource q 'AWS.SQS/Queue@default' = { alias: 'q', properties: { QueueName: 'q' } }
output at string = at
";
    let plane = Plane::start().await;
    let ask = asking(text, json!({}));
    let (result, plan) = planned(&plane, &ask).await;
    assert_eq!(actions(&result), pairs(&[("a", "create"), ("q", "create")]));
    let later = "evaluated when it is deployed, then kept";
    assert!(result["changes"].to_string().contains(later), "{result}");
    assert_eq!(result["outputs"]["at"]["unknown"], later);
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(done(&record), SuccessKind::Deployed, "{:?}", record.ending());
    let (result, _) = planned(&plane, &ask).await;
    assert_eq!(actions(&result), pairs(&[("a", "no-op"), ("q", "no-op")]));
    // Given explicitly, it is a value like any other.
    let ask = asking(text, json!({"at": "now", "id": "1"}));
    let (_, plan) = planned(&plane, &ask).await;
    let told = is_refused(&plane, &asking(text, json!({"at": "then", "id": "1"})), &plan).await;
    assert_eq!(told.len(), 2, "the tag and the output");
}

/// A run of `STACK` whose first row is under way, and whose second waits for it.
async fn half_way(plane: &Plane) -> (OperationId, Planned) {
    deploy(plane, STACK, json!({})).await;
    let ask = asking(STACK, json!({"days": 14, "last": 3}));
    let (_, plan) = planned(plane, &ask).await;
    plane.forget_calls().await;
    let ask = DeploymentAsk { plan: Some(plan.clone()), ..ask };
    let accepted = submit(plane, ask).await;
    while called(plane, "UpdateResource").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    (accepted.record.id(), plan)
}

fn slow() -> Settings {
    Settings { latency: "700ms..700ms".parse().unwrap(), ..Settings::default() }
}

#[tokio::test]
async fn what_moves_between_the_look_and_its_turn_is_not_written() {
    for (change, code) in [
        (Some(json!({"RetentionInDays": 5})), "failed: PlanMoved"),
        (Some(json!({"RetentionInDays": 3})), "failed: PlanMoved"),
        (None, "failed: PlanMoved"),
    ] {
        let plane = Plane::start_with(slow()).await;
        let (id, _) = half_way(&plane).await;
        match change {
            Some(change) => change_elsewhere(&plane, LOG_GROUP, "b", change).await,
            None => delete_elsewhere(&plane, LOG_GROUP, "b").await,
        }
        let record = plane.engine.wait(id, Duration::from_mins(1)).await.unwrap().unwrap();
        assert_eq!(stated(&record), pairs(&[("a", "updated"), ("b", code), ("s", "unchanged")]));
        assert_eq!(called(&plane, "UpdateResource").await, ["a"]);
        assert!(called(&plane, "CreateResource").await.is_empty());
        let reference = plane.reference(LOGS, "b").await.unwrap();
        assert_eq!(reference.entry.identifier.as_deref(), Some("b"));
        assert!(reference.entry.operation.is_none());
    }
}

#[tokio::test]
async fn an_alias_that_moves_between_the_look_and_its_turn_is_left_alone() {
    let plane = Plane::start_with(slow()).await;
    let (id, _) = half_way(&plane).await;
    let detach = Ask::Delete { identifier: None, mode: hangar_engine::DeleteMode::Detach };
    let accepted = plane.submit(LOGS, "b", detach).await.unwrap();
    plane.finish(accepted).await;
    let record = plane.engine.wait(id, Duration::from_mins(1)).await.unwrap().unwrap();
    assert_eq!(stated(&record)[1], ("b".to_owned(), "failed: PlanMoved".to_owned()));
    assert!(plane.reference(LOGS, "b").await.is_none());
    assert!(called(&plane, "CreateResource").await.is_empty());
}

#[tokio::test]
async fn a_run_that_is_cut_off_goes_on_held_to_its_plan() {
    let mut plane = Plane::start_with(slow()).await;
    let (id, _) = half_way(&plane).await;
    plane.restart().await;
    change_elsewhere(&plane, LOG_GROUP, "b", json!({"RetentionInDays": 5})).await;
    let record = plane.engine.wait(id, Duration::from_mins(1)).await.unwrap().unwrap();
    assert_eq!(
        stated(&record),
        pairs(&[("a", "updated"), ("b", "failed: PlanMoved"), ("s", "unchanged")])
    );
    assert_eq!(called(&plane, "UpdateResource").await, ["a"]);
}

/// What whoever has no group plans.
fn fresh(ask: &DeploymentAsk) -> Planned {
    let program = compile(&ask.sources, &ask.entry).program.unwrap();
    let inputs = Inputs {
        parameters: ask.parameters.clone(),
        missing: MissingParameter::Unknown,
        group: GroupFacts { id: group().id(), name: group().group, ..GroupFacts::default() },
        name: ask.name.name.clone(),
        account: ask.scope.as_ref().map(|it| it.account.clone()),
        region: ask.scope.as_ref().map(|it| it.region.clone()),
        ..Inputs::default()
    };
    let deployment = program.start(&inputs).deployment.unwrap();
    let catalog = Catalog::bundled();
    let schema_of = |name: &TypeName| catalog.get(&name.cloud_formation()).ok().map(Arc::new);
    let (sources, scope) = (&ask.sources, ask.scope.as_ref());
    let fresh = Fresh { deployment: &deployment, sources, scope, schema_of: &schema_of };
    let plan = fresh.plan().unwrap();
    assert!(!plan.to_string().contains("canary"), "{plan}");
    Planned {
        seal: None,
        fresh_seal: None,
        changes: plan["changes"].as_array().unwrap().clone(),
        scope: scope.cloned(),
        outputs: plan["outputs"].as_object().cloned(),
        kept_defaults: None,
    }
}

#[tokio::test]
async fn a_plan_without_a_seal_holds_where_there_is_nothing_and_all_is_as_it_was_told() {
    let plane = Plane::start().await;
    let text = STACK.replace("SecretString: pass", "SecretString: 'canary-9', Description: pass");
    let ask = asking(&text, json!({}));
    let plan = fresh(&ask);
    let mut other = plan.clone();
    other.changes[0]["changed"][1]["after"] = json!(8);
    let told = is_refused(&plane, &ask, &other).await;
    assert_eq!(told, ["a: /RetentionInDays: planned: 8; now: 7"]);
    let mut hidden = plan.clone();
    hidden.changes[0]["changed"][1] = json!({"path": "/RetentionInDays", "secret": true});
    let told = is_refused(&plane, &ask, &hidden).await;
    assert_eq!(told, ["a: /RetentionInDays: planned: a secret; now: 7"]);
    let mut outputs = plan.clone();
    outputs.outputs.as_mut().unwrap()["name"]["value"] = json!("other");
    assert_eq!(is_refused(&plane, &ask, &outputs).await.len(), 1);
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(done(&record), SuccessKind::Deployed, "{:?}", record.ending());
    let told = is_refused(&plane, &ask, &plan).await;
    assert!(told[0].contains("but the group is not empty now"), "{told:?}");
    assert_eq!(told[1], "a: planned: only new resources; now: no-op a");
}

#[tokio::test]
async fn a_plan_whose_seal_was_taken_away_does_nothing_where_there_is_something() {
    let plane = Plane::start().await;
    deploy(&plane, STACK, json!({})).await;
    let other = STACK.replace("'s'", "'t'").replace("'a'", "'c'").replace("'b'", "'d'");
    let ask = asking(&other, json!({}));
    let (_, plan) = planned(&plane, &ask).await;
    let told = is_refused(&plane, &ask, &Planned { seal: None, ..plan }).await;
    assert!(told[0].contains("but the group is not empty now"), "{told:?}");
    let told = is_refused(&plane, &ask, &fresh(&ask)).await;
    assert!(told[0].contains("but the group is not empty now"), "{told:?}");
}

#[tokio::test]
async fn a_plan_for_another_place_is_refused() {
    let plane = Plane::start().await;
    let ask = asking(STACK, json!({}));
    let mut elsewhere = ask.scope.clone().unwrap();
    elsewhere.region = "eu-west-3".parse().unwrap();
    let there = fresh(&DeploymentAsk { scope: Some(elsewhere.clone()), ..ask.clone() });
    let told = is_refused(&plane, &ask, &there).await;
    assert!(told[0].starts_with(": planned scope: "), "{told:?}");
    let (_, plan) = planned(&plane, &ask).await;
    let told = is_refused(&plane, &ask, &Planned { scope: Some(elsewhere), ..plan }).await;
    assert!(told[0].starts_with(": planned scope: "), "{told:?}");
}

#[tokio::test]
async fn what_is_told_of_a_plan_is_held_also_where_its_seal_is() {
    let plane = Plane::start().await;
    deploy(&plane, STACK, json!({})).await;
    let less = STACK.split("resource b").next().unwrap();
    let leave = Leave { on_remove: OnRemove::Delete, ..Leave::default() };
    let ask = DeploymentAsk { leave, ..asking(less, json!({"days": 14})) };
    let (_, plan) = planned(&plane, &ask).await;
    let edited = |edit: &dyn Fn(&mut Planned)| {
        let mut plan = plan.clone();
        edit(&mut plan);
        plan
    };
    for (plan, expected) in [
        (
            edited(&|it| it.changes[0]["changed"][0]["after"] = json!(8)),
            "a: /RetentionInDays: planned: 7 to 8; now: 7 to 14",
        ),
        (
            edited(&|it| it.changes[1]["action"] = json!("keep")),
            "b: planned: keep b; now: delete b",
        ),
        (edited(&|it| drop(it.changes.pop())), "s: it is not in the plan; now: delete"),
        (edited(&|it| it.outputs = Some(Map::from_iter([("o".to_owned(), json!({}))]))), "output"),
    ] {
        let told = is_refused(&plane, &ask, &plan).await;
        assert!(told[0].starts_with(expected), "{expected}: {told:?}");
    }
    assert_eq!(done(&apply(&plane, &ask, &plan).await), SuccessKind::Deployed);
}

#[tokio::test]
async fn a_plan_that_would_fail_is_not_begun() {
    let text = "
extension aws
param cidr string
resource q 'AWS.SQS/Queue@default' = { alias: 'q', properties: { QueueName: 'q-${uniqueString(cidr)}' } }
resource net 'AWS.EC2/VPC@default' = { alias: 'net', properties: { CidrBlock: cidr } }
";
    let plane = Plane::start().await;
    deploy(&plane, text, json!({"cidr": "10.0.0.0/16"})).await;
    plane.forget_calls().await;
    let ask = asking(text, json!({"cidr": "10.1.0.0/16"}));
    let (_, plan) = planned(&plane, &ask).await;
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(failure(&record).code, "PlanWouldFail");
    assert_eq!(plane.writes().await, 0);
    let leave = Leave { replace: true, ..Leave::default() };
    let ask = DeploymentAsk { leave, ..ask };
    assert_eq!(
        failure(&apply(&plane, &ask, &plan).await).code,
        "PlanMoved",
        "an option is of the plan"
    );
    let (_, plan) = planned(&plane, &ask).await;
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(stated(&record), pairs(&[("q", "replaced"), ("net", "replaced")]));
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1, "the old one is gone");
}

#[tokio::test]
async fn a_look_that_is_stopped_leaves_all_as_it_was() {
    let settings = Settings { latency: "0..0".parse().unwrap(), ..Settings::default() };
    let plane = Plane::start_with(settings).await;
    deploy(&plane, STACK, json!({})).await;
    let before = kept(&plane).await.unwrap();
    let ask = asking(STACK, json!({"days": 14}));
    let (_, plan) = planned(&plane, &ask).await;
    plane.forget_calls().await;
    plane
        .arm(json!({"operation": "GetResource", "times": 100, "effect": "exception",
                    "exception": "ThrottlingException"}))
        .await;
    let accepted = submit(&plane, DeploymentAsk { plan: Some(plan), ..ask }).await;
    while called(&plane, "GetResource").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    plane.engine.cancel(accepted.record.id()).await.unwrap();
    let record = plane.finish(accepted).await;
    assert!(matches!(record.ending(), Some(Ending::Canceled(_))), "{:?}", record.ending());
    let now = kept(&plane).await.unwrap();
    assert_eq!(
        (now.rows, now.outputs, now.holdings),
        (before.rows, before.outputs, before.holdings)
    );
    assert_eq!(plane.writes().await, 0);
}
