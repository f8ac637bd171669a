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
    let message = format!("there is no resource type {}", node.type_name);
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_TYPE, message).at(node.place.span, "of this type");
    let diagnostic = hints.iter().fold(diagnostic, |it, hint| it.hint(hint.as_str()));
    Problem { file: node.place.file.clone(), diagnostic }
}

/// What was perhaps meant by a type that there is none of. Looks through the whole catalog.
pub(super) fn hints_for(type_name: &TypeName) -> Vec<String> {
    let catalog = Catalog::bundled();
    let wanted = type_name.cloud_formation();
    let in_templates =
        |name: &str| TypeName::parse(name).map_or_else(|_| name.to_owned(), |name| name.ucp());
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_ascii_lowercase();
    let own_last = last(&wanted);
    let near = nearest(&wanted, catalog.names());
    let mut hints: Vec<String> =
        near.map(|name| did_you_mean(&in_templates(name))).into_iter().collect();
    let of_that_name: Vec<&str> =
        catalog.names().filter(|name| Some(*name) != near && last(name) == own_last).collect();
    if !of_that_name.is_empty() {
        let names = of_that_name.iter().map(|name| format!("`{}`", in_templates(name)));
        hints.push(format!("of that name there is {}", listed(names, "and")));
    }
    if hints.is_empty() {
        let service = format!("{}::{}::", type_name.vendor(), type_name.service());
        let of_service: Vec<&str> = catalog
            .names()
            .filter(|name| {
                name.get(..service.len()).is_some_and(|it| it.eq_ignore_ascii_case(&service))
            })
            .collect();
        if !of_service.is_empty() {
            let names = of_service.iter().map(|name| format!("`{}`", in_templates(name)));
            hints.push(format!("the service has {}", listed(names, "and")));
        }
    }
    hints.push(format!("the bundled catalog has {} types", catalog.len()));
    hints
}

/// That Cloud Control cannot do with resources of the type what the node asks for.
pub(super) fn unsupported(node: &Node, schema: &TypeSchema) -> Option<Problem> {
    let handlers = schema.handlers();
    // A file that lists none is taken to have all of them.
    if schema.source() == Source::File && handlers.is_empty() {
        return None;
    }
    let type_name = &node.type_name;
    let diagnostic = match &node.target {
        Target::Managed { .. } if handlers.create.is_none() => {
            let message =
                format!("Cloud Control cannot create {type_name}: the type has no create handler");
            let hint = if handlers.read.is_some() {
                "make it by other means and refer to it as `existing`"
            } else {
                "make it by other means"
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
                .hint("give what is needed of it by parameters")
        }
        _ => return None,
    };
    let diagnostic = diagnostic.hint(origin(schema));
    Some(Problem { file: node.place.file.clone(), diagnostic })
}
