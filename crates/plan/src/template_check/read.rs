//! Reads of properties, held against the schema of what is read.

use std::sync::Arc;

use hangar_diag::{Diagnostic, Severity, Span, nearest};
use hangar_ids::TypeName;
use hangar_schema::{Reading, TypeSchema, reading};
use hangar_template::deployment::Read;
use hangar_template::source::Problem;

use super::codes;
use super::origin;
use super::subject::push_member;
use super::words::{did_you_mean, listed, wanted};

/// What is wrong with a read of a property of a resource of this type.
pub(super) fn check(type_name: &TypeName, read: &Read, schema: &TypeSchema) -> Option<Problem> {
    let diagnostic = match reading(schema, &read.path) {
        Reading::Fine => return None,
        Reading::WriteOnly { step } => {
            let path = path(&read.path[..=step]);
            let message = format!("`{path}` of {type_name} is write-only: AWS never returns it");
            Diagnostic::error(codes::WRITE_ONLY, message)
                .at(span_of(read, step), "never returned")
                .hint("use the parameter or variable that sets the property")
        }
        Reading::NoObject { step, kinds } => {
            let (holder, name) = (path(&read.path[..step]), &read.path[step]);
            let kinds = wanted(kinds);
            let message =
                format!("`{holder}` of {type_name} is {kinds}, which has no property `{name}`");
            Diagnostic::error(codes::READ_OF_NO_OBJECT, message)
                .at(span_of(read, step), "")
                .hint(format!("read `{holder}` itself"))
        }
        Reading::Unknown { step, names, is_closed } => {
            let near = nearest(&read.path[step], names.iter().copied());
            // An object that names no end of its members may well have this one.
            if !is_closed && near.is_none() {
                return None;
            }
            let code = if near.is_some() { codes::NEAR_READ } else { codes::UNKNOWN_READ };
            let path = path(&read.path[..=step]);
            let message = format!("`{path}` is not a property of {type_name}");
            let mut diagnostic =
                Diagnostic::error(code, message).at(span_of(read, step), "not a property here");
            // Who writes `.?` has said that it may be missing.
            if read.is_safe || !is_closed {
                diagnostic.severity = Severity::Warning;
            }
            let hint = near.map_or_else(|| readable(&names), did_you_mean);
            diagnostic.hint(hint)
        }
    };
    let diagnostic = diagnostic.hint(origin(schema));
    Some(Problem { file: read.place.file.clone(), diagnostic })
}

/// Where a step of a read is written: all of it where it is not plainly written.
fn span_of(read: &Read, step: usize) -> Span {
    let whole = read.place.span;
    let before: usize = read.path[..step].iter().map(|name| name.len() + 1).sum();
    let length: usize = read.path.iter().map(|name| name.len() + 1).sum();
    if whole.end - whole.start + 1 != length {
        return whole;
    }
    let start = whole.start + before;
    Span::new(start, start + read.path[step].len())
}

fn readable(names: &[&str]) -> String {
    let names = listed(names.iter().map(|name| format!("`{name}`")), "and");
    if names.is_empty() {
        "no property can be read here".to_owned()
    } else {
        format!("readable properties: {names}")
    }
}

fn path(names: &[Arc<str>]) -> String {
    let mut path = String::new();
    for name in names {
        push_member(&mut path, name);
    }
    path
}
