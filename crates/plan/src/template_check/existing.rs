//! The body of an existing resource: it says which one is meant, and so names parts of an identifier only.

use hangar_diag::nearest;
use hangar_schema::finding::Basis;
use hangar_schema::{PropertyPointer, TypeSchema};
use hangar_template::value::{Data, Value};

use super::codes;
use super::subject::{Aspect, Subject};
use super::words::{Words, did_you_mean, listed};

/// What is wrong with the names in the body, each with its pointer.
pub(super) fn check(
    type_name: &str,
    schema: &TypeSchema,
    properties: &Value,
) -> Vec<(String, Words)> {
    let primary = schema.primary_identifier().iter();
    let parts: Vec<Vec<&str>> = primary
        .chain(schema.additional_identifiers().iter().flatten())
        .filter_map(PropertyPointer::member_names)
        .collect();
    let mut found = Vec::new();
    let walk = Walk { type_name, schema, root: properties };
    walk.members(properties, &parts, "", &mut found);
    found
}

struct Walk<'a> {
    type_name: &'a str,
    schema: &'a TypeSchema,
    root: &'a Value,
}

impl Walk<'_> {
    /// `parts` are what is left, at this object, of the names that lead to a part of an identifier.
    fn members(
        &self,
        value: &Value,
        parts: &[Vec<&str>],
        pointer: &str,
        found: &mut Vec<(String, Words)>,
    ) {
        let Data::Object(members) = &value.data else { return };
        for (name, member) in members.iter() {
            let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            let below: Vec<Vec<&str>> = parts
                .iter()
                .filter(|part| part.first() == Some(&name.as_ref()))
                .map(|part| part[1..].to_vec())
                .collect();
            if below.is_empty() {
                let words = self.unknown(name, parts, &pointer);
                found.push((pointer, words));
            } else {
                self.members(member, &below, &pointer, found);
            }
        }
    }

    fn unknown(&self, name: &str, parts: &[Vec<&str>], pointer: &str) -> Words {
        let subject = Subject::of(self.root, pointer);
        let mut names: Vec<&str> = parts.iter().filter_map(|part| part.first().copied()).collect();
        names.sort_unstable();
        names.dedup();
        let near = nearest(name, names.iter().copied()).filter(|_| !subject.is_name_secret);
        let is_property = pointer.rfind('/') == Some(0)
            && self.schema.property_names().any(|property| property == name);
        let what = if subject.is_name_secret { "a name" } else { &format!("`{}`", subject.path) };
        let message = if is_property {
            format!("{what} does not identify a resource of type {}", self.type_name)
        } else {
            format!("{what} is not a property of {}", self.type_name)
        };
        let code = if near.is_some() { codes::NEAR_PROPERTY } else { codes::UNKNOWN_PROPERTY };
        let mut hints: Vec<String> = near.map(did_you_mean).into_iter().collect();
        if near.is_none() && !names.is_empty() {
            let names = listed(names.iter().map(|name| format!("`{name}`")), "and");
            hints.push(format!(
                "identify an existing resource by {names}, by its `name` or by its `alias`"
            ));
        }
        let (aspect, label) = (Aspect::Name, "not part of an identifier");
        Words { code, aspect, message, label, hints, basis: Basis::Schema }
    }
}
