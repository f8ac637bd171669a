//! What a recipe gives back, read from the outputs of its run.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};
use thiserror::Error;

/// One output of a run.
#[derive(Clone, PartialEq)]
pub struct OutputValue {
    /// Its value.
    pub value: Value,
    /// Whether it is hidden.
    pub sensitive: bool,
}

/// The result of a recipe.
#[derive(Clone, Default, PartialEq)]
pub struct RecipeResult {
    /// Ids that its author names, each once, in the author's order.
    pub resources: Vec<String>,
    /// Values that may be shown.
    pub values: Map<String, Value>,
    /// Values that may not.
    pub secrets: Map<String, Value>,
    /// What is odd and does not stop anything.
    pub warnings: Vec<String>,
}

/// Why outputs are no result. No value is in a message.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ResultError {
    /// `result` is something else.
    #[error(
        "the output `result` is {found}; it must be an object of `resources`, `values` and `secrets`"
    )]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// `result` has more members than it may.
    #[error(
        "the output `result` has {}; only `resources`, `values` and `secrets` are allowed", list(.0)
    )]
    UnknownKeys(Vec<String>),
    /// A member has the wrong type.
    #[error("`{member}` of the output `result` is {found}, not {expected}")]
    Member {
        /// Which.
        member: String,
        /// What it is.
        found: &'static str,
        /// What it must be.
        expected: &'static str,
    },
}

/// Reads the result of a run: its `result`, or without one all of its outputs.
pub fn read(outputs: &BTreeMap<String, OutputValue>) -> Result<RecipeResult, ResultError> {
    match outputs.get("result") {
        Some(result) => declared(&result.value),
        None => Ok(undeclared(outputs)),
    }
}

fn declared(result: &Value) -> Result<RecipeResult, ResultError> {
    let Value::Object(members) = result else {
        return Err(ResultError::NotAnObject { found: kind(result) });
    };
    let known = ["resources", "values", "secrets"];
    let unknown: Vec<String> =
        members.keys().filter(|name| !known.contains(&name.as_str())).cloned().collect();
    if !unknown.is_empty() {
        return Err(ResultError::UnknownKeys(unknown));
    }
    let mut read = RecipeResult {
        values: object(members, "values")?,
        secrets: object(members, "secrets")?,
        ..RecipeResult::default()
    };
    read.resources = resources(members, &mut read.warnings)?;
    for name in read.values.keys().filter(|name| read.secrets.contains_key(*name)) {
        read.warnings.push(format!("`{name}` is both a value and a secret of the result"));
    }
    // What is a secret anywhere is shown nowhere.
    read.values.retain(|name, _| !read.secrets.contains_key(name));
    Ok(read)
}

fn resources(
    members: &Map<String, Value>,
    warnings: &mut Vec<String>,
) -> Result<Vec<String>, ResultError> {
    let items = match members.get("resources") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(wrong("resources".to_owned(), other, "a list of ids")),
    };
    let mut ids: Vec<String> = Vec::with_capacity(items.len());
    let mut seen = std::collections::BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let Value::String(id) = item else {
            return Err(wrong(format!("resources[{index}]"), item, "an id"));
        };
        if id.is_empty() {
            warnings.push(format!("`resources[{index}]` of the result is empty and was skipped"));
        } else if seen.insert(id.to_ascii_lowercase()) {
            ids.push(id.clone());
        }
    }
    Ok(ids)
}

fn object(members: &Map<String, Value>, name: &str) -> Result<Map<String, Value>, ResultError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(inner)) => Ok(inner.clone()),
        Some(other) => Err(wrong(name.to_owned(), other, "an object")),
    }
}

fn undeclared(outputs: &BTreeMap<String, OutputValue>) -> RecipeResult {
    let mut read = RecipeResult::default();
    for (name, output) in outputs {
        let into = if output.sensitive { &mut read.secrets } else { &mut read.values };
        into.insert(name.clone(), output.value.clone());
    }
    read
}

fn wrong(member: String, found: &Value, expected: &'static str) -> ResultError {
    ResultError::Member { member, found: kind(found), expected }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl fmt::Debug for OutputValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = formatter.debug_struct("OutputValue");
        if self.sensitive {
            shape.field("value", &"«secret»");
        } else {
            shape.field("value", &self.value);
        }
        shape.field("sensitive", &self.sensitive).finish()
    }
}

impl fmt::Debug for RecipeResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RecipeResult")
            .field("resources", &self.resources)
            .field("values", &self.values)
            .field("secrets", &self.secrets.keys().collect::<Vec<_>>())
            .field("warnings", &self.warnings)
            .finish()
    }
}
