//! What Bicep's own tools evaluate templates of Azure to; skipped in a clone without fixtures.

use std::path::Path;

use hangar_template::deployment::{MissingParameter, NothingKnown};
use hangar_template::value::{Data, Value};
use serde_json::{Value as Json, json};

use crate::corpus::FIXTURES;
use crate::language::inputs;

#[test]
fn the_snapshots_are_what_bicep_evaluates_them_to() {
    for (case, template) in [("basic", "main.bicep"), ("nested_loops", "kv.bicep")] {
        let folder = Path::new(FIXTURES).join("evaluate-snapshot").join(case);
        let sources = crate::compiles::sources_of(&folder);
        let Some(golden) = sources.text("main.snapshot.json") else {
            println!(
                "skipped: the_snapshots_are_what_bicep_evaluates_them_to/{case} (no ../shared)"
            );
            continue;
        };
        let golden: Json = serde_json::from_str(golden).unwrap();
        let mut golden = golden["predictedResources"].clone();
        hide_expressions(&mut golden);
        let values = hangar_template::parameters_file::parameters_file(
            &sources,
            "main.bicepparam",
            &std::collections::BTreeMap::new(),
        );
        assert_eq!(values.problems, []);
        // The scope that the snapshots were made for.
        let scope = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg";
        let mut inputs = inputs(&json!(values.values));
        inputs.group.id = scope.to_owned();
        inputs.missing = MissingParameter::Unknown;
        inputs.skip_unsupported = true;
        let compiled = hangar_template::arm::build(&sources, template).template.unwrap();
        let mut sources = sources;
        sources.insert("compiled.json", compiled.into_bytes());
        for template in [template, "compiled.json"] {
            let program = hangar_template::program::compile(&sources, template).program.unwrap();
            let deployment = program.start(&inputs).deployment.unwrap();
            let found: Vec<Json> = deployment
                .foreign_resources(&NothingKnown)
                .into_iter()
                .map(|it| {
                    let (kind, version) = it.type_text.split_once('@').unwrap();
                    let mut body = known_of(&it.body);
                    let members = body.as_object_mut().unwrap();
                    let name = members["name"].as_str().unwrap().to_owned();
                    members
                        .insert("id".to_owned(), json!(format!("{scope}/providers/{kind}/{name}")));
                    members.insert("type".to_owned(), json!(kind));
                    members.insert("apiVersion".to_owned(), json!(version));
                    body
                })
                .collect();
            assert_eq!(json!(found), golden, "{case}: {template}");
        }
    }
}

/// A value as JSON, `«later»` for what is not known.
fn known_of(value: &Value) -> Json {
    match &value.data {
        Data::Unknown(_) => json!("«later»"),
        Data::Array(items) => items.iter().map(known_of).collect(),
        Data::Object(members) => {
            members.iter().map(|(name, it)| (name.to_string(), known_of(it))).collect()
        }
        _ => value.to_json().unwrap(),
    }
}

/// What the snapshot could not tell either, it has as an expression.
fn hide_expressions(document: &mut Json) {
    match document {
        Json::String(text) if text.starts_with('[') => *text = "«later»".to_owned(),
        Json::Array(items) => items.iter_mut().for_each(hide_expressions),
        Json::Object(members) => members.values_mut().for_each(hide_expressions),
        _ => {}
    }
}
