//! Real names from the shared fixtures; skipped by name in a clone which does not have them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hangar_ids::{Arn, Kind, ResourceId, TypeName};
use serde_json::Value;

use super::laws;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");

#[test]
fn every_arn_template_reads_and_has_an_id_or_a_code() {
    let Ok(templates) = fs::read_to_string(Path::new(SHARED).join("schemas/arn-templates.tsv"))
    else {
        println!("skipped: every_arn_template_reads_and_has_an_id_or_a_code (no ../shared)");
        return;
    };
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for line in templates.lines() {
        let (type_name, template) = line.split_once('\t').expect("two columns");
        let name = TypeName::parse(type_name).unwrap_or_else(|d| panic!("{type_name}: {d}"));
        assert_eq!(name.cloud_formation(), type_name);
        let text = instance(template);
        laws::arn(&text);
        let arn = Arn::parse(&text).unwrap_or_else(|d| panic!("{text}: {d}"));
        let outcome = match arn.to_resource_id(Some("123456789012")) {
            Ok(id) => {
                assert_eq!(id.kind(), Kind::Resource, "{id}");
                "converted".to_owned()
            }
            Err(refused) => format!("refused with {}", refused.code),
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    println!("counted: ARN templates: {outcomes:?}");
    let converted = outcomes.get("converted").copied().unwrap_or(0);
    assert!(converted * 100 >= templates.lines().count() * 99, "{outcomes:?}");
}

#[test]
fn every_type_of_the_catalog_reads_and_prints_back() {
    let Ok(types) = fs::read_to_string(Path::new(SHARED).join("schemas/types.tsv")) else {
        println!("skipped: every_type_of_the_catalog_reads_and_prints_back (no ../shared)");
        return;
    };
    for line in types.lines().skip(1) {
        let text = line.split('\t').next().unwrap_or_default();
        let name = TypeName::parse(text).unwrap_or_else(|d| panic!("{text}: {d}"));
        assert_eq!(name.cloud_formation(), text);
        assert_eq!(TypeName::parse(&name.ucp()), Ok(name));
    }
}

#[test]
fn the_arns_of_real_states_give_the_expected_ids() {
    let states = states();
    if states.is_empty() {
        println!("skipped: the_arns_of_real_states_give_the_expected_ids (no ../shared)");
        return;
    }
    let mut total = 0;
    for folder in states {
        let expected = json(&folder.join("expected.json"));
        let account = expected["env_aws_account"].as_str();
        let found: BTreeSet<String> = arns(&json(&folder.join("terraform.tfstate")))
            .iter()
            .map(|text| Arn::parse(text).and_then(|arn| arn.to_resource_id(account)))
            .map(|id| id.unwrap_or_else(|d| panic!("{}: {d}", folder.display())).to_string())
            .collect();
        let wanted: BTreeSet<String> = texts(&expected["resources"])
            .filter(|id| id.starts_with("/planes/aws/"))
            .map(str::to_owned)
            .collect();
        assert_eq!(found, wanted, "{}", folder.display());
        total += found.len();
    }
    println!("counted: ids from the ARNs of real states: {total}");
    assert!(total > 0, "no state has an ARN");
}

#[test]
fn every_expected_id_prints_back_unchanged() {
    let states = states();
    if states.is_empty() {
        println!("skipped: every_expected_id_prints_back_unchanged (no ../shared)");
        return;
    }
    let mut total = 0;
    for folder in states {
        let expected = json(&folder.join("expected.json"));
        let instances = expected["instances"].as_array().into_iter().flatten();
        let beyond = instances.flat_map(|instance| [&instance["id"], &instance["beyond_id"]]);
        for text in texts(&expected["resources"]).chain(beyond.filter_map(Value::as_str)) {
            laws::resource_id(text);
            let id = ResourceId::parse(text).unwrap_or_else(|d| panic!("{text}: {d}"));
            assert_eq!(id.to_string(), text);
            assert_eq!(id.kind(), Kind::Resource);
            total += 1;
        }
    }
    println!("counted: expected ids: {total}");
    assert!(total > 0, "no state has an id");
}

/// A template with every variable filled in.
fn instance(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("${") {
        let (variable, after) = after.split_once('}').expect("a closed variable");
        text.push_str(before);
        text.push_str(match variable {
            "Partition" => "aws",
            "Region" => "us-east-1",
            "Account" => "123456789012",
            _ => "name-1",
        });
        rest = after;
    }
    text + rest
}

fn states() -> Vec<PathBuf> {
    let folders = fs::read_dir(Path::new(SHARED).join("fixtures/tfstate")).into_iter().flatten();
    let mut folders: Vec<PathBuf> = folders.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join("expected.json").is_file());
    folders.sort();
    folders
}

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The ARNs of the managed, current instances of AWS resources, in a state of version 3 or 4.
fn arns(state: &Value) -> Vec<String> {
    let is_aws =
        |resource: &Value| resource["type"].as_str().is_some_and(|t| t.starts_with("aws_"));
    let version_4 = state["resources"].as_array().into_iter().flatten();
    let version_4 = version_4
        .filter(|resource| is_aws(resource) && resource["mode"] == "managed")
        .flat_map(|resource| resource["instances"].as_array().into_iter().flatten())
        .filter(|instance| instance["deposed"].is_null());
    let modules = state["modules"].as_array().into_iter().flatten();
    let version_3 = modules
        .flat_map(|module| module["resources"].as_object().into_iter().flatten())
        .filter(|(address, resource)| is_aws(resource) && !address.starts_with("data."))
        .map(|(_, resource)| &resource["primary"]);
    let instances = version_4.chain(version_3);
    instances.filter_map(|it| it["attributes"]["arn"].as_str()).map(str::to_owned).collect()
}
