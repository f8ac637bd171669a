//! Functions on text: `split`, `replace`, `substring`, `toLower` and their like.

use super::arguments::{Arguments, kind_of};
use super::fault::Fault;
use super::render::{self, Quote, Text};
use super::{Function, MOST_BYTES, MOST_ITEMS, Parameter, units};
use crate::value::{Data, Kind, Value};

const TEXT: Parameter = Parameter::new("text", "string");

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "toLower",
        &[TEXT],
        Some(Kind::String),
        to_lower,
        "Converts a string to lower case.",
    ),
    Function::new(
        "toUpper",
        &[TEXT],
        Some(Kind::String),
        to_upper,
        "Converts a string to upper case.",
    ),
    Function::new(
        "trim",
        &[TEXT],
        Some(Kind::String),
        trim,
        "Removes the white space at both ends of a string.",
    ),
    Function::new(
        "padLeft",
        &[
            Parameter::new("value", "string | int"),
            Parameter::new("length", "int"),
            Parameter::new("character", "string"),
        ],
        Some(Kind::String),
        pad_left,
        "Pads a string on the left with a character; the default is a space.",
    )
    .least(2),
    Function::new(
        "replace",
        &[TEXT, Parameter::new("old", "string"), Parameter::new("new", "string")],
        Some(Kind::String),
        replace,
        "Replaces every occurrence of a substring.",
    ),
    Function::new(
        "split",
        &[TEXT, Parameter::new("delimiter", "string | array")],
        Some(Kind::Array),
        split,
        "Splits a string at the delimiters.",
    ),
    Function::new(
        "join",
        &[Parameter::new("items", "array"), Parameter::new("delimiter", "string")],
        Some(Kind::String),
        join,
        "Joins the items of an array into one string, with the delimiter between them.",
    ),
    Function::new(
        "substring",
        &[TEXT, Parameter::new("start", "int"), Parameter::new("length", "int")],
        Some(Kind::String),
        substring,
        "Returns the part of a string from an index, with a length or to the end.",
    )
    .least(2),
    Function::new(
        "startsWith",
        &[TEXT, Parameter::new("part", "string")],
        Some(Kind::Bool),
        starts_with,
        "Returns whether a string starts with another string, ignoring case.",
    ),
    Function::new(
        "endsWith",
        &[TEXT, Parameter::new("part", "string")],
        Some(Kind::Bool),
        ends_with,
        "Returns whether a string ends with another string, ignoring case.",
    ),
    Function::new(
        "like",
        &[TEXT, Parameter::new("pattern", "string")],
        Some(Kind::Bool),
        like,
        "Returns whether a string matches a pattern, in which `*` matches any characters.",
    ),
];

fn to_lower(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::string(units::lower(arguments.string(0)?)))
}

fn to_upper(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::string(units::upper(arguments.string(0)?)))
}

fn trim(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::string(arguments.string(0)?.trim()))
}

fn pad_left(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = match &arguments.value(0)?.data {
        Data::String(text) => text.to_string(),
        Data::Int(number) => number.to_string(),
        _ => return Err(arguments.wants(0, "a string or an int")),
    };
    let length = usize::try_from(arguments.int(1)?)
        .ok()
        .filter(|it| *it <= MOST_BYTES)
        .ok_or_else(|| arguments.refuses(1, &format!("a number from 0 to {MOST_BYTES}")))?;
    let filling = match arguments.optional_string(2)? {
        None => " ",
        Some(filling) if filling.chars().count() == 1 => filling,
        Some(_) => return Err(arguments.refuses(2, "exactly one character")),
    };
    let missing = length.saturating_sub(units::length(&text)) / units::length(filling);
    if text.len() + missing * filling.len() > MOST_BYTES {
        return Err(arguments.too_large(MOST_BYTES, "bytes"));
    }
    Ok(Value::string(filling.repeat(missing) + &text))
}

fn replace(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (text, old, new) = (arguments.string(0)?, arguments.string(1)?, arguments.string(2)?);
    if old.is_empty() {
        return Err(arguments.faulty(1, "is empty; expected at least one character"));
    }
    let count = text.matches(&**old).count();
    if (text.len() - count * old.len()).saturating_add(count.saturating_mul(new.len())) > MOST_BYTES
    {
        return Err(arguments.too_large(MOST_BYTES, "bytes"));
    }
    Ok(Value::string(text.replace(&**old, new)))
}

fn split(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = arguments.string(0)?;
    let wanted = "a string or an array of strings";
    let delimiters: Vec<&str> = match &arguments.value(1)?.data {
        Data::String(delimiter) => vec![delimiter],
        Data::Array(items) => {
            let mut delimiters = Vec::new();
            for item in items.iter() {
                let Data::String(delimiter) = &item.data else {
                    let what = format!("contains {}; expected {wanted}", kind_of(item));
                    return Err(arguments.faulty(1, &what));
                };
                delimiters.push(&**delimiter);
            }
            delimiters
        }
        _ => return Err(arguments.wants(1, wanted)),
    };
    if delimiters.len() > MOST_DELIMITERS {
        let what = format!("has more than {MOST_DELIMITERS} delimiters");
        return Err(arguments.faulty(1, &what));
    }
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(character) = text[at..].chars().next() {
        let here = |it: &&&str| !it.is_empty() && text[at..].starts_with(**it);
        match delimiters.iter().find(here) {
            Some(delimiter) => {
                parts.push(Value::string(&text[begin..at]));
                at += delimiter.len();
                begin = at;
            }
            None => at += character.len_utf8(),
        }
        if parts.len() >= MOST_ITEMS {
            return Err(arguments.too_large(MOST_ITEMS, "items"));
        }
    }
    parts.push(Value::string(&text[begin..]));
    Ok(Value::array(parts))
}

/// Each is looked for at each place of the text.
const MOST_DELIMITERS: usize = 100;

fn join(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (items, delimiter) = (arguments.array(0)?, arguments.string(1)?);
    let too_large = |_| arguments.too_large(MOST_BYTES, "bytes");
    let mut text = Text::default();
    for (index, item) in items.iter().enumerate() {
        if !matches!(item.data, Data::String(_) | Data::Int(_) | Data::Bool(_)) {
            let what = format!("contains {}; expected an array of strings", kind_of(item));
            return Err(arguments.faulty(0, &what));
        }
        if index > 0 {
            text.push(delimiter).map_err(too_large)?;
        }
        render::write(&mut text, item, Quote::Double).map_err(too_large)?;
    }
    Ok(text.into_value())
}

fn substring(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = arguments.string(0)?;
    let whole = units::length(text);
    let within = |index: usize, number: i64, most: usize| {
        usize::try_from(number)
            .ok()
            .filter(|it| *it <= most)
            .ok_or_else(|| arguments.refuses(index, &format!("a number from 0 to {most}")))
    };
    let start = within(1, arguments.int(1)?, whole)?;
    let length = match arguments.optional_int(2)? {
        Some(length) => within(2, length, whole - start)?,
        None => whole - start,
    };
    let (begin, end) = (units::cut(text, start), units::cut(text, start + length));
    Ok(Value::string(&text[begin..end]))
}

fn starts_with(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (text, part) = (units::upper(arguments.string(0)?), units::upper(arguments.string(1)?));
    Ok(Value::bool(text.starts_with(&part)))
}

fn ends_with(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (text, part) = (units::upper(arguments.string(0)?), units::upper(arguments.string(1)?));
    Ok(Value::bool(text.ends_with(&part)))
}

/// Greedy from the left, but for the last part, which must be the end: no pattern needs to go back.
fn like(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (text, pattern) = (arguments.string(0)?, arguments.string(1)?);
    let Some((first, rest)) = pattern.split_once('*') else {
        return Ok(Value::bool(text == pattern));
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = text.strip_prefix(first).and_then(|it| it.strip_suffix(last));
    let found = inner.is_some_and(|inner| {
        let next = |left: &str, part: &str| left.find(part).map(|at| at + part.len());
        let step = |at: usize, part: &str| next(&inner[at..], part).map(|end| at + end);
        middle.split('*').try_fold(0, step).is_some()
    });
    Ok(Value::bool(found))
}
