//! Functions that put lists and objects together: `union`, `intersection`, `distinct`, `flatten`.

use std::sync::Arc;

use super::arguments::{Arguments, kind_of};
use super::fault::Fault;
use super::same::{Distinct, is_same};
use super::{Function, Parameter, Reach};
use crate::value::{Data, Kind, Members, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "union",
        &[Parameter::new("first", "array | object"), Parameter::new("others", "array | object")],
        None,
        union,
        "Combines arrays without duplicates, or merges objects with their nested objects; later values \
        replace earlier ones.",
    )
    .repeated()
    .reach(Reach::Moves),
    Function::new(
        "intersection",
        &[Parameter::new("first", "array | object"), Parameter::new("others", "array | object")],
        None,
        intersection,
        "Returns the items that all arrays contain, without duplicates, or the properties that are equal in \
        all objects.",
    )
    .repeated()
    .reach(Reach::Chooses),
    Function::new(
        "distinct",
        &[Parameter::new("items", "array")],
        Some(Kind::Array),
        distinct,
        "Returns the items of an array without duplicates; the first of equal items is kept.",
    )
    .reach(Reach::Chooses),
    Function::new(
        "flatten",
        &[Parameter::new("lists", "array")],
        Some(Kind::Array),
        flatten,
        "Joins the arrays in an array into one array.",
    )
    .reach(Reach::Moves),
    Function::new(
        "shallowMerge",
        &[Parameter::new("objects", "array")],
        Some(Kind::Object),
        shallow_merge,
        "Merges the objects in an array without merging nested objects; later values replace earlier ones.",
    )
    .reach(Reach::Moves),
];

fn union(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match &arguments.value(0)?.data {
        Data::Array(_) => {
            let lists = lists(arguments)?;
            let items = || lists.iter().flat_map(|it| it.iter());
            // Which of them are the same cannot be told, and so not even how many there will be.
            if let Some(unknown) = items().find_map(Value::first_unknown) {
                let secret = items().any(Value::holds_secret);
                let value = Value::unknown(Some(Kind::Array), unknown.because.clone());
                return Ok(value.tainted(secret));
            }
            Ok(Value::array(items().collect::<Distinct>().into_items()))
        }
        Data::Object(_) => {
            let mut all = Value::object(Members::new());
            for object in objects(arguments)? {
                all = merged(&all, &Value::plain(Data::Object(Arc::clone(object))));
            }
            Ok(all)
        }
        _ => Err(arguments.wants(0, "an array or an object")),
    }
}

/// The later value over the earlier. Two objects are merged; where one of two might turn out to be an
/// object, nothing can be said yet.
fn merged(earlier: &Value, later: &Value) -> Value {
    match (&earlier.data, &later.data) {
        (Data::Object(old), Data::Object(new)) => {
            let mut members = Members::clone(old);
            for (name, value) in new.iter() {
                let value = match old.get(name) {
                    Some(before) => merged(before, value),
                    None => value.clone(),
                };
                members.insert(Arc::clone(name), value);
            }
            Value::object(members).tainted(earlier.secret || later.secret)
        }
        (Data::Unknown(old), Data::Object(_)) if may_be_object(old.kind) => {
            let value = Value::unknown(None, old.because.clone());
            value.tainted(earlier.secret || later.holds_secret())
        }
        (Data::Object(_), Data::Unknown(new)) if may_be_object(new.kind) => {
            let value = Value::unknown(new.kind, new.because.clone());
            value.tainted(later.secret || earlier.holds_secret())
        }
        _ => later.clone(),
    }
}

fn may_be_object(kind: Option<Kind>) -> bool {
    kind.is_none_or(|it| it == Kind::Object)
}

fn intersection(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    match &arguments.value(0)?.data {
        Data::Array(first) => {
            let mut left: Distinct = first.iter().collect();
            for other in lists(arguments)?.into_iter().skip(1) {
                let other: Distinct = other.iter().collect();
                let both = left.into_items().into_iter().filter_map(|item| {
                    let found = other.find(&item)?;
                    Some(item.clone().tainted(found.secret))
                });
                left = both.collect::<Vec<_>>().iter().collect();
            }
            Ok(Value::array(left.into_items()))
        }
        Data::Object(first) => {
            let others = objects(arguments)?;
            let mut left = Members::new();
            for (name, value) in first.iter() {
                let found: Option<Vec<_>> = others.iter().map(|it| it.get(name)).collect();
                if let Some(found) = found.filter(|it| it.iter().all(|it| is_same(it, value))) {
                    let secret = found.iter().any(|it| it.secret);
                    left.insert(Arc::clone(name), value.clone().tainted(secret));
                }
            }
            Ok(Value::object(left))
        }
        _ => Err(arguments.wants(0, "an array or an object")),
    }
}

fn lists<'a>(arguments: &'a Arguments<'_>) -> Result<Vec<&'a Arc<Vec<Value>>>, Fault> {
    (0..arguments.count()).map(|index| arguments.array(index)).collect()
}

fn objects<'a>(arguments: &'a Arguments<'_>) -> Result<Vec<&'a Arc<Members>>, Fault> {
    (0..arguments.count()).map(|index| arguments.object(index)).collect()
}

fn distinct(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::array(arguments.array(0)?.iter().collect::<Distinct>().into_items()))
}

fn flatten(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let lists = arguments.array(0)?;
    let mut all = Vec::new();
    for list in lists.iter() {
        match &list.data {
            Data::Array(items) => {
                all.extend(items.iter().map(|it| it.clone().tainted(list.secret)));
            }
            Data::Unknown(unknown) => return Ok(not_yet(lists, Kind::Array, unknown)),
            _ => {
                let what = format!("contains {}; expected an array of arrays", kind_of(list));
                return Err(arguments.faulty(0, &what));
            }
        }
        if all.len() > super::MOST_ITEMS {
            return Err(arguments.too_large(super::MOST_ITEMS, "items"));
        }
    }
    Ok(Value::array(all))
}

fn shallow_merge(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let objects = arguments.array(0)?;
    let mut all = Members::new();
    for object in objects.iter() {
        match &object.data {
            Data::Object(members) => {
                let members = members.iter();
                all.extend(
                    members.map(|(name, it)| (Arc::clone(name), it.clone().tainted(object.secret))),
                );
            }
            Data::Unknown(unknown) => return Ok(not_yet(objects, Kind::Object, unknown)),
            _ => {
                let what = format!("contains {}; expected an array of objects", kind_of(object));
                return Err(arguments.faulty(0, &what));
            }
        }
    }
    Ok(Value::object(all))
}

/// A result that waits for one of the parts, and is secret if any of them is.
fn not_yet(parts: &[Value], kind: Kind, unknown: &crate::value::Unknown) -> Value {
    let secret = parts.iter().any(Value::holds_secret);
    Value::unknown(Some(kind), unknown.because.clone()).tainted(secret)
}
