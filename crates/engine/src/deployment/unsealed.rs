//! A plan that has no seal: it was made without the control plane, when there was no group.
//!
//! It says no more than the template does, so the template is evaluated again as it was then, and that is held against what
//! was told. And there must be nothing in the group: whatever is, the plan knows nothing of.

use std::sync::Arc;

use hangar_ids::TypeName;
use hangar_plan::deployment::{self, Found, Fresh, Planned, output_differences, scope_difference};
use hangar_plan::operation::{Finding, PLAN_MOVED};
use hangar_schema::Catalog;
use hangar_store::{ReferenceFilter, StoreError};
use hangar_template::program::compile;
use serde_json::{Map, Value};

use super::fresh_seal::is_seal_of;
use super::{Course, Stopped};

/// How what would be done differs from what was told.
pub(super) async fn differences(
    course: &Course<'_>,
    planned: &Planned,
    found: &[Found],
) -> Result<Vec<Finding>, Stopped> {
    let mut all = Vec::new();
    if !is_empty(course).await? {
        let group = &course.work.deployment.group.group;
        all.push(moved(format!(
            "the plan was created before group `{group}` existed, but the group is not empty now"
        )));
    }
    let scope = course.prepared.charter.scope.as_ref();
    all.extend(scope_difference(planned, scope));
    let usual = course.shared.config.default_scope.as_ref();
    if let (None, Some(scope)) = (&planned.scope, scope)
        && !usual.is_some_and(|usual| usual.is_same_place(scope))
    {
        all.push(moved(format!("the plan does not name an account and region; now: {scope}")));
    }
    match told(course, planned) {
        Some((changes, outputs)) => {
            all.extend(deployment::differences(planned, &changes));
            all.extend(output_differences(planned, &outputs));
        }
        None => all.push(moved("the template cannot be planned without its group".to_owned())),
    }
    all.extend(found.iter().filter_map(not_new));
    if all.is_empty()
        && let Some(seal) = &planned.fresh_seal
        && !is_seal_of(
            seal,
            &course.shared.keys,
            &course.prepared.charter,
            &course.prepared.sources,
            &course.work.deployment,
        )
    {
        all.push(moved(OTHER_SECRET.to_owned()));
    }
    Ok(all)
}

/// The one difference of a plan that shows the same.
const OTHER_SECRET: &str = "a secure parameter or another secret value differs from the plan";

fn moved(message: String) -> Finding {
    Finding { code: PLAN_MOVED.to_owned(), path: String::new(), message }
}

/// What is told of the template where nothing else is known.
fn told(course: &Course<'_>, planned: &Planned) -> Option<(Vec<Found>, Map<String, Value>)> {
    let charter = &course.prepared.charter;
    let sources = &course.prepared.sources;
    let scope = planned.scope.as_ref();
    let inputs = charter.fresh_inputs(&course.work.deployment.name, scope);
    let deployment = compile(sources, &charter.entry).program?.start(&inputs).deployment?;
    // The bundled one, for that is what whoever planned had.
    let catalog = Catalog::bundled();
    let schema_of = |name: &TypeName| catalog.get(&name.cloud_formation()).ok().map(Arc::new);
    let fresh = Fresh { deployment: &deployment, sources, scope, schema_of: &schema_of };
    let mut plan = fresh.plan().ok()?;
    let Value::Array(changes) = plan["changes"].take() else { return None };
    let Value::Object(outputs) = plan["outputs"].take() else { return None };
    Some((changes.into_iter().map(|change| Found { change }).collect(), outputs))
}

/// What is there already, or cannot be made.
fn not_new(found: &Found) -> Option<Finding> {
    let text = |name: &str| found.change.get(name).and_then(Value::as_str);
    let action = text("action").unwrap_or("nothing");
    // What would fail is told by itself.
    if matches!(action, "create" | "run" | "read" | "refused") {
        return None;
    }
    let address = text("address").unwrap_or_default().to_owned();
    let now = match text("identifier") {
        Some(identifier) => format!("{action} {identifier}"),
        None => action.to_owned(),
    };
    let message = format!("planned: only new resources; now: {now}");
    Some(Finding { code: PLAN_MOVED.to_owned(), path: address, message })
}

/// Whether nothing is in the group but this run, and runs of it that came to nothing.
async fn is_empty(course: &Course<'_>) -> Result<bool, StoreError> {
    let (store, own) = (&course.shared.store, &course.work.deployment);
    let filter = ReferenceFilter { group: Some(own.group.clone()), type_key: None, state: None };
    if !store.reference_outline_list(&filter, None, 1).await?.is_empty()
        || !store.recipe_list(&own.group, None, 1).await?.is_empty()
    {
        return Ok(false);
    }
    let deployments = store.deployment_list(&own.group, None, 2).await?;
    Ok(deployments.iter().all(|it| {
        let is_own = it.name.id().eq_ignore_ascii_case(&own.id());
        is_own && it.rows.is_empty() && it.outputs.is_none()
    }))
}
