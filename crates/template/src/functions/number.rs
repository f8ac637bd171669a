//! Functions on whole numbers: `int`, `min`, `max`, `range`.

use super::arguments::{Arguments, kind_of};
use super::fault::Fault;
use super::{Function, MOST_ITEMS, Parameter};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "int",
        &[Parameter::new("value", "int | string")],
        Some(Kind::Int),
        int,
        "Converts a string to a whole number.",
    ),
    Function::new(
        "min",
        &[Parameter::new("numbers", "int | array")],
        Some(Kind::Int),
        min,
        "Returns the smallest of the numbers, or of an array of numbers.",
    )
    .repeated(),
    Function::new(
        "max",
        &[Parameter::new("numbers", "int | array")],
        Some(Kind::Int),
        max,
        "Returns the largest of the numbers, or of an array of numbers.",
    )
    .repeated(),
    Function::new(
        "range",
        &[Parameter::new("start", "int"), Parameter::new("count", "int")],
        Some(Kind::Array),
        range,
        "Returns an array of `count` consecutive numbers that starts with `start`.",
    ),
];

fn int(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match &arguments.value(0)?.data {
        Data::Int(number) => Ok(Value::int(*number)),
        Data::Decimal(number) => whole(&number.to_string())
            .map(Value::int)
            .ok_or_else(|| arguments.refuses(0, "a whole number that fits in 64 bits")),
        Data::String(text) => {
            text.trim().parse().map(Value::int).map_err(|_| {
                arguments.refuses(0, "a string with a whole number that fits in 64 bits")
            })
        }
        _ => Err(arguments.wants(0, "an int or a string")),
    }
}

/// A decimal with nothing but zeros behind the point.
fn whole(decimal: &str) -> Option<i64> {
    match decimal.split_once('.') {
        Some((whole, rest)) if rest.bytes().all(|it| it == b'0') => whole.parse().ok(),
        Some(_) => None,
        None => decimal.parse().ok(),
    }
}

fn min(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    numbers(arguments)?.into_iter().min().map(Value::int).ok_or_else(|| empty(arguments))
}

fn max(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    numbers(arguments)?.into_iter().max().map(Value::int).ok_or_else(|| empty(arguments))
}

fn empty(arguments: &Arguments<'_>) -> Fault {
    arguments.faulty(0, "is empty; expected at least one int")
}

/// The arguments, or the items of the only one.
fn numbers(arguments: &Arguments<'_>) -> Result<Vec<i64>, Fault> {
    if arguments.count() == 1
        && let Data::Array(items) = &arguments.value(0)?.data
    {
        let number = |item: &Value| {
            let Data::Int(number) = item.data else {
                let what = format!("contains {}; expected an array of ints", kind_of(item));
                return Err(arguments.faulty(0, &what));
            };
            Ok(number)
        };
        return items.iter().map(number).collect();
    }
    (0..arguments.count()).map(|index| arguments.int(index)).collect()
}

fn range(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (start, count) = (arguments.int(0)?, arguments.int(1)?);
    if count < 0 || usize::try_from(count).is_ok_and(|it| it > MOST_ITEMS) {
        return Err(arguments.refuses(1, &format!("a number from 0 to {MOST_ITEMS}")));
    }
    match start.checked_add(count).filter(|it| *it <= MOST_END) {
        Some(end) => Ok(Value::array((start..end).map(Value::int).collect())),
        None => Err(arguments
            .refuses(0, &format!("a number for which the range ends at {MOST_END} or before"))),
    }
}

/// As the documentation has it: start and count together are no more than this.
const MOST_END: i64 = 2_147_483_647;
