//! A secret names nothing: identifiers are shown, kept, and part of every id.

use hangar_diag::Diagnostic;
use hangar_schema::TypeSchema;
use hangar_template::deployment::{Body, Node};
use hangar_template::source::Problem;
use hangar_template::value::{Data, Value};

use super::codes;

/// The parts of the identifier that a body states with a secret.
pub(super) fn check(node: &Node, body: &Body, schema: &TypeSchema) -> Vec<Problem> {
    let mut problems = Vec::new();
    for pointer in schema.primary_identifier() {
        let names = pointer.member_names().unwrap_or_default();
        if !at(&body.properties, &names).is_some_and(Value::holds_secret) {
            continue;
        }
        let written = body.places.get(&pointer.to_string());
        let place = written.map_or(&node.place, |written| &written.value);
        let message = format!(
            "`{}` cannot be a secret: it names the resource, and names are shown",
            names.join(".")
        );
        let diagnostic = Diagnostic::error(codes::SECRET_NAME, message)
            .at(place.span, "")
            .hint("use a name that is not secret");
        problems.push(Problem { file: place.file.clone(), diagnostic });
    }
    problems
}

fn at<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().try_fold(value, |value, name| match &value.data {
        Data::Object(members) => members.get(*name),
        _ => None,
    })
}
