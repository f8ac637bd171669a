//! The names in an expression, for the order in which things are made.

use std::collections::BTreeSet;

use serde_json::Value;

use super::MAX_DEPTH;
use super::function::{Attribute, Shape, attribute, shape};
use super::substitute::{Piece, is_name, pieces};

/// One name in an expression. Pseudo parameters (`AWS::Region`) are none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// `Ref` of a parameter or a resource.
    Name(String),
    /// `Fn::GetAtt`; the attribute is missing where it is an expression itself.
    Attribute {
        /// The resource.
        logical_id: String,
        /// Its attribute, with dots.
        attribute: Option<String>,
    },
}

impl Reference {
    /// What is named, without the attribute.
    pub fn logical_id(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Attribute { logical_id, .. } => logical_id,
        }
    }
}

/// The names in an expression, in both branches of every `Fn::If`. What is nested too deeply to be
/// evaluated is not looked at.
pub fn references(expression: &Value) -> BTreeSet<Reference> {
    let mut found = BTreeSet::new();
    collect(expression, 0, &mut found);
    found
}

fn collect(expression: &Value, depth: usize, found: &mut BTreeSet<Reference>) {
    if depth > MAX_DEPTH {
        return;
    }
    match expression {
        Value::Object(object) => {
            if let Shape::Function(name, argument) = shape(object) {
                named(name, argument, found);
            }
            object.values().for_each(|member| collect(member, depth + 1, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, found)),
        _ => {}
    }
}

fn named(function: &str, argument: &Value, found: &mut BTreeSet<Reference>) {
    match (function, argument) {
        ("Ref", Value::String(name)) => add_name(name, found),
        ("Fn::GetAtt", _) => {
            if let Some((logical_id, name)) = attribute(argument) {
                let attribute = match name {
                    Attribute::Name(name) => Some(name.to_owned()),
                    Attribute::Expression(_) => None,
                };
                let logical_id = logical_id.to_owned();
                found.insert(Reference::Attribute { logical_id, attribute });
            }
        }
        ("Fn::Sub", Value::String(text)) => add_holes(text, |_| false, found),
        ("Fn::Sub", Value::Array(items)) => {
            if let Some(Value::String(text)) = items.first() {
                let variables = items.get(1).and_then(Value::as_object);
                let is_variable = |hole: &str| variables.is_some_and(|it| it.contains_key(hole));
                add_holes(text, is_variable, found);
            }
        }
        _ => {}
    }
}

fn add_name(name: &str, found: &mut BTreeSet<Reference>) {
    if !name.starts_with("AWS::") {
        found.insert(Reference::Name(name.to_owned()));
    }
}

fn add_holes(text: &str, is_variable: impl Fn(&str) -> bool, found: &mut BTreeSet<Reference>) {
    for piece in pieces(text) {
        let Piece::Hole(hole) = piece else { continue };
        if is_variable(hole) || !is_name(hole) {
            continue;
        }
        match hole.split_once('.') {
            Some((logical_id, attribute)) => {
                found.insert(Reference::Attribute {
                    logical_id: logical_id.to_owned(),
                    attribute: Some(attribute.to_owned()),
                });
            }
            None => add_name(hole, found),
        }
    }
}
