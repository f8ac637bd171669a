//! Values out of instances, with what is marked as sensitive.

use std::collections::BTreeMap;

use hangar_ids::InstanceKey;
use serde_json::Value;

use super::path::Step;
use super::{LookupError, Names};
use crate::hcl::{Data, Datum};
use crate::state::{Instance, Sensitive};

/// Marks of more bytes are not gone through value by value: all is sensitive then.
const LONGEST_MARKS: usize = 64 << 10;

/// The value at a path of an object, and whether it or something in it is marked.
pub(super) fn at_path(
    instance: &Instance<'_>,
    path: &[Step],
) -> Result<(Value, bool), LookupError> {
    if path.is_empty() {
        let datum = whole(instance)?;
        let sensitive = datum.is_sensitive_anywhere() || instance.sensitive.touches(&[]);
        return Ok((datum.into_json(), sensitive));
    }
    let mut missed = None;
    for (name, rest) in splits(path) {
        let Some(value) = attribute_json(instance, &name)? else { continue };
        let mut trail = vec![name];
        match walk(&value, rest, &mut trail) {
            Ok(value) => {
                let names: Vec<&str> = trail.iter().map(String::as_str).collect();
                return Ok((value.clone(), instance.sensitive.touches(&names)));
            }
            Err(miss) => {
                let names: Vec<&str> = trail.iter().map(String::as_str).collect();
                let is_hidden = instance.sensitive.covers(&names);
                missed =
                    Some(if is_hidden { Miss { there: Names::default(), ..miss } } else { miss });
            }
        }
    }
    let missed = missed.unwrap_or_else(|| Miss {
        asked: path[0].text().to_owned(),
        there: Names::of_owned(instance.attributes.names()),
    });
    Err(LookupError::NoAttribute {
        address: instance.address.clone(),
        path: path.iter().map(Step::text).collect::<Vec<_>>().join("."),
        asked: missed.asked,
        there: missed.there,
    })
}

/// Where a path leads nowhere.
struct Miss {
    asked: String,
    there: Names,
}

/// The ways to take the first name off a path, the longest name first.
fn splits(path: &[Step]) -> impl Iterator<Item = (String, &[Step])> {
    let plain = path.iter().take_while(|step| matches!(step, Step::Plain(_))).count();
    (1..=plain.max(1)).rev().map(|count| {
        let name = path[..count].iter().map(Step::text).collect::<Vec<_>>().join(".");
        (name, &path[count..])
    })
}

/// The trail is that of the value, or of the last thing in which something was missed.
fn walk<'v>(value: &'v Value, path: &[Step], trail: &mut Vec<String>) -> Result<&'v Value, Miss> {
    let Some(first) = path.first() else { return Ok(value) };
    let miss = |there| Miss { asked: first.text().to_owned(), there };
    match value {
        Value::Object(members) => {
            let mut missed = None;
            for (name, rest) in splits(path) {
                let Some(member) = members.get(&name) else { continue };
                let before = trail.len();
                trail.push(name);
                match walk(member, rest, trail) {
                    Ok(value) => return Ok(value),
                    Err(miss) => missed = Some((miss, trail.split_off(before))),
                }
            }
            match missed {
                Some((missed, way)) => {
                    trail.extend(way);
                    Err(missed)
                }
                None => Err(miss(Names::of(members.keys().map(String::as_str)))),
            }
        }
        Value::Array(items) => {
            let at = first.text().parse::<usize>().ok().filter(|at| *at < items.len());
            let Some(at) = at else {
                return Err(miss(Names::of_owned((0..items.len()).map(|at| at.to_string()))));
            };
            trail.push(at.to_string());
            walk(&items[at], &path[1..], trail)
        }
        _ => Err(miss(Names::default())),
    }
}

fn attribute_json(instance: &Instance<'_>, name: &str) -> Result<Option<Value>, LookupError> {
    let value = instance.attributes.plain(name).transpose();
    value.map_err(|_| LookupError::TooDeep { what: format!("{}.{name}", instance.address) })
}

/// One attribute of an object.
pub(super) fn attribute(instance: &Instance<'_>, name: &str) -> Result<Datum, LookupError> {
    match attribute_json(instance, name)? {
        Some(value) => Ok(marked(value, name, &instance.sensitive)),
        None => Err(LookupError::NoAttribute {
            address: instance.address.clone(),
            path: name.to_owned(),
            asked: name.to_owned(),
            there: Names::of_owned(instance.attributes.names()),
        }),
    }
}

/// All attributes of an object.
pub(super) fn whole(instance: &Instance<'_>) -> Result<Datum, LookupError> {
    let mut members = BTreeMap::new();
    for name in instance.attributes.names() {
        if let Some(value) = attribute_json(instance, &name)? {
            let datum = marked(value, &name, &instance.sensitive);
            members.insert(name, datum);
        }
    }
    Ok(Datum::new(Data::Map(members)).marked(instance.sensitive.covers(&[])))
}

/// All instances of a block: a list of `count`, an object of `for_each`.
pub(super) fn all(block: &str, instances: &[&Instance<'_>]) -> Result<Datum, LookupError> {
    let mut elements = Vec::new();
    let mut members = BTreeMap::new();
    for instance in instances {
        match &instance.key {
            Some(InstanceKey::Index(_)) => elements.push(whole(instance)?),
            Some(InstanceKey::Text(key)) => {
                members.insert(key.clone(), whole(instance)?);
            }
            None => {}
        }
    }
    match (elements.len(), members.len()) {
        (count, 0) if count == instances.len() => Ok(Datum::list(elements)),
        (0, count) if count == instances.len() => Ok(Datum::new(Data::Map(members))),
        // Keys of several kinds are what a change of the configuration left.
        _ => Err(super::which(block.to_owned(), instances)),
    }
}

/// The value of an attribute with its marks.
fn marked(value: Value, name: &str, sensitive: &Sensitive<'_>) -> Datum {
    let bytes = match sensitive {
        Sensitive::Nothing => return Datum::of_json(value),
        Sensitive::Paths(json) | Sensitive::Mask(json) => json.as_str().len(),
    };
    if bytes > LONGEST_MARKS {
        return Datum::of_json(value).marked(true);
    }
    marked_at(value, &mut vec![name.to_owned()], sensitive)
}

/// The depth is that of a value of JSON, which is bounded where it is read.
fn marked_at(value: Value, path: &mut Vec<String>, sensitive: &Sensitive<'_>) -> Datum {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    if sensitive.covers(&names) {
        return Datum::of_json(value).marked(true);
    }
    if !sensitive.touches(&names) {
        return Datum::of_json(value);
    }
    let mut inner = |name: String, value: Value| {
        path.push(name);
        let datum = marked_at(value, path, sensitive);
        path.pop();
        datum
    };
    match value {
        Value::Array(items) => Datum::list(
            items.into_iter().enumerate().map(|(at, item)| inner(at.to_string(), item)).collect(),
        ),
        Value::Object(members) => Datum::new(Data::Map(
            members.into_iter().map(|(name, it)| (name.clone(), inner(name, it))).collect(),
        )),
        // Something in it is marked, and it has nothing in it.
        scalar => Datum::of_json(scalar).marked(true),
    }
}
