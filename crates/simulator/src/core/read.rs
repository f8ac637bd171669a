//! Reads and lists: what Cloud Control shows of what is there.

use std::sync::Arc;

use hangar_ids::IdentifierSet;
use hangar_schema::{
    PropertyPointer, TypeSchema, additional_identifier_of, read_identifier, same::same,
};
use serde_json::{Map, Value};

use super::habits::with_elements;
use super::model::{parse, read_object};
use super::place::Place;
use super::random::Random;
use super::refusal::{Exception, HandlerErrorCode, Refusal};
use super::reply::{Description, Reply};
use super::settings::ListDetail;
use super::state::Region;
use super::time::Timestamp;
use super::types::Action;
use super::words::not_found_words;
use super::world::World;

impl World {
    pub(super) fn get(
        &mut self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let schema = self.types.get_for(type_name, Action::Read)?;
        let identifier = self.resolve(place, &schema, identifier, now)?;
        let resource = self.region(place).and_then(|it| it.resource(type_name, &identifier));
        match resource.and_then(|resource| resource.seen_at(now)) {
            Some(properties) => {
                let shared = self.shared_elements(place, &schema, &identifier, now);
                let properties = if shared.is_empty() {
                    properties.to_owned()
                } else {
                    with_elements(&parse(properties), &shared).to_string()
                };
                let description = Description { identifier, properties };
                Ok(Reply::Resource { type_name: type_name.to_owned(), description })
            }
            None => Err(not_found(type_name, &identifier, self)),
        }
    }

    /// The primary identifier that a caller means: as text, or as JSON, which may also name a
    /// secondary one.
    pub(super) fn resolve(
        &self,
        place: &Place,
        schema: &TypeSchema,
        text: &str,
        now: Timestamp,
    ) -> Result<String, Refusal> {
        let is_there =
            self.region(place).is_some_and(|it| it.resource(schema.name(), text).is_some());
        if is_there || !text.trim_start().starts_with('{') {
            return plain(schema, text);
        }
        let named = read_identifier(schema, text).map_err(|_| not_one_identifier(schema))?;
        let wanted = named.identifier.as_str();
        let IdentifierSet::Additional(index) = named.set else {
            return Ok(wanted.to_owned());
        };
        let of_type = self.region(place).and_then(|it| it.resources.get(schema.name()));
        let found = of_type.into_iter().flatten().find(|(_, resource)| {
            let properties = resource.seen_at(now).map(parse).unwrap_or_default();
            additional_identifier_of(schema, index, &properties)
                .is_ok_and(|identifier| identifier.as_str() == wanted)
        });
        found
            .map(|(identifier, _)| identifier.to_string())
            .ok_or_else(|| not_found(schema.name(), text, self))
    }

    pub(super) fn list(
        &mut self,
        place: &Place,
        type_name: &str,
        model: Option<&str>,
        next_token: Option<&str>,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let schema = self.types.get_for(type_name, Action::List)?;
        let wanted = parents(&schema, model)?;
        let after = next_token.map(|token| read_page_token(type_name, token)).transpose()?;
        let size = usize::from(self.settings.page_size);
        let detail = self.settings.list_detail;
        let mut descriptions = Vec::new();
        let mut next_token = None;
        for (identifier, seen) in seen_after(self.region(place), &schema, after.as_deref(), now) {
            if !wanted.is_empty() && !is_below(&wanted, &parse(seen)) {
                continue;
            }
            if descriptions.len() == size {
                let last: Option<&Description> = descriptions.last();
                next_token = last.map(|last| page_token(type_name, &last.identifier));
                break;
            }
            let properties = match detail {
                ListDetail::Full => seen.to_owned(),
                ListDetail::Identifiers => naming_properties(&schema, &parse(seen)).to_string(),
            };
            descriptions.push(Description { identifier: identifier.to_owned(), properties });
        }
        Ok(Reply::Resources { type_name: type_name.to_owned(), descriptions, next_token })
    }
}

/// The refusal of a handler that finds nothing.
pub(super) fn not_found(type_name: &str, identifier: &str, world: &World) -> Refusal {
    let number = world.log().count().to_string();
    let purpose = ["not found", type_name, identifier, number.as_str()];
    let token = Random::new(world.settings().seed, &purpose).uuid();
    let message = format!(
        "{type_name} Handler returned status FAILED: {} (HandlerErrorCode: {}, RequestToken: {token})",
        not_found_words(type_name, identifier),
        HandlerErrorCode::NotFound.as_str(),
    );
    Refusal::new(Exception::ResourceNotFound, message)
}

fn pointers(set: &[PropertyPointer]) -> String {
    let names: Vec<String> = set.iter().map(|part| format!("/properties{part}")).collect();
    format!("[{}]", names.join(", "))
}

/// `a|b` must have as many parts as the primary identifier.
fn plain(schema: &TypeSchema, text: &str) -> Result<String, Refusal> {
    let set = schema.primary_identifier();
    let fits = set.len() == 1
        || (text.split('|').count() == set.len() && text.split('|').all(|part| !part.is_empty()));
    if fits {
        return Ok(text.to_owned());
    }
    let message = format!("Identifier {text} is not valid for identifier {}", pointers(set));
    Err(Refusal::new(Exception::Validation, message))
}

fn not_one_identifier(schema: &TypeSchema) -> Refusal {
    let mut sets = vec![pointers(schema.primary_identifier())];
    sets.extend(schema.additional_identifiers().iter().map(|set| pointers(set)));
    let message = format!(
        "When specifying the identifier as JSON, you must specify exactly one identifier from [{}], \
         and no additional properties can be specified",
        sets.join(", ")
    );
    Refusal::new(Exception::Validation, message)
}

/// What the resources of a list must have in common, from the model that the caller gave.
fn parents(schema: &TypeSchema, model: Option<&str>) -> Result<Map<String, Value>, Refusal> {
    let given = match model {
        Some(text) => read_object(text, "resource model")?,
        None => Value::Object(Map::new()),
    };
    let Value::Object(given) = given else { return Ok(Map::new()) };
    let handler = schema.handlers().list.as_ref();
    let required = handler.map_or(&[][..], |list| &list.parents);
    let missing: Vec<String> = required
        .iter()
        .filter(|name| given.get(*name).is_none_or(Value::is_null))
        .map(|name| format!("#: required key [{name}] not found"))
        .collect();
    if missing.is_empty() {
        return Ok(given.into_iter().filter(|(_, value)| !value.is_null()).collect());
    }
    let message = format!(
        "Missing or invalid ResourceModel property in {} list handler request input.\
         Required property:  ({})",
        schema.name(),
        missing.join("\n")
    );
    Err(Refusal::new(Exception::InvalidRequest, message))
}

/// A resource that says nothing of a property is below any parent.
fn is_below(wanted: &Map<String, Value>, properties: &Value) -> bool {
    wanted.iter().all(|(name, value)| properties.get(name).is_none_or(|found| same(found, value)))
}

fn naming_properties(schema: &TypeSchema, properties: &Value) -> Value {
    let mut named = Map::new();
    for part in schema.primary_identifier() {
        let Some(names) = part.member_names() else { continue };
        if let Some(first) = names.first()
            && let Some(value) = properties.get(*first)
        {
            named.insert((*first).to_owned(), value.clone());
        }
    }
    Value::Object(named)
}

fn seen_after<'r>(
    region: Option<&'r Region>,
    schema: &TypeSchema,
    after: Option<&str>,
    now: Timestamp,
) -> impl Iterator<Item = (&'r str, &'r str)> {
    use std::ops::Bound;
    let of_type = region.and_then(|region| region.resources.get(schema.name()));
    let from = after.map_or(Bound::Unbounded, |after| Bound::Excluded(Arc::<str>::from(after)));
    of_type.into_iter().flat_map(move |all| {
        all.range((from.clone(), Bound::Unbounded)).filter_map(move |(identifier, resource)| {
            resource.seen_at(now).map(|seen| (&**identifier, seen))
        })
    })
}

/// A page token: which list, and the last entry shown, in hexadecimal.
pub(super) fn page_token(list: &str, last: &str) -> String {
    use std::fmt::Write;
    let mut token = format!("{:016x}", Random::new(0, &["page", list]).number());
    for byte in last.bytes() {
        let _ = write!(token, "{byte:02x}");
    }
    token
}

/// The last entry that a token of this list stands for.
pub(super) fn read_page_token(list: &str, token: &str) -> Result<String, Refusal> {
    let wrong = || Refusal::new(Exception::InvalidRequest, "Invalid NextToken");
    let digits = token.strip_prefix(&page_token(list, "")).ok_or_else(wrong)?.as_bytes();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(wrong)
}

/// A type's name as the state keeps it.
pub(super) fn kept_name(schema: &TypeSchema) -> Arc<str> {
    schema.name().into()
}
