//! Resources that a read shows as elements of another resource: the rules of a security group that
//! resources of their own state, the inline policies of a role.

use hangar_schema::TypeSchema;
use hangar_schema::outline::Outline;
use hangar_schema::same::same;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::rows::siblings_of;
use crate::core::model::parse;
use crate::core::state::Region;
use crate::core::time::Timestamp;

/// How resources of one type are shown in resources of another.
#[derive(Debug)]
pub(in crate::core) struct SiblingRule {
    /// The type of the resources that are shown.
    type_name: String,
    /// Where they name the identifiers of the resources that show them.
    names_target: String,
    /// Which array shows them, as a JSON pointer.
    array: String,
    /// The property that is the element; without one, the element is an object of the properties
    /// that elements of the array have.
    element: Option<String>,
}

#[derive(Deserialize)]
struct Stated {
    #[serde(rename = "type")]
    target: String,
    array: String,
    element: Option<String>,
}

impl SiblingRule {
    pub(super) fn read(type_name: &str, names_target: &str, value: &str) -> Option<(String, Self)> {
        let Stated { target, array, element } = serde_json::from_str(value).ok()?;
        let (type_name, names_target) = (type_name.to_owned(), names_target.to_owned());
        Some((target, Self { type_name, names_target, array, element }))
    }

    /// Whether a resource names this identifier.
    fn names(&self, resource: &Value, identifier: &str) -> bool {
        match resource.pointer(&self.names_target) {
            Some(Value::String(text)) => text == identifier,
            Some(Value::Array(items)) => items.iter().any(|item| item == identifier),
            _ => false,
        }
    }

    fn element_of(&self, resource: &Value, outline: Option<Outline<'_>>) -> Option<Value> {
        if let Some(pointer) = &self.element {
            return resource.pointer(pointer).cloned();
        }
        let (outline, members) = (outline?, resource.as_object()?);
        let shown = members.iter().filter(|(name, _)| outline.find_member(name).is_some());
        let shown: Map<String, Value> =
            shown.map(|(name, member)| (name.clone(), member.clone())).collect();
        (!shown.is_empty()).then_some(Value::Object(shown))
    }
}

/// An element that another resource adds to an array.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::core) struct SharedElement {
    array: &'static str,
    element: Value,
}

/// The elements that other resources of a region add to a resource, in the order of their
/// identifiers.
pub(in crate::core) fn shared_elements(
    region: Option<&Region>,
    schema: &TypeSchema,
    identifier: &str,
    now: Timestamp,
) -> Vec<SharedElement> {
    let mut found = Vec::new();
    for rule in siblings_of(schema.name()) {
        let Some(resources) = region.and_then(|it| it.resources.get(rule.type_name.as_str()))
        else {
            continue;
        };
        let array = schema.outline().find_member(rule.array.trim_start_matches('/'));
        let outline = array.and_then(Outline::element);
        for resource in resources.values().filter_map(|it| it.seen_at(now)) {
            let resource = parse(resource);
            if rule.names(&resource, identifier)
                && let Some(element) = rule.element_of(&resource, outline)
            {
                found.push(SharedElement { array: &rule.array, element });
            }
        }
    }
    found
}

/// A model with the elements of other resources.
pub(in crate::core) fn with_elements(model: &Value, shared: &[SharedElement]) -> Value {
    let mut model = model.clone();
    for SharedElement { array, element } in shared {
        let Some(members) = model.as_object_mut() else { continue };
        let items = members
            .entry(array.trim_start_matches('/'))
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(items) = items
            && !items.iter().any(|item| same(item, element))
        {
            items.push(element.clone());
        }
    }
    model
}

/// A model without the elements of other resources, unless `own` has them too.
pub(in crate::core) fn without_elements(model: &mut Value, shared: &[SharedElement], own: &Value) {
    for SharedElement { array, element } in shared {
        let has = |model: &Value| {
            let items = model.pointer(array).and_then(Value::as_array);
            items.is_some_and(|items| items.iter().any(|item| same(item, element)))
        };
        if has(own) {
            continue;
        }
        let Some(Value::Array(items)) = model.pointer_mut(array) else { continue };
        items.retain(|item| !same(item, element));
        if items.is_empty()
            && own.pointer(array).is_none()
            && let Some(members) = model.as_object_mut()
        {
            members.remove(array.trim_start_matches('/'));
        }
    }
}
