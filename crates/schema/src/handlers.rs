//! What can be done with a type: its handlers, their timeouts, and what a list needs to be told.

use serde_json::{Map, Value};

/// One handler of a type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handler {
    /// The IAM actions that it calls.
    pub permissions: Vec<String>,
    /// How long it may take, where the schema says.
    pub timeout_in_minutes: Option<u64>,
}

/// The list handler, which for some types works only below a parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListHandler {
    /// What every handler has.
    pub handler: Handler,
    /// The properties that a caller must give (`RestApiId` to list stages); empty for most types.
    pub parents: Vec<String>,
    /// The properties that a caller may give.
    pub optional_parents: Vec<String>,
}

/// The five handlers; an absent one cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handlers {
    /// Makes a resource.
    pub create: Option<Handler>,
    /// Reads one.
    pub read: Option<Handler>,
    /// Changes one; without it a type is immutable.
    pub update: Option<Handler>,
    /// Deletes one.
    pub delete: Option<Handler>,
    /// Lists them.
    pub list: Option<ListHandler>,
}

impl Handlers {
    pub(crate) fn read_from(document: &Map<String, Value>) -> Self {
        let Some(Value::Object(handlers)) = document.get("handlers") else {
            return Self::default();
        };
        let handler = |name: &str| handlers.get(name).and_then(Value::as_object).map(read_handler);
        Self {
            create: handler("create"),
            read: handler("read"),
            update: handler("update"),
            delete: handler("delete"),
            list: handlers.get("list").and_then(Value::as_object).map(read_list),
        }
    }

    /// Whether Cloud Control can do nothing with the type.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// `CRUDL` with a dash for what is missing.
    pub fn letters(&self) -> String {
        let present = [
            ('C', self.create.is_some()),
            ('R', self.read.is_some()),
            ('U', self.update.is_some()),
            ('D', self.delete.is_some()),
            ('L', self.list.is_some()),
        ];
        present.iter().map(|(letter, there)| if *there { *letter } else { '-' }).collect()
    }
}

fn read_handler(handler: &Map<String, Value>) -> Handler {
    Handler {
        permissions: strings(handler.get("permissions")),
        timeout_in_minutes: handler.get("timeoutInMinutes").and_then(Value::as_u64),
    }
}

fn read_list(handler: &Map<String, Value>) -> ListHandler {
    let mut list = ListHandler { handler: read_handler(handler), ..ListHandler::default() };
    if let Some(schema) = handler.get("handlerSchema") {
        list.parents = strings(schema.get("required"));
        // A model that may be given one of several ways requires none of them for certain.
        if let Some(Value::Object(properties)) = schema.get("properties") {
            list.optional_parents =
                properties.keys().filter(|name| !list.parents.contains(name)).cloned().collect();
        }
    }
    list
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let Some(Value::Array(items)) = value else { return Vec::new() };
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn handlers_with_timeouts_and_list_parents_are_read() {
        let schema = json!({"handlers": {
            "create": {"permissions": ["ec2:CreateVpc"], "timeoutInMinutes": 120},
            "read": {},
            "list": {"handlerSchema": {"properties": {"A": {}, "B": {}}, "required": ["A"]}}
        }});
        let handlers = Handlers::read_from(schema.as_object().unwrap());
        assert_eq!(handlers.letters(), "CR--L");
        assert_eq!(handlers.create.unwrap().timeout_in_minutes, Some(120));
        let list = handlers.list.unwrap();
        assert_eq!((list.parents, list.optional_parents), (vec!["A".into()], vec!["B".into()]));
    }

    #[test]
    fn a_type_without_handlers_is_empty() {
        assert!(Handlers::read_from(&Map::new()).is_empty());
        assert_eq!(Handlers::default().letters(), "-----");
    }
}
