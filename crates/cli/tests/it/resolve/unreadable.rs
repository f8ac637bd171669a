//! Every type that Cloud Control cannot read: resolved by a declared output, else refused with the one to declare.

use hangar_schema::sample::Size;
use hangar_schema::{Catalog, PropertyPointer, TypeSchema};
use serde_json::{Value, json};

use super::rig::Rig;
use super::sample::{LOGICAL_ID, desired};

/// The types that were found to have no read handler when nobody looked at our catalog.
const KNOWN: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/cdk8s/no-read-types.json");

fn unreadable_types(catalog: &Catalog) -> Vec<String> {
    let is_unreadable = |name: &&str| catalog.get(name).unwrap().handlers().read.is_none();
    catalog.names().filter(is_unreadable).map(str::to_owned).collect()
}

/// An attribute that `Fn::GetAtt` can have: a read-only property, else one that is stated.
fn attribute(schema: &TypeSchema, properties: &Value) -> Option<String> {
    let plain = |pointer: &PropertyPointer| Some(pointer.member_names()?.join("."));
    let stated = properties.as_object()?.iter().find(|(_, value)| value.is_string());
    let read_only = schema.lists().read_only.iter().find_map(plain);
    read_only.or_else(|| stated.map(|(name, _)| name.clone()))
}

/// A stack of one resource of the type, with or without an output for the attribute.
fn template(schema: &TypeSchema, properties: &Value, output: Option<&str>) -> Value {
    let mut template =
        json!({"Resources": {LOGICAL_ID: {"Type": schema.name(), "Properties": properties}}});
    if let Some(attribute) = output {
        template["Outputs"] = json!({"Told": {"Value": {"Fn::GetAtt": [LOGICAL_ID, attribute]}}});
    }
    template
}

#[test]
fn every_unreadable_type_is_resolved_by_its_output_and_refused_without() {
    let (catalog, rig) = (Catalog::bundled(), Rig::new());
    let types = unreadable_types(&catalog);
    let (mut bare, mut told, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for (at, type_name) in types.iter().enumerate() {
        let schema = catalog.get(type_name).unwrap();
        let sample = |seed| desired(&schema, seed, Size::Medium).unwrap_or_else(|| json!({}));
        let Some(attribute) = attribute(&schema, &sample(2)) else {
            without.push(type_name);
            continue;
        };
        bare.push((
            format!("bare{at}"),
            template(&schema, &sample(1), None),
            type_name,
            attribute.clone(),
        ));
        told.push((
            format!("told{at}"),
            template(&schema, &sample(2), Some(&attribute)),
            type_name,
            attribute,
        ));
    }
    let stacks = |all: &[(String, Value, &String, String)]| {
        let named: Vec<(&str, &Value)> =
            all.iter().map(|(name, template, ..)| (name.as_str(), template)).collect();
        rig.deploy(&named)["stacks"].as_array().unwrap().clone()
    };
    let reference = |(stack, _, _, attribute): &(String, Value, &String, String)| {
        format!("${{cfn:{stack}/{LOGICAL_ID}#{attribute}}}")
    };
    stacks(&bare);
    let outputs = stacks(&told);

    let references: Vec<String> = bare.iter().map(reference).collect();
    for ((_, _, type_name, attribute), found) in bare.iter().zip(rig.values(&references)) {
        let refusal = found.expect_err(type_name);
        assert_eq!(refusal.code(), "REF0007", "{}", refusal.text());
        let said = refusal.text();
        let output = format!("{{\"Value\":{{\"Fn::GetAtt\":[\"{LOGICAL_ID}\",\"{attribute}\"]}}}}");
        assert!(said.contains(type_name.as_str()) && said.contains(&output), "{said}");
    }
    let references: Vec<String> = told.iter().map(reference).collect();
    for (at, found) in rig.values(&references).into_iter().enumerate() {
        let type_name = told[at].2;
        let found = found.unwrap_or_else(|refusal| panic!("{type_name}: {}", refusal.text()));
        let expected = &outputs[at]["outputs"]["Told"];
        assert!(expected.is_string(), "{type_name}: {}", outputs[at]);
        assert_eq!(found, *expected, "{type_name}");
    }
    println!(
        "counted: types without a read handler: {}; resolved by an output: {}; refused without: {}; \
         without any attribute: {without:?}",
        types.len(),
        told.len(),
        bare.len()
    );
    assert!(types.len() > 100 && without.len() < 10);
    let Ok(known) = std::fs::read_to_string(KNOWN) else {
        println!("skipped: types that are known to be unreadable (no ../shared)");
        return;
    };
    let known: Vec<String> = serde_json::from_str(&known).unwrap();
    let (tried, other): (Vec<&String>, Vec<&String>) =
        known.iter().partition(|name| told.iter().any(|(_, _, told, _)| told == name));
    println!(
        "counted: of {} types that are known to be unreadable, tried: {}; readable by now: {other:?}",
        known.len(),
        tried.len()
    );
    let is_readable = |name: &str| catalog.get(name).is_ok_and(|it| it.handlers().read.is_some());
    assert!(other.iter().all(|name| is_readable(name)), "{other:?}");
}

#[test]
fn an_output_for_another_attribute_is_not_taken() {
    let rig = Rig::new();
    let outputs = json!({
        "Other": {"Value": {"Fn::GetAtt": ["Db", "Endpoint"]}},
        "Longer": {"Value": {"Fn::Join": ["", [{"Fn::GetAtt": ["Db", "ReadEndpoint"]}, ":27017"]]}},
    });
    let resources = json!({"Db": {"Type": "AWS::DocDB::DBCluster", "Properties": {}}});
    rig.deploy(&[("Docs", &json!({"Resources": resources, "Outputs": outputs}))]);
    let refusal = rig.refusal("${cfn:Docs/Db#ReadEndpoint}");
    assert_eq!(refusal.code(), "REF0007");
    assert!(refusal.text().contains("AWS::DocDB::DBCluster"), "{}", refusal.text());
    assert!(rig.value("${cfn:Docs/Db#Endpoint}").is_string());
}
