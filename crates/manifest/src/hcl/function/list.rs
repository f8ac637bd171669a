//! Functions of lists.

use std::collections::HashSet;

use super::super::value::{Data, Datum};
use super::argument::{Arguments, unified};
use super::encode::json_text;
use super::{Problem, Ran};

/// Lists inside of each other; a value is never nested deeper by far.
const DEEPEST: usize = 500;

fn wrong<T>(problem: &str) -> Result<T, Problem> {
    Err(Problem::Wrong(problem.to_owned()))
}

pub(super) fn length(arguments: &mut Arguments) -> Ran {
    let count = match arguments.get(0).map(|it| &it.data) {
        Some(Data::List(items) | Data::Set(items)) => items.len(),
        Some(Data::Map(members)) => members.len(),
        Some(Data::Text(text)) => text.chars().count(),
        _ => return Err(arguments.wrong(0, "a list, an object or a string")),
    };
    Ok(Datum::count(count))
}

/// Elements are counted in a circle.
pub(super) fn element(arguments: &mut Arguments) -> Ran {
    let index = arguments.integer(1)?;
    let mut items = arguments.list(0)?;
    let Ok(index) = usize::try_from(index) else {
        return wrong("the index must not be negative");
    };
    match index.checked_rem(items.len()) {
        Some(index) => Ok(items.swap_remove(index)),
        None => wrong("the list is empty"),
    }
}

pub(super) fn concat(arguments: &mut Arguments) -> Ran {
    let mut all = Vec::new();
    for at in 0..arguments.count() {
        all.extend(arguments.list(at)?);
    }
    Ok(Datum::list(all))
}

pub(super) fn coalescelist(arguments: &mut Arguments) -> Ran {
    for at in 0..arguments.count() {
        if arguments.get(at).is_some_and(Datum::is_null) {
            continue;
        }
        let items = arguments.list(at)?;
        if !items.is_empty() {
            return Ok(Datum::list(items));
        }
    }
    wrong("all lists are empty")
}

pub(super) fn compact(arguments: &mut Arguments) -> Ran {
    let mut texts = Vec::new();
    for item in arguments.list(0)? {
        if item.is_null() {
            continue;
        }
        match item.to_text() {
            Some(text) if text.is_empty() => {}
            Some(text) => texts.push(Datum::text(text)),
            None => return wrong("argument 1 must be a list of strings"),
        }
    }
    Ok(Datum::list(texts))
}

pub(super) fn contains(arguments: &mut Arguments) -> Ran {
    let wanted = arguments.take(1);
    let items = arguments.list(0)?;
    Ok(Datum::bool(items.iter().any(|item| item.is_same(&wanted))))
}

pub(super) fn index(arguments: &mut Arguments) -> Ran {
    let wanted = arguments.take(1);
    let items = arguments.list(0)?;
    match items.iter().position(|item| item.is_same(&wanted)) {
        Some(at) => Ok(Datum::count(at)),
        None => wrong("the list has no such element"),
    }
}

pub(super) fn distinct(arguments: &mut Arguments) -> Ran {
    let items = unified(arguments.list(0)?);
    Ok(Datum::list(without_twins(items)))
}

/// Each once, where it is first.
pub(super) fn without_twins(items: Vec<Datum>) -> Vec<Datum> {
    let mut seen = HashSet::new();
    items.into_iter().filter(|item| seen.insert(json_text(item))).collect()
}

pub(super) fn flatten(arguments: &mut Arguments) -> Ran {
    let mut all = Vec::new();
    flat(arguments.list(0)?, &mut all, 0)?;
    Ok(Datum::list(all))
}

fn flat(items: Vec<Datum>, all: &mut Vec<Datum>, depth: usize) -> Result<(), Problem> {
    if depth == DEEPEST {
        return Err(Problem::TooMuch);
    }
    for item in items {
        match item.data {
            Data::List(inner) | Data::Set(inner) => flat(inner, all, depth + 1)?,
            _ => all.push(item),
        }
    }
    Ok(())
}

pub(super) fn slice(arguments: &mut Arguments) -> Ran {
    let (from, to) = (arguments.integer(1)?, arguments.integer(2)?);
    let mut items = arguments.list(0)?;
    let (Ok(from), Ok(to)) = (usize::try_from(from), usize::try_from(to)) else {
        return wrong("an index must not be negative");
    };
    if from > to || to > items.len() {
        return wrong(
            "the first index must not exceed the second, and the second must not exceed the length of the list",
        );
    }
    items.truncate(to);
    Ok(Datum::list(items.split_off(from)))
}

pub(super) fn sort(arguments: &mut Arguments) -> Ran {
    let mut texts = arguments.texts(0)?;
    texts.sort_unstable();
    Ok(Datum::list(texts.into_iter().map(Datum::text).collect()))
}

pub(super) fn reverse(arguments: &mut Arguments) -> Ran {
    let mut items = arguments.list(0)?;
    items.reverse();
    Ok(Datum::list(items))
}

pub(super) fn one(arguments: &mut Arguments) -> Ran {
    if arguments.get(0).is_some_and(Datum::is_null) {
        return Ok(Datum::null());
    }
    let mut items = arguments.list(0)?;
    match items.len() {
        0 => Ok(Datum::null()),
        1 => Ok(items.swap_remove(0)),
        count => {
            Err(Problem::Wrong(format!("the list must have at most one element, not {count}")))
        }
    }
}

pub(super) fn alltrue(arguments: &mut Arguments) -> Ran {
    Ok(Datum::bool(truths(arguments)?.into_iter().all(|it| it)))
}

pub(super) fn anytrue(arguments: &mut Arguments) -> Ran {
    Ok(Datum::bool(truths(arguments)?.into_iter().any(|it| it)))
}

/// What is null is not true.
fn truths(arguments: &mut Arguments) -> Result<Vec<bool>, Problem> {
    let truth = |item: &Datum| if item.is_null() { Some(false) } else { item.to_bool() };
    let items = arguments.list(0)?;
    let truths: Option<Vec<bool>> = items.iter().map(truth).collect();
    truths.map_or_else(|| wrong("argument 1 must be a list of booleans"), Ok)
}
