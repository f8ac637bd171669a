//! The plan of a template for a group that does not exist: everything would be new, as far as can be told here.

use std::sync::Arc;

use hangar_diag::Diagnostic;
use hangar_ids::{AccountId, Region, TypeName};
use hangar_plan::deployment::Fresh;
use hangar_plan::record::{AwsScope, GroupName};
use hangar_schema::Catalog;
use serde_json::{Value, json};

use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::deploy::args::{Prepared, TemplateArgs};
use crate::commands::place::default_place;
use crate::failure::Failure;
use crate::session::Session;
use crate::template::check;

/// What the control plane would answer, had it the group.
pub(super) fn plan(
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
    let properties =
        planned.map_err(|problems| Failure::Reported(prepared.files.reports(problems)))?;
    Ok(json!({"status": "Succeeded", "properties": properties}))
}

/// Refuses the name of a group that could not be made.
pub(super) fn check_group(name: &str) -> Result<(), Failure> {
    if GroupName::is_fit(name) {
        return Ok(());
    }
    let message = format!("`{name}` cannot name a group");
    let hint = "use 1 to 90 letters, digits, `-`, `_`, `.`, `(` and `)`, with no `.` at the end";
    Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
}

fn scope_of(place: &AwsPlace) -> Option<AwsScope> {
    let account = AccountId::parse(&place.account).ok()?;
    let region = Region::parse(&place.region).ok()?;
    Some(AwsScope { plane: "aws".to_owned(), account, region })
}
