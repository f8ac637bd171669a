//! From the text of a template to what is said of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_diag::position_of;
use hangar_ids::TypeName;
use hangar_schema::{Catalog, Source, TypeSchema};
use hangar_template::deployment::{Deployment, Inputs, MissingParameter};
use hangar_template::program::compile;
use hangar_template::source::{Problem, Sources};
use serde_json::{Value as Json, json};

use crate::template_check::check;

/// What a template comes to, looked at with these values of its parameters. The extension is declared
/// after it, so that no line or column moves.
pub(super) fn deployment(text: &str, parameters: &Json) -> Deployment {
    let whole = format!("{text}\nextension aws\n");
    let compiled = compile(&Sources::of("main.bicep", whole.into_bytes()), "main.bicep");
    let Some(program) = compiled.program else { panic!("{text}\n{:#?}", compiled.problems) };
    let parameters = parameters.as_object().into_iter().flatten();
    let parameters: BTreeMap<String, Json> =
        parameters.map(|(name, value)| (name.clone(), value.clone())).collect();
    let inputs = Inputs { parameters, missing: MissingParameter::Unknown, ..Inputs::default() };
    let started = program.start(&inputs);
    started.deployment.unwrap_or_else(|| panic!("{text}\n{:#?}", started.problems))
}

/// What is said of a template.
pub(super) fn problems_with(text: &str, parameters: &Json) -> Vec<Problem> {
    check(&deployment(text, parameters), &schema_of)
}

/// The schemas of tests, and the catalog.
pub(super) fn schema_of(name: &TypeName) -> Option<Arc<TypeSchema>> {
    if name.service() != "Test" {
        return Catalog::bundled().get(&name.cloud_formation()).ok().map(Arc::new);
    }
    let handlers = json!({"create": {}, "read": {}, "update": {}, "delete": {}, "list": {}});
    let mut schema = json!({
        "typeName": name.cloud_formation(),
        "additionalProperties": false,
        "properties": {
            "Id": {"type": "string"},
            "Name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z-]+$"},
            "Count": {"type": "integer", "minimum": 2, "maximum": 10, "multipleOf": 2},
            "Flag": {"type": "boolean"},
            "Mode": {"type": "string", "enum": ["fast", "slow", "a", "b", "c", "d", "e", "f", "g", "h"]},
            "Modes": {"type": "array", "items": {"type": "string", "enum": ["fast", "slow"]}},
            "List": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {"type": "string"}},
            "When": {"type": "string", "format": "date-time"},
            "Old": {"type": "string"},
            "Secret": {"type": "string"},
            "Map": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
            "Deep": {"type": "object", "additionalProperties": false, "required": ["In", "Out"],
                "properties": {"In": {"type": "string"}, "Out": {"type": "array", "items": {"type": "string"}}}},
            "Pair": {"type": "object", "additionalProperties": false,
                "dependencies": {"A": ["B"]},
                "properties": {"A": {"type": "string"}, "B": {"type": "string"}}},
            "Choice": {"type": "object", "additionalProperties": false,
                "oneOf": [{"required": ["X"]}, {"required": ["Y"]}],
                "properties": {"X": {"type": "string"}, "Y": {"type": "string"}}},
            "Either": {"oneOf": [
                {"type": "object", "additionalProperties": false, "required": ["L"], "properties": {"L": {"type": "string"}}},
                {"type": "object", "additionalProperties": false, "required": ["R"], "properties": {"R": {"type": "integer"}}},
            ]},
        },
        "readOnlyProperties": ["/properties/Id"],
        "writeOnlyProperties": ["/properties/Secret"],
        "deprecatedProperties": ["/properties/Old"],
        "primaryIdentifier": ["/properties/Id"],
        "additionalIdentifiers": [["/properties/Name"]],
        "handlers": handlers,
    });
    let test = name.cloud_formation();
    match test.rsplit("::").next().unwrap() {
        "Thing" => {}
        "Strict" => schema["required"] = json!(["Name", "Count"]),
        "Bare" => schema["handlers"] = json!({"list": {}}),
        "Fixed" => schema["handlers"] = json!({"read": {}}),
        _ => return None,
    }
    Some(Arc::new(TypeSchema::compile(&schema, Source::Aws).unwrap()))
}

/// Nothing is said.
pub(super) const NOTHING: [&str; 0] = [];

/// One line for each problem: severity, code, line and column, the text at that place, the message.
/// Hints follow, each on a line of its own; the one that names the schema is checked and left out.
pub(super) fn said_with(text: &str, parameters: &Json) -> Vec<String> {
    let mut said = Vec::new();
    for problem in problems_with(text, parameters) {
        assert_eq!(&*problem.file, "main.bicep");
        let diagnostic = &problem.diagnostic;
        let span = diagnostic.span().unwrap();
        let at = position_of(text, span.start);
        let shown = &text[span.start..span.end];
        let head = format!("{} {}", diagnostic.severity.as_str(), diagnostic.code);
        said.push(format!("{head} {}:{} «{shown}» {}", at.line, at.column, diagnostic.message));
        let (last, hints) = diagnostic.hints.split_last().unwrap();
        let is_origin = [
            "according to the bundled schema of ",
            "the bundled catalog has ",
            "according to cfn-lint ",
        ];
        assert!(is_origin.iter().any(|words| last.starts_with(words)), "{last}");
        said.extend(hints.iter().map(|hint| format!("  {hint}")));
    }
    said
}

pub(super) fn said(text: &str) -> Vec<String> {
    said_with(text, &json!({}))
}

/// A template of one resource of a test type with these properties, from the third line on.
pub(super) fn thing(kind: &str, properties: &str) -> String {
    format!(
        "resource it 'AWS.Test/{kind}@default' = {{\nalias: 'it', properties: {{\n{properties}\n}}}}\n"
    )
}
