//! A plan that a run is held to, and how what the run finds differs from it.
//!
//! A plan is what was told of it, without secrets, and the seal of all that it depends on. A change is compared by what
//! matters of it: why it is so, where it is declared, and what a later version tells besides do not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::{Finding, Held, PLAN_MOVED};

/// A plan, as whoever wants it applied sends it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// The seal of all of it; nothing where it was made before there was a group.
    pub seal: Option<String>,
    /// What was told of each resource.
    pub changes: Vec<Value>,
}

/// Whether a run is held to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holding {
    /// It is not.
    #[default]
    Free,
    /// It is, and has not looked yet: nothing may begin.
    Unverified,
    /// It is, and has found all as it was planned.
    Verified,
}

impl Holding {
    /// Whether it is held to none.
    pub const fn is_free(&self) -> bool {
        matches!(self, Self::Free)
    }
}

/// What a row of a run is held to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RowPlan {
    /// What its operation may do; a recipe is run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// The keyed hash of what the template states of it, where all of that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The deployment that managed it, and from which it may be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
}

/// What a run found of one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it would do, as it is told.
    pub change: Value,
    /// What the template states of it, as far as that is known and not secret.
    pub stated: Option<Value>,
}

/// So many differences are told one by one.
const TOLD: usize = 200;

/// A value that is longer is cut where it is told.
const LONGEST: usize = 80;

/// How what was found differs from what was planned, as far as that can be told.
pub fn differences(planned: &Planned, found: &[Found]) -> Vec<Finding> {
    let mut expected: BTreeMap<String, &Value> =
        planned.changes.iter().map(|change| (key(change), change)).collect();
    let mut differences = Vec::new();
    for found in found {
        let change = &found.change;
        let Some(planned_one) = expected.remove(&key(change)) else {
            let now = deed(change);
            differences.push(finding(change, format!("it is not in the plan; now: {now}")));
            continue;
        };
        let told = match planned.seal {
            Some(_) => differs(planned_one, change),
            None => differs_unsealed(planned_one, found),
        };
        differences.extend(told.map(|message| finding(change, message)));
    }
    let gone = expected.values().map(|change| {
        finding(change, format!("planned: {}; now there is no such resource", deed(change)))
    });
    differences.extend(gone);
    differences.truncate(TOLD);
    differences
}

fn finding(change: &Value, message: String) -> Finding {
    let address = text(change, "address").unwrap_or_default();
    Finding { code: PLAN_MOVED.to_owned(), path: address.to_owned(), message }
}

/// What tells one change from all others: its address in the template; of what left, its id.
fn key(change: &Value) -> String {
    let is_left =
        matches!(text(change, "action"), Some("keep" | "delete" | "detach" | "taken-over"));
    match text(change, "id").filter(|_| is_left) {
        Some(id) => format!("left {}", id.to_ascii_lowercase()),
        None => text(change, "address").unwrap_or_default().to_owned(),
    }
}

/// The members by which a change is compared, and those of what it changes.
const MEMBERS: [&str; 8] =
    ["address", "type", "action", "alias", "name", "identifier", "scope", "existing"];
const PARTS: [&str; 5] = ["path", "before", "after", "unknown", "secret"];

/// What matters of a change.
pub fn told(change: &Value) -> Value {
    let mut picked = pick(change, &MEMBERS);
    if key(change).starts_with("left ") {
        // A symbol may be another's by now.
        picked.remove("address");
    }
    let changed = change.get("changed").and_then(Value::as_array);
    let parts = changed.into_iter().flatten().map(|part| Value::Object(pick(part, &PARTS)));
    picked.insert("changed".to_owned(), parts.collect());
    Value::Object(picked)
}

fn pick(value: &Value, names: &[&str]) -> Map<String, Value> {
    let member = |name: &&str| Some(((*name).to_owned(), value.get(*name)?.clone()));
    names.iter().filter_map(member).collect()
}

/// How a change differs from the one that was planned.
fn differs(planned: &Value, found: &Value) -> Option<String> {
    let (planned, found) = (told(planned), told(found));
    if planned == found {
        return None;
    }
    let (before, now) = (deed(&planned), deed(&found));
    if before != now {
        return Some(format!("planned: {before}; now: {now}"));
    }
    for name in MEMBERS {
        if planned.get(name) != found.get(name) {
            let of = |change: &Value| change.get(name).map_or_else(|| "none".to_owned(), shown);
            return Some(format!("planned: {name} {}; now: {}", of(&planned), of(&found)));
        }
    }
    let (planned, found) = (parts(&planned), parts(&found));
    let paths = planned.keys().chain(found.keys());
    let path = paths.into_iter().find(|path| planned.get(*path) != found.get(*path));
    let of = |parts: &BTreeMap<String, Value>, path: &str| {
        parts.get(path).map_or_else(|| "not changed".to_owned(), part_text)
    };
    Some(match path {
        Some(path) => {
            format!("{path}: planned: {}; now: {}", of(&planned, path), of(&found, path))
        }
        None => "what changes comes in another order".to_owned(),
    })
}

fn parts(change: &Value) -> BTreeMap<String, Value> {
    let changed = change.get("changed").and_then(Value::as_array);
    let parts = changed.into_iter().flatten();
    parts.map(|part| (text(part, "path").unwrap_or_default().to_owned(), part.clone())).collect()
}

fn part_text(part: &Value) -> String {
    if part.get("secret") == Some(&Value::Bool(true)) {
        return "a secret".to_owned();
    }
    if let Some(unknown) = text(part, "unknown") {
        return format!("({unknown})");
    }
    let of = |name: &str| part.get(name).map_or_else(|| "nothing".to_owned(), shown);
    format!("{} to {}", of("before"), of("after"))
}

/// How what was found differs from what was planned where nobody could look: all is new, as the template states it.
fn differs_unsealed(planned: &Value, found: &Found) -> Option<String> {
    let change = &found.change;
    let (before, now) = (deed(planned), deed(change));
    if before != now || !matches!(text(change, "action"), Some("create" | "run" | "read")) {
        return Some(format!("planned: {before}; now: {now}"));
    }
    for name in ["type", "alias", "name"] {
        let (before, now) = (text(planned, name), text(change, name));
        let is_same = match (before, now) {
            (Some(before), Some(now)) => before.eq_ignore_ascii_case(now),
            (None, _) => true,
            (Some(_), None) => false,
        };
        if !is_same {
            let (before, now) = (before.unwrap_or("none"), now.unwrap_or("none"));
            return Some(format!("planned: {name} {before}; now: {now}"));
        }
    }
    let stated = found.stated.as_ref()?;
    let planned = parts(planned);
    for (path, part) in &planned {
        let Some(after) = part.get("after") else { continue };
        let now = stated.pointer(path);
        if now != Some(after) {
            let now = now.map_or_else(|| "nothing".to_owned(), shown);
            return Some(format!("{path}: planned: {}; now: {now}", shown(after)));
        }
    }
    let more = uncovered(stated, &planned)?;
    Some(format!("{more}: it is not in the plan"))
}

/// The first value of a document that lies at or below none of the paths.
fn uncovered(document: &Value, paths: &BTreeMap<String, Value>) -> Option<String> {
    let mut open = vec![(String::new(), document)];
    while let Some((path, value)) = open.pop() {
        if paths.contains_key(&path) {
            continue;
        }
        match value {
            Value::Object(members) if !members.is_empty() || path.is_empty() => {
                open.extend(members.iter().map(|(name, member)| {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    (format!("{path}/{name}"), member)
                }));
            }
            Value::Array(items) if !items.is_empty() => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(index, item)| (format!("{path}/{index}"), item)));
            }
            // What is not known keeps its place in an array.
            Value::Null => {}
            _ => return Some(path),
        }
    }
    None
}

/// What would be done, as people read it.
fn deed(change: &Value) -> String {
    let action = text(change, "action").unwrap_or("nothing");
    match text(change, "identifier") {
        Some(identifier) => format!("{action} {identifier}"),
        None => action.to_owned(),
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sealed(changes: Value) -> Planned {
        let Value::Array(changes) = changes else { panic!("not a list") };
        Planned { seal: Some("s".to_owned()), changes }
    }

    fn found(change: Value) -> Found {
        Found { change, stated: None }
    }

    fn messages(planned: &Planned, all: &[Found]) -> Vec<String> {
        let told = differences(planned, all).into_iter();
        told.map(|it| format!("{}: {}", it.path, it.message)).collect()
    }

    #[test]
    fn why_and_where_and_what_is_not_known_here_do_not_count() {
        let change = json!({"address": "a", "type": "T", "action": "update", "identifier": "r1",
            "changed": [{"path": "/A", "before": 1, "after": 2, "new": 1}], "reason": "x"});
        let again = json!({"address": "a", "type": "T", "action": "update", "identifier": "r1",
            "changed": [{"path": "/A", "before": 1, "after": 2}], "source": {"line": 3}, "odd": 1});
        assert!(messages(&sealed(json!([change])), &[found(again)]).is_empty());
    }

    #[test]
    fn each_difference_is_told_with_what_was_planned_and_what_is_now() {
        let change = |address: &str, more: &Value| {
            let mut change = json!({"address": address, "type": "T", "action": "update"});
            for (name, value) in more.as_object().unwrap() {
                change[name] = value.clone();
            }
            change
        };
        let part = |before: i32| json!({"changed": [{"path": "/A", "before": before, "after": 9}]});
        let planned = sealed(json!([
            change("a", &part(1)),
            change("b", &json!({})),
            change("c", &json!({"identifier": "r1"})),
            change("gone", &json!({})),
            change("d", &json!({"changed": [{"path": "/S", "secret": true}]})),
        ]));
        let now = [
            found(change("a", &part(2))),
            found(change("b", &json!({"action": "no-op"}))),
            found(change("c", &json!({"identifier": "r2"}))),
            found(change("d", &json!({}))),
            found(change("new", &json!({"action": "create"}))),
        ];
        assert_eq!(
            messages(&planned, &now),
            [
                "a: /A: planned: 1 to 9; now: 2 to 9",
                "b: planned: update; now: no-op",
                "c: planned: update r1; now: update r2",
                "d: /S: planned: a secret; now: not changed",
                "new: it is not in the plan; now: create",
                "gone: planned: update; now there is no such resource",
            ]
        );
    }

    #[test]
    fn what_left_is_known_by_its_id() {
        let left = |address: &str, action: &str| json!({"address": address, "id": "/G/Q", "type": "T", "alias": "q", "action": action});
        let planned = sealed(json!([left("q", "delete")]));
        assert!(messages(&planned, &[found(left("/g/q", "delete"))]).is_empty());
        assert_eq!(
            messages(&planned, &[found(left("q", "keep"))]),
            ["q: planned: delete; now: keep"]
        );
    }

    #[test]
    fn without_a_seal_all_is_new_and_as_it_was_stated() {
        let planned = Planned {
            seal: None,
            changes: vec![json!({"address": "v", "type": "AWS.EC2/VPC", "alias": "v",
                "action": "create", "changed": [
                    {"path": "/Cidr", "after": "10"}, {"path": "/Tags/0/Value", "unknown": "later"},
                    {"path": "/Tags/0/Key", "after": "k"}, {"path": "/Pass", "secret": true}]})],
        };
        let now = |action: &str, stated: Value| Found {
            change: json!({"address": "v", "type": "aws.ec2/vpc", "alias": "v", "action": action,
                "scope": "/x", "changed": []}),
            stated: Some(stated),
        };
        let tags = json!([{"Key": "k", "Value": "known by now"}]);
        let same = now("create", json!({"Cidr": "10", "Tags": tags.clone()}));
        assert!(messages(&planned, &[same]).is_empty());
        let other = now("create", json!({"Cidr": "11", "Tags": tags.clone()}));
        assert_eq!(messages(&planned, &[other]), ["v: /Cidr: planned: \"10\"; now: \"11\""]);
        let more = now("create", json!({"Cidr": "10", "Tags": tags.clone(), "More": {"a": 1}}));
        assert_eq!(messages(&planned, &[more]), ["v: /More/a: it is not in the plan"]);
        let there = now("no-op", json!({"Cidr": "10", "Tags": tags}));
        assert_eq!(messages(&planned, &[there]), ["v: planned: create; now: no-op"]);
    }
}
