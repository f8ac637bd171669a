//! What a run would do with one resource: read it, compare it with what the template states, and tell the difference.

mod assumed;
mod differ;
mod masked;
mod part;
mod property;
mod recipe;
mod split;
mod told;

use hangar_plan::change::{mistakes, to_show};
use hangar_plan::deployment::{AwsRow, Row, RowKind, RowTarget};
use hangar_plan::operation::Failure;
use hangar_plan::record::{AwsScope, GroupName, Subject};
use hangar_provider::Observation;
use hangar_schema::{TypeSchema, identifier_of};
use hangar_template::deployment::Resource;
use serde_json::Value;

pub use self::recipe::plan_new_recipes;
pub(super) use self::told::{left_change, source};

use self::differ::{Differing, refused};
use self::property::Page;
use self::told::{Deed, change};
use super::begin::find_existing;
use super::prepared::{Prepared, of_problems};
use crate::documents::Known;
use crate::drift::is_passing;
use crate::engine::Shared;
use crate::read::unavailable;
use crate::translate;

/// What was found of one resource.
pub(super) struct Looked {
    /// What others may read of it.
    pub(super) presence: Presence,
    /// What would be done, as it is told.
    pub(super) change: Value,
}

/// What others may read of a resource.
pub(super) enum Presence {
    /// It is there.
    There(Resource),
    /// It will be.
    NotYet,
    /// It is not, and may be missing.
    Missing,
}

/// What would be done with one resource; a failure is of the cloud or the store, and of all of the plan.
pub(super) async fn look(
    shared: &Shared,
    prepared: &Prepared,
    row: &Row,
    index: usize,
    group: &GroupName,
) -> Result<Looked, Failure> {
    let told = |deed: Deed<'_>| change(row, group, deed);
    if let RowTarget::Existing { or_null, .. } = &row.target {
        return match find_existing(shared, prepared, index, row, group).await {
            Ok(Some((identifier, resource))) => {
                let change = told(Deed { identifier: Some(&identifier), ..Deed::of("read") });
                Ok(Looked { presence: Presence::There(resource), change })
            }
            Ok(None) if *or_null => {
                let reason = Some("it does not exist, which the template allows".to_owned());
                let change = told(Deed { reason, ..Deed::of("read") });
                Ok(Looked { presence: Presence::Missing, change })
            }
            Ok(None) => {
                let reason =
                    "it does not exist, and `existing` never creates a resource".to_owned();
                let change = told(Deed::refused(reason));
                Ok(Looked { presence: Presence::NotYet, change })
            }
            Err(failed) if is_passing(&failed.failure) => Err(failed.failure),
            Err(failed) => {
                let change = told(Deed::refused(failed.failure.message));
                Ok(Looked { presence: Presence::NotYet, change })
            }
        };
    }
    let aws = match &row.kind {
        RowKind::Aws(aws) => aws,
        RowKind::Recipe => return recipe::look(shared, prepared, row, index, group).await,
    };
    let schemas = &shared.schemas;
    let schema =
        schemas.get(&*shared.store, &shared.cloud, &aws.scope, &aws.type_name).await?.compiled;
    let body = match prepared.deployment.body(index, &prepared.sights()) {
        Ok(body) => body,
        Err(problems) => {
            let (failure, place) = of_problems(&problems, &prepared.sources);
            let deed = Deed { place, ..Deed::refused(failure.message) };
            return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
        }
    };
    // What the schema calls secret is not told either.
    let page = Page::of(&prepared.sources, &body).hiding_as(&schema);
    let reference = match row.reference(group) {
        Some(name) => shared.store.reference_find(&name).await,
        None => Ok(None),
    };
    let reference = reference.map_err(|error| unavailable(&error.to_string()))?;
    let Some((reference, identifier)) =
        reference.and_then(|it| it.entry.identifier.clone().map(|identifier| (it, identifier)))
    else {
        let deed = match taken(shared, aws, &schema, &page.stated.properties).await? {
            Some((identifier, live)) if prepared.charter.leave().adopt => {
                let hidden = page.stated.secret_paths.clone();
                let found = Found { identifier, live: &live, known: Known::nothing(), hidden };
                let id = row.reference(group).map(|name| name.id()).unwrap_or_default();
                let (presence, deed) = found.held_against(shared, prepared, &schema, page, id);
                let reason = Some(format!("{} exists and is adopted", found.identifier));
                let deed = match deed.action {
                    "no-op" | "update" | "unknown" => Deed { action: "adopt", reason, ..deed },
                    // Neither is done without leave, or at all.
                    _ => deed,
                };
                let change = told(Deed { identifier: Some(&found.identifier), ..deed });
                return Ok(Looked { presence, change });
            }
            Some((identifier, _)) => {
                let reason = format!(
                    "{identifier} exists and has no alias; deploy with --adopt to adopt it"
                );
                Deed::refused(reason)
            }
            None => created(&schema, &page),
        };
        return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
    };
    if !reference.scope.is_same_place(&aws.scope) {
        let AwsScope { account, region, .. } = &reference.scope;
        let reason = format!(
            "the alias is in account {account}, region {region}, but the template is in account \
             {}, region {}; pass --aws-account {account} --aws-region {region}, or use another \
             alias",
            aws.scope.account, aws.scope.region
        );
        let deed = Deed::refused(reason);
        return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
    }
    if schema.handlers().read.is_none() {
        let reason = Some("the type cannot be read, so the changes are unknown".to_owned());
        let deed = Deed { reason, identifier: Some(&identifier), ..Deed::of("unknown") };
        return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
    }
    let subject = Subject::new(reference.scope.clone(), aws.type_name.clone(), None);
    let target = translate::target(&subject);
    let observed = shared.cloud.for_a_caller(PATIENCE).observe_together(&target, &identifier).await;
    match observed.map_err(translate::read_failure)? {
        Observation::Absent => {
            let reason =
                Some(format!("{identifier} no longer exists: it was deleted outside Hangar"));
            let deed = Deed { reason, ..created(&schema, &page) };
            Ok(Looked { presence: Presence::NotYet, change: told(deed) })
        }
        Observation::Present { identifier, properties: live } => {
            prepared.saw(index, &reference, &live);
            let hidden = reference.documents.secret_paths.clone();
            let known = Known::of(&reference);
            let found = Found { identifier, live: &live, known, hidden };
            let id = reference.name.id();
            let (presence, deed) = found.held_against(shared, prepared, &schema, page, id);
            let change = told(Deed { identifier: Some(&found.identifier), ..deed });
            Ok(Looked { presence, change })
        }
    }
}

/// A resource that is there, and what is known of it.
struct Found<'a> {
    identifier: String,
    live: &'a Value,
    known: Known,
    /// What of it is shown to nobody.
    hidden: Vec<String>,
}

impl Found<'_> {
    /// What others may read of it, and what would be done about how it differs.
    fn held_against<'d>(
        &self,
        shared: &Shared,
        prepared: &Prepared,
        schema: &TypeSchema,
        page: Page<'_>,
        id: String,
    ) -> (Presence, Deed<'d>) {
        let properties = to_show(schema, self.live, &self.hidden);
        let page = page.hiding(&self.hidden);
        let may_run_replace = prepared.charter.leave().replace;
        let (known, live) = (&self.known, self.live);
        let differing = Differing { shared, schema, known, page: &page, live, may_run_replace };
        let deed = differing.deed();
        if deed.action == "replace" {
            return (Presence::NotYet, deed);
        }
        let (name, changing) = (self.identifier.clone(), deed.action != "no-op");
        let resource = Resource { id, name, properties, changing, secrets: None };
        (Presence::There(resource), deed)
    }
}

/// What has the name already that the template chooses for a resource which is to be made.
async fn taken(
    shared: &Shared,
    aws: &AwsRow,
    schema: &TypeSchema,
    properties: &Value,
) -> Result<Option<(String, Value)>, Failure> {
    let chosen = identifier_of(schema, properties).ok().map(|it| it.to_string());
    let Some(chosen) = chosen.filter(|_| schema.handlers().read.is_some()) else { return Ok(None) };
    let subject = Subject::new(aws.scope.clone(), aws.type_name.clone(), None);
    let target = translate::target(&subject);
    let observed = shared.cloud.for_a_caller(PATIENCE).observe_together(&target, &chosen).await;
    Ok(match observed.map_err(translate::read_failure)? {
        Observation::Absent => None,
        Observation::Present { identifier, properties } => Some((identifier, properties)),
    })
}

/// How long a look waits for the turn of its call.
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(1);

/// A resource that is not there: all that the template states of it.
fn created<'a>(schema: &TypeSchema, page: &Page<'_>) -> Deed<'a> {
    let stated = &page.stated;
    if stated.unknown.is_empty() {
        let wrong = mistakes(schema, &stated.properties, &stated.secret_paths);
        if !wrong.is_empty() {
            return refused(&wrong, page);
        }
    }
    Deed { changed: page.all(), ..Deed::of("create") }
}
