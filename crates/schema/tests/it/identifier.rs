//! Identifiers from properties and from text.

use hangar_ids::IdentifierSet;
use hangar_schema::{
    Catalog, PropertyPointer, Source, TypeSchema, additional_identifier_of, identifier_of,
    read_identifier,
};
use serde_json::{Value, json};

fn nested() -> TypeSchema {
    let schema = json!({
        "typeName": "Test::Small::Type",
        "properties": {
            "Scope": {"type": "string"},
            "Device": {"type": "object", "properties": {"Id": {"type": "integer"}, "Default": {"type": "boolean"}}},
            "Other": {"type": "object", "properties": {"Id": {"type": "string"}}},
            "Arn": {"type": "string"},
        },
        "primaryIdentifier": ["/properties/Scope", "/properties/Device/Id"],
        "additionalIdentifiers": [["/properties/Arn"], ["/properties/Device/Id", "/properties/Other/Id"]],
    });
    TypeSchema::compile(&schema, Source::File).unwrap()
}

#[test]
fn parts_are_found_below_objects_and_numbers_and_booleans_are_text() {
    let properties = json!({"Scope": true, "Device": {"Id": 12_345_678_901_234_567_890_u64}});
    assert_eq!(
        identifier_of(&nested(), &properties).unwrap().as_str(),
        "true|12345678901234567890"
    );
}

#[test]
fn every_missing_part_is_named_with_what_the_schema_wants() {
    let said = |properties: &Value| {
        let refused = identifier_of(&nested(), properties).unwrap_err();
        format!("{refused} ({})", refused.hints.join("; "))
    };
    insta::assert_snapshot!(
        [
            json!({}),
            json!(null),
            json!({"Scope": null, "Device": {"Id": "x"}}),
            json!({"Scope": ["a"], "Device": {}}),
            json!({"Scope": "a|b", "Device": {"Id": 1}}),
            json!({"Scope": "", "Device": {"Id": 1}}),
        ]
        .map(|properties| said(&properties))
        .join("\n"),
        @r"
    error[SCHEMA0121]: the properties of Test::Small::Type lack `/Scope` and `/Device/Id`, which the identifier requires (the identifier consists of `/Scope|/Device/Id`)
    error[SCHEMA0121]: the properties of Test::Small::Type lack `/Scope` and `/Device/Id`, which the identifier requires (the identifier consists of `/Scope|/Device/Id`)
    error[SCHEMA0121]: the properties of Test::Small::Type lack `/Scope`, which the identifier requires (the identifier consists of `/Scope|/Device/Id`)
    error[SCHEMA0121]: the properties of Test::Small::Type lack `/Device/Id` and have no string, number or boolean at `/Scope`, which the identifier requires (the identifier consists of `/Scope|/Device/Id`)
    error[ID0038]: part 1 of the identifier, `a|b`, contains `|` (AWS separates the parts with `|` and cannot escape one inside a part; the identifier consists of `/Scope|/Device/Id`)
    error[ID0030]: part 1 of the identifier is empty (write a value for every part; the identifier consists of `/Scope|/Device/Id`)
    "
    );
}

#[test]
fn an_additional_identifier_is_made_of_its_own_parts() {
    let properties = json!({"Arn": "arn:x", "Device": {"Id": 1}, "Other": {"Id": "b"}});
    let made = |index| additional_identifier_of(&nested(), index, &properties);
    assert_eq!(made(0).unwrap().as_str(), "arn:x");
    assert_eq!(made(1).unwrap().as_str(), "1|b");
    insta::assert_snapshot!(made(2).unwrap_err(), @"error[SCHEMA0120]: Test::Small::Type has no additional identifier 2");
}

#[test]
fn text_is_read_in_every_form_and_an_error_lists_the_parts() {
    let schema = nested();
    for text in ["a|1", r#"{"Id": 1, "Scope": "a"}"#, "Scope=a,Id=1"] {
        let named = read_identifier(&schema, text).unwrap();
        assert_eq!(
            (named.set, named.identifier.as_str()),
            (IdentifierSet::Primary, "a|1"),
            "{text}"
        );
    }
    // Two parts of one set end in the same name, so the whole pointer tells them apart.
    let named = read_identifier(&schema, "Device/Id=1 Other/Id=b").unwrap();
    assert_eq!((named.set, named.identifier.as_str()), (IdentifierSet::Additional(1), "1|b"));
    let refused = read_identifier(&schema, "a").unwrap_err();
    insta::assert_snapshot!(refused.hints.join("; "), @"write 2 parts joined with `|`; the schema's primary identifier is `Scope|Id`; its additional identifiers are `Arn`, `Device/Id|Other/Id`");
}

#[test]
fn a_type_without_an_identifier_says_so() {
    let schema = json!({"typeName": "Test::Small::Type", "properties": {}});
    let schema = TypeSchema::compile(&schema, Source::File).unwrap();
    insta::assert_snapshot!(identifier_of(&schema, &json!({})).unwrap_err(), @"error[SCHEMA0120]: the schema of Test::Small::Type has no primary identifier");
}

/// A document that has `part-N` at each pointer.
fn document_with(set: &[PropertyPointer]) -> (Value, Vec<String>) {
    let mut document = json!({});
    let mut parts = Vec::new();
    for (index, pointer) in set.iter().enumerate() {
        let part = format!("part-{index}");
        let mut at = &mut document;
        for name in pointer.member_names().unwrap() {
            at = &mut at[name];
        }
        *at = json!(part);
        parts.push(part);
    }
    (document, parts)
}

#[test]
fn the_identifier_of_every_type_splits_into_the_values_it_was_made_of() {
    let catalog = Catalog::bundled();
    let (mut types, mut parts_made, mut additional) = (0, 0, 0);
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        let set = schema.primary_identifier();
        if set.is_empty() {
            continue;
        }
        let (document, parts) = document_with(set);
        let identifier = identifier_of(&schema, &document).unwrap();
        assert_eq!(identifier.parts(set.len()).unwrap(), parts, "{name}");
        let read = read_identifier(&schema, identifier.as_str()).unwrap();
        assert_eq!((read.set, read.identifier), (IdentifierSet::Primary, identifier), "{name}");
        for (index, set) in schema.additional_identifiers().iter().enumerate() {
            let (document, parts) = document_with(set);
            let identifier = additional_identifier_of(&schema, index, &document).unwrap();
            assert_eq!(identifier.parts(set.len()).unwrap(), parts, "{name} {index}");
            additional += 1;
        }
        types += 1;
        parts_made += parts.len();
    }
    println!(
        "counted: identifiers: {types} types, {parts_made} parts, {additional} additional identifiers"
    );
    assert!(types > 1600 && additional > 100);
}
