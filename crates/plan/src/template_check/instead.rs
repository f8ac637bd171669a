//! What to write in place of a value of the wrong kind, where the schema describes the items or members.

use hangar_schema::outline::{Member, Outline};
use hangar_schema::{Kind, TypeSchema};
use hangar_template::write::key;
use serde_json::{Map, Value as Json};

use super::subject::Subject;
use super::words::literal;
use crate::skeleton::members_of;

/// Longer examples hide what they are an example of.
const MAX_EXAMPLE: usize = 160;

/// A hint with the form that the schema wants: `` write an array of objects: `[{ Key: 'app', Value: 'x' }]` ``.
///
/// Nothing if the schema says no more of the place than its kind. A secret is never quoted.
pub(super) fn hint(schema: &TypeSchema, subject: &Subject, found: &Json) -> Option<String> {
    let outline = schema.outline_at(&subject.property)?;
    let found = if subject.is_secret { &Json::Null } else { found };
    let kinds = outline.kinds();
    let items = outline.element().filter(|item| kinds.has(Kind::Array) && has_members(*item));
    if let (Some(item), false) = (items, found.is_array()) {
        return Some(match found {
            Json::Object(members) => of_array(item, members),
            _ => format!("write an array of objects: `[{}]`", members_of(item)),
        });
    }
    if !kinds.has(Kind::Object) || found.is_object() {
        return None;
    }
    match found {
        Json::Array(pairs) if is_map(outline) => {
            let members = names_and_values(pairs);
            let example = members.map(|it| object(&it)).filter(|it| it.len() <= MAX_EXAMPLE);
            let example = example.unwrap_or_else(|| "{ name: value }".to_owned());
            Some(format!("write an object with a member for each name: `{example}`"))
        }
        Json::Array(items) if items.len() == 1 && items[0].is_object() && has_members(outline) => {
            Some(format!("remove `[` and `]`: it is one object, `{}`", members_of(outline)))
        }
        _ if has_members(outline) => Some(format!("write an object: `{}`", members_of(outline))),
        _ => None,
    }
}

/// What to write where an array of objects is wanted and one object is given.
fn of_array(item: Outline<'_>, members: &Map<String, Json>) -> String {
    // The object is an item already.
    if !members.is_empty() && members.keys().all(|name| item.find_member(name).is_some()) {
        return "write an array of such objects: put `[` and `]` around it".to_owned();
    }
    let shape = members_of(item);
    let Some((name, value)) = name_and_value(item) else {
        return format!("write an array of objects: `[{shape}]`");
    };
    let is_scalar = |it: &Json| !it.is_object() && !it.is_array() && !it.is_null();
    if members.is_empty() || !members.values().all(is_scalar) {
        return format!("write an array of objects: `[{shape}]`");
    }
    let pair = |(own, its): (&String, &Json)| {
        let value_text = if its.is_string() { literal(its) } else { format!("'{its}'") };
        let own = literal(&Json::String(own.clone()));
        format!("{{ {}: {own}, {}: {value_text} }}", key(name), key(value))
    };
    let pairs: Vec<String> = members.iter().map(pair).collect();
    let mut example = pairs.join(", ");
    if example.len() > MAX_EXAMPLE {
        example = format!("{}, …", pairs.first().map_or("", String::as_str));
    }
    format!("write an array of objects: `[{example}]`")
}

/// The members of an item that a name and its value go into; nothing if it has other members or others than texts.
fn name_and_value<'s>(item: Outline<'s>) -> Option<(&'s str, &'s str)> {
    let is_text = |member: &Member<'_>| member.outline.kinds().has(Kind::String);
    let members: Vec<Member<'s>> =
        item.members().filter(|member| !member.outline.is_read_only()).collect();
    let [a, b] = members.as_slice() else { return None };
    if !is_text(a) || !is_text(b) {
        return None;
    }
    let holds_value = |member: &Member<'_>| member.name.to_ascii_lowercase().ends_with("value");
    let holds_name = |member: &Member<'_>| {
        let name = member.name.to_ascii_lowercase();
        ["key", "name", "id"].iter().any(|end| name.ends_with(end))
    };
    let orders = [(a, b), (b, a)];
    let (name, value) =
        orders.into_iter().find(|(name, value)| holds_name(name) && holds_value(value))?;
    Some((name.name, value.name))
}

/// The members that an array of names and values stands for.
fn names_and_values(pairs: &[Json]) -> Option<Map<String, Json>> {
    pairs
        .iter()
        .map(|pair| Some((pair.get("Key")?.as_str()?.to_owned(), pair.get("Value")?.clone())))
        .collect()
}

fn object(members: &Map<String, Json>) -> String {
    let member = |(name, value): (&String, &Json)| format!("{}: {}", key(name), literal(value));
    format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
}

fn has_members(outline: Outline<'_>) -> bool {
    outline.kinds().has(Kind::Object) && outline.members().next().is_some()
}

fn is_map(outline: Outline<'_>) -> bool {
    outline.members().next().is_none() && outline.others().is_some()
}
