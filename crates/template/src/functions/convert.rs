//! Functions that turn a value into one of another kind: `string`, `bool`, `json`, `array`; and `fail`.

use super::arguments::{Arguments, shown};
use super::fault::Fault;
use super::render::{self, Quote, Text};
use super::{Function, MOST_BYTES, Parameter, Reach, json};
use crate::value::{Data, Kind, Members, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "any",
        &[Parameter::new("value", "any")],
        None,
        any,
        "Returns the value unchanged, but without a type, so that it can be used for any type.",
    )
    .reach(Reach::Moves),
    Function::new(
        "array",
        &[Parameter::new("value", "any")],
        Some(Kind::Array),
        array,
        "Converts a value to an array with one item; an array is returned unchanged.",
    )
    .reach(Reach::Moves),
    Function::new(
        "bool",
        &[Parameter::new("value", "bool | int | string")],
        Some(Kind::Bool),
        bool,
        "Converts a string or a number to a boolean.",
    ),
    Function::new(
        "string",
        &[Parameter::new("value", "any")],
        Some(Kind::String),
        string,
        "Converts a value to a string: objects and arrays to JSON, true to `True`.",
    ),
    Function::new(
        "json",
        &[Parameter::new("text", "string")],
        None,
        read_json,
        "Parses a JSON document; decimal numbers stay exactly as they are written.",
    ),
    Function::new(
        "items",
        &[Parameter::new("object", "object")],
        Some(Kind::Array),
        items,
        "Returns the properties of an object as an array of `key` and `value`, sorted by key.",
    )
    .reach(Reach::Moves),
    Function::new(
        "objectKeys",
        &[Parameter::new("object", "object")],
        Some(Kind::Array),
        object_keys,
        "Returns the keys of an object, sorted.",
    )
    .reach(Reach::Moves),
    Function::new(
        "fail",
        &[Parameter::new("message", "string")],
        None,
        fail,
        "Fails with a message.",
    ),
];

fn any(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    arguments.value(0).cloned()
}

fn array(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let value = arguments.value(0)?;
    Ok(match value.data {
        Data::Array(_) => value.clone(),
        _ => Value::array(vec![value.clone()]),
    })
}

fn bool(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match &arguments.value(0)?.data {
        Data::Bool(truth) => Ok(Value::bool(*truth)),
        Data::Int(number) => Ok(Value::bool(*number != 0)),
        Data::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Value::bool(true)),
            "false" | "0" => Ok(Value::bool(false)),
            _ => Err(arguments.refuses(0, "'true' or 'false'")),
        },
        _ => Err(arguments.wants(0, "a bool, an int or a string")),
    }
}

fn string(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let mut text = Text::default();
    render::write(&mut text, arguments.value(0)?, Quote::Double)
        .map_err(|_| arguments.too_large(MOST_BYTES, "bytes"))?;
    Ok(text.into_value())
}

fn read_json(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    json::parse(arguments.string(0)?)
        .map(|document| Value::from_json(&document, false))
        .map_err(|wrong| arguments.faulty(0, &format!("is not valid JSON: {wrong}")))
}

fn items(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let item = |(name, value): (&std::sync::Arc<str>, &Value)| {
        Value::object(Members::from([
            ("key".into(), Value::string(name.clone())),
            ("value".into(), value.clone()),
        ]))
    };
    Ok(Value::array(arguments.object(0)?.iter().map(item).collect()))
}

fn object_keys(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::array(arguments.object(0)?.keys().cloned().map(Value::string).collect()))
}

fn fail(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let message = arguments.string(0)?;
    let value = arguments.value(0)?;
    Err(Fault::call(if value.secret {
        format!("the template fails with {}", shown(value))
    } else {
        message.chars().take(LONGEST_MESSAGE).collect()
    }))
}

const LONGEST_MESSAGE: usize = 4096;
