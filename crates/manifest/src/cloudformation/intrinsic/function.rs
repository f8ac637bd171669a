//! Which objects are functions.

use serde_json::{Map, Value};

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape<'a> {
    /// A function of CloudFormation's, by its full name.
    Function(&'a str, &'a Value),
    /// One member with a name that is none of CloudFormation's.
    Single(&'a str, &'a Value),
    /// A function with other members beside it.
    Crowded(&'a str),
    /// Plain data.
    Plain,
}

pub(super) fn shape(object: &Map<String, Value>) -> Shape<'_> {
    let is_function = |name: &str| name.starts_with("Fn::");
    match object.iter().next() {
        Some((name, argument)) if object.len() == 1 => {
            if name == "Ref" || is_function(name) {
                Shape::Function(name, argument)
            } else {
                Shape::Single(name, argument)
            }
        }
        _ => match object.keys().find(|name| is_function(name)) {
            Some(name) => Shape::Crowded(name),
            None => Shape::Plain,
        },
    }
}

/// The two parts of the argument of `Fn::GetAtt`; the second may be an expression.
pub(super) fn attribute(argument: &Value) -> Option<(&str, Attribute<'_>)> {
    match argument {
        Value::String(text) => {
            let (logical_id, name) = text.split_once('.')?;
            Some((logical_id, Attribute::Name(name)))
        }
        Value::Array(items) => match items.as_slice() {
            [Value::String(logical_id), Value::String(name)] => {
                Some((logical_id, Attribute::Name(name)))
            }
            [Value::String(logical_id), name @ Value::Object(_)] => {
                Some((logical_id, Attribute::Expression(name)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The name of an attribute.
#[derive(Debug, Clone, Copy)]
pub(super) enum Attribute<'a> {
    Name(&'a str),
    Expression(&'a Value),
}
