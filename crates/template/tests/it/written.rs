//! What is written as Bicep is read back as what it was made of.

use std::collections::BTreeSet;

use hangar_schema::Catalog;
use hangar_schema::sample::{Sampler, Size};
use hangar_template::deployment::{Inputs, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::Sources;
use hangar_template::write::{self, ResourceText, symbol_for};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a text that declares one resource says of it.
fn read_back(text: &str) -> Value {
    let compiled = compile(&Sources::of("main.bicep", text.as_bytes()), "main.bicep");
    assert_eq!(compiled.problems, [], "{text}");
    let started = compiled.program.unwrap().start(&Inputs::default());
    assert_eq!(started.problems, [], "{text}");
    let body = started.deployment.unwrap().body(0, &NothingKnown).unwrap();
    body.properties.to_json().unwrap()
}

fn written(properties: &Value) -> String {
    let mut taken = BTreeSet::new();
    let statement = ResourceText {
        symbol: symbol_for("one-bucket", &mut taken),
        type_name: "AWS.S3/Bucket".into(),
        alias: "one-bucket".into(),
        properties: properties.clone(),
        ..ResourceText::default()
    };
    format!("extension aws\n\n{}", write::resource(&statement))
}

/// JSON compares numbers by value; here each digit counts.
fn is_same(document: &Value) {
    let text = written(document);
    assert_eq!(read_back(&text).to_string(), document.to_string(), "{text}");
}

#[test]
fn the_samples_of_every_type_come_back() {
    let catalog = Catalog::bundled();
    let mut count = 0;
    for name in catalog.names() {
        let Ok(schema) = catalog.get(name) else { continue };
        let mut sampler = Sampler::new(&schema);
        let desired = sampler.desired(12, Size::Medium);
        let live = sampler.live(&desired, 12);
        is_same(&without_nulls(desired));
        is_same(&without_nulls(live));
        count += 2;
    }
    println!("documents: {count}");
    assert!(count > 2_000, "{count}");
}

/// A null member of a body means that it is left out: nobody can write one.
fn without_nulls(document: Value) -> Value {
    match document {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(_, it)| !it.is_null());
            Value::Object(kept.map(|(name, it)| (name, without_nulls(it))).collect())
        }
        Value::Array(items) => {
            let kept = items.into_iter().filter(|it| !it.is_null());
            Value::Array(kept.map(without_nulls).collect())
        }
        other => other,
    }
}

#[test]
fn numbers_are_exact() {
    let text = "{\"a\": [0, -1, 9223372036854775807, -9223372036854775808, 9223372036854775808, 0.50, 1e3, -0, \
                123456789012345678901.000000000000000000001]}";
    is_same(&serde_json::from_str(text).unwrap());
}

#[test]
fn what_is_nested_deep_comes_back_and_deeper_is_told() {
    let nested = |levels: usize| (0..levels).fold(json!({"a": 1}), |it, _| json!({"b'${": [it]}));
    for levels in [1, 25, 29, 30, 31, 50] {
        is_same(&nested(levels));
    }
    assert!(write::value(&nested(60), 0).starts_with("null /*"));
    assert!(write::value(&nested(150), 0).starts_with("null /*"));
}

#[test]
fn an_expression_stands_where_a_value_would() {
    let document = json!({"a/b": {"~": [1, {"Key": "x"}]}});
    let replacements = [("/a~1b/~0/1/Key".to_owned(), "vpc.properties.VpcId".to_owned())].into();
    let text = write::value_with(&document, 0, &replacements);
    assert!(text.contains("Key: vpc.properties.VpcId"), "{text}");
}

fn documents() -> impl Strategy<Value = Value> {
    let texts = prop_oneof![
        any::<String>(),
        "[a-z'$\\\\{}\n\r\t ]{0,20}",
        Just("'''\n${x}\n'''".to_owned()),
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no other", |it| it.is_finite()).prop_map(Value::from),
        texts.prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 64, 6, |inner| {
        let key = prop_oneof![any::<String>(), "[A-Za-z_]{0,6}", Just("resource".to_owned())];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..6)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_comes_back(document in documents()) {
        is_same(&json!({ "Value": document }));
    }

    #[test]
    fn any_alias_gives_a_name(aliases in prop::collection::vec(any::<String>(), 1..8)) {
        let mut taken = BTreeSet::new();
        let mut text = "extension aws\n".to_owned();
        for (at, alias) in aliases.iter().enumerate() {
            let symbol = symbol_for(alias, &mut taken);
            text.push_str(&write::resource(&ResourceText {
                symbol,
                type_name: "AWS.S3/Bucket".into(),
                alias: format!("a{at}"),
                comment: alias.clone(),
                ..ResourceText::default()
            }));
        }
        prop_assert_eq!(taken.len(), aliases.len());
        let compiled = compile(&Sources::of("main.bicep", text.as_bytes()), "main.bicep");
        prop_assert_eq!(compiled.problems, [], "{}", text);
    }
}
