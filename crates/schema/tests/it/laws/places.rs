//! Small schemas of few values: every class of property at every kind of place.

use hangar_schema::{Source, TypeSchema};
use serde_json::{Value, json};

/// An object with a member of every class; `A` and `B` have two values each.
fn object(members: &[&str]) -> Value {
    let mut properties = serde_json::Map::new();
    for name in members {
        let schema = match *name {
            "Inner" => object(&["A", "Ro", "Co", "Wo"]),
            "Flag" => json!({"type": "boolean"}),
            "Number" => json!({"type": ["integer", "string"], "enum": [0, 1, "1", "x"]}),
            "Name" | "Key" => json!({"type": "string", "enum": ["a", "b", "c", "d"]}),
            "List" => json!({"type": "array", "insertionOrder": false, "items": {"enum": [1, 2]}}),
            _ => json!({"type": "string", "enum": ["0", "1"]}),
        };
        properties.insert((*name).to_owned(), schema);
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn array(items: &Value, is_ordered: bool) -> Value {
    json!({"type": "array", "insertionOrder": is_ordered, "items": items})
}

/// One schema for each kind of place, so that an example is small.
pub(crate) fn worlds() -> Vec<(&'static str, TypeSchema)> {
    let all = object(&["A", "B", "Flag", "Number", "Inner", "List", "Ro", "Co", "Wo"]);
    let open = object(&["A", "B", "Number", "List", "Ro", "Wo"]);
    let mut keyed = object(&["Name", "A", "B", "Ro", "Wo", "Inner"]);
    keyed["required"] = json!(["Name"]);
    let pairs = json!({"type": "object", "required": ["Key"], "properties": {
        "Key": {"enum": ["a", "b", "c"]}, "Value": {"enum": ["0", "1"]}
    }});
    let numbers = json!({"enum": [0, 1, 2]});
    let map = |value: &Value| json!({"type": "object", "patternProperties": {"^[abc]$": value}});
    let places = [
        ("object", all.clone()),
        ("map of objects", map(&open)),
        ("map of scalars", map(&json!({"enum": ["0", "1"]}))),
        ("unordered objects", array(&open, false)),
        ("ordered objects", array(&open, true)),
        ("unordered objects with create-only", array(&all, false)),
        ("ordered objects with create-only", array(&all, true)),
        ("keyed objects", array(&keyed, false)),
        ("ordered keyed objects", array(&keyed, true)),
        ("maybe keyed objects", array(&object(&["Name", "A", "Wo", "Ro"]), false)),
        ("unordered scalars", array(&numbers, false)),
        ("ordered scalars", array(&numbers, true)),
        ("arrays of arrays", array(&array(&numbers, false), false)),
        ("ordered arrays of unordered objects", array(&array(&open, false), true)),
        ("arrays of hidden objects", array(&object(&["Wo"]), false)),
        ("hidden object", object(&["Wo", "Wo2"])),
        ("tags", array(&pairs, true)),
        ("attributes", {
            let mut list = array(&pairs, false);
            list["arrayType"] = json!("AttributeList");
            list
        }),
        ("free object", json!({"type": ["object", "string"]})),
        ("document that is not a policy", json!({"type": "object"})),
    ];
    places.map(|(name, place)| (name, world(name, &place))).into()
}

fn world(name: &str, place: &Value) -> TypeSchema {
    let is_free = name.starts_with("free") || name.starts_with("document");
    let pointers = |member: &str| {
        // Where nothing is declared a star would stand for every member.
        let steps: &[&str] = if is_free { &[""] } else { &["", "/*", "/*/*"] };
        let here = steps.iter().map(|step| format!("/properties/Place{step}/{member}"));
        let inner = steps.iter().map(|step| format!("/properties/Place{step}/Inner/{member}"));
        here.chain(inner).collect::<Vec<_>>()
    };
    let mut read_only = pointers("Ro");
    read_only.push("/properties/Id".into());
    let mut write_only = pointers("Wo");
    write_only.extend(pointers("Wo2"));
    let tag_property = if name == "tags" { "/properties/Place" } else { "/properties/Tags" };
    let schema = json!({
        "typeName": "Test::World::Place",
        "properties": {
            "Id": {"enum": ["id"]},
            "Place": place,
            "Other": {"enum": [0, 1]}
        },
        "primaryIdentifier": ["/properties/Id"],
        "readOnlyProperties": read_only,
        "createOnlyProperties": pointers("Co"),
        "writeOnlyProperties": write_only,
        "tagging": {"taggable": true, "tagProperty": tag_property},
        "handlers": {"create": {}, "read": {}, "update": {}, "delete": {}, "list": {}}
    });
    TypeSchema::compile(&schema, Source::File).unwrap()
}
