//! The documents of an operation: sealed while it runs, hashed and stripped for what stays.

use std::collections::BTreeMap;

use hangar_plan::change::{self, Change, Want};
use hangar_plan::operation::{ChangeKind, OperationId};
use hangar_plan::record::{Documents, Subject};
use hangar_schema::{SecretRecord, TypeSchema, secrets};
use hangar_store::keys::{Keys, StoredSecrets};
use serde_json::{Value, json};

/// What an operation wants: the content of its envelope.
#[derive(Clone)]
pub(crate) struct Desired {
    pub(crate) properties: Value,
    pub(crate) secret_paths: Vec<String>,
}

impl Desired {
    /// Sealed for the row of one operation.
    pub(crate) fn seal(&self, keys: &Keys, id: OperationId) -> Vec<u8> {
        let content = json!({"properties": self.properties, "secretPaths": self.secret_paths});
        keys.seal(id.to_string().as_bytes(), content.to_string().as_bytes())
    }

    /// Opened again; nothing where the envelope is not ours or not whole.
    pub(crate) fn open(keys: &Keys, id: OperationId, envelope: &[u8]) -> Option<Self> {
        let content = keys.open(id.to_string().as_bytes(), envelope).ok()?;
        let mut content: Value = serde_json::from_slice(content.expose()).ok()?;
        let paths = content["secretPaths"].as_array()?.iter();
        let secret_paths = paths.filter_map(|path| path.as_str().map(str::to_owned)).collect();
        Some(Self { properties: content["properties"].take(), secret_paths })
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
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let mut shown = text.to_owned();
        for value in values.iter().filter(|value| value.len() > 3) {
            shown = shown.replace(value.as_str(), "«secret»");
        }
        shown
    }
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|it| collect_texts(it, texts)),
        Value::Bool(_) | Value::Null => {}
    }
}

/// What the hashes of secrets are salted with: the reference, whatever resource it stands for.
pub(crate) fn salt(subject: &Subject) -> String {
    subject.reference.as_ref().map(hangar_plan::record::ReferenceName::key).unwrap_or_default()
}

/// How live compares with what is wanted.
pub(crate) fn compare(
    keys: &Keys,
    subject: &Subject,
    schema: &TypeSchema,
    desired: Option<&Desired>,
    documents: Option<&Documents>,
    live: &Value,
) -> Change {
    let Some(desired) = desired else {
        return Change { kind: ChangeKind::None, patch: None };
    };
    let salt = salt(subject);
    let none = BTreeMap::new();
    let macs = documents.map_or(&none, |documents| &documents.secrets);
    let record = StoredSecrets { keys, resource: &salt, macs };
    let record: &dyn SecretRecord = &record;
    let applied = documents.and_then(|documents| documents.applied.as_ref());
    change::change(&Want { schema, desired: &desired.properties, applied, secrets: record }, live)
}

/// The documents after `desired` was applied.
pub(crate) fn applied(
    keys: &Keys,
    subject: &Subject,
    schema: &TypeSchema,
    schema_hash: Option<&str>,
    desired: &Desired,
    before: &Documents,
) -> Documents {
    let (kept, hidden) = change::to_keep(schema, &desired.properties, &desired.secret_paths);
    let salt = salt(subject);
    let secrets = hidden
        .into_iter()
        .map(|(path, value)| {
            let mac = keys.mac(&salt, &path, &value);
            (path, mac)
        })
        .collect();
    Documents {
        applied: Some(kept),
        secrets,
        secret_paths: desired.secret_paths.clone(),
        observed: before.observed.clone(),
        observed_at: before.observed_at,
        schema_hash: schema_hash.map(str::to_owned),
    }
}
