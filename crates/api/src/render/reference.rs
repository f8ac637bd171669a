//! A reference as callers see it.

use hangar_plan::operation::{Attempt, Ending, EntryState, Operation};
use hangar_plan::record::{
    Difference, Drift, FormValue, NormalForm, Reference, ReferenceName, Subject,
};
use serde_json::{Map, Value, json};

use super::hidden;
use super::state::{SUCCEEDED, drift_word, ending_word, entry_word, reference_state};
use super::time::{rfc3339, system_data};
use crate::body::PROVISIONING_STATE;
use crate::etag::ETag;
use crate::failure;

/// The properties that a reference is shown with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    /// The last that was stored.
    Stored,
    /// What the cloud said just now.
    Now(Value),
    /// The cloud said just now that there is no such resource.
    Gone,
}

/// A reference, with its running operation where there is one. Its documents become part of the answer.
pub(crate) fn reference(
    mut reference: Reference,
    etag: &ETag,
    running: Option<&Operation>,
    seen: Seen,
) -> Value {
    let stored = reference.documents.observed.take();
    let applied = reference.documents.applied.take();
    let reference = &reference;
    let entry = &reference.entry;
    let mut state = entry.state;
    let observed = match seen {
        Seen::Stored => stored,
        Seen::Now(properties) => Some(properties),
        Seen::Gone => {
            state = EntryState::Missing;
            None
        }
    };
    let observed = hidden(observed.unwrap_or(Value::Null), &[], Some(reference));
    let mut properties = match observed {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    properties.insert(PROVISIONING_STATE.into(), reference_state(reference, running).into());

    let mut body = named(&reference.name);
    body.insert("etag".into(), etag.as_str().into());
    body.insert("mapsTo".into(), maps_to(&reference.collection(), entry.identifier.as_deref()));
    body.insert("ownedResource".into(), entry.owned.into());
    body.insert("properties".into(), Value::Object(properties));
    if let Some(at) = reference.documents.observed_at {
        body.insert("observedAt".into(), rfc3339(at).into());
    }
    if let Some(applied) = applied {
        let applied = hidden(applied, &[], Some(reference));
        body.insert("appliedProperties".into(), applied);
    }
    let secrets = secret_paths(reference);
    if !secrets.is_empty() {
        body.insert("secretPaths".into(), json!(secrets));
    }
    body.insert("state".into(), entry_word(state).into());
    body.insert("retiring".into(), json!(entry.retiring));
    body.insert("dependsOn".into(), json!(reference.depends_on));
    if let Some(deployment) = &reference.managed_by {
        body.insert("managedBy".into(), deployment.id().into());
    }
    if let Some(drift) = &reference.drift {
        body.insert("drift".into(), drift_body(drift, &secrets));
    }
    if !reference.documents.learned.is_empty() {
        let learned = reference.documents.learned.iter().map(|form| learned_body(form, &secrets));
        let learned = learned.collect();
        body.insert("learned".into(), Value::Array(learned));
    }
    if !entry.unsettled.is_empty() {
        let unsettled = entry.unsettled.iter().map(unsettled_body).collect();
        body.insert("unsettled".into(), Value::Array(unsettled));
    }
    if let Some(operation) = entry.operation {
        body.insert("operation".into(), operation.to_string().into());
    }
    if let Some((id, ending)) = &reference.last_operation {
        body.insert("lastOperation".into(), last_operation(&id.to_string(), ending));
    }
    body.insert("systemData".into(), system_data(reference.created_at, reference.updated_at));
    Value::Object(body)
}

/// A reference of which only its names are left: it was deleted or renamed since.
pub(crate) fn forgotten_reference(
    name: &ReferenceName,
    subject: &Subject,
    identifier: Option<&str>,
) -> Value {
    let mut body = named(name);
    body.insert("mapsTo".into(), maps_to(&subject.collection(), identifier));
    body.insert("properties".into(), json!({ PROVISIONING_STATE: SUCCEEDED }));
    Value::Object(body)
}

fn named(name: &ReferenceName) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("id".into(), name.id().into());
    body.insert("name".into(), name.alias.as_str().into());
    body.insert("type".into(), format!("{}:reference", name.type_name).into());
    body
}

/// Where properties are secret, and so in none of the documents.
fn secret_paths(reference: &Reference) -> Vec<&str> {
    let documents = &reference.documents;
    let marked = documents.secret_paths.iter();
    let mut paths: Vec<&str> = documents.secrets.keys().chain(marked).map(String::as_str).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn maps_to(collection: &str, identifier: Option<&str>) -> Value {
    let mut maps_to = json!({ "scope": collection });
    if let Some(identifier) = identifier {
        maps_to["primaryIdentifier"] = identifier.into();
    }
    maps_to
}

fn last_operation(id: &str, ending: &Ending) -> Value {
    let mut last = json!({ "id": id, "status": ending_word(ending) });
    if let Ending::Failed(failure) | Ending::Canceled(failure) = ending {
        last["error"] = failure::of_failure(failure).value();
    }
    last
}

fn drift_body(drift: &Drift, secrets: &[&str]) -> Value {
    let mut body = json!({
        "state": drift_word(drift.state),
        "paths": drift.paths,
        "checkedAt": rfc3339(drift.checked_at),
    });
    if !drift.differences.is_empty() {
        let shown = |difference: &Difference| difference_body(difference, secrets);
        let differences = drift.differences.iter().map(shown).collect();
        body["differences"] = Value::Array(differences);
    }
    if let Some(reason) = &drift.reason {
        body["reason"] = reason.as_str().into();
    }
    body
}

/// Whether a value at a path is secret, or has a secret in it.
fn holds_secret(path: &str, secrets: &[&str]) -> bool {
    let is_below = |path: &str, above: &str| {
        path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    secrets.iter().any(|marked| is_below(path, marked) || is_below(marked, path))
}

/// One value: `applied` or `live` is left out if the property is not there on that side, or is secret.
fn difference_body(difference: &Difference, secrets: &[&str]) -> Value {
    let Difference { path, keyed, applied, live, secret } = difference;
    let mut body = json!({ "path": path });
    if *secret || holds_secret(path, secrets) {
        body["secret"] = true.into();
        return body;
    }
    if let Some(keyed) = keyed {
        body["keyed"] = keyed.as_str().into();
    }
    if let Some(applied) = applied {
        body["applied"] = applied.clone();
    }
    if let Some(live) = live {
        body["live"] = live.clone();
    }
    body
}

/// AWS's form of a value: `sent` or `seen` is left out if the property was not there, or is secret.
fn learned_body(form: &NormalForm, secrets: &[&str]) -> Value {
    let mut body = json!({ "path": form.path, "learnedAt": rfc3339(form.learned_at) });
    if holds_secret(&form.path, secrets) {
        body["secret"] = true.into();
        return body;
    }
    for (side, value) in [("sent", &form.sent), ("seen", &form.seen)] {
        match value {
            FormValue::Absent => {}
            FormValue::Plain(value) => body[side] = value.clone(),
            FormValue::Hash(_) => body["secret"] = true.into(),
        }
    }
    body
}

/// A create whose end is not known.
fn unsettled_body(attempt: &Attempt) -> Value {
    let mut body = json!({ "operation": attempt.operation.to_string(), "attempt": attempt.number });
    if let Some(at) = attempt.sent_at {
        body["sentAt"] = rfc3339(at).into();
    }
    body
}

#[cfg(test)]
pub(super) mod tests;
