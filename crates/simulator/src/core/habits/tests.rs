//! The table against the catalog, and the habits on small models.

use std::collections::HashMap;

use hangar_schema::outline::Outline;
use hangar_schema::{Catalog, Class};
use serde_json::json;

use super::*;

mod every_row;

/// What describes the place of a row; a free-form object describes all that it holds.
fn find_place<'s>(schema: &'s TypeSchema, steps: &[String]) -> Option<Outline<'s>> {
    steps.iter().try_fold(schema.outline(), |at, step| {
        let is_free = at.members().next().is_none() && at.element().is_none();
        match step.as_str() {
            "*" => at.element().or_else(|| at.others()),
            name => at.find_member(name).or_else(|| at.others()),
        }
        .or(is_free.then_some(at))
    })
}

#[test]
fn every_row_is_read_and_names_a_readable_property_of_its_type_and_a_source() {
    let catalog = Catalog::bundled();
    let mut schemas: HashMap<&str, TypeSchema> = HashMap::new();
    let mut last = String::new();
    for line in rows::lines() {
        let rows::Line { type_name, row, shown_in } = rows::read_line(line).expect(line);
        let schema =
            schemas.entry(type_name).or_insert_with(|| catalog.get(type_name).expect(line));
        let place = find_place(schema, &row.steps).expect(line);
        assert!(!place.classes().is_hidden(), "a read never returns it: {line}");
        assert!(!place.classes().has(Class::ReadOnly), "no caller states it: {line}");
        let source = line.split('\t').nth(4).expect(line);
        assert!(source.len() > 10 && line.split('\t').count() == 5, "{line}");
        assert!(last.as_str() < line, "the rows are sorted: {line}");
        line.clone_into(&mut last);
        if let Some((target, _)) = shown_in {
            assert!(catalog.get(&target).is_ok(), "{line}");
        }
    }
}

fn habits_of<'a>(schema: &'a TypeSchema, place: &'a Place) -> Habits<'a> {
    static NONE: std::sync::LazyLock<AddedHabits> = std::sync::LazyLock::new(AddedHabits::default);
    Habits::of(schema, place, &NONE)
}

#[test]
fn a_default_is_filled_in_where_its_holder_is_and_the_caller_states_nothing() {
    let schema = Catalog::bundled().get("AWS::Lambda::Function").unwrap();
    let place = Place::of_caller("42", "eu-west-1");
    let fill =
        |model: Value| habits_of(&schema, &place).fill(&model, &mut Random::new(0, &[]), &|_| true);
    let filled = fill(json!({"FunctionName": "f"}));
    assert_eq!(filled["LoggingConfig"], json!({"LogFormat": "Text", "LogGroup": "/aws/lambda/f"}));
    let stated = fill(json!({"FunctionName": "f", "LoggingConfig": {"LogFormat": "JSON"}}));
    assert_eq!(stated["LoggingConfig"]["LogFormat"], "JSON");
    assert!(stated["LoggingConfig"].get("LogGroup").is_none());
    assert!(fill(json!({})).get("LoggingConfig").is_none(), "no name, no log group");
}

#[test]
fn an_addition_that_the_callers_values_exclude_is_left_out() {
    let schema = Catalog::bundled().get("AWS::EC2::VPC").unwrap();
    let place = Place::default();
    let is_sound = |model: &Value| model.get("InstanceTenancy").is_none();
    let filled = habits_of(&schema, &place).fill(&json!({}), &mut Random::new(0, &[]), &is_sound);
    assert_eq!(filled, json!({"EnableDnsSupport": true}));
}

#[test]
fn an_element_is_added_once_and_only_among_elements_with_its_keys() {
    let keys = ["Key".to_owned()];
    let element = json!({"Key": "a", "Value": "1"});
    let mut members = Map::new();
    assert!(add_element(&mut members, "List", &keys, &element));
    assert!(!add_element(&mut members, "List", &keys, &element));
    assert_eq!(members["List"], json!([element]));
    members["List"] = json!([{"Value": "2"}]);
    assert!(!add_element(&mut members, "List", &keys, &element));
}

#[test]
fn policies_and_documents_are_rewritten_and_plain_texts_are_not() {
    let catalog = Catalog::bundled();
    let place = Place::default();
    let policy = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": ["a:B"], "Resource": "*"}}"#;
    let expected = r#"{"Statement":[{"Action":"a:B","Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"}"#;
    let logs = catalog.get("AWS::Logs::ResourcePolicy").unwrap();
    let respelled = habits_of(&logs, &place).respell(&json!({"PolicyDocument": policy}));
    assert_eq!(respelled["PolicyDocument"], expected);
    let role = catalog.get("AWS::IAM::Role").unwrap();
    let document: Value = serde_json::from_str(policy).unwrap();
    let respelled =
        habits_of(&role, &place).respell(&json!({"AssumeRolePolicyDocument": document}));
    assert_eq!(respelled["AssumeRolePolicyDocument"]["Statement"][0]["Action"], "a:B");
    let parameter = catalog.get("AWS::SSM::Parameter").unwrap();
    let stated = json!({"Type": "String", "Value": r#"{ "b": 1, "a": 2 }"#});
    assert_eq!(habits_of(&parameter, &place).respell(&stated), stated, "it is not a document");
}

#[test]
fn sets_are_shuffled_and_other_arrays_and_executed_ones_stay() {
    let schema = hangar_schema::TypeSchema::compile(
        &json!({"typeName": "A::B::C", "properties": {
            "Set": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
            "List": {"type": "array", "items": {"type": "string"}},
            "Ordered": {"type": "array", "uniqueItems": true, "insertionOrder": true,
                "items": {"type": "string"}},
        }}),
        hangar_schema::Source::File,
    )
    .unwrap();
    let letters = json!(["a", "b", "c", "d", "e", "f", "g"]);
    let model = json!({"Set": letters, "List": letters, "Ordered": letters});
    let place = Place::default();
    let once = habits_of(&schema, &place).reorder(&model, &mut Random::new(7, &[]));
    assert_eq!(once, habits_of(&schema, &place).reorder(&model, &mut Random::new(7, &[])));
    assert_ne!(once["Set"], letters);
    assert_eq!((&once["List"], &once["Ordered"]), (&letters, &letters));
}
