//! The resource changes of a plan, as `terraform show -json` prints it.
//!
//! Invariant: no value that Terraform marks as sensitive is in a change.

use serde_json::{Map, Value};

/// What stands in the place of a sensitive value inside of another one.
const SECRET: &str = "«secret»";

/// What stands in the place of a value inside of another one that is not known before the apply.
const LATER: &str = "(known after apply)";

/// Why a value is not known.
const UNKNOWN: &str = "known after apply";

/// A plan that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The resources that would change, in the plan's order; data sources are not among them.
    pub changes: Vec<ResourceChange>,
    /// Whether an output would change.
    pub changes_outputs: bool,
}

/// What would be done with one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceChange {
    /// Its address in the configuration.
    pub address: String,
    /// Its type (`aws_s3_bucket`).
    pub kind: String,
    /// What would be done.
    pub action: Action,
    /// The attributes that would change, by their names.
    pub changed: Vec<AttributeChange>,
}

/// What would be done with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is new.
    Create,
    /// It is changed in its place.
    Update,
    /// It is deleted and created.
    Replace,
    /// It goes.
    Delete,
    /// It leaves the state and stays.
    Forget,
}

impl Action {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::Forget => "forget",
        }
    }
}

/// How one attribute would change.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeChange {
    /// Its name.
    pub name: String,
    /// Its value before and after it.
    pub values: Values,
    /// Whether the resource is replaced because of it.
    pub forces_replacement: bool,
}

/// The values of an attribute; nothing where it has none.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Both are known, with their secrets masked.
    Known {
        /// The value now.
        before: Option<Value>,
        /// The value then.
        after: Option<Value>,
    },
    /// The new one is not known before the apply.
    Unknown {
        /// The value now.
        before: Option<Value>,
        /// Why the new one is not known.
        because: &'static str,
    },
    /// It is sensitive.
    Secret,
}

/// Why a document is no plan.
#[derive(Debug, thiserror::Error)]
#[error("the document is not a Terraform plan in JSON format")]
pub struct NotAPlan;

/// Reads a plan.
pub fn read(document: &Value) -> Result<Plan, NotAPlan> {
    if document.get("format_version").and_then(Value::as_str).is_none() {
        return Err(NotAPlan);
    }
    let listed = document.get("resource_changes").and_then(Value::as_array);
    let changes = listed.into_iter().flatten().filter_map(resource_change).collect();
    let outputs = document.get("output_changes").and_then(Value::as_object);
    let changes_outputs = outputs.into_iter().flat_map(Map::values).any(|output| {
        let is_quiet = |action: &Value| action == "no-op";
        actions(output).is_some_and(|actions| !actions.iter().all(is_quiet))
    });
    Ok(Plan { changes, changes_outputs })
}

fn actions(change: &Value) -> Option<&Vec<Value>> {
    change.get("actions")?.as_array()
}

fn resource_change(resource: &Value) -> Option<ResourceChange> {
    let change = resource.get("change")?;
    let words: Vec<&str> = actions(change)?.iter().filter_map(Value::as_str).collect();
    let action = match words.as_slice() {
        ["create"] => Action::Create,
        ["update"] => Action::Update,
        ["delete", "create"] | ["create", "delete"] => Action::Replace,
        ["delete"] => Action::Delete,
        ["forget"] => Action::Forget,
        _ => return None,
    };
    let text = |name: &str| resource.get(name).and_then(Value::as_str).unwrap_or_default();
    let changed = match action {
        Action::Delete | Action::Forget => Vec::new(),
        Action::Create | Action::Update | Action::Replace => attributes(change, action),
    };
    Some(ResourceChange {
        address: text("address").to_owned(),
        kind: text("type").to_owned(),
        action,
        changed,
    })
}

fn attributes(change: &Value, action: Action) -> Vec<AttributeChange> {
    let empty = Map::new();
    let part = |name: &str| change.get(name).and_then(Value::as_object).unwrap_or(&empty);
    let (before, after, unknown) = (part("before"), part("after"), part("after_unknown"));
    let (hidden_before, hidden_after) = (part("before_sensitive"), part("after_sensitive"));
    // Either may be `true` for all of the resource.
    let hides = |name: &str| change.get(name) == Some(&Value::Bool(true));
    let hides_all = hides("before_sensitive") || hides("after_sensitive");
    let forcing = change.get("replace_paths").and_then(Value::as_array);
    let forces = |name: &str| {
        let mut paths = forcing.into_iter().flatten();
        paths.any(|path| path.get(0).and_then(Value::as_str) == Some(name))
    };
    let mut names: Vec<&String> = before.keys().chain(after.keys()).chain(unknown.keys()).collect();
    names.sort();
    names.dedup();
    let mut changed = Vec::new();
    for name in names {
        let is_new = |value: &&Value| !value.is_null();
        let (was, is) = (before.get(name).filter(is_new), after.get(name).filter(is_new));
        let later = unknown.get(name).filter(|it| holds_true(it));
        // All that a new resource computes is not known: that tells nothing.
        let is_computed = later == Some(&Value::Bool(true));
        if (later.is_none() && was == is) || (is_computed && action == Action::Create) {
            continue;
        }
        let hidden = [hidden_before.get(name), hidden_after.get(name)];
        let values = if hides_all || hidden.contains(&Some(&Value::Bool(true))) {
            Values::Secret
        } else {
            // What is sensitive on one side is masked on both: a value that moves is still one.
            let masked = |value: &Value| {
                hidden
                    .iter()
                    .flatten()
                    .fold(value.clone(), |value, marks| marked(&value, marks, SECRET))
            };
            let before = was.map(masked);
            if is_computed {
                Values::Unknown { before, because: UNKNOWN }
            } else {
                let after = is.map(|value| match later {
                    Some(marks) => masked(&marked(value, marks, LATER)),
                    None => masked(value),
                });
                Values::Known { before, after }
            }
        };
        let forces_replacement = action == Action::Replace && forces(name);
        changed.push(AttributeChange { name: name.clone(), values, forces_replacement });
    }
    changed
}

/// Whether a mark is anywhere in the marks of a value.
fn holds_true(marks: &Value) -> bool {
    match marks {
        Value::Bool(marked) => *marked,
        Value::Array(items) => items.iter().any(holds_true),
        Value::Object(members) => members.values().any(holds_true),
        _ => false,
    }
}

/// A value with a sign in the place of each part that is marked; marks have the value's own shape.
fn marked(value: &Value, marks: &Value, sign: &str) -> Value {
    match (value, marks) {
        (_, Value::Bool(true)) => sign.into(),
        (Value::Array(items), Value::Array(marks)) => {
            let mark = |index: usize| marks.get(index).unwrap_or(&Value::Null);
            let items = items.iter().enumerate();
            items.map(|(index, item)| marked(item, mark(index), sign)).collect()
        }
        (Value::Object(members), Value::Object(marks)) => {
            let mut shown = members.clone();
            for (name, mark) in marks {
                // What is not known is missing in the value.
                let value = members.get(name).unwrap_or(&Value::Null);
                if members.contains_key(name) || holds_true(mark) {
                    shown.insert(name.clone(), marked(value, mark, sign));
                }
            }
            Value::Object(shown)
        }
        (value, _) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(changes: &Value) -> Plan {
        read(&json!({"format_version": "1.2", "resource_changes": changes})).unwrap()
    }

    fn told(plan: &Plan) -> Vec<String> {
        let change = |it: &ResourceChange| {
            let parts: Vec<String> = it
                .changed
                .iter()
                .map(|part| {
                    let forces = if part.forces_replacement { "!" } else { "" };
                    match &part.values {
                        Values::Secret => format!("{}{forces}=secret", part.name),
                        Values::Unknown { .. } => format!("{}{forces}=later", part.name),
                        Values::Known { before, after } => format!(
                            "{}{forces}={}>{}",
                            part.name,
                            before.clone().unwrap_or_default(),
                            after.clone().unwrap_or_default()
                        ),
                    }
                })
                .collect();
            format!("{} {} {}", it.action.as_str(), it.address, parts.join(" "))
        };
        plan.changes.iter().map(change).collect()
    }

    #[test]
    fn each_action_is_told_with_what_changes_and_without_secrets() {
        let found = plan(&json!([
            {"address": "a.new", "type": "a", "change": {"actions": ["create"], "before": null,
                "after": {"name": "n", "password": "canary", "none": null, "tags": {"x": 1}},
                "after_unknown": {"id": true, "tags": {"y": true}},
                "before_sensitive": false, "after_sensitive": {"password": true}}},
            {"address": "a.same", "type": "a", "change": {"actions": ["no-op"], "before": {"n": 1}, "after": {"n": 1}}},
            {"address": "data.a.read", "type": "a", "change": {"actions": ["read"], "before": null, "after": {}}},
            {"address": "a.other", "type": "a", "change": {"actions": ["delete", "create"],
                "before": {"name": "n", "id": "1", "list": [{"key": "canary", "n": 1}]},
                "after": {"name": "m", "list": [{"key": "canary2", "n": 2}]},
                "after_unknown": {"id": true}, "replace_paths": [["name"]],
                "before_sensitive": {"list": [{"key": true}]}, "after_sensitive": {"list": [{}]}}},
            {"address": "a.up", "type": "a", "change": {"actions": ["update"], "before": {"n": 1}, "after": {"n": 2},
                "before_sensitive": true, "after_sensitive": {}}},
            {"address": "a.gone", "type": "a", "change": {"actions": ["delete"], "before": {"n": 1}, "after": null}}
        ]));
        assert_eq!(
            told(&found),
            [
                r#"create a.new name=null>"n" password=secret tags=null>{"x":1,"y":"(known after apply)"}"#,
                r#"replace a.other id=later list=[{"key":"«secret»","n":1}]>[{"key":"«secret»","n":2}] name!="n">"m""#,
                "update a.up n=secret",
                "delete a.gone ",
            ]
        );
        assert!(!format!("{found:?}").contains("canary"));
    }

    #[test]
    fn outputs_count_and_other_documents_are_refused() {
        let outputs = |action: &str| {
            let document =
                json!({"format_version": "1.2", "output_changes": {"o": {"actions": [action]}}});
            read(&document).unwrap().changes_outputs
        };
        assert!(outputs("update") && !outputs("no-op"));
        assert!(read(&json!({"version": 4})).is_err());
    }
}
