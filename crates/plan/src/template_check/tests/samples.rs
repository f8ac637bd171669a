//! Documents of real types, printed as bodies.

use std::fmt::Write as _;

use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Purpose, TypeSchema, validate};
use hangar_template::deployment::{Inputs, MissingParameter};
use hangar_template::program::compile;
use hangar_template::source::Sources;
use serde_json::Value as Json;

use super::fixture::{problems_with, schema_of};
use crate::template_check::check;

/// Every so many of the types that Cloud Control can create: at least sixty of them.
fn types() -> impl Iterator<Item = (TypeSchema, &'static str)> {
    let catalog = Catalog::bundled();
    let step = if std::env::var_os("HANGAR_TEST_FULL").is_some() { 1 } else { catalog.len() / 75 };
    let types = catalog.names().step_by(step).map(move |name| (catalog.get(name).unwrap(), name));
    types.filter(|(schema, _)| schema.handlers().create.is_some())
}

/// Documents of a type that AWS takes, as far as its schema tells.
fn documents(schema: &TypeSchema) -> Vec<Json> {
    let mut sampler = Sampler::new(schema);
    let documents = [Size::Small, Size::Medium, Size::Large].map(|size| sampler.desired(7, size));
    documents.into_iter().filter(|document| is_taken(schema, document)).collect()
}

fn is_taken(schema: &TypeSchema, document: &Json) -> bool {
    validate(schema, document, Purpose::Desired).iter().all(|it| !it.is_error())
}

fn errors(name: &str, document: &Json) -> Vec<String> {
    let kind = name.replacen("::", ".", 1).replace("::", "/");
    let mut text = format!("resource it '{kind}@default' = {{\n  alias: 'it'\n  properties: ");
    print(document, 1, &mut text);
    text.push_str("\n}\n");
    errors_of(&text)
}

fn errors_of(text: &str) -> Vec<String> {
    let problems = problems_with(text, &Json::Null);
    let errors = problems.iter().filter(|problem| problem.is_error());
    errors
        .map(|problem| {
            let span = problem.diagnostic.span().unwrap();
            format!("{} {}", problem.diagnostic.code, &text[span.start..span.end])
        })
        .collect()
}

#[test]
fn a_document_that_aws_takes_is_a_body_without_errors() {
    let mut tried = 0;
    for (schema, name) in types() {
        for document in documents(&schema) {
            assert_eq!(errors(name, &document), [""; 0], "{name}: {document}");
        }
        tried += 1;
    }
    assert!(tried >= 60, "{tried}");
}

#[test]
fn the_skeleton_of_every_type_that_can_be_created_has_no_errors() {
    let catalog = Catalog::bundled();
    let mut wrong = Vec::new();
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        if schema.handlers().create.is_none() {
            continue;
        }
        let text = crate::skeleton::template(&schema);
        let errors = errors_of(text.trim_start_matches("extension aws\n"));
        if !errors.is_empty() {
            wrong.push(format!("{name}: {errors:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{} skeletons have errors:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_renamed_member_is_an_unknown_property_and_nothing_else() {
    let mut tried = 0;
    for (schema, name) in types() {
        let Some((renamed, member)) = documents(&schema).iter().find_map(|it| renamed(&schema, it))
        else {
            continue;
        };
        let expected = [format!("BCP089 {member}")];
        assert_eq!(errors(name, &renamed), expected, "{name}: {renamed}");
        tried += 1;
    }
    assert!(tried >= 60, "{tried}");
}

/// The document with one letter more in a name, of a member that no alternative asks for.
fn renamed(schema: &TypeSchema, document: &Json) -> Option<(Json, String)> {
    let members = document.as_object()?;
    members.keys().rev().find_map(|name| {
        let mut without = document.clone();
        let value = without.as_object_mut()?.remove(name)?;
        let lacks = validate(schema, &without, Purpose::Desired);
        let is_plain = lacks.iter().filter(|it| it.is_error()).all(|it| {
            it.code == hangar_schema::codes::MISSING_PROPERTY && it.pointer.as_deref() == Some("")
        });
        let longer = format!("{name}q");
        if !is_plain || name.len() < 3 || members.contains_key(&longer) {
            return None;
        }
        without.as_object_mut()?.insert(longer.clone(), value);
        Some((without, longer))
    })
}

/// A document as an expression of the language.
fn print(value: &Json, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Json::Number(number) if number.as_i64().is_none() => {
            write!(text, "json('{number}')").unwrap();
        }
        Json::String(string) => quoted(string, text),
        Json::Array(items) => {
            text.push_str("[\n");
            for item in items {
                write!(text, "{indent}  ").unwrap();
                print(item, depth + 1, text);
                text.push('\n');
            }
            write!(text, "{indent}]").unwrap();
        }
        Json::Object(members) => {
            text.push_str("{\n");
            for (name, member) in members {
                write!(text, "{indent}  ").unwrap();
                if is_identifier(name) {
                    text.push_str(name);
                } else {
                    quoted(name, text);
                }
                text.push_str(": ");
                print(member, depth + 1, text);
                text.push('\n');
            }
            write!(text, "{indent}}}").unwrap();
        }
        plain => write!(text, "{plain}").unwrap(),
    }
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn quoted(string: &str, text: &mut String) {
    text.push('\'');
    for letter in string.chars() {
        match letter {
            '\'' | '\\' => text.extend(['\\', letter]),
            '$' => text.push_str("\\$"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            control if control.is_control() => {
                write!(text, "\\u{{{:x}}}", u32::from(control)).unwrap();
            }
            plain => text.push(plain),
        }
    }
    text.push('\'');
}

/// The templates that people begin with, and the files that they load.
const EXAMPLES: [&[(&str, &str)]; 3] = [
    &[("main.bicep", include_str!("../../../../../examples/network/main.bicep"))],
    &[("main.bicep", include_str!("../../../../../examples/database/main.bicep"))],
    &[
        ("main.bicep", include_str!("../../../../../examples/service/main.bicep")),
        ("worker.py", include_str!("../../../../../examples/service/worker.py")),
    ],
];

#[test]
fn nothing_is_said_of_the_examples() {
    for files in EXAMPLES {
        let mut sources = Sources::default();
        for (path, text) in files {
            sources.insert(*path, text.as_bytes());
        }
        let program = compile(&sources, "main.bicep").program.unwrap();
        let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
        let deployment = program.start(&inputs).deployment.unwrap();
        assert!(deployment.nodes().len() > 1);
        let said: Vec<String> = check(&deployment, &schema_of)
            .iter()
            .map(|problem| problem.diagnostic.to_string())
            .collect();
        assert_eq!(said, [""; 0]);
    }
}
