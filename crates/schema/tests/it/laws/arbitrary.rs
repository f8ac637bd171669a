//! Any documents, any schema: no panic, and one answer.

use hangar_schema::{Catalog, Source, TypeSchema};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::places::worlds;
use super::total::{self, Bytes};

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..160)
}

fn hold(schema: &TypeSchema, live: &[u8], desired: &[u8], applied: &[u8]) {
    let names: Vec<&str> = schema.property_names().collect();
    let document = |bytes| Bytes(bytes).document(&names);
    let (live, desired, applied) = (document(live), document(desired), document(applied));
    total::documents(schema, &live, &desired, Some(&applied));
    total::documents(schema, &live, &desired, None);
}

proptest! {
    #[test]
    fn any_documents_of_a_small_schema_have_one_answer(
        which in 0_usize..100, live in any_bytes(), desired in any_bytes(), applied in any_bytes(),
    ) {
        thread_local! {
            static WORLDS: Vec<(&'static str, TypeSchema)> = worlds();
        }
        WORLDS.with(|worlds| hold(&worlds[which % worlds.len()].1, &live, &desired, &applied));
    }

    #[test]
    fn any_documents_of_a_public_type_have_one_answer(
        which in any::<proptest::sample::Index>(),
        live in any_bytes(), desired in any_bytes(), applied in any_bytes(),
    ) {
        let catalog = Catalog::bundled();
        let names: Vec<&str> = catalog.names().collect();
        let schema = catalog.get(names[which.index(names.len())]).unwrap();
        hold(&schema, &live, &desired, &applied);
    }

    #[test]
    fn a_damaged_schema_is_refused_or_works(
        which in any::<proptest::sample::Index>(),
        damage in proptest::collection::vec((any::<u16>(), any_bytes()), 1..4),
        live in any_bytes(), desired in any_bytes(), applied in any_bytes(),
    ) {
        let catalog = Catalog::bundled();
        let names: Vec<&str> = catalog.names().collect();
        let mut document = catalog.schema_document(names[which.index(names.len())]).unwrap();
        for (place, bytes) in &damage {
            harm(&mut document, usize::from(*place), bytes);
        }
        if let Ok(schema) = TypeSchema::compile(&document, Source::File) {
            hold(&schema, &live, &desired, &applied);
        }
    }

    #[test]
    fn any_pointer_text_leaves_a_schema_that_works(text in "(/(properties|items|\\*|Place|A|List|Map|B|~1|definitions|[^/]{0,4})){0,8}|.{0,40}") {
        total::pointer(&text);
    }
}

/// Puts something else at one place of a schema, found by counting.
fn harm(document: &mut Value, place: usize, bytes: &[u8]) {
    const WORDS: [&str; 8] =
        ["$ref", "items", "properties", "oneOf", "type", "required", "patternProperties", "enum"];
    let mut left = place % count(document).max(1);
    let mut put = |value: &mut Value| {
        *value = match bytes.first().map(|byte| byte % 4) {
            Some(0) => json!({"$ref": "#/properties"}),
            Some(1) => json!([]),
            _ => Bytes(bytes).document(&WORDS),
        };
    };
    find(document, &mut left, &mut put);
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(count).sum::<usize>(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// Calls `put` on the value that `left` counts down to; says whether it was found.
fn find(value: &mut Value, left: &mut usize, put: &mut dyn FnMut(&mut Value)) -> bool {
    if *left == 0 {
        put(value);
        return true;
    }
    *left -= 1;
    match value {
        Value::Object(members) => members.values_mut().any(|member| find(member, left, put)),
        Value::Array(items) => items.iter_mut().any(|item| find(item, left, put)),
        _ => false,
    }
}
