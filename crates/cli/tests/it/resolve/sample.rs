//! Stacks with one resource each, whose properties are a sample of its type.

use std::collections::{BTreeMap, BTreeSet};

use hangar_diag::Diagnostic;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Class, PropertyPointer, Purpose, TypeSchema, validate};
use serde_json::{Map, Value, json};

use super::rig::Rig;
use crate::http::Connection;

/// The name of the one resource of such a stack.
pub(crate) const LOGICAL_ID: &str = "It";

/// A stack with one resource.
#[derive(Debug)]
pub(crate) struct Sampled {
    pub(crate) type_name: String,
    pub(crate) stack: String,
    /// What `DescribeStackResources` calls it.
    pub(crate) physical_id: String,
    /// What Cloud Control calls it.
    pub(crate) identifier: String,
    /// All that the simulator has of it.
    pub(crate) properties: Value,
}

impl Sampled {
    pub(crate) fn reference(&self) -> String {
        format!("${{cfn:{}/{LOGICAL_ID}}}", self.stack)
    }

    pub(crate) fn attribute(&self, name: &str) -> String {
        format!("${{cfn:{}/{LOGICAL_ID}#{name}}}", self.stack)
    }
}

/// A document that a template could state; none where the sampler finds none that is whole.
pub(crate) fn desired(schema: &TypeSchema, seed: u64, size: Size) -> Option<Value> {
    let mut sampler = Sampler::new(schema);
    let is_whole = |desired: &Value| {
        !validate(schema, desired, Purpose::Desired).iter().any(Diagnostic::is_error)
    };
    (0..10).map(|again| sampler.desired(seed + 1000 * again, size)).find(is_whole)
}

/// A template with one resource. The texts of its identifier come from parameters, so that only who evaluates
/// expressions knows them.
pub(crate) fn template(schema: &TypeSchema, properties: &Value) -> Value {
    let (mut parameters, mut stated) = (Map::new(), properties.clone());
    let members = stated.as_object_mut().unwrap();
    for (at, pointer) in schema.primary_identifier().iter().enumerate() {
        let Some([name]) =
            pointer.member_names().as_deref().map(<[&str; 1]>::try_from).and_then(Result::ok)
        else {
            continue;
        };
        if let Some(value) = members.get_mut(name).filter(|it| it.is_string()) {
            let parameter = format!("Part{at}");
            let text = std::mem::replace(value, json!({"Ref": parameter}));
            parameters.insert(parameter, json!({"Type": "String", "Default": text}));
        }
    }
    let resources = json!({LOGICAL_ID: {"Type": schema.name(), "Properties": stated}});
    json!({"Parameters": parameters, "Resources": resources})
}

/// Deploys a stack for each of these types; `prefix` begins their names.
pub(crate) fn deployed(
    rig: &Rig,
    types: &[String],
    prefix: &str,
    seed: u64,
    size: Size,
) -> Vec<Sampled> {
    let catalog = Catalog::bundled();
    let before: BTreeSet<(String, String)> =
        rig.resources().into_iter().map(|(name, identifier, _)| (name, identifier)).collect();
    let mut templates = Vec::new();
    for (at, type_name) in types.iter().enumerate() {
        let schema = catalog.get(type_name).unwrap();
        let properties = desired(&schema, seed, size).unwrap_or_else(|| panic!("{type_name}"));
        templates.push((format!("{prefix}{at}"), template(&schema, &properties)));
    }
    let named: Vec<(&str, &Value)> =
        templates.iter().map(|(name, template)| (name.as_str(), template)).collect();
    let told = rig.deploy(&named);
    let mut made: BTreeMap<String, (String, Value)> = BTreeMap::new();
    for (name, identifier, properties) in rig.resources() {
        if !before.contains(&(name.clone(), identifier.clone())) {
            made.insert(name, (identifier, properties));
        }
    }
    let stacks = told["stacks"].as_array().unwrap().iter();
    let of_type = stacks.zip(types).map(|(stack, type_name)| {
        let (identifier, properties) = made.remove(type_name).unwrap_or_default();
        Sampled {
            type_name: type_name.clone(),
            stack: stack["name"].as_str().unwrap().to_owned(),
            physical_id: stack["resources"][0]["physicalId"].as_str().unwrap().to_owned(),
            identifier,
            properties,
        }
    });
    of_type.collect()
}

/// Makes another resource of each of these types by hand, which must not be taken for the one of a stack; gives how
/// many. One whose identifier has but one value cannot be made twice.
pub(crate) fn beside(rig: &Rig, types: &[String], seed: u64) -> usize {
    let catalog = Catalog::bundled();
    let mut connection = Connection::open(rig.simulator.address()).unwrap();
    let mut is_made = |type_name: &&String| {
        let schema = catalog.get(type_name).unwrap();
        let properties = desired(&schema, seed, Size::Medium);
        let body = json!({"type": type_name, "properties": properties});
        let answer = connection.control("POST", "resources", &body).unwrap();
        (200..300).contains(&answer.status)
    };
    types.iter().filter(|it| is_made(it)).count()
}

/// An attribute with its value, as a read must return it: read-only where there is one, and not of the
/// identifier where there is another.
pub(crate) fn attribute_of(schema: &TypeSchema, properties: &Value) -> Option<(String, Value)> {
    let path = |pointer: &PropertyPointer| Some(pointer.member_names()?.join("."));
    let scalar = |name: &str| {
        let value = name.split('.').try_fold(properties, |at, name| at.get(name))?;
        let is_plain = value.is_string() || value.is_number() || value.is_boolean();
        is_plain.then(|| (name.to_owned(), value.clone()))
    };
    let identifier: Vec<String> = schema.primary_identifier().iter().filter_map(path).collect();
    let read_only: Vec<String> = schema.lists().read_only.iter().filter_map(path).collect();
    let is_shown =
        |name: &&str| !schema.classes_of(&PropertyPointer::of_member(name)).has(Class::WriteOnly);
    let others = schema.property_names().filter(is_shown).map(str::to_owned);
    let (of_identifier, beside): (Vec<String>, Vec<String>) =
        read_only.into_iter().partition(|name| identifier.contains(name));
    beside.into_iter().chain(of_identifier).chain(others).find_map(|name| scalar(&name))
}
