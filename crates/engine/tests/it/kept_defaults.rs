//! Defaults with `newGuid()` and `utcNow()`: evaluated once for a deployment, kept sealed, evaluated again when asked.

use hangar_engine::{DefaultValues, DeploymentAsk, Leave};
use hangar_plan::deployment::{DeploymentTask, OnRemove};
use hangar_plan::operation::SuccessKind;
use hangar_plan::record::{DeploymentName, DeploymentRecord};
use serde_json::{Value, json};

use crate::deployments::{actions, asking, deploy, pairs, plan, stated, submit};
use crate::plane::{Plane, done, group};
use crate::planned::{apply, planned};

const TEXT: &str = "
extension aws
@secure()
param password string = newGuid()
param name string = 'q-${newGuid()}'
param at string = utcNow()
resource s 'AWS.SecretsManager/Secret@default' = {
  alias: 's'
  properties: { Name: 's', SecretString: password }
}
resource q 'AWS.SQS/Queue@default' = {
  alias: 'q'
  properties: { QueueName: name, Tags: [{ Key: 'at', Value: at }] }
}
output name string = name
";

async fn kept(plane: &Plane) -> Option<DeploymentRecord> {
    let name = DeploymentName { group: group(), name: "app".to_owned() };
    plane.store.deployment_find(&name).await.unwrap()
}

async fn name_of(plane: &Plane) -> Value {
    kept(plane).await.unwrap().outputs.unwrap()["name"]["value"].clone()
}

fn refreshing(text: &str) -> DeploymentAsk {
    let leave = Leave { defaults: DefaultValues::Refreshed, replace: true, ..Leave::default() };
    DeploymentAsk { leave, ..asking(text, json!({})) }
}

#[tokio::test]
async fn a_second_run_changes_nothing_until_defaults_are_refreshed() {
    let mut plane = Plane::start().await;
    assert_eq!(done(&deploy(&plane, TEXT, json!({})).await), SuccessKind::Deployed);
    let first = name_of(&plane).await;
    plane.restart().await;
    let planned = plan(&plane, TEXT, json!({})).await;
    assert_eq!(actions(&planned), pairs(&[("s", "no-op"), ("q", "no-op")]));
    assert_eq!(planned["outputs"]["name"]["change"], "no-op");
    let second = deploy(&plane, TEXT, json!({})).await;
    assert_eq!(stated(&second), pairs(&[("s", "unchanged"), ("q", "unchanged")]));

    let ask = DeploymentAsk { task: DeploymentTask::Plan, ..refreshing(TEXT) };
    let looked = plane.finish(submit(&plane, ask).await).await;
    let looked = crate::deployments::work(&looked).result.clone().unwrap();
    assert_eq!(actions(&looked), pairs(&[("s", "update"), ("q", "replace")]));
    assert_eq!(looked["outputs"]["name"]["unknown"], "evaluated when it is deployed, then kept");
    assert_eq!(name_of(&plane).await, first, "a plan keeps nothing");
    let refreshed = plane.finish(submit(&plane, refreshing(TEXT)).await).await;
    assert_eq!(stated(&refreshed), pairs(&[("s", "updated"), ("q", "replaced")]));
    let other = name_of(&plane).await;
    assert_ne!(other, first);
    let last = deploy(&plane, TEXT, json!({})).await;
    assert_eq!(stated(&last), pairs(&[("s", "unchanged"), ("q", "unchanged")]));

    let gone = DeploymentAsk::destroy(kept(&plane).await.unwrap().name, OnRemove::Delete);
    plane.finish(submit(&plane, gone).await).await;
    assert!(kept(&plane).await.is_none());
    deploy(&plane, TEXT, json!({})).await;
    assert_ne!(name_of(&plane).await, other, "what was destroyed is not kept");
}

#[tokio::test]
async fn a_planned_first_run_deploys_the_values_of_its_plan_and_keeps_them() {
    let plane = Plane::start().await;
    let ask = asking(TEXT, json!({}));
    let (result, plan) = planned(&plane, &ask).await;
    let sealed = plan.kept_defaults.clone().unwrap();
    assert_eq!(result["outputs"]["name"]["unknown"], "evaluated when it is deployed, then kept");
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(done(&record), SuccessKind::Deployed, "{:?}", record.ending());
    let first = name_of(&plane).await;
    let second = deploy(&plane, TEXT, json!({})).await;
    assert_eq!(stated(&second), pairs(&[("s", "unchanged"), ("q", "unchanged")]));
    // The same plan again names the same queue, though all else has moved.
    let again = apply(&plane, &ask, &plan).await;
    assert!(again.ending().is_some() && name_of(&plane).await == first);

    let other = DeploymentName { group: group(), name: "other".to_owned() };
    let ask = DeploymentAsk { name: other, plan: Some(plan), ..ask };
    let refused = plane.engine.deployment_submit(ask).await;
    assert!(
        format!("{refused:?}").contains("InvalidPlan"),
        "{sealed} opens for its deployment only"
    );
}

#[tokio::test]
async fn a_plan_of_refreshed_defaults_that_does_not_hold_keeps_the_old_ones() {
    let plane = Plane::start().await;
    deploy(&plane, TEXT, json!({})).await;
    let before = kept(&plane).await.unwrap().kept_defaults;
    let (_, plan) = planned(&plane, &refreshing(TEXT)).await;
    let moved = refreshing(&TEXT.replace("'at'", "'moved'"));
    let record = apply(&plane, &moved, &plan).await;
    assert!(format!("{:?}", record.ending()).contains("PlanMoved"));
    assert_eq!(kept(&plane).await.unwrap().kept_defaults, before);
    let same = deploy(&plane, TEXT, json!({})).await;
    assert_eq!(stated(&same), pairs(&[("s", "unchanged"), ("q", "unchanged")]));
}

/// The alias, and so the node itself, hangs on a value that is kept.
#[tokio::test]
async fn an_alias_of_a_kept_value_names_the_same_resource_each_time() {
    let text = "
extension aws
param id string = newGuid()
resource q 'AWS.SQS/Queue@default' = { alias: 'q-${id}', properties: { QueueName: 'q-${id}' } }
";
    let plane = Plane::start().await;
    let ask = asking(text, json!({}));
    let (_, plan) = planned(&plane, &ask).await;
    let record = apply(&plane, &ask, &plan).await;
    assert_eq!(done(&record), SuccessKind::Deployed, "{:?}", record.ending());
    assert_eq!(stated(&deploy(&plane, text, json!({})).await), pairs(&[("q", "unchanged")]));
}
