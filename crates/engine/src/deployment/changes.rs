//! What a run would do with one resource: read it, compare it with what the template states, and tell the difference.

use std::collections::BTreeSet;
use std::sync::Arc;

use hangar_plan::change::{mistakes, to_show};
use hangar_plan::deployment::{AwsRow, Fate, Left, Removal, Row, RowKind, RowTarget, SourcePlace};
use hangar_plan::operation::{ChangeKind, Failure, Finding};
use hangar_plan::record::{GroupName, Subject};
use hangar_provider::Observation;
use hangar_schema::{Class, Step, TypeSchema, identifier_of, secrets};
use hangar_template::deployment::Resource;
use hangar_template::recipe::RECIPE_TYPE;
use hangar_template::value::{Because, Unknown};
use serde_json::{Map, Value, json};

use super::begin::find_existing;
use super::documents::{Stating, stating};
use super::prepared::{Prepared, of_problems};
use super::recipe;
use crate::documents::{Desired, Known, compare, union};
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
                let reason = Some("it is not there, and may be missing".to_owned());
                let change = told(Deed { reason, ..Deed::of("read") });
                Ok(Looked { presence: Presence::Missing, change })
            }
            Ok(None) => {
                let reason = Some("it is not there, and `existing` never creates".to_owned());
                let change = told(Deed { reason, ..Deed::of("refused") });
                Ok(Looked { presence: Presence::NotYet, change })
            }
            Err(failed) if is_passing(&failed.failure) => Err(failed.failure),
            Err(failed) => {
                let reason = Some(failed.failure.message);
                let change = told(Deed { reason, ..Deed::of("refused") });
                Ok(Looked { presence: Presence::NotYet, change })
            }
        };
    }
    let aws = match &row.kind {
        RowKind::Aws(aws) => aws,
        RowKind::Recipe => return look_at_recipe(shared, prepared, row, index, group).await,
    };
    let schemas = &shared.schemas;
    let schema =
        schemas.get(&*shared.store, &shared.cloud, &aws.scope, &aws.type_name).await?.compiled;
    let body = match prepared.deployment.body(index, &prepared.sights()) {
        Ok(body) => {
            let mut stated = stating(&body.properties);
            // What the schema calls secret is not told either.
            let known = secrets(&schema, &stated.properties).into_iter().map(|secret| secret.path);
            stated.secret_paths = union(&stated.secret_paths, &known.collect::<Vec<_>>());
            stated
        }
        Err(problems) => {
            let (failure, place) = of_problems(&problems, &prepared.sources);
            let deed = Deed { reason: Some(failure.message), place, ..Deed::of("refused") };
            return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
        }
    };
    let reference = match row.reference(group) {
        Some(name) => shared.store.reference_find(&name).await,
        None => Ok(None),
    };
    let reference = reference.map_err(|error| unavailable(&error.to_string()))?;
    let Some((reference, identifier)) =
        reference.and_then(|it| it.entry.identifier.clone().map(|identifier| (it, identifier)))
    else {
        let deed = match taken(shared, aws, &schema, &body).await? {
            Some((identifier, live)) if prepared.charter.leave().adopt => {
                return Ok(adopted(shared, &schema, &body, (row, group), &identifier, &live));
            }
            Some((identifier, _)) => {
                let reason = format!(
                    "{identifier} exists and no alias stands for it; deploy with --adopt to take it in"
                );
                Deed { reason: Some(reason), ..Deed::of("refused") }
            }
            None => created(&schema, &body),
        };
        return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
    };
    if !reference.scope.is_same_place(&aws.scope) {
        let reason = format!(
            "the alias stands for a resource in {}; a reference's scope never changes",
            reference.scope
        );
        let deed = Deed { reason: Some(reason), ..Deed::of("refused") };
        return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
    }
    if schema.handlers().read.is_none() {
        let reason = Some("the type cannot be read, so what would change is not known".to_owned());
        let deed = Deed { reason, identifier: Some(&identifier), ..Deed::of("unknown") };
        return Ok(Looked { presence: Presence::NotYet, change: told(deed) });
    }
    let subject = Subject::new(reference.scope.clone(), aws.type_name.clone(), None);
    let target = translate::target(&subject);
    let observed = shared.cloud.for_a_caller(PATIENCE).observe_together(&target, &identifier).await;
    match observed.map_err(translate::read_failure)? {
        Observation::Absent => {
            let reason = Some(format!("{identifier} is gone: it was deleted by other hands"));
            let deed = Deed { reason, ..created(&schema, &body) };
            Ok(Looked { presence: Presence::NotYet, change: told(deed) })
        }
        Observation::Present { identifier, properties: live } => {
            let shown = to_show(&schema, &live, &reference.documents.secret_paths);
            let known = Known::of(&reference);
            let difference = differ(shared, &schema, Some(&known), &body, &live, &shown);
            let changing = difference.action != "no-op";
            let stays = difference.action != "replace";
            let change = told(Deed { identifier: Some(&identifier), ..difference });
            let id = reference.name.id();
            let (name, properties) = (identifier.clone(), shown);
            let resource = Resource { id, name, properties, changing, secrets: None };
            let presence = if stays { Presence::There(resource) } else { Presence::NotYet };
            Ok(Looked { presence, change })
        }
    }
}

/// A recipe would be run; what that changes only Terraform can tell, and not before it plans.
async fn look_at_recipe(
    shared: &Shared,
    prepared: &Prepared,
    row: &Row,
    index: usize,
    group: &GroupName,
) -> Result<Looked, Failure> {
    let stated = match prepared.deployment.recipe(index, &prepared.sights()) {
        Ok(recipe) => recipe.map(|recipe| recipe::stated(&recipe)),
        Err(problems) => {
            let (failure, place) = of_problems(&problems, &prepared.sources);
            let deed = Deed { reason: Some(failure.message), place, ..Deed::of("refused") };
            return Ok(Looked { presence: Presence::NotYet, change: change(row, group, deed) });
        }
    };
    let before = recipe::find(shared, prepared, index, row, group).await;
    let before = before.map_err(|failed| failed.failure)?;
    let shown = before.as_ref().map(|it| &it.properties);
    let changed = stated.map(|stated| given(shown, &stated)).unwrap_or_default();
    let reason = "what it changes is known when Terraform plans it".to_owned();
    let deed = Deed { changed, reason: Some(reason), ..Deed::of("run") };
    // What it told last is taken to stay, as of a resource that is updated.
    let presence = match before {
        Some(resource) => Presence::There(Resource { changing: true, ..resource }),
        None => Presence::NotYet,
    };
    Ok(Looked { presence, change: change(row, group, deed) })
}

/// What a recipe is given that it was not given last; whether a secret is another one is not told.
fn given(before: Option<&Value>, stated: &Stating) -> Vec<Value> {
    let mut changed = Vec::new();
    let hidden = before.and_then(|it| it.get("secretParameters")).and_then(Value::as_array);
    let is_hidden = |path: &str| {
        let name = path.strip_prefix("/parameters/");
        let told = hidden.into_iter().flatten().filter_map(Value::as_str).map(escaped);
        name.is_some_and(|name| told.into_iter().any(|it| it == name))
    };
    let is_told = |path: &str| {
        let is_unknown = stated.unknown.iter().any(|(it, _)| it == path);
        !is_unknown && !is_hidden(path)
    };
    let mut compare = |path: String| {
        let (was, is) = (before.and_then(|it| it.pointer(&path)), stated.properties.pointer(&path));
        if was != is && is_told(&path) {
            changed.push(property(&path, was, is, stated));
        }
    };
    compare("/source".to_owned());
    compare("/version".to_owned());
    let names = |document: Option<&Value>| -> BTreeSet<String> {
        let parameters = document.and_then(|it| it.get("parameters")).and_then(Value::as_object);
        parameters.into_iter().flat_map(|it| it.keys().cloned()).collect()
    };
    for name in &names(before) | &names(Some(&stated.properties)) {
        compare(format!("/parameters/{}", escaped(&name)));
    }
    changed.extend(stated.unknown.iter().map(|(path, unknown)| unknown_property(path, unknown)));
    changed
}

/// What has the name already that the template chooses for a resource which is to be made.
async fn taken(
    shared: &Shared,
    aws: &AwsRow,
    schema: &TypeSchema,
    body: &Stating,
) -> Result<Option<(String, Value)>, Failure> {
    let chosen = identifier_of(schema, &body.properties).ok().map(|it| it.to_string());
    let Some(chosen) = chosen.filter(|_| schema.handlers().read.is_some()) else { return Ok(None) };
    let subject = Subject::new(aws.scope.clone(), aws.type_name.clone(), None);
    let target = translate::target(&subject);
    let observed = shared.cloud.for_a_caller(PATIENCE).observe_together(&target, &chosen).await;
    Ok(match observed.map_err(translate::read_failure)? {
        Observation::Absent => None,
        Observation::Present { identifier, properties } => Some((identifier, properties)),
    })
}

/// What would become of a resource that has the name and is taken in: nothing is on record of it.
fn adopted(
    shared: &Shared,
    schema: &TypeSchema,
    body: &Stating,
    (row, group): (&Row, &GroupName),
    identifier: &str,
    live: &Value,
) -> Looked {
    let shown = to_show(schema, live, &body.secret_paths);
    let difference = differ(shared, schema, None, body, live, &shown);
    let (changing, stays) = (difference.action != "no-op", difference.action != "replace");
    let deed = match difference.action {
        "no-op" | "update" | "unknown" => {
            let reason = format!("{identifier} exists, and is taken in");
            Deed { action: "adopt", reason: Some(reason), ..difference }
        }
        // Neither is done without leave, or at all.
        _ => difference,
    };
    let change = change(row, group, Deed { identifier: Some(identifier), ..deed });
    let id = row.reference(group).map(|name| name.id()).unwrap_or_default();
    let resource =
        Resource { id, name: identifier.to_owned(), properties: shown, changing, secrets: None };
    let presence = if stays { Presence::There(resource) } else { Presence::NotYet };
    Looked { presence, change }
}

/// How long a look waits for the turn of its call.
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(1);

/// What is told of one resource.
struct Deed<'a> {
    action: &'static str,
    identifier: Option<&'a str>,
    changed: Vec<Value>,
    reason: Option<String>,
    place: Option<SourcePlace>,
}

impl Deed<'_> {
    const fn of(action: &'static str) -> Self {
        Self { action, identifier: None, changed: Vec::new(), reason: None, place: None }
    }
}

/// A resource that is not there: all that the template states of it.
fn created<'a>(schema: &TypeSchema, body: &Stating) -> Deed<'a> {
    if body.unknown.is_empty() {
        let wrong = mistakes(schema, &body.properties, &body.secret_paths);
        if let Some(first) = wrong.first() {
            return Deed { reason: Some(said(first)), ..Deed::of("refused") };
        }
    }
    let mut changed = Vec::new();
    if let Value::Object(members) = &body.properties {
        for (name, value) in members {
            let path = format!("/{}", escaped(name));
            if !body.unknown.iter().any(|(unknown, _)| *unknown == path) {
                changed.push(property(&path, None, Some(value), body));
            }
        }
    }
    changed.extend(body.unknown.iter().map(|(path, unknown)| unknown_property(path, unknown)));
    Deed { changed, ..Deed::of("create") }
}

/// How a resource that is there differs from what the template states.
fn differ<'a>(
    shared: &Shared,
    schema: &TypeSchema,
    known: Option<&Known>,
    body: &Stating,
    live: &Value,
    shown: &Value,
) -> Deed<'a> {
    let desired = Desired {
        properties: assumed(body, live),
        secret_paths: body.secret_paths.clone(),
        marked: None,
        partial: false,
        dropped: Vec::new(),
    };
    let found = compare(&shared.keys, schema, &desired, known, live);
    let unknown: Vec<Value> =
        body.unknown.iter().map(|(path, unknown)| unknown_property(path, unknown)).collect();
    // What comes of a resource that is made anew is another value, and this can be set at creation only.
    let is_moved = |path: &str, unknown: &Unknown| {
        matches!(unknown.because, Because::Resource { .. }) && is_create_only(schema, path)
    };
    let moved: Vec<&(String, Arc<Unknown>)> =
        body.unknown.iter().filter(|(path, unknown)| is_moved(path, unknown)).collect();
    let at =
        |path: &str| property(path, shown.pointer(path), desired.properties.pointer(path), body);
    match found.kind {
        ChangeKind::None | ChangeKind::Update { .. } if !moved.is_empty() => {
            let changed = moved.iter().map(|(path, because)| {
                let mut told = unknown_property(path, because);
                told["requiresReplacement"] = true.into();
                told
            });
            let changed = changed.collect();
            let reason = "what it is made from is made anew, so only a new resource can follow; deploy with --replace";
            Deed { changed, reason: Some(reason.to_owned()), ..Deed::of("replace") }
        }
        ChangeKind::None if unknown.is_empty() => Deed::of("no-op"),
        ChangeKind::None => {
            let reason = Some("whether it changes is known once what it waits for is".to_owned());
            Deed { changed: unknown, reason, ..Deed::of("unknown") }
        }
        ChangeKind::Update { paths } => {
            let changed = paths.iter().map(|path| at(path)).chain(unknown).collect();
            Deed { changed, ..Deed::of("update") }
        }
        ChangeKind::Replace(findings) => {
            let changed = findings.iter().map(|finding| {
                let mut told = at(&finding.path);
                told["requiresReplacement"] = true.into();
                told
            });
            let changed = changed.collect();
            let allowed = "only a new resource can have these; deploy with --replace";
            Deed { changed, reason: Some(allowed.to_owned()), ..Deed::of("replace") }
        }
        ChangeKind::Invalid(findings) | ChangeKind::SecretsRequired(findings) => {
            Deed { reason: findings.first().map(said), ..Deed::of("refused") }
        }
    }
}

/// Whether what lies at a place of a document can be set at creation only.
fn is_create_only(schema: &TypeSchema, path: &str) -> bool {
    let steps = path.split('/').skip(1).map(|segment| match segment.parse::<usize>() {
        Ok(_) => Step::Each,
        Err(_) => Step::Member(segment.replace("~1", "/").replace("~0", "~").into()),
    });
    schema.classes_of(&steps.collect()).has(Class::CreateOnly)
}

/// What is stated, with what is not known yet taken to be as it is.
fn assumed(body: &Stating, live: &Value) -> Value {
    let mut assumed = body.properties.clone();
    for (path, _) in &body.unknown {
        let Some(value) = live.pointer(path) else { continue };
        put_at(&mut assumed, path, value.clone());
    }
    assumed
}

fn put_at(document: &mut Value, path: &str, value: Value) {
    let Some((parent, name)) = path.rsplit_once('/') else { return };
    let name = name.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => drop(members.insert(name, value)),
        Some(Value::Array(items)) => {
            if let Some(item) = name.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = value;
            }
        }
        _ => {}
    }
}

fn property(path: &str, before: Option<&Value>, after: Option<&Value>, body: &Stating) -> Value {
    let mut told = Map::from_iter([("path".to_owned(), path.into())]);
    let is_secret = body
        .secret_paths
        .iter()
        .any(|secret| is_at_or_below(path, secret) || is_at_or_below(secret, path));
    if is_secret {
        told.insert("secret".to_owned(), true.into());
        return Value::Object(told);
    }
    told.extend(before.map(|before| ("before".to_owned(), before.clone())));
    told.extend(after.map(|after| ("after".to_owned(), after.clone())));
    Value::Object(told)
}

fn unknown_property(path: &str, unknown: &Unknown) -> Value {
    let because = match &unknown.because {
        Because::Resource { address, .. } => format!("known after {address}"),
        Because::Parameter(name) => format!("known with the parameter {name}"),
        Because::Moment => "another one each time".to_owned(),
    };
    json!({ "path": path, "unknown": because })
}

fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn said(finding: &Finding) -> String {
    format!("{}: {}", finding.path, finding.message)
}

/// What would become of something that the template does not name any more.
pub(super) fn left_change(left: &Left, group: &GroupName) -> Value {
    let Left { member, identifier, fate } = left;
    let (action, reason) = match fate {
        Fate::Kept { because } => ("keep", because.clone()),
        Fate::Removed { how: Removal::Delete, because } => ("delete", because.clone()),
        Fate::Removed { how: Removal::Detach, because } => ("detach", because.clone()),
        Fate::TakenOver { by } => {
            ("taken-over", Some(format!("the deployment `{}` manages it now", by.name)))
        }
    };
    let mut told = json!({
        "address": member.address,
        "existing": false,
        "action": action,
        "changed": [],
        "id": member.id(group),
    });
    match &member.kind {
        RowKind::Aws(aws) => {
            told["type"] = aws.type_name.ucp().into();
            told["scope"] = aws.scope.to_string().into();
            told["alias"] = member.name.clone().into();
        }
        RowKind::Recipe => {
            told["type"] = RECIPE_TYPE.into();
            told["name"] = member.name.clone().into();
        }
    }
    if let Some(identifier) = identifier {
        told["identifier"] = identifier.as_str().into();
    }
    if let Some(reason) = reason {
        told["reason"] = reason.into();
    }
    told
}

/// One change, as it is told.
fn change(row: &Row, group: &GroupName, deed: Deed<'_>) -> Value {
    let mut told = json!({
        "address": row.address,
        "type": row.type_text(),
        "existing": matches!(row.target, RowTarget::Existing { .. }),
        "action": deed.action,
        "changed": deed.changed,
    });
    if let Some(place) = deed.place.as_ref().or(row.place.as_ref()) {
        let SourcePlace { file, line, column, start, end } = place;
        told["source"] =
            json!({ "file": file, "line": line, "column": column, "start": start, "end": end });
    }
    if let Some(aws) = row.aws() {
        told["scope"] = aws.scope.to_string().into();
    }
    if let Some(name) = row.reference(group) {
        told["alias"] = name.alias.clone().into();
        told["id"] = name.id().into();
    }
    if let Some(name) = row.recipe(group) {
        told["name"] = name.name.clone().into();
        told["id"] = name.id().into();
    }
    if let Some(identifier) = deed.identifier {
        told["identifier"] = identifier.into();
    }
    if let Some(reason) = deed.reason {
        told["reason"] = reason.into();
    }
    told
}
