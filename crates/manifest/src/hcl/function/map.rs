//! Functions of maps and objects.

use std::collections::BTreeMap;

use super::super::value::{Data, Datum};
use super::argument::Arguments;
use super::{Problem, Ran};

pub(super) fn keys(arguments: &mut Arguments) -> Ran {
    Ok(Datum::list(arguments.map(0)?.into_keys().map(Datum::text).collect()))
}

pub(super) fn values(arguments: &mut Arguments) -> Ran {
    Ok(Datum::list(arguments.map(0)?.into_values().collect()))
}

pub(super) fn lookup(arguments: &mut Arguments) -> Ran {
    let key = arguments.text(1)?;
    let is_default_given = arguments.count() == 3;
    match arguments.map(0)?.remove(&key) {
        Some(member) => Ok(member),
        None if is_default_given => Ok(arguments.take(2)),
        None => {
            Err(Problem::Wrong("the object has no such key, and no default is passed".to_owned()))
        }
    }
}

/// Later members replace earlier ones; null counts as nothing.
pub(super) fn merge(arguments: &mut Arguments) -> Ran {
    let mut all = BTreeMap::new();
    for at in 0..arguments.count() {
        if !arguments.get(at).is_some_and(Datum::is_null) {
            all.extend(arguments.map(at)?);
        }
    }
    Ok(Datum::new(Data::Map(all)))
}

pub(super) fn zipmap(arguments: &mut Arguments) -> Ran {
    let keys = arguments.list(0)?;
    let values = arguments.list(1)?;
    if keys.len() != values.len() {
        return Err(Problem::Wrong("there must be as many keys as values".to_owned()));
    }
    let mut all = BTreeMap::new();
    let mut sensitive = false;
    for (key, value) in keys.into_iter().zip(values) {
        sensitive |= key.sensitive;
        let Some(name) = key.to_text() else {
            return Err(Problem::Wrong(format!("a key must be a string, not {}", key.noun())));
        };
        all.insert(name, value);
    }
    Ok(Datum::new(Data::Map(all)).marked(sensitive))
}
