//! Which normal forms a read after a write shows, and how a later comparison uses them.
//!
//! A form states that AWS returns `seen` where `sent` was written. It is learned only from the read after a
//! successful create or update of Hangar's own. It makes no other value equal: another live value is a difference.

mod learn;

use hangar_schema::same::same;
use hangar_schema::{Operation, Patch, TypeSchema, without_secrets};
use serde_json::Value;

pub use learn::{
    Attention, Before, Written, differing_paths, drop_refuted, hide_values, learn, respelled_paths,
};

use crate::change::{Change, Want, change_and_patch, to_show};
use crate::record::{FormValue, NormalForm};

/// Hashes the values of secret paths.
pub trait FormHashes {
    /// A keyed hash of the value at a path.
    fn hash(&self, path: &str, value: &Value) -> String;

    /// Whether `hash` is of this value at this path.
    fn is_hash_of(&self, hash: &str, path: &str, value: &Value) -> bool;
}

/// Compares what is wanted with what exists, where a value in AWS's own form equals the value that was sent.
pub fn change_and_patch_with(
    want: &Want<'_>,
    live: &Value,
    forms: &[NormalForm],
    hashes: &dyn FormHashes,
) -> (Change, Option<Patch>) {
    let compare = |live: &Value| change_and_patch(want, live);
    let forms = Forms { schema: want.schema, forms, hashes };
    forms.compare(want.desired, live, compare, |(_, patch)| patch.as_ref()).0
}

/// The forms that a comparison uses.
#[derive(Clone, Copy)]
pub struct Forms<'a> {
    /// The type.
    pub schema: &'a TypeSchema,
    /// What was learned.
    pub forms: &'a [NormalForm],
    /// Hashes of secret values.
    pub hashes: &'a dyn FormHashes,
}

impl Forms<'_> {
    /// The result of `compare` for live with each known form replaced by the value that was sent, and the paths of
    /// these forms.
    ///
    /// A form is not used if the patch would change something inside of its value: positions in the value that was
    /// sent need not be positions in AWS's form.
    pub fn compare<T>(
        &self,
        desired: &Value,
        live: &Value,
        compare: impl Fn(&Value) -> T,
        patch_of: impl Fn(&T) -> Option<&Patch>,
    ) -> (T, Vec<String>) {
        let mut usable = self.usable(desired, live);
        loop {
            if usable.is_empty() {
                return (compare(live), Vec::new());
            }
            let found = compare(&with_values(live, desired, &usable));
            let is_changed_inside = |path: &&str| {
                let patch = patch_of(&found);
                patch.is_some_and(|it| changed_paths(it).any(|changed| is_inside(changed, path)))
            };
            let count = usable.len();
            let kept = usable.iter().copied().filter(|path| !is_changed_inside(path));
            let kept: Vec<&str> = kept.collect();
            if kept.len() == count {
                return (found, usable.into_iter().map(str::to_owned).collect());
            }
            usable = kept;
        }
    }

    /// The paths at which live has AWS's form of what is wanted.
    fn usable(&self, desired: &Value, live: &Value) -> Vec<&str> {
        if self.forms.is_empty() {
            return Vec::new();
        }
        let desired = without_secrets(self.schema, desired);
        let live = to_show(self.schema, live, &[]);
        let is_usable = |form: &&NormalForm| {
            let NormalForm { path, sent, seen, .. } = *form;
            is_value(sent, path, desired.pointer(path), self.hashes)
                && is_value(seen, path, live.pointer(path), self.hashes)
        };
        self.forms.iter().filter(is_usable).map(|form| form.path.as_str()).collect()
    }
}

/// Whether this value is the one that was learned.
fn is_value(
    learned: &FormValue,
    path: &str,
    value: Option<&Value>,
    hashes: &dyn FormHashes,
) -> bool {
    match (learned, value) {
        (FormValue::Absent, None) => true,
        (FormValue::Plain(learned), Some(value)) => same(learned, value),
        (FormValue::Hash(hash), Some(value)) => hashes.is_hash_of(hash, path, value),
        _ => false,
    }
}

/// `live` with the values that `desired` has at these paths.
fn with_values(live: &Value, desired: &Value, paths: &[&str]) -> Value {
    let mut whole = live.clone();
    for path in paths {
        let Some((parent, name)) = path.rsplit_once('/') else { continue };
        let Some(Value::Object(members)) = whole.pointer_mut(parent) else { continue };
        let name = name.replace("~1", "/").replace("~0", "~");
        match desired.pointer(path) {
            None | Some(Value::Null) => members.remove(&name),
            Some(value) => members.insert(name, value.clone()),
        };
    }
    whole
}

/// Every path that a patch changes, or would change on a new resource.
fn changed_paths(patch: &Patch) -> impl Iterator<Item = &str> {
    let operations = patch.operations.iter().chain(&patch.besides).map(Operation::path);
    operations.chain(patch.reasons.iter().map(|reason| reason.path.as_str()))
}

fn is_inside(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether one path is the other or lies in it.
fn overlap(a: &str, b: &str) -> bool {
    a == b || is_inside(a, b) || is_inside(b, a)
}

#[cfg(test)]
mod tests;
