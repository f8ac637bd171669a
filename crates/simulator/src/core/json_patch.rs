//! RFC 6902 as Cloud Control applies it: operations in order, all or none, in the words of the
//! library that AWS uses.
//!
//! One leniency is AWS's own: its guide writes a path without the leading slash.

use hangar_schema::same::same;
use serde_json::Value;

/// One operation of a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchOperation {
    /// What it does.
    pub deed: Deed,
    /// Where.
    pub path: Path,
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Adds a member or an element, or replaces a member.
    Add(Value),
    /// Takes out what is there.
    Remove,
    /// Puts another value in place of the one there.
    Replace(Value),
    /// Takes a value from there and adds it here.
    Move(Path),
    /// Adds a copy of the value there.
    Copy(Path),
    /// Holds only if the value there equals this one.
    Test(Value),
}

impl Deed {
    /// The word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Add(_) => "add",
            Self::Remove => "remove",
            Self::Replace(_) => "replace",
            Self::Move(_) => "move",
            Self::Copy(_) => "copy",
            Self::Test(_) => "test",
        }
    }
}

/// An RFC 6901 pointer, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(Vec<String>);

impl Path {
    /// Reads a pointer; a missing slash at the front is forgiven.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let mut escapes = text.split('~').skip(1);
        if !escapes.all(|rest| rest.starts_with(['0', '1'])) {
            return Err(format!("Invalid JSON pointer: {text}"));
        }
        let text = text.strip_prefix('/').unwrap_or(text);
        let part = |part: &str| part.replace("~1", "/").replace("~0", "~");
        Ok(Self(text.split('/').map(part).collect()))
    }

    /// The names and indices.
    pub fn parts(&self) -> &[String] {
        &self.0
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for part in &self.0 {
            write!(f, "/{}", part.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

/// Reads a patch document; the message says what is wrong with it.
pub fn read(text: &str) -> Result<Vec<PatchOperation>, String> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| format!("Invalid JSON patch document: {error}"))?;
    let Value::Array(items) = document else {
        return Err("Invalid JSON Patch payload (not an array)".to_owned());
    };
    items.iter().map(read_operation).collect()
}

fn read_operation(item: &Value) -> Result<PatchOperation, String> {
    let Value::Object(members) = item else {
        return Err("Invalid JSON Patch payload (not an object)".to_owned());
    };
    let text = |name: &str| match members.get(name) {
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err(format!("Invalid JSON Patch payload ('{name}' field is not a string)")),
        None => Err(format!("Invalid JSON Patch payload (missing '{name}' field)")),
    };
    let value = || {
        members
            .get("value")
            .cloned()
            .ok_or_else(|| "Invalid JSON Patch payload (missing 'value' field)".to_owned())
    };
    let deed = match text("op")? {
        "add" => Deed::Add(value()?),
        "remove" => Deed::Remove,
        "replace" => Deed::Replace(value()?),
        "move" => Deed::Move(Path::read(text("from")?)?),
        "copy" => Deed::Copy(Path::read(text("from")?)?),
        "test" => Deed::Test(value()?),
        other => return Err(format!("unknown / unsupported operation {other}")),
    };
    Ok(PatchOperation { deed, path: Path::read(text("path")?)? })
}

/// Copies may add this many values in all: each can double what is there.
const MAX_COPIED: usize = 100_000;

/// A model is nowhere deeper: what is stored can be read again, and walked.
pub const MAX_DEPTH: usize = 100;

/// The document after the whole patch; the message says which operation cannot be done.
pub fn apply(document: &Value, patch: &[PatchOperation]) -> Result<Value, String> {
    let mut patched = document.clone();
    let mut left = MAX_COPIED;
    for operation in patch {
        if let Deed::Copy(from) = &operation.deed
            && let Some(copied) = find(&patched, from.parts())
        {
            left = left.checked_sub(values_in(copied)).ok_or("[COPY Operation] model too large")?;
        }
        let added = match &operation.deed {
            Deed::Add(value) | Deed::Replace(value) => Some(value),
            Deed::Copy(from) | Deed::Move(from) => find(&patched, from.parts()),
            Deed::Remove | Deed::Test(_) => None,
        };
        if added.is_some_and(|value| operation.path.parts().len() + depth(value) > MAX_DEPTH) {
            return Err("model too deep".to_owned());
        }
        perform(&mut patched, operation).map_err(|what| {
            format!("[{} Operation] {what}", operation.deed.as_str().to_uppercase())
        })?;
    }
    Ok(patched)
}

fn perform(document: &mut Value, operation: &PatchOperation) -> Result<(), String> {
    let path = &operation.path;
    match &operation.deed {
        Deed::Add(value) => add(document, path, value.clone()),
        Deed::Remove => remove(document, path).map(drop),
        Deed::Replace(value) => {
            *find_mut(document, path.parts()).ok_or_else(|| no_such(path))? = value.clone();
            Ok(())
        }
        Deed::Copy(from) => {
            let value = find(document, from.parts()).ok_or_else(|| no_such(from))?.clone();
            add(document, path, value)
        }
        Deed::Move(from) => {
            if path.parts().len() > from.parts().len() && path.parts().starts_with(from.parts()) {
                return Err(format!("cannot move {from} into itself, path provided : {path}"));
            }
            let value = remove(document, from)?;
            add(document, path, value)
        }
        Deed::Test(value) => match find(document, path.parts()) {
            Some(found) if same(found, value) => Ok(()),
            Some(_) => Err("value mismatch".to_owned()),
            None => Err(no_such(path)),
        },
    }
}

/// How many arrays and objects lie in each other, at most.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// How many values a value holds, itself included.
fn values_in(value: &Value) -> usize {
    match value {
        Value::Object(members) => {
            let of_member = |(name, value): (&String, &Value)| name.len() / 64 + values_in(value);
            1 + members.iter().map(of_member).sum::<usize>()
        }
        Value::Array(items) => 1 + items.iter().map(values_in).sum::<usize>(),
        Value::String(text) => 1 + text.len() / 64,
        _ => 1,
    }
}

fn no_such(path: &Path) -> String {
    format!("noSuchPath in source, path provided : /{path}")
}

fn find<'v>(document: &'v Value, parts: &[String]) -> Option<&'v Value> {
    parts.iter().try_fold(document, |value, part| match value {
        Value::Object(members) => members.get(part),
        Value::Array(items) => items.get(index(part)?),
        _ => None,
    })
}

fn find_mut<'v>(document: &'v mut Value, parts: &[String]) -> Option<&'v mut Value> {
    parts.iter().try_fold(document, |value, part| match value {
        Value::Object(members) => members.get_mut(part),
        Value::Array(items) => items.get_mut(index(part)?),
        _ => None,
    })
}

/// An array index as RFC 6901 writes it: digits without a leading zero.
fn index(part: &str) -> Option<usize> {
    let is_plain = part == "0" || !part.starts_with('0');
    (is_plain && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok())?
}

fn add(document: &mut Value, path: &Path, value: Value) -> Result<(), String> {
    let Some((last, parents)) = path.parts().split_last() else {
        *document = value;
        return Ok(());
    };
    match find_mut(document, parents) {
        Some(Value::Object(members)) => {
            members.insert(last.clone(), value);
            Ok(())
        }
        Some(Value::Array(items)) => {
            let at = if last == "-" { Some(items.len()) } else { index(last) };
            match at.filter(|at| *at <= items.len()) {
                Some(at) => {
                    items.insert(at, value);
                    Ok(())
                }
                None => Err(format!("index out of bounds, path provided : /{path}")),
            }
        }
        // The library that AWS uses words this one without a space.
        _ => Err(format!("noSuchPath in source, path provided: /{path}")),
    }
}

fn remove(document: &mut Value, path: &Path) -> Result<Value, String> {
    let Some((last, parents)) = path.parts().split_last() else {
        return Err("cannot remove the whole model".to_owned());
    };
    let removed = match find_mut(document, parents) {
        Some(Value::Object(members)) => members.remove(last),
        Some(Value::Array(items)) => {
            index(last).filter(|at| *at < items.len()).map(|at| items.remove(at))
        }
        _ => None,
    };
    removed.ok_or_else(|| no_such(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn apply_text(document: &Value, patch: &str) -> Result<Value, String> {
        apply(document, &read(patch)?)
    }

    #[test]
    fn operations_are_done_in_order() {
        let patched = apply_text(
            &json!({"A": {"B": [1, 2]}, "C": 3}),
            r#"[{"op":"add","path":"/A/B/1","value":9},{"op":"move","from":"/C","path":"/A/D"},
                {"op":"copy","from":"/A/B/1","path":"/A/B/-"},{"op":"remove","path":"/A/B/0"},
                {"op":"replace","path":"/A/D","value":{"x~y/z":1}},
                {"op":"test","path":"/A/D/x~0y~1z","value":1.0}]"#,
        );
        assert_eq!(patched, Ok(json!({"A": {"B": [9, 2, 9], "D": {"x~y/z": 1}}})));
    }

    #[test]
    fn a_path_without_its_slash_is_taken_as_aws_documents_it() {
        let patch = r#"[{"op":"replace","path":"RetentionInDays","value":180}]"#;
        assert_eq!(
            apply_text(&json!({"RetentionInDays": 90}), patch),
            Ok(json!({"RetentionInDays": 180}))
        );
    }

    #[test]
    fn what_cannot_be_done_is_said_in_the_words_of_aws() {
        let document = json!({"A": [1], "B": 2});
        for (patch, words) in [
            (
                r#"[{"op":"replace","path":"/X","value":1}]"#,
                "[REPLACE Operation] noSuchPath in source, path provided : //X",
            ),
            (
                r#"[{"op":"remove","path":"/A/7"}]"#,
                "[REMOVE Operation] noSuchPath in source, path provided : //A/7",
            ),
            (
                r#"[{"op":"add","path":"/A/01","value":1}]"#,
                "[ADD Operation] index out of bounds, path provided : //A/01",
            ),
            (r#"[{"op":"test","path":"/B","value":3}]"#, "[TEST Operation] value mismatch"),
            (r#"{"op":"add"}"#, "Invalid JSON Patch payload (not an array)"),
            (r#"[{"op":"add","path":"/x~2","value":1}]"#, "Invalid JSON pointer: /x~2"),
            ("[1]", "Invalid JSON Patch payload (not an object)"),
            (r#"[{"path":"/A"}]"#, "Invalid JSON Patch payload (missing 'op' field)"),
            (r#"[{"op":"add","path":"/A"}]"#, "Invalid JSON Patch payload (missing 'value' field)"),
            (r#"[{"op":"merge","path":"/A"}]"#, "unknown / unsupported operation merge"),
        ] {
            assert_eq!(apply_text(&document, patch).unwrap_err(), words);
        }
    }

    #[test]
    fn a_patch_that_doubles_and_doubles_is_stopped() {
        let mut patch = vec![json!({"op": "add", "path": "/A", "value": []})];
        patch.extend((0..60).map(|_| json!({"op": "copy", "from": "/A", "path": "/A/-"})));
        let refused = apply_text(&json!({}), &Value::from(patch).to_string()).unwrap_err();
        assert_eq!(refused, "[COPY Operation] model too large");
        let long = json!({"A": {"k".repeat(20_000): 1}});
        let patch: Vec<Value> = (0..30)
            .map(|n| json!({"op": "copy", "from": "/A", "path": format!("/A/{n}")}))
            .collect();
        let refused = apply_text(&long, &Value::from(patch).to_string()).unwrap_err();
        assert_eq!(refused, "[COPY Operation] model too large");
    }

    #[test]
    fn a_patch_that_goes_deeper_and_deeper_is_stopped() {
        let mut patch = vec![json!({"op": "add", "path": "/A", "value": {"B": {}}})];
        // A chain of so many: copied below its own end it is twice as long and one.
        let mut chain = 1;
        for _ in 0..20 {
            let end = format!("/A{}", "/B".repeat(chain + 1));
            patch.push(json!({"op": "copy", "from": "/A", "path": end}));
            chain = (2 * chain + 1).min(1000);
        }
        let short = Value::from(patch[..6].to_vec()).to_string();
        assert_eq!(apply_text(&json!({}), &short).map(|it| depth(&it)), Ok(65));
        let refused = apply_text(&json!({}), &Value::from(patch).to_string()).unwrap_err();
        assert_eq!(refused, "model too deep");
        let deep = format!("{}1{}", "[".repeat(101), "]".repeat(101));
        let patch = format!(r#"[{{"op":"add","path":"/A","value":{deep}}}]"#);
        assert_eq!(apply_text(&json!({}), &patch).unwrap_err(), "model too deep");
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<i8>().prop_map(Value::from), "[a-b]".prop_map(Value::from)];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ab/~]", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn operation() -> impl Strategy<Value = Value> {
        let path = "(/(a|b|0|1|-|~1|~0)){0,3}";
        prop_oneof![
            (path, document()).prop_map(|(p, v)| json!({"op": "add", "path": p, "value": v})),
            (path, document()).prop_map(|(p, v)| json!({"op": "replace", "path": p, "value": v})),
            path.prop_map(|p| json!({"op": "remove", "path": p})),
            (path, path).prop_map(|(f, p)| json!({"op": "move", "from": f, "path": p})),
            (path, path).prop_map(|(f, p)| json!({"op": "copy", "from": f, "path": p})),
        ]
    }

    proptest! {
        #[test]
        fn an_independent_crate_agrees(
            before in document(),
            operations in prop::collection::vec(operation(), 0..4),
        ) {
            let text = Value::from(operations.clone()).to_string();
            let ours = apply_text(&before, &text);
            let theirs: json_patch::Patch =
                serde_json::from_value(Value::from(operations.clone())).unwrap();
            let mut patched = before.clone();
            let agreed = json_patch::patch_unsafe(&mut patched, &theirs);
            // Removing or moving away the whole document is refused here: a model is an object.
            let takes_all = operations.iter().any(|operation| {
                let is_root = |name: &str| operation[name] == "";
                (operation["op"] == "remove" && is_root("path"))
                    || (operation["op"] == "move" && is_root("from"))
            });
            if let (Ok(ours), Ok(())) = (&ours, &agreed) {
                prop_assert_eq!(ours, &patched);
            } else if !takes_all {
                prop_assert_eq!(ours.is_ok(), agreed.is_ok(), "{:?} {:?}", ours, agreed);
            }
        }
    }
}
