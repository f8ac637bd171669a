//! What a plan comes to: what is told of it, the seal of all that it rests on, and what a run that applies it is held to.
//!
//! The seal covers what must not be told, too: the documents with their secrets, and what an update writes. Two plans have
//! the same seal exactly when they would do the same. A value of `utcNow()` or `newGuid()` that the deployment does not keep
//! yet is shown as that and not sealed.

use hangar_plan::deployment::{
    Found, Removal, Row, RowKind, RowPlan, RowTarget, Stating, stating, told,
};
use hangar_plan::operation::{ChangeKind, Failure, Held, HeldDeed};
use hangar_plan::record::Subject;
use hangar_schema::{identifier_of, secret_pointers};
use hangar_store::StoreError;
use hangar_template::deployment::Deployment;
use hangar_template::program::compile;
use hangar_template::recipe::Module;
use hangar_template::value::{Because, MOMENT};
use serde_json::{Map, Value, json};

use super::prepared::{Prepared, Seen};
use super::{Course, recipe};
use crate::ask::{Leave, Reach};
use crate::documents::{Desired, Known, compare, union};
use crate::hash::sha256;
use crate::planned::{self, marks};
use crate::read::unavailable;
use crate::submit;

/// A plan, and what a run is held to that applies it.
pub(super) struct Sealed {
    /// What was found of each resource, those that left the template last.
    pub(super) found: Vec<Found>,
    /// What the seal is of; it can be secret.
    pub(super) content: Value,
    /// What each row is held to.
    pub(super) rows: Vec<Option<RowPlan>>,
    /// The template without a clock and without dice, where it asks for them.
    pub(super) timeless: Option<Deployment>,
}

/// What a look comes to; `changes` is what is told of each row of the template, `left` of what it does not name any more.
pub(super) async fn sealed(
    course: &Course<'_>,
    changes: Vec<Value>,
    left: Vec<Value>,
) -> Result<Sealed, Failure> {
    let timeless = timeless(course);
    let mut all =
        Sealed { found: Vec::new(), content: Value::Null, rows: Vec::new(), timeless: None };
    let mut contents = Vec::new();
    for (index, (row, mut change)) in course.work.rows.iter().zip(changes).enumerate() {
        let part = part(course, timeless.as_ref(), (index, row), &mut change).await?;
        contents.push(part.content);
        all.rows.push(part.plan);
        all.found.push(Found { change });
    }
    let mut gone: Vec<Value> = left.iter().map(told).collect();
    gone.sort_by_key(Value::to_string);
    all.rows.extend(course.work.rows.iter().skip(all.rows.len()).map(removal_plan));
    all.found.extend(left.into_iter().map(|change| Found { change }));
    all.timeless = timeless;
    let charter = &course.prepared.charter;
    let Leave { replace, adopt, skip_unsupported: _, reach, on_remove, defaults: _ } =
        charter.leave();
    all.content = json!({
        "version": 1,
        "scope": charter.scope.as_ref().map(ToString::to_string),
        "replace": replace,
        "adopt": adopt,
        "takeOver": reach == Reach::TakeOver,
        "onRemove": on_remove.as_str(),
        "rows": contents,
        "left": gone,
    });
    Ok(all)
}

/// Something that is to go is held to the resource that it was.
fn removal_plan(row: &Row) -> Option<RowPlan> {
    let RowTarget::Removed { how, .. } = row.target else { return None };
    let RowKind::Aws(_) = row.kind else { return None };
    let deed = match how {
        Removal::Delete => HeldDeed::Delete,
        Removal::Detach => HeldDeed::Detach,
    };
    let held = Held { deed, identifier: row.identifier.clone(), marks: None };
    Some(RowPlan { held: Some(held), ..RowPlan::default() })
}

/// The same template without a clock and without dice: what is not known then is evaluated when it is deployed.
fn timeless(course: &Course<'_>) -> Option<Deployment> {
    let Course { prepared, work, .. } = course;
    let sources = &prepared.sources;
    let is_timed = sources.iter().any(|(_, content)| {
        let text = String::from_utf8_lossy(content).to_ascii_lowercase();
        text.contains("utcnow") || text.contains("newguid")
    });
    if !is_timed {
        return None;
    }
    let charter = &prepared.charter;
    let inputs = charter.timeless_inputs(&work.deployment.name, work.id, work.started_at);
    let program = compile(sources, &charter.entry).program?;
    let deployment = program.start(&inputs).deployment?;
    // Where even the names of resources hang on it, all of the plan is what a run that is held to it does.
    let same = deployment.nodes().len() == prepared.deployment.nodes().len();
    same.then_some(deployment)
}

/// What a row adds to a plan.
struct Part {
    content: Value,
    plan: Option<RowPlan>,
}

async fn part(
    course: &Course<'_>,
    timeless: Option<&Deployment>,
    (index, row): (usize, &Row),
    change: &mut Value,
) -> Result<Part, Failure> {
    let Course { shared, prepared, work, .. } = course;
    if !matches!(row.target, RowTarget::Managed(_)) {
        return Ok(Part { content: told(change), plan: None });
    }
    let Some(mut stated) = stated(&prepared.deployment, prepared, index, row) else {
        // It is refused: that is told.
        return Ok(Part { content: told(change), plan: None });
    };
    let moments = timeless.map(|it| moments(it, prepared, index, row)).unwrap_or_default();
    mask(change, &moments);
    for path in &moments {
        take_out(&mut stated.properties, path);
    }
    let manager = manager(course, row).await.map_err(|error| unavailable(&error.to_string()))?;
    let is_whole = stated.unknown.is_empty() && moments.is_empty();
    let about = work.deployment.id().to_ascii_lowercase();
    let document =
        is_whole.then(|| planned::document(&shared.keys, None, &about, &stated.properties));
    let mut patch = Value::Null;
    let mut held = None;
    let mut files = Value::Null;
    match &row.kind {
        RowKind::Recipe => files = module(prepared, index),
        RowKind::Aws(aws) => {
            let schema = shared
                .schemas
                .get(&*shared.store, &shared.cloud, &aws.scope, &aws.type_name)
                .await?
                .compiled;
            let known = secret_pointers(&schema, &stated.properties);
            stated.secret_paths = union(&stated.secret_paths, &known);
            let seen = prepared.seen(index);
            let subject = Subject::new(
                aws.scope.clone(),
                aws.type_name.clone(),
                row.reference(&work.deployment.group),
            );
            let mut found = None;
            if let Some(Seen { reference, live }) = seen.as_deref().filter(|_| is_whole) {
                let desired = Desired {
                    properties: stated.properties.clone(),
                    secret_paths: stated.secret_paths.clone(),
                    marked: None,
                    partial: false,
                    dropped: Vec::new(),
                };
                let known = Known::of(reference);
                let (change, _) = compare(&shared.keys, &schema, &desired, Some(&known), live);
                if let ChangeKind::Update { .. } = change.kind {
                    patch = change.patch.unwrap_or_default();
                    found = Some(marks(&shared.keys, &subject, None, &patch, live));
                }
            }
            let mapped = match seen.as_deref() {
                Some(seen) => seen.reference.entry.identifier.clone(),
                None => mapped(course, row).await?,
            };
            held = deed_of(change).map(|deed| {
                let identifier = match deed {
                    HeldDeed::Create => None,
                    HeldDeed::Adopt => {
                        identifier_of(&schema, &stated.properties).ok().map(|it| it.to_string())
                    }
                    _ => mapped,
                };
                Held { deed, identifier, marks: found.filter(|_| deed == HeldDeed::Update) }
            });
        }
    }
    let unknown: Vec<&String> = stated.unknown.iter().map(|(path, _)| path).collect();
    let content = json!({
        "change": told(change),
        "stated": stated.properties,
        "unknown": unknown,
        "patch": patch,
        "manager": manager,
        "module": files,
    });
    let plan = Some(RowPlan { held, document, manager });
    Ok(Part { content, plan })
}

/// What a row may do that was told so.
fn deed_of(change: &Value) -> Option<HeldDeed> {
    Some(match change.get("action").and_then(Value::as_str)? {
        "create" => HeldDeed::Create,
        "update" => HeldDeed::Update,
        "replace" => HeldDeed::Replace,
        "adopt" => HeldDeed::Adopt,
        "no-op" => HeldDeed::Nothing,
        "unknown" => HeldDeed::Open,
        _ => return None,
    })
}

/// What a template states of a row; nothing where it cannot be evaluated.
fn stated(
    deployment: &Deployment,
    prepared: &Prepared,
    index: usize,
    row: &Row,
) -> Option<Stating> {
    let sights = prepared.sights();
    match row.kind {
        RowKind::Aws(_) => {
            deployment.body(index, &sights).ok().map(|body| stating(&body.properties))
        }
        RowKind::Recipe => deployment.recipe(index, &sights).ok()?.map(|it| recipe::stated(&it)),
    }
}

/// Where a row states what is evaluated when it is deployed.
fn moments(timeless: &Deployment, prepared: &Prepared, index: usize, row: &Row) -> Vec<String> {
    let Some(stated) = stated(timeless, prepared, index, row) else { return Vec::new() };
    let is_moment = |because: &Because| matches!(because, Because::Moment);
    let moments = stated.unknown.into_iter().filter(|(_, it)| is_moment(&it.because));
    moments.map(|(path, _)| path).collect()
}

/// The files of a recipe's module, where they came with the template.
fn module(prepared: &Prepared, index: usize) -> Value {
    let Ok(Some(recipe)) = prepared.deployment.recipe(index, &prepared.sights()) else {
        return Value::Null;
    };
    let Some(Module::Directory { path, .. }) = &recipe.module else { return Value::Null };
    let files = crate::recipe::directory(&prepared.sources, path).into_iter();
    let files =
        files.map(|(path, content)| (path, sha256(&String::from_utf8_lossy(&content)).into()));
    Value::Object(files.collect::<Map<String, Value>>())
}

async fn mapped(course: &Course<'_>, row: &Row) -> Result<Option<String>, Failure> {
    let Some(name) = row.reference(&course.work.deployment.group) else { return Ok(None) };
    let found = course.shared.store.reference_find(&name).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    Ok(found.and_then(|reference| reference.entry.identifier))
}

/// The id of another deployment that manages what a row names.
async fn manager(course: &Course<'_>, row: &Row) -> Result<Option<String>, StoreError> {
    let Course { shared, work, .. } = course;
    let own = &work.deployment;
    let by = if let Some(name) = row.reference(&own.group) {
        shared.store.reference_find(&name).await?.and_then(|reference| reference.managed_by)
    } else if let Some(name) = row.recipe(&own.group) {
        shared.store.recipe_find(&name).await?.and_then(|recipe| recipe.managed_by)
    } else {
        None
    };
    let other = submit::other_manager(shared, by.as_ref(), own).await?;
    Ok(other.map(|other| other.id().to_ascii_lowercase()))
}

/// Shows what is evaluated when it is deployed as that.
fn mask(change: &mut Value, moments: &[String]) {
    let Some(Value::Array(properties)) = change.get_mut("changed") else { return };
    for property in properties {
        mask_one(property, moments);
        let Some(Value::Array(parts)) = property.get_mut("parts") else { continue };
        for part in parts {
            mask_one(part, moments);
        }
    }
}

/// The same of one property, or of a part of one.
fn mask_one(told: &mut Value, moments: &[String]) {
    let path = told.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Value::Object(members) = told else { return };
    for moment in moments {
        if is_at_or_below(&path, moment) {
            members.remove("after");
            members.insert("unknown".to_owned(), MOMENT.into());
        } else if is_at_or_below(moment, &path)
            && let Some(after) = members.get_mut("after")
            && let Some(value) = after.pointer_mut(&moment[path.len()..])
        {
            *value = format!("({MOMENT})").into();
        }
    }
}

fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Takes a value out of a document; an item of an array keeps its place.
fn take_out(document: &mut Value, path: &str) {
    let Some((parent, name)) = path.rsplit_once('/') else { return };
    let name = name.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => drop(members.remove(&name)),
        Some(Value::Array(items)) => {
            if let Some(item) = name.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = Value::Null;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_evaluated_when_it_is_deployed_is_shown_as_that_wherever_it_lies() {
        let mut change = json!({"changed": [
            {"path": "/Name", "after": "2026"}, {"path": "/Size", "after": 1},
            {"path": "/Tags", "after": [{"Key": "at", "Value": "2026"}],
             "parts": [{"path": "/Tags/0/Value", "before": "2025", "after": "2026"}]},
            {"path": "/Deep/Inner", "before": 1, "after": 2}]});
        let moments = ["/Name", "/Tags/0/Value", "/Deep"].map(str::to_owned);
        mask(&mut change, &moments);
        assert_eq!(
            change["changed"],
            json!([
                {"path": "/Name", "unknown": MOMENT}, {"path": "/Size", "after": 1},
                {"path": "/Tags", "after": [{"Key": "at", "Value": format!("({MOMENT})")}],
                 "parts": [{"path": "/Tags/0/Value", "before": "2025", "unknown": MOMENT}]},
                {"path": "/Deep/Inner", "before": 1, "unknown": MOMENT},
            ])
        );
    }
}
