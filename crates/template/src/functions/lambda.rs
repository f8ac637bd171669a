//! Functions that apply a lambda: `map`, `filter`, `reduce`, `sort`, `toObject`, `mapValues`, `groupBy`.
//!
//! A lambda decides for itself what becomes of a part that is not known or secret. Where its answer
//! decides on the shape of the result, an answer that is not known makes the result unknown, and one
//! that is secret makes it secret.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arguments::{Arguments, kind_of};
use super::fault::Fault;
use super::measure::is_in_bounds;
use super::{Function, Lambda, Parameter, Reach};
use crate::value::{Data, Kind, Members, Unknown, Value};

const ITEMS: Parameter = Parameter::new("items", "array");

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "map",
        &[ITEMS, Parameter::lambda("lambda", 1, 2)],
        Some(Kind::Array),
        map,
        "Returns the result of the lambda for each item (and its index).",
    )
    .reach(Reach::Moves),
    Function::new(
        "filter",
        &[ITEMS, Parameter::lambda("lambda", 1, 2)],
        Some(Kind::Array),
        filter,
        "Returns the items for which the lambda (called with the item and its index) returns true.",
    )
    .reach(Reach::Moves),
    Function::new(
        "reduce",
        &[ITEMS, Parameter::new("initial", "any"), Parameter::lambda("lambda", 2, 3)],
        None,
        reduce,
        "Combines all items into one value; the lambda gets the value so far and the next item (and its index).",
    )
    .reach(Reach::Moves),
    Function::new(
        "sort",
        &[ITEMS, Parameter::lambda("lambda", 2, 2)],
        Some(Kind::Array),
        sort,
        "Sorts the items; the lambda returns true if its first argument comes before its second.",
    )
    .reach(Reach::Moves),
    Function::new(
        "toObject",
        &[ITEMS, Parameter::lambda("key", 1, 1), Parameter::lambda("value", 1, 1)],
        Some(Kind::Object),
        to_object,
        "Converts items to an object; if two items have the same key, the later one is kept.",
    )
    .least(2)
    .reach(Reach::Moves),
    Function::new(
        "groupBy",
        &[ITEMS, Parameter::lambda("key", 1, 1), Parameter::lambda("value", 1, 1)],
        Some(Kind::Object),
        group_by,
        "Groups items into an object with an array of items for each key.",
    )
    .least(2)
    .reach(Reach::Moves),
    Function::new(
        "mapValues",
        &[Parameter::new("object", "object"), Parameter::lambda("lambda", 1, 1)],
        Some(Kind::Object),
        map_values,
        "Returns an object with the same keys and the result of the lambda for each value.",
    )
    .reach(Reach::Moves),
];

fn map(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (items, lambda) = (items(arguments)?, arguments.lambda(1)?);
    let mapped = items.into_iter().enumerate().map(|(at, item)| lambda(&[item, index(at)]));
    Ok(Value::array(mapped.collect::<Result<_, _>>()?))
}

fn map_values(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (object, lambda) = (arguments.object(0)?, arguments.lambda(1)?);
    let secret = arguments.value(0)?.secret;
    let mapped = object
        .iter()
        .map(|(name, it)| Ok((Arc::clone(name), lambda(&[it.clone().tainted(secret)])?)));
    Ok(Value::object(mapped.collect::<Result<_, Fault>>()?))
}

fn filter(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (items, lambda) = (items(arguments)?, arguments.lambda(1)?);
    let mut kept = Vec::new();
    let mut secret = false;
    for (at, item) in items.iter().enumerate() {
        let answer = answer(arguments, 1, lambda(&[item.clone(), index(at)])?)?;
        secret |= answer.secret;
        match answer.truth {
            Ok(true) => kept.push(item.clone()),
            Ok(false) => {}
            Err(unknown) => return Ok(not_yet(&items, secret, Kind::Array, &unknown)),
        }
    }
    Ok(Value::array(kept).tainted(secret))
}

fn reduce(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    /// A step nests no deeper than the text of the lambda does: it is enough to look now and then.
    const STEPS_BETWEEN_CHECKS: usize = 16;
    let (items, lambda) = (items(arguments)?, arguments.lambda(2)?);
    let mut value = arguments.value(1)?.clone();
    for (at, item) in items.iter().enumerate() {
        value = lambda(&[value, item.clone(), index(at)])?;
        if at % STEPS_BETWEEN_CHECKS == 0 && !is_in_bounds(&value) {
            return Err(
                arguments.faulty(2, "returns a value that is too large or nested too deeply")
            );
        }
    }
    Ok(value)
}

fn sort(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let (items, lambda) = (items(arguments)?, arguments.lambda(1)?);
    let mut sorting = Sorting { arguments, lambda, secret: false };
    match sorting.sorted(items.clone()) {
        Ok(sorted) => Ok(Value::array(sorted).tainted(sorting.secret)),
        Err(Stop::Unknown(unknown)) => Ok(not_yet(&items, sorting.secret, Kind::Array, &unknown)),
        Err(Stop::Fault(fault)) => Err(fault),
    }
}

/// A merge sort of our own: that of the standard library panics when an order contradicts itself, and a
/// lambda may say anything.
struct Sorting<'a> {
    arguments: &'a Arguments<'a>,
    lambda: &'a Lambda<'a>,
    secret: bool,
}

enum Stop {
    Unknown(Arc<Unknown>),
    Fault(Fault),
}

impl Sorting<'_> {
    fn sorted(&mut self, mut items: Vec<Value>) -> Result<Vec<Value>, Stop> {
        if items.len() < 2 {
            return Ok(items);
        }
        let right = items.split_off(items.len() / 2);
        let mut left = self.sorted(items)?.into_iter().peekable();
        let mut right = self.sorted(right)?.into_iter().peekable();
        let mut merged = Vec::new();
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let takes_right = !self.is_before(a, b)? && self.is_before(b, a)?;
            merged.extend(if takes_right { right.next() } else { left.next() });
        }
        merged.extend(left);
        merged.extend(right);
        Ok(merged)
    }

    fn is_before(&mut self, a: &Value, b: &Value) -> Result<bool, Stop> {
        let value = (self.lambda)(&[a.clone(), b.clone()]).map_err(Stop::Fault)?;
        let answer = answer(self.arguments, 1, value).map_err(Stop::Fault)?;
        self.secret |= answer.secret;
        answer.truth.map_err(Stop::Unknown)
    }
}

fn to_object(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let items = items(arguments)?;
    let mut members = Members::new();
    let mut secret = false;
    for item in &items {
        let entry = entry(arguments, item)?;
        secret |= entry.secret;
        match entry.key {
            Ok(key) => members.insert(key, entry.value),
            Err(unknown) => return Ok(not_yet(&items, secret, Kind::Object, &unknown)),
        };
    }
    Ok(Value::object(members).tainted(secret))
}

fn group_by(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let items = items(arguments)?;
    let mut groups: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
    let mut secret = false;
    for item in &items {
        let entry = entry(arguments, item)?;
        secret |= entry.secret;
        match entry.key {
            Ok(key) => groups.entry(key).or_default().push(entry.value),
            Err(unknown) => return Ok(not_yet(&items, secret, Kind::Object, &unknown)),
        }
    }
    let members = groups.into_iter().map(|(key, items)| (key, Value::array(items)));
    Ok(Value::object(members.collect()).tainted(secret))
}

/// What becomes of one item of a list that is made into an object.
struct Entry {
    key: Result<Arc<str>, Arc<Unknown>>,
    secret: bool,
    value: Value,
}

fn entry(arguments: &Arguments<'_>, item: &Value) -> Result<Entry, Fault> {
    let key = arguments.lambda(1)?(std::slice::from_ref(item))?;
    let value = if arguments.count() > 2 {
        arguments.lambda(2)?(std::slice::from_ref(item))?
    } else {
        item.clone()
    };
    let secret = key.secret;
    let key = match key.data {
        Data::String(key) => Ok(key),
        Data::Unknown(unknown) => Err(unknown),
        _ => {
            let what = format!("must return a string, but returns {}", kind_of(&key));
            let fault = arguments.faulty(1, &what);
            return Err(fault.hint("convert the value with `string(…)`"));
        }
    };
    Ok(Entry { key, secret, value })
}

/// What a lambda that decides has said.
struct Answer {
    truth: Result<bool, Arc<Unknown>>,
    secret: bool,
}

fn answer(arguments: &Arguments<'_>, argument: usize, value: Value) -> Result<Answer, Fault> {
    let truth = match value.data {
        Data::Bool(truth) => Ok(truth),
        Data::Unknown(unknown) => Err(unknown),
        _ => {
            let what = format!("must return a bool, but returns {}", kind_of(&value));
            return Err(arguments.faulty(argument, &what));
        }
    };
    Ok(Answer { truth, secret: value.secret })
}

fn not_yet(items: &[Value], secret: bool, kind: Kind, unknown: &Unknown) -> Value {
    let secret = secret || items.iter().any(Value::holds_secret);
    Value::unknown(Some(kind), unknown.because.clone()).tainted(secret)
}

/// The items of a list, each as secret as the list: a lambda sees nothing of the list itself.
fn items(arguments: &Arguments<'_>) -> Result<Vec<Value>, Fault> {
    let secret = arguments.value(0)?.secret;
    Ok(arguments.array(0)?.iter().map(|it| it.clone().tainted(secret)).collect())
}

fn index(at: usize) -> Value {
    Value::int(i64::try_from(at).unwrap_or(i64::MAX))
}
