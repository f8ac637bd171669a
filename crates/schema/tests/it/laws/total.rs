//! What holds for any documents and any schema at all: the fuzz targets run these too.

use hangar_schema::{
    Inputs, Outcome, Source, Subject, TypeSchema, patch, secrets, target, without_secrets,
};
use serde_json::{Map, Value, json};

/// Reads a document out of bytes: any bytes are one, near bytes are near documents.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

/// Names that mean something to somebody, and some that must be escaped.
const NAMES: [&str; 18] = [
    "Place",
    "A",
    "B",
    "Inner",
    "List",
    "Ro",
    "Co",
    "Wo",
    "Key",
    "Value",
    "Name",
    "a",
    "b",
    "aws:x",
    "hangar:operation",
    "a/b",
    "~1",
    "",
];

const SCALARS: [&str; 12] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "1.0",
    "1e400",
    "-0",
    "\"0\"",
    "\"1\"",
    "\"true\"",
    "\"{\\\"a\\\":[1]}\"",
];

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }

    /// One of `names`, or a name that means something in general.
    fn name(&mut self, names: &[&str]) -> String {
        let at = self.next() % (names.len() + NAMES.len());
        names.get(at).unwrap_or_else(|| &NAMES[at - names.len()]).to_string()
    }

    /// An object.
    pub(crate) fn document(&mut self, names: &[&str]) -> Value {
        self.object(names, 0)
    }

    fn object(&mut self, names: &[&str], depth: usize) -> Value {
        let count = self.next() % 5;
        let member = |_| (self.name(names), self.value(names, depth + 1));
        Value::Object((0..count).map(member).collect::<Map<_, _>>())
    }

    fn value(&mut self, names: &[&str], depth: usize) -> Value {
        match self.next() % 8 {
            0..=2 if depth < 6 => self.object(names, depth),
            3..=4 if depth < 6 => {
                let count = self.next() % 4;
                (0..count).map(|_| self.value(names, depth + 1)).collect()
            }
            5 => self.name(names).into(),
            _ => serde_json::from_str(SCALARS[self.next() % SCALARS.len()]).unwrap(),
        }
    }
}

/// Any three documents have a patch or are refused, always in the same way, and the patch is whole.
pub(crate) fn documents(
    schema: &TypeSchema,
    live: &Value,
    desired: &Value,
    applied: Option<&Value>,
) {
    let inputs = Inputs { live, desired, applied };
    let found = patch(schema, &inputs);
    let again = patch(schema, &inputs);
    for document in [Some(live), Some(desired), applied].into_iter().flatten() {
        let readable = without_secrets(schema, document);
        assert!(secrets(schema, &readable).is_empty(), "{readable}");
    }
    let Ok(found) = found else {
        assert!(again.is_err());
        return;
    };
    assert_eq!(Some(&found), again.as_ref().ok());
    assert_eq!(found.outcome == Outcome::Update, !found.operations.is_empty());
    assert_eq!(found.outcome == Outcome::ReplaceRequired, !found.reasons.is_empty());
    let explained = found
        .explanations
        .iter()
        .filter(|one| matches!(one.subject, Subject::Add | Subject::Remove));
    assert_eq!(explained.count(), found.operations.len());
    assert!(target(live, &found).is_object());
}

/// Any text in place of a pointer leaves a schema that works.
pub(crate) fn pointer(text: &str) {
    let place = json!({"type": "object", "properties": {
        "A": {"type": "string"},
        "List": {"type": "array", "items": {"type": "object", "properties": {"B": {}}}},
        "Map": {"type": "object", "patternProperties": {".+": {"type": "string"}}}
    }});
    for keyword in [
        "readOnlyProperties",
        "createOnlyProperties",
        "writeOnlyProperties",
        "nonPublicProperties",
        "deprecatedProperties",
        "conditionalCreateOnlyProperties",
        "primaryIdentifier",
    ] {
        let schema = json!({
            "typeName": "Test::Any::Pointer",
            "properties": {"Place": place, "Again": {"$ref": "#/properties/Again"}},
            keyword: [text],
            "tagging": {"tagProperty": text},
            "propertyTransform": {text: "$lowercase(A)"}
        });
        let schema = TypeSchema::compile(&schema, Source::File).unwrap();
        for pointer in &schema.lists().read_only {
            // A resolved pointer, printed, means itself.
            let printed = json!({
                "typeName": "Test::Any::Pointer",
                "properties": {"Place": place, "Again": {"$ref": "#/properties/Again"}},
                "readOnlyProperties": [pointer.to_string()]
            });
            let printed = TypeSchema::compile(&printed, Source::File).unwrap();
            assert_eq!(printed.lists().read_only.first(), Some(pointer), "{text:?}");
        }
        let document = json!({"Place": {"A": "1", "List": [{"B": 1}], "Map": {"k": "v"}}});
        let other = json!({"Place": {"A": "2", "List": [{"B": 2}], "Map": {"l": "v"}}});
        documents(&schema, &document, &other, Some(&document));
    }
}
