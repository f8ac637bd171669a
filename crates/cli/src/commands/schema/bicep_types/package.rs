//! All files of the package: the types of each service in one of their own, and the index of all.

use std::collections::BTreeMap;

use hangar_ids::TypeName;
use hangar_schema::Catalog;
use hangar_template::functions::{self, Function, Namespace};
use hangar_template::recipe::{RECIPE_TYPE, RECIPE_VERSION};
use hangar_template::value::Kind;
use serde_json::{Map, Value, json};

use super::type_file::{Flags, TypeFile, TypeIndex, property};
use super::writer;
use crate::failure::Failure;

/// The file that names all others.
pub(super) const INDEX: &str = "index.json";

/// The types that are of no service.
const HANGAR: &str = "hangar/types.json";

/// A package that is not written yet.
pub(super) struct Package {
    /// The text of each file, by its path with `/`.
    pub(super) files: BTreeMap<String, String>,
    /// How many resource types it has.
    pub(super) types: usize,
}

/// The package of the bundled catalog.
pub(super) fn package() -> Result<Package, Failure> {
    let catalog = Catalog::bundled();
    let mut services: BTreeMap<String, TypeFile> = BTreeMap::new();
    let mut resources: BTreeMap<String, Value> = BTreeMap::new();
    for name in catalog.names() {
        let schema = catalog.get(name).map_err(anyhow::Error::from)?;
        let Ok(type_name) = TypeName::parse(name) else { continue };
        let ours = type_name.ucp();
        let path = format!("aws/{}/types.json", type_name.service().to_ascii_lowercase());
        let file = services.entry(path.clone()).or_default();
        let at = writer::resource(file, &schema, &ours);
        resources.insert(format!("{ours}@default"), at.reference_from_index(&path));
    }
    let mut own = TypeFile::default();
    let recipe = recipe(&mut own);
    resources
        .insert(format!("{RECIPE_TYPE}@{RECIPE_VERSION}"), recipe.reference_from_index(HANGAR));
    let configuration = configuration(&mut own).reference_from_index(HANGAR);
    let calls: Vec<Value> = functions::of_namespace(Namespace::Aws)
        .map(|function| call(&mut own, function).reference_from_index(HANGAR))
        .collect();
    services.insert(HANGAR.to_owned(), own);
    let types = resources.len();
    let index = json!({
        "resources": resources,
        "resourceFunctions": {},
        "namespaceFunctions": calls,
        "settings": {
            "name": "aws",
            "version": env!("CARGO_PKG_VERSION"),
            "isSingleton": false,
            "configurationType": configuration,
        },
    });
    let mut files = BTreeMap::new();
    for (path, file) in services {
        files.insert(path, file.to_text().map_err(anyhow::Error::from)?);
    }
    let index = serde_json::to_string_pretty(&index).map_err(anyhow::Error::from)?;
    files.insert(INDEX.to_owned(), index);
    Ok(Package { files, types })
}

/// What `extension aws with { … }` takes.
fn configuration(file: &mut TypeFile) -> TypeIndex {
    let account = file.add("StringType", json!({"pattern": "^[0-9]{12}$"}));
    let region = file.string();
    let members = [
        ("account", account, "The AWS account to deploy to, in twelve digits."),
        ("region", region, "The AWS region to deploy to, such as `eu-west-1`."),
    ];
    let members = members.map(|(name, value_type, description)| {
        (name.to_owned(), property(value_type, Flags::DEPLOY_TIME_CONSTANT, description))
    });
    file.object("configuration", Map::from_iter(members), None)
}

/// The type of a Terraform module that is deployed as a resource.
fn recipe(file: &mut TypeFile) -> TypeIndex {
    let (text, any) = (file.string(), file.any());
    let texts = file.add("ArrayType", json!({"itemType": text.reference()}));
    let values = file.object("values", Map::new(), Some(any));
    let linked = Map::from_iter([("id".to_owned(), property(text, Flags::READ_ONLY, ""))]);
    let linked = file.object("outputResource", linked, Some(any));
    let linked = file.add("ArrayType", json!({"itemType": linked.reference()}));
    let read_only = |value_type, description| property(value_type, Flags::READ_ONLY, description);
    let status = [
        ("outputResources", read_only(linked, "The resources of the module.")),
        ("tool", read_only(any, "The program that ran the module.")),
        ("values", read_only(values, "The outputs of the module that are not sensitive.")),
        ("warnings", read_only(texts, "The warnings of the last run.")),
    ];
    let named = |members: Vec<(&str, Value)>| {
        members.into_iter().map(|(name, member)| (name.to_owned(), member)).collect::<Map<_, _>>()
    };
    let status = file.object("recipeStatus", named(status.into()), Some(any));
    let properties = named(vec![
        (
            "parameters",
            property(values, Flags::NONE, "Values by the names of the module's variables."),
        ),
        ("provisioningState", read_only(text, "The state of the last run.")),
        (
            "source",
            property(text, Flags::REQUIRED, "A directory of the project, `./…`, or an address."),
        ),
        ("status", read_only(status, "The results of the last run.")),
        ("version", property(text, Flags::NONE, "The version of a module from a registry.")),
    ]);
    let properties = file.object("recipeProperties", properties, None);
    let own = Flags::REQUIRED.with(Flags::IDENTIFIER).with(Flags::DEPLOY_TIME_CONSTANT);
    let members = named(vec![
        ("id", read_only(text, "Hangar's id of the recipe.")),
        ("name", property(text, own, "The name of the recipe in its group.")),
        ("properties", property(properties, Flags::REQUIRED, "The module and its parameters.")),
        ("type", read_only(text, "The resource type.")),
    ]);
    let body = file.object(RECIPE_TYPE, members, None);
    writer::resource_type(file, RECIPE_TYPE, body)
}

/// A function of the namespace: `aws.region()`.
fn call(file: &mut TypeFile, function: &Function) -> TypeIndex {
    let parameters: Vec<Value> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(at, parameter)| {
            let value_type = match parameter.wants {
                "string" => file.string(),
                "int" => file.add("IntegerType", json!({})),
                _ => file.any(),
            };
            // Required, or nothing.
            let flags = u8::from(at < function.least);
            json!({"name": parameter.name, "type": value_type.reference(), "flags": flags})
        })
        .collect();
    let output = match function.returns {
        Some(Kind::String) => file.string(),
        Some(Kind::Array) => {
            let item = file.string();
            file.add("ArrayType", json!({"itemType": item.reference()}))
        }
        _ => file.any(),
    };
    let json = json!({
        "name": function.name,
        "description": function.description,
        "parameters": parameters,
        "outputType": output.reference(),
    });
    file.add("NamespaceFunctionType", json)
}
