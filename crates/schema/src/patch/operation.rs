//! RFC 6902 operations as we make them: `add` and `remove`, addressed through objects only.

use serde_json::{Value, json};

use crate::pointer;

/// One operation of a patch. Every set is an `add`: it replaces what is there.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Sets the value at a pointer.
    Add {
        /// RFC 6901 pointer.
        path: String,
        /// The whole new value.
        value: Value,
    },
    /// Removes the value at a pointer.
    Remove {
        /// RFC 6901 pointer.
        path: String,
    },
}

impl Operation {
    /// Where it acts.
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Remove { path } => path,
        }
    }

    /// The word of RFC 6902.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Remove { .. } => "remove",
        }
    }

    /// The operation as a patch document holds it.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Add { path, value } => json!({"op": "add", "path": path, "value": value}),
            Self::Remove { path } => json!({"op": "remove", "path": path}),
        }
    }
}

/// Carries out an operation of ours on a document; one that does not fit changes nothing.
pub(crate) fn perform(document: &mut Value, operation: &Operation) {
    let Some((parents, last)) = operation.path().rsplit_once('/') else {
        // The element of an array of arrays is written whole.
        if let Operation::Add { value, .. } = operation {
            document.clone_from(value);
        }
        return;
    };
    let mut at = document;
    for segment in parents.split('/').skip(1) {
        match at.get_mut(pointer::unescape(segment).as_ref()) {
            Some(next) => at = next,
            None => return,
        }
    }
    let Value::Object(members) = at else { return };
    let key = pointer::unescape(last);
    match operation {
        Operation::Add { value, .. } => {
            members.insert(key.into_owned(), value.clone());
        }
        Operation::Remove { .. } => {
            members.remove(key.as_ref());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_reach_keys_with_slashes_and_tildes() {
        let mut document = json!({"a/b": {"~": 1}});
        perform(&mut document, &Operation::Add { path: "/a~1b/~0".into(), value: json!(2) });
        assert_eq!(document, json!({"a/b": {"~": 2}}));
        perform(&mut document, &Operation::Remove { path: "/a~1b/~0".into() });
        assert_eq!(document, json!({"a/b": {}}));
    }
}
