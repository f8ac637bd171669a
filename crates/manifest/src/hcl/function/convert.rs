//! Functions that change what a value is taken for, and whether it is sensitive.

use std::collections::BTreeMap;

use super::super::value::{Data, Datum};
use super::argument::{Arguments, unified};
use super::list::without_twins;
use super::{Problem, Ran};

pub(super) fn tostring(arguments: &mut Arguments) -> Ran {
    match arguments.get(0) {
        Some(it) if it.is_null() => Ok(Datum::null()),
        _ => Ok(Datum::text(arguments.text(0)?)),
    }
}

pub(super) fn tonumber(arguments: &mut Arguments) -> Ran {
    match arguments.get(0) {
        Some(it) if it.is_null() => Ok(Datum::null()),
        _ => Ok(Datum::number(&arguments.number(0)?)),
    }
}

pub(super) fn tobool(arguments: &mut Arguments) -> Ran {
    match arguments.get(0) {
        Some(it) if it.is_null() => Ok(Datum::null()),
        Some(it) => match it.to_bool() {
            Some(is_true) => Ok(Datum::bool(is_true)),
            None => Err(arguments.wrong(0, "`true` or `false`")),
        },
        None => Err(arguments.wrong(0, "`true` or `false`")),
    }
}

pub(super) fn tolist(arguments: &mut Arguments) -> Ran {
    if arguments.get(0).is_some_and(Datum::is_null) {
        return Ok(Datum::null());
    }
    Ok(Datum::list(unified(arguments.list(0)?)))
}

/// Each once, in the order in which Terraform goes through a set.
pub(super) fn toset(arguments: &mut Arguments) -> Ran {
    if arguments.get(0).is_some_and(Datum::is_null) {
        return Ok(Datum::null());
    }
    let mut items = without_twins(unified(arguments.list(0)?));
    items.sort_by(|a, b| match (&a.data, &b.data) {
        (Data::Text(a), Data::Text(b)) => a.cmp(b),
        (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
        _ => a.to_decimal().cmp(&b.to_decimal()),
    });
    Ok(Datum::new(Data::Set(items)))
}

pub(super) fn tomap(arguments: &mut Arguments) -> Ran {
    if arguments.get(0).is_some_and(Datum::is_null) {
        return Ok(Datum::null());
    }
    let (names, members): (Vec<_>, Vec<_>) = arguments.map(0)?.into_iter().unzip();
    let all: BTreeMap<_, _> = names.into_iter().zip(unified(members)).collect();
    Ok(Datum::new(Data::Map(all)))
}

/// The first that is neither null nor an empty text.
pub(super) fn coalesce(arguments: &mut Arguments) -> Ran {
    let is_nothing = |it: &Datum| match &it.data {
        Data::Null => true,
        Data::Text(text) => text.is_empty(),
        _ => false,
    };
    let first = unified(arguments.all()).into_iter().find(|it| !is_nothing(it));
    first.ok_or_else(|| Problem::Wrong("every argument is null or empty".to_owned()))
}

#[allow(clippy::unnecessary_wraps, reason = "all functions are of one type")]
pub(super) fn sensitive(arguments: &mut Arguments) -> Ran {
    Ok(arguments.take(0).marked(true))
}

/// Of the value itself; what is marked in it stays so.
#[allow(clippy::unnecessary_wraps, reason = "all functions are of one type")]
pub(super) fn nonsensitive(arguments: &mut Arguments) -> Ran {
    Ok(Datum { sensitive: false, ..arguments.take(0) })
}

#[allow(clippy::unnecessary_wraps, reason = "all functions are of one type")]
pub(super) fn issensitive(arguments: &mut Arguments) -> Ran {
    Ok(Datum::bool(arguments.get(0).is_some_and(|it| it.sensitive)))
}
