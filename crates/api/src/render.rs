//! What is stored, as the JSON that callers see: pure, one noun a file.

mod credential;
pub(crate) mod deployment;
mod group;
mod operation;
mod plane;
mod recipe;
mod reference;
mod resource;
mod state;
mod time;
mod waiting;

pub(crate) use credential::credential;
pub(crate) use deployment::{Run, deployment, what_if};
pub(crate) use group::group;
pub(crate) use operation::{Detail, counts, event, operation};
pub(crate) use plane::plane;
pub(crate) use recipe::{forgotten_recipe, listed, lock, made, recipe, state, state_version};
pub(crate) use reference::{Seen, forgotten_reference, reference};
pub(crate) use resource::resource;
pub(crate) use state::{
    SUCCEEDED, drift_word, entry_word, group_state, operation_word, reference_state,
};
pub(crate) use waiting::waiting;

use hangar_plan::change::hide_paths;
use hangar_plan::record::Reference;
use serde_json::Value;

/// A document without what its callers marked secret: what the write itself marks, and what is marked
/// on the reference that maps the resource.
///
/// Invariant: whatever shows properties shows them through this.
pub(crate) fn hidden(
    mut document: Value,
    of_write: &[String],
    mapped_by: Option<&Reference>,
) -> Value {
    hide_paths(&mut document, of_write);
    if let Some(reference) = mapped_by {
        hide_paths(&mut document, &reference.documents.secret_paths);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_write_or_the_reference_marks_is_not_shown_in_whatever_order_it_comes() {
        let document = json!({"a": {"b/c": 1, "d": 2}, "e": [1, {"f": 2}], "g": 3, "h": 4});
        let mut reference = reference::tests::stored();
        reference.documents.secret_paths = vec!["/e/1/f".into(), "/g".into(), "/x/y".into()];
        let of_write = ["/a/b~1c".to_owned()];
        let shown = hidden(document.clone(), &of_write, Some(&reference));
        assert_eq!(shown, json!({"a": {"d": 2}, "h": 4}));
        let untracked = hidden(document.clone(), &of_write, None);
        assert_eq!(untracked, json!({"a": {"d": 2}, "e": [1, {"f": 2}], "g": 3, "h": 4}));
        assert_eq!(hidden(document.clone(), &[], None), document);
    }
}
