//! What is stored, as the JSON that callers see: pure, one noun a file.

mod group;
mod operation;
mod reference;
mod resource;
mod state;
mod time;

pub(crate) use group::group;
pub(crate) use operation::{Detail, operation};
pub(crate) use reference::{Seen, reference};
pub(crate) use resource::resource;
pub(crate) use state::{SUCCEEDED, group_state, operation_word, reference_state};

use hangar_plan::record::Reference;
use serde_json::Value;

/// A document without what its callers marked secret: what the write itself marks, and what is marked
/// on the reference that maps the resource.
///
/// Invariant: whatever shows properties shows them through this.
pub(crate) fn hidden(document: Value, of_write: &[String], mapped_by: Option<&Reference>) -> Value {
    let of_reference = mapped_by.map_or(&[][..], |it| &it.documents.secret_paths);
    without_paths(without_paths(document, of_write), of_reference)
}

/// Takes the values at these pointers out of a document: they are secret though no schema says so.
fn without_paths(mut document: Value, pointers: &[String]) -> Value {
    for pointer in pointers {
        let Some((parent, last)) = pointer.rsplit_once('/') else { continue };
        let name = last.replace("~1", "/").replace("~0", "~");
        match document.pointer_mut(parent) {
            Some(Value::Object(members)) => {
                members.remove(&name);
            }
            // An element is blanked and not removed, so that the others keep their places.
            Some(Value::Array(items)) => {
                if let Some(item) = name.parse().ok().and_then(|at: usize| items.get_mut(at)) {
                    *item = Value::Null;
                }
            }
            _ => {}
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secret_paths_are_taken_out_wherever_they_lie() {
        let document = json!({"a": {"b/c": 1, "d": 2}, "e": [1, {"f": 2}], "g": 3});
        let paths = ["/a/b~1c", "/e/0", "/e/1/f", "/x/y", "/g/h"].map(String::from);
        assert_eq!(
            without_paths(document, &paths),
            json!({"a": {"d": 2}, "e": [null, {}], "g": 3})
        );
    }
}
