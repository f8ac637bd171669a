//! Keyed hashes by which a run knows what was planned: of what a template states, and of what an update does.

use std::collections::BTreeMap;

use hangar_plan::operation::{Mark, marks_of};
use hangar_plan::record::Subject;
use hangar_store::keys::Keys;
use serde_json::Value;

use crate::submit::subject_id;

/// What a patch does to a resource, by path; made so that it can be compared with `like`.
pub(crate) fn marks(
    keys: &Keys,
    subject: &Subject,
    like: Option<&BTreeMap<String, Mark>>,
    patch: &Value,
    live: &Value,
) -> BTreeMap<String, Mark> {
    let about = subject_id(subject).to_ascii_lowercase();
    let like = like.and_then(|marks| marks.values().next()).map(|mark| mark.after.as_str());
    marks_of(patch, live, |path, value| keys.plan_mac(like, &about, path, value))
}

/// All that is stated of a resource.
pub(crate) fn document(keys: &Keys, like: Option<&str>, about: &str, properties: &Value) -> String {
    keys.plan_mac(like, about, "document", properties)
}
