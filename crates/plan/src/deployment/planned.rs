//! A plan that a run is held to, and how what the run finds differs from it.
//!
//! A plan is what was told of it, without secrets, and the seal of all that it depends on. Whoever looked at it saw what
//! was told, so all of that is compared, whether the seal holds or not; where a resource is declared, and what a later
//! version tells besides, is not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::earlier_reason::current_reason;
use crate::operation::{Finding, Held, PLAN_MOVED};
use crate::record::AwsScope;

/// A plan, as whoever wants it applied sends it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// The seal of all of it; nothing where it was made before there was a group.
    pub seal: Option<String>,
    /// The keyed hash of the secrets, where it was made before there was a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh_seal: Option<String>,
    /// What was told of each resource.
    pub changes: Vec<Value>,
    /// Where resources were to go, if that was told.
    #[serde(default)]
    pub scope: Option<AwsScope>,
    /// What was told of the outputs, if anything was.
    #[serde(default)]
    pub outputs: Option<Map<String, Value>>,
    /// The values of defaults that were evaluated for it, sealed by the control plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_defaults: Option<String>,
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
}

/// So many differences are told one by one.
const TOLD: usize = 200;

/// A value that is longer is cut where it is told.
const LONGEST: usize = 80;

/// How what was found differs from what was planned, as far as that can be told.
pub fn differences(planned: &Planned, found: &[Found]) -> Vec<Finding> {
    let mut expected: BTreeMap<String, &Value> = BTreeMap::new();
    let mut differences = Vec::new();
    for change in &planned.changes {
        if expected.insert(key(change), change).is_some() {
            differences.push(finding(change, "it is in the plan twice".to_owned()));
        }
    }
    for found in found {
        let change = &found.change;
        let Some(planned_one) = expected.remove(&key(change)) else {
            let now = deed(change);
            differences.push(finding(change, format!("it is not in the plan; now: {now}")));
            continue;
        };
        differences.extend(differs(planned_one, change).map(|message| finding(change, message)));
    }
    let gone = expected
        .values()
        .map(|change| finding(change, format!("planned: {}; now: no such resource", deed(change))));
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

/// What Terraform plans of a recipe.
const OF_RECIPE: &str = "resourceChanges";

/// What is shown of them besides.
const MEMBERS_SHOWN: [&str; 3] = ["id", "mayReplace", "reason"];
const PARTS_SHOWN: [&str; 5] = ["requiresReplacement", "mayReplace", "cause", "reason", "keyed"];

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
    let (before, now) = (deed(planned), deed(found));
    if before != now {
        return Some(format!("planned: {before}; now: {now}"));
    }
    // A symbol may be another's by now, of what left.
    let is_left = key(found).starts_with("left ");
    let names = MEMBERS.into_iter().filter(|name| !(is_left && *name == "address"));
    // Why a recipe is run tells whether Terraform could plan it, which may be otherwise now.
    let is_run = text(found, "action") == Some("run");
    let also = MEMBERS_SHOWN.into_iter().filter(|name| !(is_run && *name == "reason"));
    if let Some(text) = member_differs(planned, found, names.chain(also)) {
        return Some(text);
    }
    if let (Some(before), Some(now)) = (planned.get(OF_RECIPE), found.get(OF_RECIPE))
        && before != now
    {
        return Some("Terraform now plans other changes of its resources".to_owned());
    }
    parts_differ(planned, found, "changed", MOST_DEPTH)
}

/// Parts have parts, and those have none.
const MOST_DEPTH: usize = 2;

fn member_differs<'n>(
    planned: &Value,
    found: &Value,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    let of = |change: &Value, name: &str| change.get(name).map_or_else(|| "none".to_owned(), shown);
    let name = names.into_iter().find(|name| !is_same_member(planned, found, name))?;
    Some(format!("{name}: planned: {}; now: {}", of(planned, name), of(found, name)))
}

fn is_same_member(planned: &Value, found: &Value, name: &str) -> bool {
    match (planned.get(name), found.get(name)) {
        (Some(Value::String(before)), Some(Value::String(now))) if name == "reason" => {
            before == now || current_reason(before) == *now
        }
        (before, now) => before == now,
    }
}

/// How what is told of the properties differs, in a list of this name.
fn parts_differ(planned: &Value, found: &Value, list: &str, left: usize) -> Option<String> {
    let left = left.checked_sub(1)?;
    let items = |it: &Value| it.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let (planned, found) = (items(planned), items(found));
    let path_of = |part: &Value| text(part, "path").unwrap_or_default().to_owned();
    let at = |parts: &[Value], path: &str| parts.iter().find(|it| path_of(it) == path).cloned();
    for path in planned.iter().chain(&found).map(path_of) {
        let (before, now) = match (at(&planned, &path), at(&found, &path)) {
            (Some(before), Some(now)) => (before, now),
            // What was told may be secret by what is known now, so it is not told again.
            (Some(_), None) => {
                return Some(format!("{path}: it is in the plan, but does not change now"));
            }
            (None, now) => {
                let now = now.as_ref().map(part_text).unwrap_or_default();
                return Some(format!("{path}: it is not in the plan; now: {now}"));
            }
        };
        if pick(&before, &PARTS) != pick(&now, &PARTS) {
            let planned = match (is_secret(&before), is_secret(&now)) {
                (false, true) => "a value that is not secret".to_owned(),
                _ => part_text(&before),
            };
            return Some(format!("{path}: planned: {planned}; now: {}", part_text(&now)));
        }
        if let Some(text) = member_differs(&before, &now, PARTS_SHOWN) {
            return Some(format!("{path}: {text}"));
        }
        if let Some(text) = parts_differ(&before, &now, "parts", left) {
            return Some(text);
        }
    }
    let paths = |parts: &[Value]| parts.iter().map(path_of).collect::<Vec<_>>();
    (paths(&planned) != paths(&found)).then(|| "the changes are in another order".to_owned())
}

fn is_secret(told: &Value) -> bool {
    told.get("secret") == Some(&Value::Bool(true))
}

fn part_text(part: &Value) -> String {
    if is_secret(part) {
        return "a secret".to_owned();
    }
    if let Some(unknown) = text(part, "unknown") {
        return format!("({unknown})");
    }
    match (part.get("before"), part.get("after")) {
        (None, Some(after)) => shown(after),
        (Some(before), None) => format!("{} to nothing", shown(before)),
        (Some(before), Some(after)) => format!("{} to {}", shown(before), shown(after)),
        (None, None) => "nothing".to_owned(),
    }
}

/// How the outputs that a run would end with differ from those that were told.
pub fn output_differences(planned: &Planned, found: &Map<String, Value>) -> Vec<Finding> {
    let Some(planned) = &planned.outputs else { return Vec::new() };
    let names = planned.keys().chain(found.keys().filter(|name| !planned.contains_key(*name)));
    let differs = |name: &String| {
        let (before, now) = (planned.get(name), found.get(name));
        if before == now {
            return None;
        }
        let hides = now.is_some_and(is_secret);
        let of = |told: Option<&Value>| match told {
            None => "none".to_owned(),
            Some(told) if is_secret(told) => "a secret".to_owned(),
            Some(_) if hides => "a value that is not secret".to_owned(),
            Some(told) => shown(told),
        };
        let message = format!("planned: {}; now: {}", of(before), of(now));
        let path = format!("output {name}");
        Some(Finding { code: PLAN_MOVED.to_owned(), path, message })
    };
    names.filter_map(differs).take(TOLD).collect()
}

/// How the place that resources go to differs from the one that was told.
pub fn scope_difference(planned: &Planned, found: Option<&AwsScope>) -> Option<Finding> {
    let before = planned.scope.as_ref()?;
    if found.is_some_and(|found| found.is_same_place(before)) {
        return None;
    }
    let now = found.map_or_else(|| "none".to_owned(), ToString::to_string);
    let message = format!("planned scope: {before}; now: {now}");
    Some(Finding { code: PLAN_MOVED.to_owned(), path: String::new(), message })
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
        Planned {
            seal: Some("s".to_owned()),
            fresh_seal: None,
            changes,
            scope: None,
            outputs: None,
            kept_defaults: None,
        }
    }

    fn found(change: Value) -> Found {
        Found { change }
    }

    fn messages(planned: &Planned, all: &[Found]) -> Vec<String> {
        let told = differences(planned, all).into_iter();
        told.map(|it| format!("{}: {}", it.path, it.message)).collect()
    }

    #[test]
    fn where_it_is_and_what_is_not_known_here_do_not_count() {
        let change = json!({"address": "a", "type": "T", "action": "update", "identifier": "r1",
            "changed": [{"path": "/A", "before": 1, "after": 2, "new": 1}], "source": {"line": 2}});
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
                "d: /S: it is in the plan, but does not change now",
                "new: it is not in the plan; now: create",
                "gone: planned: update; now: no such resource",
            ]
        );
    }

    #[test]
    fn a_reason_in_the_words_of_an_earlier_version_is_the_same_reason() {
        let of = |reason: &str| {
            let part = json!({"path": "/A", "after": 1, "cause": "first-stated", "reason": reason});
            json!({"address": "a", "type": "T", "action": "update", "changed": [part]})
        };
        let now = of("set for the first time");
        let planned = sealed(json!([of("stated for the first time")]));
        assert!(messages(&planned, &[found(now.clone())]).is_empty());
        assert_eq!(messages(&sealed(json!([of("another reason")])), &[found(now)]).len(), 1);
    }

    #[test]
    fn all_that_is_shown_counts() {
        let told = json!({"address": "a", "type": "T", "action": "update", "identifier": "r",
            "id": "/g/a", "mayReplace": true, "changed": [
            {"path": "/A", "before": 1, "after": 2, "cause": "stated", "reason": "because"},
            {"path": "/T", "after": [1], "parts": [{"path": "/T/0", "after": 1}]}]});
        assert!(messages(&sealed(json!([told])), &[found(told.clone())]).is_empty());
        for (place, value, expected) in [
            ("/mayReplace", json!(false), "a: mayReplace: planned: false; now: true"),
            ("/id", json!("/g/b"), "a: id: planned: \"/g/b\"; now: \"/g/a\""),
            ("/changed/0/after", json!(3), "a: /A: planned: 1 to 3; now: 1 to 2"),
            ("/changed/0/reason", json!("x"), "a: /A: reason: planned: \"x\"; now: \"because\""),
            ("/changed/1/parts/0/after", json!(9), "a: /T/0: planned: 9; now: 1"),
            ("/changed/1/parts", json!([]), "a: /T/0: it is not in the plan; now: 1"),
        ] {
            let mut edited = told.clone();
            *edited.pointer_mut(place).unwrap() = value;
            assert_eq!(messages(&sealed(json!([edited])), &[found(told.clone())]), [expected]);
        }
        let twice = sealed(json!([{"address": "a", "action": "delete"}, told]));
        assert_eq!(messages(&twice, &[found(told.clone())]), ["a: it is in the plan twice"]);
    }

    #[test]
    fn what_is_secret_now_is_not_told_however_it_was_planned() {
        let of = |part: Value| json!({"address": "a", "type": "T", "action": "create", "changed": [part]});
        let secret = || found(of(json!({"path": "/S", "secret": true})));
        for part in [
            json!({"path": "/S", "after": "canary"}),
            json!({"path": "", "after": {"S": "canary"}}),
            json!({"path": "/S/Deep", "after": "canary"}),
        ] {
            let told = messages(&sealed(json!([of(part)])), &[secret()]);
            assert_eq!(told.len(), 1);
            assert!(!told[0].contains("canary"), "{told:?}");
        }
        let outputs = |told: Value| told.as_object().cloned().unwrap();
        let planned = Planned {
            outputs: Some(outputs(json!({"o": {"value": "canary"}, "p": {"value": 1}}))),
            ..sealed(json!([]))
        };
        let now = outputs(json!({"o": {"secret": true}, "p": {"value": 2}}));
        let told = output_differences(&planned, &now);
        assert_eq!(told[0].message, "planned: a value that is not secret; now: a secret");
        assert_eq!(told[1].message, "planned: {\"value\":1}; now: {\"value\":2}");
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
}
