//! What is learned from the read after a write, and when it is no longer true.

use hangar_schema::same::same;
use hangar_schema::{Class, Patch, Step, TypeSchema, without_secrets};
use serde_json::Value;

use super::{FormHashes, changed_paths, is_value, overlap};
use crate::Timestamp;
use crate::change::to_show;
use crate::operation::Rules;
use crate::record::{FormValue, NormalForm};

/// What was known of the resource before the write that is read back.
#[derive(Debug, Clone, Copy)]
pub enum Before<'a> {
    /// The write created the resource.
    Nothing,
    /// The write updated it.
    Read {
        /// The last read before the update, without secrets.
        observed: &'a Value,
        /// The paths that the update was to change.
        changed: &'a [String],
        /// The forms that are known.
        forms: &'a [NormalForm],
    },
}

/// Whether what a read shows can only be the work of the write before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// The write was followed to its end, and read back soon after.
    Attended,
    /// There was time for others to change the resource.
    Interrupted,
}

/// A write and the read after it.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    /// The type.
    pub schema: &'a TypeSchema,
    /// What was sent.
    pub desired: &'a Value,
    /// What the read returned.
    pub live: &'a Value,
    /// The paths that the caller marked secret though the schema does not say so.
    pub secret_paths: &'a [String],
}

/// The stated properties at which live differs from what is wanted, by a patch between the two. An element of an array
/// counts as its array: AWS may return the elements in another order.
pub fn differing_paths(written: &Written<'_>, patch: &Patch) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    // A write-only value that an update repeats is no difference.
    let desired = without_secrets(written.schema, written.desired);
    for changed in changed_paths(patch) {
        let path = outside_of_arrays(changed, &[&desired, written.live]);
        let is_stated = desired.pointer(path).is_some();
        if is_stated && !path.is_empty() && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths.sort_unstable();
    paths
}

/// Of the differing paths those whose value is AWS's form of what was sent. An update that AWS ignored is none: its
/// value is the one before. A property that no read returned before is not returned now either. After an interruption
/// only a create-only value is certainly not the work of others.
pub fn respelled_paths(
    written: &Written<'_>,
    patch: &Patch,
    before: Before<'_>,
    attention: Attention,
    rules: Rules,
) -> Vec<String> {
    let mut paths = differing_paths(written, patch);
    if attention == Attention::Interrupted && rules.learned_soon {
        paths.retain(|path| is_create_only(written.schema, path));
    }
    let Before::Read { observed, changed, forms } = before else { return paths };
    let live = to_show(written.schema, written.live, &[]);
    paths.retain(|path| {
        let is_written = changed.iter().any(|it| overlap(it, path));
        // No document has the secret value before.
        let is_known = !written.secret_paths.iter().any(|secret| overlap(secret, path));
        let is_never_returned = live.pointer(path).is_none()
            && forms.iter().any(|form| form.path == *path && form.seen == FormValue::Absent);
        let is_effect =
            !rules.learned_effect || !are_same(observed.pointer(path), live.pointer(path));
        is_written && is_known && (is_effect || is_never_returned)
    });
    paths
}

/// Adds the forms that a read after a write shows at these paths, in the place of older ones.
pub fn learn(
    forms: &mut Vec<NormalForm>,
    written: &Written<'_>,
    paths: &[String],
    hashes: &dyn FormHashes,
    learned_at: Timestamp,
) {
    let Written { schema, desired, live, secret_paths } = *written;
    let desired = without_secrets(schema, desired);
    let live = to_show(schema, live, &[]);
    for path in paths {
        let is_secret = secret_paths.iter().any(|secret| overlap(secret, path));
        let form = |value: Option<&Value>| match value {
            None => FormValue::Absent,
            Some(value) if is_secret => FormValue::Hash(hashes.hash(path, value)),
            Some(value) => FormValue::Plain(value.clone()),
        };
        let (sent, seen) = (form(desired.pointer(path)), form(live.pointer(path)));
        forms.retain(|known| !overlap(&known.path, path));
        forms.push(NormalForm { path: path.clone(), sent, seen, learned_at });
    }
}

/// Removes each form that a read refutes: it returns what was sent as it was sent.
pub fn drop_refuted(
    forms: &mut Vec<NormalForm>,
    schema: &TypeSchema,
    live: &Value,
    hashes: &dyn FormHashes,
) {
    if forms.is_empty() {
        return;
    }
    let live = to_show(schema, live, &[]);
    forms.retain(|form| !is_value(&form.sent, &form.path, live.pointer(&form.path), hashes));
}

/// Hashes the values at paths that are secret by now.
pub fn hide_values(forms: &mut [NormalForm], secret_paths: &[String], hashes: &dyn FormHashes) {
    for NormalForm { path, sent, seen, .. } in forms {
        if !secret_paths.iter().any(|secret| overlap(secret, path)) {
            continue;
        }
        for side in [sent, seen] {
            if let FormValue::Plain(value) = side {
                *side = FormValue::Hash(hashes.hash(path, value));
            }
        }
    }
}

/// As much of a pointer as leads through objects in all documents.
fn outside_of_arrays<'a>(path: &'a str, documents: &[&Value]) -> &'a str {
    let ends = path.match_indices('/').skip(1).map(|(end, _)| end);
    let is_array = |end: &usize| {
        let at = |document: &&Value| document.pointer(&path[..*end]).is_some_and(Value::is_array);
        documents.iter().any(at)
    };
    ends.into_iter().find(is_array).map_or(path, |end| &path[..end])
}

fn is_create_only(schema: &TypeSchema, path: &str) -> bool {
    let names = path.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~"));
    schema.classes_of(&names.map(|name| Step::Member(name.into())).collect()).has(Class::CreateOnly)
}

fn are_same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}
