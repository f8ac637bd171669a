//! Types: definitions, and the types of parameters, outputs and functions.

use std::sync::Arc;

use super::{Reader, name_of, plain};
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::ir::{Bounds, Remarks, TypeDeclaration};
use crate::types::{Discriminated, ObjectType, Part, PartStep, Reference, Slot, Type};
use crate::value::{self, Data, Value};

impl<'j> Reader<'j, '_, '_> {
    pub(super) fn read_types(&mut self, json: &'j Json) {
        for member in self.section(json, "definitions") {
            let slot = self.slot(&member.value);
            let exported = is_exported(&member.value);
            self.unit.types.push(TypeDeclaration { name: name_of(member), slot, exported });
        }
    }

    /// A type with all that is said of its values.
    pub(super) fn slot(&mut self, json: &'j Json) -> Slot {
        let (value_type, secure) = self.value_type(json);
        let metadata = json.get("metadata");
        let description = metadata.and_then(|it| it.get("description")).and_then(Json::as_text);
        let remarks = Remarks {
            description: description.map(Into::into),
            metadata: metadata.map(|it| Value::from_json(&plain(it), false)),
            sealed: matches!(
                json.get("additionalProperties").map(|it| &it.kind),
                Some(Kind::Bool(false))
            ),
        };
        Slot { value_type, secure, bounds: self.bounds(json), remarks }
    }

    fn bounds(&mut self, json: &'j Json) -> Bounds {
        let allowed = match json.get("allowedValues").map(|it| &it.kind) {
            Some(Kind::Array(items)) => {
                Some(items.iter().map(|it| Value::from_json(&plain(it), false)).collect())
            }
            _ => None,
        };
        Bounds {
            allowed,
            min_length: self.bound(json, "minLength"),
            max_length: self.bound(json, "maxLength"),
            min_value: self.bound(json, "minValue"),
            max_value: self.bound(json, "maxValue"),
            text_rules: None,
        }
    }

    fn bound(&mut self, json: &'j Json, name: &str) -> Option<i64> {
        let bound = json.get(name)?;
        if let Data::Int(number) = Value::from_json(&plain(bound), false).data {
            return Some(number);
        }
        self.error(codes::BAD_TEMPLATE, bound.span, format!("`{name}` must be a whole number"));
        None
    }

    /// The type, and whether its values are secret.
    fn value_type(&mut self, json: &'j Json) -> (Type, bool) {
        let (value_type, secure) = match (json.get("$ref"), json.get("type")) {
            (Some(reference), _) => (self.type_reference(reference), false),
            (None, Some(name)) => self.type_by_name(json, name),
            (None, None) => (Type::Any, false),
        };
        let value_type = match json.get("nullable").map(|it| &it.kind) {
            Some(Kind::Bool(true)) => Type::Nullable(Box::new(value_type)),
            Some(Kind::Bool(false)) => Type::NonNull(Box::new(value_type)),
            _ => value_type,
        };
        (value_type, secure)
    }

    fn type_by_name(&mut self, json: &'j Json, name: &'j Json) -> (Type, bool) {
        let text = name.as_text().unwrap_or_default();
        let lower = text.to_ascii_lowercase();
        let secure = lower.starts_with("secure");
        let value_type = match lower.as_str() {
            "string" | "securestring" => Type::Kind(value::Kind::String),
            "int" => Type::Kind(value::Kind::Int),
            "bool" => Type::Kind(value::Kind::Bool),
            "array" => self.array_type(json),
            "object" | "secureobject" => self.object_type(json),
            _ => {
                let message = format!("`{text}` is not a valid type");
                let hint = "available types: `string`, `int`, `bool`, `array`, `object`, `securestring`, \
                           `secureObject`";
                self.error(codes::BAD_TEMPLATE, name.span, message).hints.push(hint.to_owned());
                Type::Any
            }
        };
        (value_type, secure)
    }

    // The document is not nested deeper than its reader goes.
    fn array_type(&mut self, json: &'j Json) -> Type {
        if let Some(Kind::Array(items)) = json.get("prefixItems").map(|it| &it.kind) {
            return Type::Tuple(items.iter().map(|it| self.slot(it)).collect());
        }
        match json.get("items") {
            Some(items) if matches!(items.kind, Kind::Object(_)) => {
                Type::List(Box::new(self.slot(items)))
            }
            _ => Type::Kind(value::Kind::Array),
        }
    }

    fn object_type(&mut self, json: &'j Json) -> Type {
        if let Some(discriminator) = json.get("discriminator") {
            let by = discriminator.get("propertyName").and_then(Json::as_text).unwrap_or_default();
            let mapping = discriminator.get("mapping").map_or(&[][..], Json::members);
            let members = mapping.iter().map(|it| self.value_type(&it.value).0).collect();
            let discriminated = Discriminated { by: by.into(), union: Type::Union(members) };
            return Type::Discriminated(Box::new(discriminated));
        }
        let (properties, others) = (json.get("properties"), json.get("additionalProperties"));
        if properties.is_none() && others.is_none() {
            return Type::Kind(value::Kind::Object);
        }
        let mut members: Vec<(Arc<str>, Slot)> = Vec::new();
        for member in properties.map_or(&[][..], Json::members) {
            let mut slot = self.slot(&member.value);
            literal(&mut slot);
            members.push((member.name.as_str().into(), slot));
        }
        let sealed = matches!(others.map(|it| &it.kind), Some(Kind::Bool(false)));
        let others = others.filter(|it| matches!(it.kind, Kind::Object(_)));
        let others = others.map(|it| self.slot(it));
        Type::Object(Box::new(ObjectType { members, others, sealed }))
    }

    /// `#/definitions/name/properties/part`.
    fn type_reference(&mut self, reference: &'j Json) -> Type {
        let text = reference.as_text().unwrap_or_default();
        let mut steps = text.strip_prefix("#/definitions/").unwrap_or_default().split('/');
        let name = unescaped(steps.next().unwrap_or_default());
        let Some(index) = self.types.get(&name).copied() else {
            let message = format!("the definition `{text}` does not exist in the template");
            self.error(codes::UNDECLARED, reference.span, message);
            return Type::Any;
        };
        let mut found = Type::Declared(Reference { unit: self.own, index, name: name.into() });
        while let Some(step) = steps.next() {
            let step = match step {
                "properties" => steps.next().map(|it| PartStep::Member(unescaped(it).into())),
                "prefixItems" => steps.next().and_then(|it| it.parse().ok()).map(PartStep::Item),
                "items" => Some(PartStep::Items),
                "additionalProperties" => Some(PartStep::OtherMembers),
                _ => None,
            };
            let Some(step) = step else {
                let message = format!("the path `{text}` does not exist in the definition");
                self.error(codes::BAD_TEMPLATE, reference.span, message);
                return Type::Any;
            };
            found = Type::Part(Box::new(Part { base: found, step }));
        }
        found
    }
}

/// Whether other files may import a declaration.
pub(super) fn is_exported(json: &Json) -> bool {
    let exported = json.get("metadata").and_then(|it| it.get("__bicep_export!"));
    exported.and_then(Json::as_bool) == Some(true)
}

/// A member that may have one value only is that literal: by it objects are told apart.
fn literal(slot: &mut Slot) {
    let is_plain = matches!(&slot.value_type, Type::Kind(kind) if *kind != value::Kind::Array);
    if let (true, Some([only])) = (is_plain, slot.bounds.allowed.as_deref()) {
        slot.value_type = Type::Literal(only.clone());
        slot.bounds.allowed = None;
    }
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
