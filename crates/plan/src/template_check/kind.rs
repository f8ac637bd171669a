//! The type itself: whether there is such a one, and what Cloud Control can do with it.

use hangar_diag::{Diagnostic, nearest};
use hangar_ids::TypeName;
use hangar_schema::{Catalog, Source, TypeSchema};
use hangar_template::deployment::{Node, Target};
use hangar_template::source::Problem;

use super::words::{did_you_mean, listed};
use super::{codes, origin};

/// That there is no schema of the node's type; `hints` are those of [`hints_for`].
pub(super) fn unknown(node: &Node, hints: &[String]) -> Problem {
    let message = format!("there is no resource type {}", node.type_text());
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_TYPE, message).at(node.place.span, "of this type");
    let diagnostic = hints.iter().fold(diagnostic, |it, hint| it.hint(hint.as_str()));
    Problem { file: node.place.file.clone(), diagnostic }
}

/// What was perhaps meant by a type that there is none of. Looks through the whole catalog.
pub(super) fn hints_for(type_name: &TypeName) -> Vec<String> {
    let catalog = Catalog::bundled();
    let wanted = type_name.cloud_formation();
    let (service, rest) = split(&wanted);
    let names: Vec<&'static str> = catalog.names().collect();
    let of = |service: &str| -> Vec<&'static str> {
        names.iter().copied().filter(|name| split(name).0.eq_ignore_ascii_case(service)).collect()
    };
    // A slip in the type or in the service, each by itself: the rest must not outweigh it.
    let mut of_service = of(service);
    if of_service.is_empty()
        && let Some(near) = nearest(service, names.iter().map(|name| split(name).0))
    {
        of_service = of(near);
    }
    let near = nearest(rest, of_service.iter().map(|name| split(name).1));
    let near = of_service.iter().copied().find(|name| Some(split(name).1) == near);
    // The name that was written is no help: its schema is missing for another reason.
    let near = near.filter(|name| *name != wanted);
    let same = names
        .iter()
        .copied()
        .filter(|name| Some(*name) != near && *name != wanted)
        .filter(|name| split(name).1.eq_ignore_ascii_case(rest))
        .collect::<Vec<_>>();
    let mut hints: Vec<String> = Vec::new();
    hints.extend(near.map(|name| did_you_mean(&in_templates(name))));
    if !same.is_empty() {
        hints.push(format!("types with this name: {}", all_of(&same)));
    }
    if hints.is_empty() && !of_service.is_empty() {
        hints.push(format!("types of this service: {}", all_of(&of_service)));
    }
    hints.push(format!("the bundled catalog has {} types", catalog.len()));
    hints
}

/// The service of a type with its vendor, and the rest: `AWS::EC2` and `VPC`.
fn split(name: &str) -> (&str, &str) {
    let service = name.match_indices("::").nth(1).map_or(name.len(), |(at, _)| at);
    (&name[..service], name.get(service + 2..).unwrap_or_default())
}

fn in_templates(name: &str) -> String {
    TypeName::parse(name).map_or_else(|_| name.to_owned(), |name| name.ucp())
}

fn all_of(names: &[&str]) -> String {
    listed(names.iter().map(|name| format!("`{}`", in_templates(name))), "and")
}

/// That Cloud Control cannot do with resources of the type what the node asks for.
pub(super) fn unsupported(node: &Node, schema: &TypeSchema) -> Option<Problem> {
    let handlers = schema.handlers();
    // A file that lists none is taken to have all of them.
    if schema.source() == Source::File && handlers.is_empty() {
        return None;
    }
    let type_name = node.type_text();
    let diagnostic = match &node.target {
        Target::Managed { .. } if handlers.create.is_none() => {
            let message =
                format!("Cloud Control cannot create {type_name}: the type has no create handler");
            let hint = if handlers.read.is_some() {
                "create it by other means and refer to it as `existing`"
            } else {
                "create it by other means"
            };
            Diagnostic::error(codes::NOT_CREATABLE, message)
                .at(node.place.span, "cannot be created")
                .hint(hint)
        }
        Target::Existing { .. } if handlers.read.is_none() => {
            let message =
                format!("Cloud Control cannot read {type_name}: the type has no read handler");
            Diagnostic::error(codes::NOT_READABLE, message)
                .at(node.place.span, "cannot be read")
                .hint("pass the needed values as parameters")
        }
        _ => return None,
    };
    let diagnostic = diagnostic.hint(origin(schema));
    Some(Problem { file: node.place.file.clone(), diagnostic })
}
