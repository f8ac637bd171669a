//! Begins rows: evaluates what a resource is to be and asks for it, or reads what exists.
//!
//! What is asked for has the name that follows from the run and the row: asked for twice, it begins once.

use std::time::Duration;

use hangar_ids::encode_identifier;
use hangar_plan::deployment::{
    AwsRow, Row, RowKind, RowState, RowTarget, Sight, SourcePlace, Stated, Stating, stating,
};
use hangar_plan::operation::{Failure, FailureKind, HeldDeed, PLAN_MOVED};
use hangar_plan::record::{GroupName, ReferenceName, Subject};
use hangar_schema::identifier_of;
use hangar_store::StoreError;
use hangar_template::deployment::Resource;
use hangar_template::source::Problem;
use hangar_template::value::Value;
use serde_json::{Map, Value as Json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::prepared::{Prepared, internal, of_problems, rests_on};
use super::{Course, Stopped, recipe, remove};
use crate::ask::{Ask, Parent, Submission};
use crate::drift::is_passing;
use crate::engine::Shared;
use crate::planned;
use crate::read::{self, unavailable};
use crate::submit::{self, MANAGED_ELSEWHERE, conflict};

/// How long after its decision a row may be begun: another worker may have the lease by then.
const BEGIN_WITHIN: Duration = Duration::from_secs(5);

/// How long a row waits for another operation on its alias, and for a cloud that is away.
const PATIENCE: Duration = Duration::from_mins(10);

/// What came of beginning a row.
pub(super) enum Begun {
    /// It is asked for.
    UnderWay,
    /// It is over already.
    Over(Sight),
    /// It could not be asked for just now: something passing is in the way, or there was no time.
    NotNow(Option<Failure>),
}

/// Begins rows, reads first: they are done at once, and side by side.
pub(super) async fn all(
    course: &Course<'_>,
    rows: &[usize],
) -> Result<Vec<(usize, Begun)>, Stopped> {
    let begun_at = Instant::now();
    let now = course.now().await?;
    let mut came = Vec::new();
    let mut reads = JoinSet::new();
    for &index in rows {
        let Some(row) = course.work.rows.get(index) else { continue };
        if begun_at.elapsed() > BEGIN_WITHIN || course.shared.is_stopping() {
            came.push((index, Begun::NotNow(None)));
            continue;
        }
        let waited = match row.state {
            RowState::Begun { at } => now.since(at),
            _ => Duration::ZERO,
        };
        let settled = match learn(course, &rests_on(&course.work.rows, index)).await? {
            Err(failure) => Err(Failed::from(failure)),
            Ok(()) => match (&row.kind, &row.target) {
                (RowKind::Aws(aws), RowTarget::Managed(_)) => {
                    put(course, index, row, aws).await.map(|()| Begun::UnderWay)
                }
                (RowKind::Recipe, RowTarget::Managed(_)) => {
                    recipe::ask(course, index, row).await.map(|()| Begun::UnderWay)
                }
                (_, RowTarget::Removed { how, .. }) => remove::begin(course, row, *how).await,
                (_, RowTarget::Existing { .. }) => {
                    let (shared, prepared) = (course.shared.clone(), course.prepared.clone());
                    let (row, group) = (row.clone(), course.work.deployment.group.clone());
                    reads.spawn(async move {
                        let read = read_existing(&shared, &prepared, index, &row, &group).await;
                        (index, waited, read)
                    });
                    continue;
                }
            },
        };
        came.push((index, settled.unwrap_or_else(|failed| failed.after(waited))));
    }
    while let Some(read) = reads.join_next().await {
        match read {
            Ok((index, waited, read)) => {
                came.push((index, read.map_or_else(|failed| failed.after(waited), Begun::Over)));
            }
            Err(error) => tracing::error!(%error, "a read task failed"),
        }
    }
    Ok(came)
}

/// Why a row is not under way.
pub(super) struct Failed {
    pub(super) failure: Failure,
    pub(super) place: Option<SourcePlace>,
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self { failure, place: None }
    }
}

impl Failed {
    /// The problems of a template that showed when it ran.
    pub(super) fn of(problems: &[Problem], prepared: &Prepared) -> Self {
        let (failure, place) = of_problems(problems, &prepared.sources);
        Self { failure, place }
    }

    /// What that means for a row that has waited so long.
    fn after(self, waited: Duration) -> Begun {
        let Self { failure, place } = self;
        // Another's operation on the alias or on the resource ends, and so does a cloud's bad hour.
        let passing = is_passing(&failure) || failure.code == "Conflict";
        if passing && waited < PATIENCE {
            return Begun::NotNow(Some(failure));
        }
        Begun::Over(Sight::Failed { failure, place })
    }
}

/// Asks for a resource to be put.
async fn put(course: &Course<'_>, index: usize, row: &Row, aws: &AwsRow) -> Result<(), Failed> {
    let Course { shared, prepared, work, .. } = course;
    let body = prepared.deployment.body(index, &prepared.sights());
    let body = body.map_err(|problems| Failed::of(&problems, prepared))?;
    let stated = stating(&body.properties);
    if let Some((path, _)) = stated.unknown.first() {
        let message = format!("{path} is unknown although its dependencies are done");
        return Err(internal("ValueUnknown", &message).into());
    }
    if let Some(moved) = moved(course, row, &stated) {
        return Err(moved);
    }
    let Stating { properties, secret_paths, .. } = stated;
    let leave = prepared.charter.leave();
    let held = row.plan.as_ref().and_then(|plan| plan.held.clone());
    let ask = match held.as_ref().map(|held| (held.deed, held.identifier.clone())) {
        // Nothing is made where something was to be taken in.
        Some((HeldDeed::Adopt, Some(identifier))) => {
            Ask::Import { identifier, owned: true, properties: Some(properties), secret_paths }
        }
        Some((deed, _)) => Ask::Put {
            identifier: None,
            properties,
            secret_paths,
            replace: leave.replace && deed == HeldDeed::Replace,
            adopt: None,
        },
        None => Ask::Put {
            identifier: None,
            properties,
            secret_paths,
            replace: leave.replace,
            adopt: leave.adopt.then_some(true),
        },
    };
    let group = &work.deployment.group;
    let rows = row.depends_on.iter().filter_map(|before| work.rows.get(*before));
    let depends_on: Vec<ReferenceName> =
        rows.filter_map(|before| before.reference(group)).collect();
    let subject = Subject::new(aws.scope.clone(), aws.type_name.clone(), row.reference(group));
    let submission = Submission {
        depends_on: Some(depends_on),
        parent: Some(Parent::Deployment(work.id)),
        hold: Some(course.takes(row)),
        held,
        id: Some(row.operation),
        correlation_id: course.record.correlation_id.clone(),
        ..Submission::new(subject, ask)
    };
    let begun = submit::submit(shared, submission).await;
    begun.map(drop).map_err(|failure| {
        let place = row.place.clone().filter(|_| failure.code == MANAGED_ELSEWHERE);
        Failed { failure, place }
    })
}

/// Why a document is not the one that was planned; one of which not all was known then may be any.
pub(super) fn moved(course: &Course<'_>, row: &Row, stated: &Stating) -> Option<Failed> {
    let planned = row.plan.as_ref().and_then(|plan| plan.document.as_deref())?;
    let about = course.work.deployment.id().to_ascii_lowercase();
    let keys = &course.shared.keys;
    if planned::document(keys, Some(planned), &about, &stated.properties) == planned {
        return None;
    }
    let message = "its properties differ from the plan because a value that it reads has changed; \
                   it was not written; plan again";
    Some(Failed { failure: conflict(PLAN_MOVED, message), place: row.place.clone() })
}

/// Reads a resource that exists, and notes what it is.
async fn read_existing(
    shared: &Shared,
    prepared: &Prepared,
    index: usize,
    row: &Row,
    group: &GroupName,
) -> Result<Sight, Failed> {
    let Some((identifier, resource)) = find_existing(shared, prepared, index, row, group).await?
    else {
        if matches!(row.target, RowTarget::Existing { or_null: true, .. }) {
            prepared.learn(index, None);
            return Ok(Sight::Done {
                stated: Stated::Absent,
                identifier: None,
                changed: Vec::new(),
                made: Vec::new(),
                retires: false,
            });
        }
        let word = if row.aws().is_some() { "with the alias" } else { "named" };
        let alias = row.name().map(|name| format!(" {word} {name}"));
        let named = alias.or_else(|| {
            let body = prepared.deployment.body(index, &prepared.sights()).ok()?;
            let name = body.name.as_ref().unwrap_or(&body.properties);
            (!name.holds_secret()).then(|| format!(" named {name:?}"))
        });
        let named = named.unwrap_or_default();
        return Err(Failed {
            failure: Failure {
                kind: FailureKind::NotFound,
                code: "ResourceNotFound".to_owned(),
                message: format!(
                    "there is no {}{named} in {}; `existing` never creates a resource",
                    row.type_text(),
                    row.aws().map_or_else(|| group.id(), |aws| aws.scope.to_string()),
                ),
                findings: Vec::new(),
            },
            place: row.place.clone(),
        });
    };
    prepared.learn(index, Some(resource));
    let identifier = row.aws().map(|_| identifier);
    let (changed, made) = (Vec::new(), Vec::new());
    Ok(Sight::Done { stated: Stated::Read, identifier, changed, made, retires: false })
}

/// A resource that exists, with what identifies it.
pub(super) async fn find_existing(
    shared: &Shared,
    prepared: &Prepared,
    index: usize,
    row: &Row,
    group: &GroupName,
) -> Result<Option<(String, Resource)>, Failed> {
    match &row.kind {
        RowKind::Aws(aws) => find_in_aws(shared, prepared, index, (row, aws), group).await,
        RowKind::Recipe => {
            let found = recipe::find(shared, prepared, index, row, group).await?;
            Ok(found.map(|resource| (resource.name.clone(), resource)))
        }
    }
}

/// By its alias where that is mapped, else by what its body says of its identifier.
async fn find_in_aws(
    shared: &Shared,
    prepared: &Prepared,
    index: usize,
    (row, aws): (&Row, &AwsRow),
    group: &GroupName,
) -> Result<Option<(String, Resource)>, Failed> {
    let away = |error: StoreError| Failed::from(unavailable(&error.to_string()));
    let body = prepared.deployment.body(index, &prepared.sights());
    let body = body.map_err(|problems| Failed::of(&problems, prepared))?;
    let schemas = &shared.schemas;
    let schema =
        schemas.get(&*shared.store, &shared.cloud, &aws.scope, &aws.type_name).await?.compiled;
    let stated = match body.name.as_ref().and_then(Value::to_json) {
        Some(Json::String(name)) => Some(name),
        _ => identifier_of(&schema, &stating(&body.properties).properties)
            .ok()
            .map(|it| it.to_string()),
    };
    let name = row.reference(group);
    let reference = match &name {
        Some(name) => shared.store.reference_find(name).await.map_err(away)?,
        None => None,
    };
    let mapped = reference.as_ref().and_then(|reference| reference.entry.identifier.clone());
    if let (Some(mapped), Some(stated)) = (&mapped, &stated)
        && mapped != stated
    {
        let message =
            format!("the alias maps to {mapped}, but the body names {stated}; remove one of them");
        let (kind, code) = (FailureKind::Conflict, "IdentifierMismatch".to_owned());
        let failure = Failure { kind, code, message, findings: Vec::new() };
        return Err(Failed { failure, place: row.place.clone() });
    }
    let scope = reference.as_ref().map_or(&aws.scope, |reference| &reference.scope);
    let Some(identifier) = mapped.or(stated) else { return Ok(None) };
    let subject = Subject::new(scope.clone(), aws.type_name.clone(), None);
    let Some(live) = read::one(shared, &subject, &identifier).await? else { return Ok(None) };
    let id = match &reference {
        Some(reference) => reference.name.id(),
        None => format!("{}/{}", subject.collection(), encode_identifier(&live.identifier)),
    };
    let resource = Resource {
        id,
        name: live.identifier.clone(),
        properties: live.properties,
        changing: false,
        secrets: None,
    };
    Ok(Some((live.identifier, resource)))
}

/// Makes sure that what these rows have come to is known, where they are done.
pub(super) async fn learn(
    course: &Course<'_>,
    rows: &[usize],
) -> Result<Result<(), Failure>, Stopped> {
    let Course { shared, prepared, work, .. } = course;
    let group = &work.deployment.group;
    for &index in rows {
        let Some(row) = work.rows.get(index).filter(|row| row.is_done()) else { continue };
        if prepared.knows(index) || row.is_removal() {
            continue;
        }
        if matches!(row.target, RowTarget::Existing { .. }) {
            // It was read by whoever drove the run before.
            match find_existing(shared, prepared, index, row, group).await {
                Ok(found) => prepared.learn(index, found.map(|(_, resource)| resource)),
                Err(failed) => return Ok(Err(failed.failure)),
            }
            continue;
        }
        if let Some(name) = row.recipe(group) {
            match recipe::find(shared, prepared, index, row, group).await {
                Ok(Some(resource)) => prepared.learn(index, Some(resource)),
                Ok(None) => return Ok(Err(gone(row, &name.id()))),
                Err(failed) => return Ok(Err(failed.failure)),
            }
            continue;
        }
        let Some(name) = row.reference(group) else { continue };
        let Some(reference) = shared.store.reference_find(&name).await? else {
            return Ok(Err(gone(row, &name.id())));
        };
        let Some(identifier) = reference.entry.identifier.clone() else {
            return Ok(Err(gone(row, &name.id())));
        };
        let properties = reference.documents.observed.unwrap_or_else(|| Json::Object(Map::new()));
        let resource = Resource {
            id: name.id(),
            name: identifier,
            properties,
            changing: false,
            secrets: None,
        };
        prepared.learn(index, Some(resource));
    }
    Ok(Ok(()))
}

/// Somebody took away what the run had put.
fn gone(row: &Row, id: &str) -> Failure {
    Failure {
        kind: FailureKind::Conflict,
        code: "ResourceRemoved".to_owned(),
        message: format!(
            "{} ({id}) was removed while the deployment ran; deploy again",
            row.address
        ),
        findings: Vec::new(),
    }
}
