//! One `types.json`: a list of types that name each other by their place in it, each different type once.
//!
//! The format is that of Azure/bicep-types.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// The place of a type in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeIndex(usize);

impl TypeIndex {
    /// The type as a type of the same file names it.
    pub(super) fn reference(self) -> Value {
        json!({"$ref": format!("#/{}", self.0)})
    }

    /// The type as the index of the package names it.
    pub(super) fn reference_from_index(self, file: &str) -> Value {
        json!({"$ref": format!("{file}#/{}", self.0)})
    }
}

/// What may be done with a member of an object.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const NONE: Self = Self(0);
    pub(super) const REQUIRED: Self = Self(1);
    pub(super) const READ_ONLY: Self = Self(2);
    pub(super) const WRITE_ONLY: Self = Self(4);
    pub(super) const DEPLOY_TIME_CONSTANT: Self = Self(8);
    pub(super) const IDENTIFIER: Self = Self(16);

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn with_if(self, is_set: bool, other: Self) -> Self {
        if is_set { self.with(other) } else { self }
    }
}

/// The types of a file.
#[derive(Debug, Default)]
pub(super) struct TypeFile {
    types: Vec<Value>,
    by_text: HashMap<String, TypeIndex>,
}

impl TypeFile {
    /// Adds a type, or finds the equal one.
    pub(super) fn add(&mut self, kind: &str, members: Value) -> TypeIndex {
        let mut json = Map::from_iter([("$type".to_owned(), Value::from(kind))]);
        if let Value::Object(members) = members {
            json.extend(members);
        }
        let json = Value::Object(json);
        let text = json.to_string();
        if let Some(known) = self.by_text.get(&text) {
            return *known;
        }
        let index = TypeIndex(self.types.len());
        self.types.push(json);
        self.by_text.insert(text, index);
        index
    }

    /// A place for an object whose members may lead back to it.
    pub(super) fn reserve(&mut self) -> TypeIndex {
        self.types.push(Value::Null);
        TypeIndex(self.types.len() - 1)
    }

    /// Puts an object into its place.
    pub(super) fn set_object(
        &mut self,
        at: TypeIndex,
        name: &str,
        properties: Map<String, Value>,
        additional: Option<TypeIndex>,
    ) {
        self.types[at.0] = object(name, properties, additional);
    }

    /// Adds an object whose members do not lead back to it.
    pub(super) fn object(
        &mut self,
        name: &str,
        properties: Map<String, Value>,
        additional: Option<TypeIndex>,
    ) -> TypeIndex {
        self.add("ObjectType", object(name, properties, additional))
    }

    pub(super) fn any(&mut self) -> TypeIndex {
        self.add("AnyType", json!({}))
    }

    pub(super) fn string(&mut self) -> TypeIndex {
        self.add("StringType", json!({}))
    }

    pub(super) fn literal(&mut self, value: &str) -> TypeIndex {
        self.add("StringLiteralType", json!({"value": value}))
    }

    pub(super) fn union(&mut self, elements: &[TypeIndex]) -> TypeIndex {
        let elements: Vec<Value> = elements.iter().map(|it| it.reference()).collect();
        self.add("UnionType", json!({"elements": elements}))
    }

    /// The file's text.
    pub(super) fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.types)
    }
}

fn object(name: &str, properties: Map<String, Value>, additional: Option<TypeIndex>) -> Value {
    let mut json = json!({"$type": "ObjectType", "name": name});
    json["properties"] = Value::Object(properties);
    if let Some(additional) = additional {
        json["additionalProperties"] = additional.reference();
    }
    json
}

/// A member of an object.
pub(super) fn property(value_type: TypeIndex, flags: Flags, description: &str) -> Value {
    let mut json = json!({"type": value_type.reference(), "flags": flags.0});
    if !description.is_empty() {
        json["description"] = description.into();
    }
    json
}
