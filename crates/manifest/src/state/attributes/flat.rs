//! Values out of texts by dotted names: `x.#` counts a list or a set, `x.%` a map.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Json;

/// A name and its text.
type Entry<'n, 'a> = (&'n str, Json<'a>);

/// No provider nests so deeply; what does is taken for one long name.
const DEEPEST: usize = 64;

pub(super) fn get(members: &[(Cow<'_, str>, Json<'_>)], path: &[&str]) -> Option<Value> {
    if path.is_empty() {
        return None;
    }
    let name = path.join(".");
    let entries = members.iter().filter_map(|(key, json)| {
        let rest = key.strip_prefix(name.as_str())?;
        let is_it = rest.is_empty() || rest.starts_with('.');
        is_it.then_some((rest.strip_prefix('.').unwrap_or(rest), *json))
    });
    value(&entries.collect::<Vec<_>>(), 0)
}

/// The value of entries whose common name is taken off.
fn value(entries: &[Entry<'_, '_>], depth: usize) -> Option<Value> {
    let named = |wanted: &str| entries.iter().find(|(name, _)| *name == wanted);
    if let Some((_, text)) = named("") {
        return text.value().filter(|value| !value.is_null());
    }
    if named("%").is_some() {
        let members = entries.iter().filter(|(name, _)| *name != "%");
        return Some(
            members.filter_map(|(name, json)| Some(((*name).to_owned(), json.value()?))).collect(),
        );
    }
    if named("#").is_some() {
        let mut elements: Vec<(u64, Value)> = below(entries, depth)
            .into_iter()
            .filter_map(|(name, entries)| Some((name.parse().ok()?, value(&entries, depth + 1)?)))
            .collect();
        elements.sort_by_key(|(at, _)| *at);
        return Some(elements.into_iter().map(|(_, value)| value).collect());
    }
    if entries.is_empty() {
        return None;
    }
    let members = below(entries, depth).into_iter();
    let members =
        members.filter_map(|(name, entries)| Some((name.to_owned(), value(&entries, depth + 1)?)));
    Some(Value::Object(members.collect::<Map<_, _>>()))
}

/// The entries by the first part of their names.
fn below<'n, 'a>(entries: &[Entry<'n, 'a>], depth: usize) -> BTreeMap<&'n str, Vec<Entry<'n, 'a>>> {
    let mut parts: BTreeMap<&str, Vec<Entry<'_, '_>>> = BTreeMap::new();
    for (name, json) in entries {
        let (first, rest) = match name.split_once('.') {
            Some(parts) if depth < DEEPEST => parts,
            _ => (*name, ""),
        };
        parts.entry(first).or_default().push((rest, *json));
    }
    parts
}
