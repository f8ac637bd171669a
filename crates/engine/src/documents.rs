//! The documents of an operation: sealed while it runs, hashed and stripped for what stays.

use std::collections::BTreeMap;

use hangar_plan::change::{self, Change, Want};
use hangar_plan::normal_form::{change_and_patch_with, hide_values};
use hangar_plan::operation::{ChangeKind, Finding, OperationId};
use hangar_plan::record::{Documents, Reference};
use hangar_schema::{
    Inputs, Patch, SecretRecord, TypeSchema, is_set_at_creation, secrets, with_marks, without_nulls,
};
use hangar_store::keys::{Keys, StoredSecrets};
use serde_json::{Value, json};

use crate::forms::KeyedForms;
use crate::redact::{collect_texts, take_out};

/// What an operation wants: the content of its envelope.
#[derive(Clone)]
pub(crate) struct Desired {
    pub(crate) properties: Value,
    pub(crate) secret_paths: Vec<String>,
    /// What a create sends with the marker tag, where the type takes it: made once, because a repeated
    /// call must send the same bytes.
    pub(crate) marked: Option<Value>,
    /// Whether it is made from what was applied: the secrets that it does not state are not dropped.
    pub(crate) partial: bool,
    /// The secrets on record that a change of some properties removes, or writes over.
    pub(crate) dropped: Vec<String>,
}

impl Desired {
    /// Sealed for the row of one operation.
    pub(crate) fn seal(&self, keys: &Keys, id: OperationId) -> Vec<u8> {
        let Self { properties, secret_paths, marked, partial, dropped } = self;
        let content = json!({"properties": properties, "secretPaths": secret_paths,
                             "marked": marked, "partial": partial, "dropped": dropped});
        keys.seal(id.to_string().as_bytes(), content.to_string().as_bytes())
    }

    /// Opened again; nothing where the envelope is not ours or not whole.
    pub(crate) fn open(keys: &Keys, id: OperationId, envelope: &[u8]) -> Option<Self> {
        let content = keys.open(id.to_string().as_bytes(), envelope).ok()?;
        let mut content: Value = serde_json::from_slice(content.expose()).ok()?;
        let secret_paths = texts(content["secretPaths"].as_array()?);
        let dropped = content["dropped"].as_array().map(|it| texts(it)).unwrap_or_default();
        let marked = Some(content["marked"].take()).filter(|marked| !marked.is_null());
        let partial = content["partial"].as_bool().unwrap_or_default();
        let properties = content["properties"].take();
        Some(Self { properties, secret_paths, marked, partial, dropped })
    }

    /// The document that a create sends.
    pub(crate) fn create_document(&self, marked: bool) -> Value {
        match &self.marked {
            Some(document) if marked => document.clone(),
            _ => without_nulls(&self.properties).into_owned(),
        }
    }

    /// `text` with every secret value of this document taken out: a cloud may quote what it refuses.
    pub(crate) fn redact(&self, schema: &TypeSchema, text: &str) -> String {
        let mut values = Vec::new();
        for secret in secrets(schema, &self.properties) {
            collect_texts(&secret.value, &mut values);
        }
        for path in &self.secret_paths {
            if let Some(value) = self.properties.pointer(path) {
                collect_texts(value, &mut values);
            }
        }
        take_out(values, text)
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// What is known of a resource from what was applied to it through a reference.
pub(crate) struct Known {
    documents: Documents,
    /// What the hashes of secrets are salted with: the reference, whatever resource it stands for and
    /// whatever it is called by now.
    salt: String,
}

impl Known {
    /// All that the reference knows of its resource.
    pub(crate) fn of(reference: &Reference) -> Self {
        Self { documents: reference.documents.clone(), salt: reference.first_key() }
    }

    /// What was applied last, without secrets.
    pub(crate) fn applied(&self) -> Option<&Value> {
        self.documents.applied.as_ref()
    }

    /// What is on record of its secrets.
    pub(crate) fn record<'a>(&'a self, keys: &'a Keys) -> StoredSecrets<'a> {
        StoredSecrets { keys, resource: &self.salt, macs: &self.documents.secrets }
    }

    /// Where secrets are on record that AWS returns.
    pub(crate) fn taken_out(&self) -> Vec<&str> {
        self.documents.taken_out()
    }

    /// Where what was applied is not known, because of a secret in it.
    pub(crate) fn missing(&self) -> Vec<String> {
        let applied = self.applied().unwrap_or(&Value::Null);
        let first_missing = |path: &str| {
            let ends = path.match_indices('/').map(|(end, _)| end).skip(1);
            let mut above = ends.chain([path.len()]).map(|end| &path[..end]);
            above.find(|it| applied.pointer(it).is_none()).map(str::to_owned)
        };
        self.taken_out().into_iter().filter_map(first_missing).collect()
    }

    /// The same, with something else as what was applied last.
    pub(crate) fn having(mut self, applied: Value) -> Self {
        self.documents.applied = Some(applied);
        self
    }

    /// Nothing: no reference stands for the resource yet.
    pub(crate) fn nothing() -> Self {
        Self { documents: Documents::default(), salt: String::new() }
    }

    /// Nothing: the resource is not the one that the reference's documents are of.
    pub(crate) fn nothing_of(reference: &Reference) -> Self {
        let secret_paths = reference.documents.secret_paths.clone();
        let documents = Documents { secret_paths, ..Documents::default() };
        Self { documents, salt: reference.first_key() }
    }
}

/// How live compares with what is wanted, and the patch that this rests on; it can hold secrets.
pub(crate) fn compare(
    keys: &Keys,
    schema: &TypeSchema,
    desired: &Desired,
    known: Option<&Known>,
    live: &Value,
) -> (Change, Option<Patch>) {
    let (change, patch) = difference_and_patch(keys, schema, desired, known, live);
    let documents = known.map(|known| &known.documents);
    let lost = match documents {
        Some(documents) if desired.partial && change.patch.is_some() => {
            unstated_secrets(schema, desired, documents)
        }
        _ => Vec::new(),
    };
    if lost.is_empty() {
        return (change, patch);
    }
    (Change { kind: ChangeKind::SecretsRequired(lost), patch: None }, None)
}

/// The same, where write-only values that are not at hand are asked for by nobody.
pub(crate) fn difference_and_patch(
    keys: &Keys,
    schema: &TypeSchema,
    desired: &Desired,
    known: Option<&Known>,
    live: &Value,
) -> (Change, Option<Patch>) {
    let none = BTreeMap::new();
    let documents = known.map(|known| &known.documents);
    let macs = documents.map_or(&none, |documents| &documents.secrets);
    let resource = known.map_or("", |known| known.salt.as_str());
    let record = StoredSecrets { keys, resource, macs };
    let record: &dyn SecretRecord = &record;
    let applied = documents.and_then(|documents| documents.applied.as_ref());
    let secret_paths = &desired.secret_paths;
    let remade = documents.filter(|_| desired.partial).map(|it| with_kept(desired, it, live));
    let properties = remade.as_ref().unwrap_or(&desired.properties);
    // What was taken out of what was applied was stated all the same; what is made from it says so by itself.
    let inputs = Inputs { live, desired: properties, applied };
    let marked = documents
        .filter(|_| !desired.partial)
        .and_then(|it| with_marks(schema, &inputs, &it.taken_out(), record));
    let applied = marked.as_ref().or(applied);
    let want = Want { schema, desired: properties, applied, secrets: record, secret_paths };
    let forms = documents.map_or(&[][..], |documents| &documents.learned);
    change_and_patch_with(&want, live, forms, &KeyedForms { keys, salt: resource })
}

/// What is wanted, with what only a caller calls secret as it is: no document of ours has it, and what is made from
/// them must not take it away.
fn with_kept(desired: &Desired, documents: &Documents, live: &Value) -> Value {
    let mut whole = desired.properties.clone();
    for path in documents.secret_paths.iter().filter(|path| !desired.dropped.contains(path)) {
        let Some((parent, name)) = path.rsplit_once('/') else { continue };
        let (Some(value), Some(Value::Object(members))) =
            (live.pointer(path), whole.pointer_mut(parent))
        else {
            continue;
        };
        let name = name.replace("~1", "/").replace("~0", "~");
        members.entry(name).or_insert_with(|| value.clone());
    }
    whole
}

/// The write-only values that are on record and that `desired` does not state: AWS loses what an update
/// does not repeat. What only a caller calls secret is returned by AWS, and not lost.
fn unstated_secrets(schema: &TypeSchema, desired: &Desired, documents: &Documents) -> Vec<Finding> {
    let stated: Vec<String> =
        secrets(schema, &desired.properties).into_iter().map(|secret| secret.path).collect();
    let unstated = documents.secrets.keys().filter(|path| {
        !stated.contains(path)
            && !desired.dropped.contains(path)
            && !documents.is_taken_out(path)
            // No update repeats it.
            && !is_set_at_creation(schema, path)
    });
    unstated
        .map(|path| Finding {
            code: "WriteOnly".to_owned(),
            path: path.clone(),
            message: "was applied, is never returned by AWS, and is not in the request".to_owned(),
        })
        .collect()
}

/// Which of the secrets at `paths` a change of some properties (RFC 7396) removes or writes over: it says
/// null there or above, or another array or value above.
pub(crate) fn dropped_by(changes: &Value, paths: impl Iterator<Item = String>) -> Vec<String> {
    let is_dropped = |path: &String| {
        let mut at = changes;
        for segment in path.split('/').skip(1) {
            let Value::Object(members) = at else { return true };
            match members.get(&segment.replace("~1", "/").replace("~0", "~")) {
                Some(below) => at = below,
                None => return false,
            }
        }
        true
    };
    paths.filter(is_dropped).collect()
}

/// The documents after `desired` was applied.
pub(crate) fn applied(
    keys: &Keys,
    schema: &TypeSchema,
    schema_hash: Option<&str>,
    desired: &Desired,
    reference: &Reference,
) -> Documents {
    let before = &reference.documents;
    let secret_paths = union(&before.secret_paths, &desired.secret_paths);
    let (kept, hidden) = change::to_keep(schema, &desired.properties, &secret_paths);
    let salt = reference.first_key();
    let mut secrets = BTreeMap::new();
    let is_kept = |path: &str| {
        let is_dropped = desired.dropped.iter().any(|dropped| dropped == path);
        (desired.partial && !is_dropped) || is_set_at_creation(schema, path)
    };
    let earlier = before.secrets.iter().filter(|(path, _)| is_kept(path));
    secrets.extend(earlier.map(|(path, mac)| (path.clone(), mac.clone())));
    for (path, value) in hidden {
        let mac = keys.mac(&salt, &path, &value);
        secrets.insert(path, mac);
    }
    let mut learned = before.learned.clone();
    hide_values(&mut learned, &secret_paths, &KeyedForms { keys, salt: &salt });
    Documents {
        applied: Some(kept),
        secrets,
        // Once secret, always secret: a later put need not say so again.
        secret_paths,
        observed: before.observed.clone(),
        observed_at: before.observed_at,
        schema_hash: schema_hash.map(str::to_owned),
        learned,
        unshown_since: before.unshown_since,
    }
}

/// What is in one or in the other, in order.
pub(crate) fn union(some: &[String], more: &[String]) -> Vec<String> {
    let mut all = some.to_vec();
    all.extend(more.iter().filter(|path| !some.contains(path)).cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_drops_the_secrets_that_it_removes_or_writes_over_and_no_others() {
        let paths = ["/A/B/Secret", "/L/#x/Secret", "/P~1Q"];
        let dropped = |changes: Value| {
            dropped_by(&changes, paths.iter().map(|path| (*path).to_owned())).join(" ")
        };
        assert_eq!(dropped(json!({})), "");
        assert_eq!(dropped(json!({"A": {"C": null}, "P": null})), "");
        assert_eq!(dropped(json!({"A": {"B": {"Secret": null}}})), "/A/B/Secret");
        assert_eq!(dropped(json!({"A": {"B": null}})), "/A/B/Secret");
        assert_eq!(dropped(json!({"A": null, "P/Q": null})), "/A/B/Secret /P~1Q");
        assert_eq!(dropped(json!({"L": []})), "/L/#x/Secret");
    }

    #[test]
    fn what_a_document_calls_secret_is_taken_out_of_a_message() {
        let schema = hangar_schema::Catalog::bundled().get("AWS::RDS::DBInstance").unwrap();
        let desired = Desired {
            properties: json!({"MasterUserPassword": "quo\"ted-pass\\word", "Port": "5432"}),
            secret_paths: vec!["/Port".to_owned()],
            marked: None,
            partial: false,
            dropped: Vec::new(),
        };
        let message = r#"value "quo\"ted-pass\\word" at port 5432 is not allowed"#;
        let shown = desired.redact(&schema, message);
        assert_eq!(shown, r#"value "«secret»" at port «secret» is not allowed"#);
    }
}
