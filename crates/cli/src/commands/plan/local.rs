//! The plan of a template for a group that does not exist: everything would be new, as far as can be told here.

use std::sync::Arc;

use hangar_diag::Diagnostic;
use hangar_engine::plan_new_recipes;
use hangar_ids::{AccountId, Region, TypeName};
use hangar_plan::deployment::Fresh;
use hangar_plan::record::{AwsScope, GroupName};
use hangar_schema::Catalog;
use hangar_template::deployment::{Deployment, NodeKind};
use hangar_template::source::Sources;
use serde_json::{Value, json};

use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::deploy::args::{Prepared, TemplateArgs};
use crate::commands::place::default_place;
use crate::failure::Failure;
use crate::session::Session;
use crate::template::check;

/// What the control plane would answer, had it the group.
pub(super) async fn plan(
    session: &Session<'_>,
    args: &TemplateArgs,
    prepared: &Prepared,
    place: Option<AwsPlace>,
) -> Result<Value, Failure> {
    let place = place.or_else(|| session.has_default_place().then(default_place));
    let given = args.given(&prepared.name, prepared.values(), place.as_ref())?;
    let checked = check::start(&prepared.program, &given);
    let Some(deployment) = checked.deployment else {
        return Err(Failure::Reported(prepared.files.reports(checked.problems)));
    };
    let catalog = Catalog::bundled();
    let schema_of = |name: &TypeName| catalog.get(&name.cloud_formation()).ok().map(Arc::new);
    let scope = place.and_then(|place| scope_of(&place));
    let fresh = Fresh {
        deployment: &deployment,
        sources: &prepared.files.sources,
        scope: scope.as_ref(),
        schema_of: &schema_of,
    };
    let planned = fresh.plan();
    let mut properties =
        planned.map_err(|problems| Failure::Reported(prepared.files.reports(problems)))?;
    if let Some(changes) = properties["changes"].as_array_mut() {
        let group = GroupName { plane: "local".to_owned(), group: args.group().to_owned() };
        let into = (&group, scope.as_ref());
        plan_recipes(session, (&deployment, &prepared.files.sources), into, changes).await;
    }
    Ok(json!({"status": "Succeeded", "properties": properties}))
}

/// Has Terraform plan the recipes, where the control plane would run them on this machine.
async fn plan_recipes(
    session: &Session<'_>,
    template: (&Deployment, &Sources),
    into: (&GroupName, Option<&AwsScope>),
    changes: &mut [Value],
) {
    if !template.0.nodes().iter().any(|node| node.kind == NodeKind::Recipe) {
        return;
    }
    // The files of a plan go with it.
    let Ok(folder) = tempfile::Builder::new().prefix("hangar-plan-").tempdir() else { return };
    if let Some(recipes) = session.local_recipes(folder.path()) {
        plan_new_recipes(&recipes, template, into, changes).await;
    }
}

/// Refuses the name of a group that could not be made.
pub(super) fn check_group(name: &str) -> Result<(), Failure> {
    if GroupName::is_fit(name) {
        return Ok(());
    }
    let message = format!("`{name}` is not a valid group name");
    let hint = "use 1 to 90 letters, digits, `-`, `_`, `.`, `(` and `)`, without a `.` at the end";
    Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
}

fn scope_of(place: &AwsPlace) -> Option<AwsScope> {
    let account = AccountId::parse(&place.account).ok()?;
    let region = Region::parse(&place.region).ok()?;
    Some(AwsScope { plane: "aws".to_owned(), account, region })
}
