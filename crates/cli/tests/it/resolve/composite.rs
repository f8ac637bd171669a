//! Every type whose identifier has several parts: its attributes and what `Ref` gives, from the simulator.

use std::collections::BTreeMap;

use hangar_manifest::cloudformation::physical_id;
use hangar_schema::Catalog;
use hangar_schema::sample::Size;
use serde_json::Value;

use super::rig::Rig;
use super::sample::{Sampled, attribute_of, beside, deployed};

const CLASSES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/fixtures/cdk8s/composite-identifiers.json"
);

/// How the identifier of each type can be told, as it was found out once; empty in a clone without it.
fn classes() -> BTreeMap<String, String> {
    let Ok(text) = std::fs::read_to_string(CLASSES) else {
        println!("skipped: classes of composite identifiers (no ../shared)");
        return BTreeMap::new();
    };
    let all: Value = serde_json::from_str(&text).unwrap();
    let class = |it: &Value| it["class"].as_str().unwrap().to_owned();
    all.as_object().unwrap().iter().map(|(name, it)| (name.clone(), class(it))).collect()
}

fn composite_types(catalog: &Catalog) -> Vec<String> {
    let is_composite = |name: &&str| catalog.get(name).unwrap().primary_identifier().len() > 1;
    catalog.names().filter(is_composite).map(str::to_owned).collect()
}

/// How many were resolved and how many refused, by code.
#[derive(Debug, Default)]
struct Tally {
    resolved: usize,
    refused: BTreeMap<String, usize>,
}

#[test]
fn every_composite_type_is_resolved_or_refused_by_name() {
    let (catalog, classes) = (Catalog::bundled(), classes());
    let types = composite_types(&catalog);
    let unknown: Vec<_> = classes.keys().filter(|name| !types.contains(name)).collect();
    println!("counted: composite types: {}; known as such elsewhere: {unknown:?}", types.len());
    assert!(types.len() > 320);
    for (name, size) in [("small", Size::Small), ("medium", Size::Medium)] {
        // What a template states beside what it must makes identifiers easier to tell; some will do.
        let is_whole = size == Size::Small || std::env::var_os("HANGAR_TEST_FULL").is_some();
        let step = if is_whole { 1 } else { 5 };
        let types: Vec<String> = types.iter().step_by(step).cloned().collect();
        let rig = Rig::new();
        let stacks = deployed(&rig, &types, name, 1, size);
        let others = beside(&rig, &types, 7);
        println!("counted: resources beside those of the stacks: {others}");
        let (tallies, wrong) = attributes(&rig, &catalog, &classes, &stacks);
        for (class, tally) in &tallies {
            println!("counted: composite types, {name} templates, class {class}: {tally:?}");
        }
        for wrong in &wrong {
            println!("{name}: {wrong}");
        }
        assert!(wrong.is_empty(), "{} are wrong", wrong.len());
    }
}

/// Resolves an attribute of each; gives the counts by class and what is wrong.
fn attributes(
    rig: &Rig,
    catalog: &Catalog,
    classes: &BTreeMap<String, String>,
    stacks: &[Sampled],
) -> (BTreeMap<String, Tally>, Vec<String>) {
    let (mut references, mut expected, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for stack in stacks {
        let schema = catalog.get(&stack.type_name).unwrap();
        match attribute_of(&schema, &stack.properties) {
            Some((name, value)) => {
                references.push(stack.attribute(&name));
                expected.push((stack, name, value));
            }
            None => wrong.push(format!("{} has no attribute", stack.type_name)),
        }
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for ((stack, name, value), found) in expected.iter().zip(rig.values(&references)) {
        let type_name = &stack.type_name;
        let class = classes.get(type_name).map_or("unclassed", String::as_str);
        let tally = tallies.entry(class.to_owned()).or_default();
        match found {
            Ok(found) if found == *value => tally.resolved += 1,
            Ok(found) => wrong.push(format!(
                "{type_name} {name}: {found} and not {value} ({}, {})",
                stack.physical_id, stack.identifier
            )),
            Err(refusal) => {
                *tally.refused.entry(refusal.code().to_owned()).or_default() += 1;
                let is_told =
                    refusal.code().starts_with("REF00") && refusal.text().contains(type_name);
                if !is_told || class.starts_with("template") {
                    wrong.push(format!(
                        "{type_name} {name} ({class}; {}; {}): {}",
                        stack.physical_id,
                        stack.identifier,
                        refusal.text()
                    ));
                }
            }
        }
    }
    (tallies, wrong)
}

#[test]
fn ref_of_every_composite_type_is_its_physical_id() {
    let catalog = Catalog::bundled();
    let rig = Rig::new();
    let stacks = deployed(&rig, &composite_types(&catalog), "ref", 3, Size::Small);
    let references: Vec<String> = stacks.iter().map(Sampled::reference).collect();
    let (mut joined, mut of_table) = (0, 0);
    for (stack, found) in stacks.iter().zip(rig.values(&references)) {
        let type_name = &stack.type_name;
        let found = found.unwrap_or_else(|refusal| panic!("{type_name}: {}", refusal.text()));
        assert_eq!(found, stack.physical_id.as_str(), "{type_name}");
        // In AWS's form: the properties that its documentation names, else the whole identifier.
        if let Some(parts) = physical_id::parts(type_name) {
            let text = |part: &&str| match &stack.properties[*part] {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            let parts: Vec<String> = parts.iter().filter_map(text).collect();
            assert_eq!(found, parts.join("|"), "{type_name}");
            of_table += 1;
        } else {
            assert_eq!(found, stack.identifier.as_str(), "{type_name}");
            joined += 1;
        }
    }
    println!(
        "counted: Ref of composite types: {of_table} by the table, {joined} the whole identifier"
    );
    assert!(of_table > 30 && joined > 280);
}
