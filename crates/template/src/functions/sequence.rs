//! Functions that texts and lists share, and some objects too: `length`, `take`, `contains`.

use super::arguments::Arguments;
use super::fault::Fault;
use super::render::{self, Quote, Text};
use super::same::is_same;
use super::{Function, MOST_BYTES, Parameter, Reach, units};
use crate::value::{Data, Kind, Value};

const SEQUENCE: Parameter = Parameter::new("value", "string | array");
const COUNT: Parameter = Parameter::new("count", "int");

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "concat",
        &[Parameter::new("values", "string | int | bool | array")],
        None,
        concat,
        "Joins strings, or joins arrays.",
    )
    .repeated()
    .reach(Reach::Moves),
    Function::new(
        "contains",
        &[Parameter::new("container", "string | array | object"), Parameter::new("item", "any")],
        Some(Kind::Bool),
        contains,
        "Returns whether an array contains an item, an object a key (ignoring case), or a string a substring.",
    )
    .reach(Reach::Moves),
    Function::new(
        "empty",
        &[Parameter::new("value", "string | array | object | null")],
        Some(Kind::Bool),
        empty,
        "Returns whether a string, an array or an object is empty, or the value is null.",
    )
    .reach(Reach::Moves),
    Function::new(
        "first",
        &[SEQUENCE],
        None,
        first,
        "Returns the first item of an array (null if it is empty), or the first character of a string.",
    )
    .reach(Reach::Moves),
    Function::new(
        "last",
        &[SEQUENCE],
        None,
        last,
        "Returns the last item of an array (null if it is empty), or the last character of a string.",
    )
    .reach(Reach::Moves),
    Function::new(
        "length",
        &[Parameter::new("value", "string | array | object")],
        Some(Kind::Int),
        length,
        "Returns the number of items, properties or characters (UTF-16 units).",
    )
    .reach(Reach::Moves),
    Function::new("skip", &[SEQUENCE, COUNT], None, skip, "Returns all items or characters except the first `count`.")
        .reach(Reach::Moves),
    Function::new("take", &[SEQUENCE, COUNT], None, take, "Returns the first `count` items or characters.").reach(Reach::Moves),
    Function::new(
        "indexOf",
        &[SEQUENCE, Parameter::new("item", "any")],
        Some(Kind::Int),
        index_of,
        "Returns the first index of a substring (ignoring case) or an item; -1 if it does not occur.",
    ),
    Function::new(
        "lastIndexOf",
        &[SEQUENCE, Parameter::new("item", "any")],
        Some(Kind::Int),
        last_index_of,
        "Returns the last index of a substring (ignoring case) or an item; -1 if it does not occur.",
    ),
];

fn concat(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    if let Data::Array(_) = arguments.value(0)?.data {
        let mut all = Vec::new();
        for index in 0..arguments.count() {
            all.extend(arguments.array(index)?.iter().cloned());
        }
        return Ok(Value::array(all));
    }
    let mut text = Text::default();
    for index in 0..arguments.count() {
        let value = arguments.value(index)?;
        if !matches!(value.data, Data::String(_) | Data::Int(_) | Data::Bool(_)) {
            let wanted = "a string (or only arrays)";
            return Err(arguments.wants(index, wanted));
        }
        render::write(&mut text, value, Quote::Double)
            .map_err(|_| arguments.too_large(MOST_BYTES, "bytes"))?;
    }
    Ok(text.into_value())
}

/// Only an item that is looked for in vain has to know all that it is compared with.
fn contains(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let item = arguments.value(1)?;
    match &arguments.value(0)?.data {
        Data::String(text) => Ok(Value::bool(text.contains(&**arguments.string(1)?))),
        Data::Object(members) => {
            let name = match &item.data {
                Data::String(name) => name.to_string(),
                Data::Int(number) => number.to_string(),
                _ => return Err(arguments.wants(1, "a string (the key)")),
            };
            let is_there = members.contains_key(&*name)
                || members.keys().any(|it| units::is_same_ignoring_case(it, &name));
            Ok(Value::bool(is_there))
        }
        Data::Array(items) => {
            if item.first_unknown().is_none() && items.iter().any(|it| is_same(it, item)) {
                return Ok(Value::bool(true));
            }
            let unknown = items.iter().chain([item]).find_map(Value::first_unknown);
            Ok(match unknown {
                Some(unknown) => Value::unknown(Some(Kind::Bool), unknown.because.clone()),
                None => Value::bool(false),
            })
        }
        _ => Err(arguments.wants(0, "a string, an array or an object")),
    }
}

fn empty(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let is_empty = match &arguments.value(0)?.data {
        Data::Null => true,
        Data::String(text) => text.is_empty(),
        Data::Array(items) => items.is_empty(),
        Data::Object(members) => members.is_empty(),
        _ => return Err(arguments.wants(0, "a string, an array, an object or null")),
    };
    Ok(Value::bool(is_empty))
}

fn length(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let length = match &arguments.value(0)?.data {
        Data::String(text) => units::length(text),
        Data::Array(items) => items.len(),
        Data::Object(members) => members.len(),
        _ => return Err(arguments.wants(0, "a string, an array or an object")),
    };
    Ok(number(length))
}

fn first(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match &arguments.value(0)?.data {
        Data::String(text) => Ok(character(text.chars().next())),
        Data::Array(items) => Ok(items.first().cloned().unwrap_or(Value::NULL)),
        _ => Err(arguments.wants(0, "a string or an array")),
    }
}

fn last(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match &arguments.value(0)?.data {
        Data::String(text) => Ok(character(text.chars().next_back())),
        Data::Array(items) => Ok(items.last().cloned().unwrap_or(Value::NULL)),
        _ => Err(arguments.wants(0, "a string or an array")),
    }
}

fn character(character: Option<char>) -> Value {
    Value::string(character.map(String::from).unwrap_or_default())
}

fn skip(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let count = count(arguments)?;
    match &arguments.value(0)?.data {
        Data::String(text) => Ok(Value::string(&text[units::cut(text, count)..])),
        Data::Array(items) => Ok(Value::array(items.iter().skip(count).cloned().collect())),
        _ => Err(arguments.wants(0, "a string or an array")),
    }
}

fn take(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let count = count(arguments)?;
    match &arguments.value(0)?.data {
        Data::String(text) => Ok(Value::string(&text[..units::cut(text, count)])),
        Data::Array(items) => Ok(Value::array(items.iter().take(count).cloned().collect())),
        _ => Err(arguments.wants(0, "a string or an array")),
    }
}

/// A count; less than nothing is nothing, and more than can be counted is all.
fn count(arguments: &Arguments<'_>) -> Result<usize, Fault> {
    Ok(usize::try_from(arguments.int(1)?.max(0)).unwrap_or(usize::MAX))
}

fn index_of(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let at = match &arguments.value(0)?.data {
        Data::String(text) => units::find_ignoring_case(text, arguments.string(1)?),
        Data::Array(items) => {
            let item = arguments.value(1)?;
            items.iter().position(|it| is_same(it, item))
        }
        _ => return Err(arguments.wants(0, "a string or an array")),
    };
    Ok(at.map_or(Value::int(-1), number))
}

fn last_index_of(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let at = match &arguments.value(0)?.data {
        Data::String(text) => units::find_last_ignoring_case(text, arguments.string(1)?),
        Data::Array(items) => {
            let item = arguments.value(1)?;
            items.iter().rposition(|it| is_same(it, item))
        }
        _ => return Err(arguments.wants(0, "a string or an array")),
    };
    Ok(at.map_or(Value::int(-1), number))
}

fn number(number: usize) -> Value {
    Value::int(i64::try_from(number).unwrap_or(i64::MAX))
}
