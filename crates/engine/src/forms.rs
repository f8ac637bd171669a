//! Learns AWS's forms of what was sent, with hashes by the keys of this installation.

use hangar_plan::Timestamp;
use hangar_plan::normal_form::{Attention, Before, FormHashes, Written, learn, respelled_paths};
use hangar_plan::operation::{Attempt, LEARN_WITHIN, Operation, Rules, Stage, Verb};
use hangar_plan::record::Reference;
use hangar_schema::{Patch, TypeSchema, marker_of};
use hangar_store::keys::Keys;
use serde_json::Value;

use crate::documents::{Desired, union};

/// Hashes the values at secret paths of one reference.
#[derive(Clone, Copy)]
pub(crate) struct KeyedForms<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) salt: &'a str,
}

/// Keeps a hash of a form apart from the hash of the same value as it was applied.
const PURPOSE: &str = "form of ";

impl FormHashes for KeyedForms<'_> {
    fn hash(&self, path: &str, value: &Value) -> String {
        self.keys.mac(self.salt, &format!("{PURPOSE}{path}"), value)
    }

    fn is_hash_of(&self, hash: &str, path: &str, value: &Value) -> bool {
        let path = format!("{PURPOSE}{path}");
        // A form whose key is gone is of no value.
        self.keys.is_mac_of(hash, self.salt, &path, value).unwrap_or(false)
    }
}

/// A write of a reference that is read back.
#[derive(Clone, Copy)]
pub(crate) struct ReadBack<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) schema: &'a TypeSchema,
    pub(crate) reference: &'a Reference,
    pub(crate) desired: &'a Desired,
    pub(crate) live: &'a Value,
}

impl ReadBack<'_> {
    /// The paths at which the read after a write of `operation` shows AWS's form of what was sent.
    pub(crate) fn respelled_paths(
        &self,
        operation: &Operation,
        patch: &Patch,
        rules: Rules,
    ) -> Vec<String> {
        let Stage::Verify { since } = operation.stage else { return Vec::new() };
        let is_late = operation.looked_at.is_none_or(|at| at.since(since) > LEARN_WITHIN);
        let attention = if operation.doubtful_reads || is_late {
            Attention::Interrupted
        } else {
            Attention::Attended
        };
        let Some(attempt) = operation.current() else { return Vec::new() };
        let observed = self.reference.documents.observed.as_ref();
        let before = match (attempt.verb, observed) {
            // A late read can show what had the name before.
            (Verb::Create, _) if !self.is_made_by(attempt) => return Vec::new(),
            (Verb::Create, _) => Before::Nothing,
            (Verb::Update, Some(observed)) => Before::Read {
                observed,
                changed: &operation.changed,
                forms: &self.reference.documents.learned,
            },
            _ => return Vec::new(),
        };
        self.with_written(|written| respelled_paths(written, patch, before, attention, rules))
    }

    /// Whether the read shows what this create made, as far as its marker tag tells.
    fn is_made_by(&self, create: &Attempt) -> bool {
        !create.marked
            || marker_of(self.schema, self.live) == Some(create.operation.to_string().as_str())
    }

    /// Adds the forms at `paths` to those of the reference's documents.
    pub(crate) fn learn(&self, paths: &[String], now: Timestamp, after: &mut Reference) {
        let salt = self.reference.first_key();
        let hashes = KeyedForms { keys: self.keys, salt: &salt };
        let forms = &mut after.documents.learned;
        self.with_written(|written| learn(forms, written, paths, &hashes, now));
    }

    fn with_written<T>(&self, act: impl FnOnce(&Written<'_>) -> T) -> T {
        let Self { schema, desired, live, reference, .. } = *self;
        let secret_paths = union(&reference.documents.secret_paths, &desired.secret_paths);
        let desired = &desired.properties;
        act(&Written { schema, desired, live, secret_paths: &secret_paths })
    }
}
