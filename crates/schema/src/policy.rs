//! Whether two IAM policy documents say the same, however they are spelled.
//!
//! Services store a policy in a form of their own and return that. Only spellings that IAM
//! documents as equivalent are treated as equal; in doubt two policies differ, because a
//! difference that goes unseen is worse than an update too many.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::number;
use crate::same::same;

/// Whether a value has the shape of a policy document: an object with one or more statements,
/// each with an effect.
///
/// ```
/// # use hangar_schema::policy::looks_like_policy;
/// # use serde_json::json;
/// assert!(looks_like_policy(&json!({"Statement": {"Effect": "Deny", "Action": "*"}})));
/// assert!(!looks_like_policy(&json!({"Statement": []})));
/// ```
pub fn looks_like_policy(value: &Value) -> bool {
    let has_effect = |statement: &Value| statement.get("Effect").is_some_and(Value::is_string);
    match value.as_object().and_then(|policy| policy.get("Statement")) {
        Some(Value::Array(statements)) => {
            !statements.is_empty() && statements.iter().all(has_effect)
        }
        Some(statement @ Value::Object(_)) => has_effect(statement),
        _ => false,
    }
}

/// Whether two policy documents grant and deny the same. What does not look like a policy is
/// compared as plain JSON.
///
/// ```
/// # use hangar_schema::policy::equal;
/// # use serde_json::json;
/// let written = json!({"Version": "2012-10-17", "Statement": {
///     "Effect": "Allow", "Action": "s3:GetObject", "Resource": "*",
///     "Principal": {"AWS": "arn:aws:iam::123456789012:root"}}});
/// let stored = json!({"Version": "2012-10-17", "Statement": [{
///     "Effect": "Allow", "Action": ["S3:getobject"], "Resource": ["*"],
///     "Principal": {"AWS": ["123456789012"]}}]});
/// assert!(equal(&written, &stored));
/// ```
pub fn equal(a: &Value, b: &Value) -> bool {
    if same(a, b) {
        return true;
    }
    let resources = match (has_short_resource(a), has_short_resource(b)) {
        (true, false) | (false, true) => Resources::Short,
        _ => Resources::AsWritten,
    };
    match (Policy::read(a, resources), Policy::read(b, resources)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// How the resources of a policy are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resources {
    AsWritten,
    /// API Gateway takes `execute-api:/stage/GET/path` for the API that the policy belongs to, and
    /// stores the whole ARN.
    Short,
}

const SHORT_PREFIX: &str = "execute-api:/";

fn has_short_resource(policy: &Value) -> bool {
    let is_short =
        |value: &Value| value.as_str().is_some_and(|text| text.starts_with(SHORT_PREFIX));
    let has = |statement: &Value| {
        ["Resource", "NotResource"].iter().filter_map(|name| statement.get(name)).any(|value| {
            is_short(value) || value.as_array().is_some_and(|items| items.iter().any(is_short))
        })
    };
    match policy.get("Statement") {
        Some(Value::Array(statements)) => statements.iter().any(has),
        Some(statement) => has(statement),
        None => false,
    }
}

/// `arn:aws:execute-api:us-east-1:111111111111:a1b2/stage/GET/path` without the API that it names.
fn short_resource(text: &str) -> Option<String> {
    let mut parts = text.splitn(6, ':');
    let is_arn = parts.next() == Some("arn") && parts.nth(1) == Some("execute-api");
    let (_, path) = parts.nth(2).filter(|_| is_arn)?.split_once('/')?;
    Some(format!("{SHORT_PREFIX}{path}"))
}

/// The version of the language when a document states none.
const DEFAULT_VERSION: &str = "2008-10-17";

/// A document in one spelling: two are equal when their policies are.
#[derive(PartialEq)]
struct Policy {
    /// Sorted: the order of statements means nothing, their number is kept.
    statements: Vec<Statement>,
    members: Members,
}

type Statement = Members;
type Members = BTreeMap<String, Canon>;

/// A member's value in one spelling.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Canon {
    /// A text, or several in any order.
    Set(BTreeSet<String>),
    /// Sets by name: principals by type, a condition's values by key.
    Sets(BTreeMap<String, BTreeSet<String>>),
    /// Conditions by operator.
    Conditions(BTreeMap<String, BTreeMap<String, BTreeSet<String>>>),
    /// Anything else: JSON with sorted keys and canonical numbers.
    Other(String),
}

impl Policy {
    /// `None` when the value is no policy or too deep to be one.
    fn read(value: &Value, resources: Resources) -> Option<Self> {
        if !looks_like_policy(value) {
            return None;
        }
        let mut statements = Vec::new();
        let mut members = Members::new();
        for (name, member) in value.as_object()? {
            match (name.as_str(), member) {
                ("Statement", Value::Array(items)) => {
                    for item in items {
                        statements.push(statement(item.as_object()?, resources)?);
                    }
                }
                ("Statement", item) => statements.push(statement(item.as_object()?, resources)?),
                _ => {
                    members.insert(name.clone(), other(member)?);
                }
            }
        }
        members
            .entry("Version".to_owned())
            .or_insert(other(&Value::String(DEFAULT_VERSION.to_owned()))?);
        statements.sort();
        Some(Self { statements, members })
    }
}

fn statement(statement: &Map<String, Value>, resources: Resources) -> Option<Statement> {
    let mut members = Members::new();
    for (name, member) in statement {
        let canon = match name.as_str() {
            // The language gives an empty identifier to a statement without one.
            "Sid" if member.as_str() == Some("") => continue,
            // Names of services and their actions are not case-sensitive; names of resources are.
            "Action" | "NotAction" => texts(member, str::to_ascii_lowercase),
            "Resource" | "NotResource" => texts(member, |text| match resources {
                Resources::AsWritten => text.to_owned(),
                Resources::Short => short_resource(text).unwrap_or_else(|| text.to_owned()),
            }),
            "Principal" | "NotPrincipal" => principals(member),
            "Condition" => conditions(member),
            _ => None,
        };
        let canon = match canon {
            Some(canon) => canon,
            None => other(member)?,
        };
        members.insert(name.clone(), canon);
    }
    Some(members)
}

/// A text or a list of texts; `None` when it is anything else.
fn texts(value: &Value, spell: impl Fn(&str) -> String) -> Option<Canon> {
    set(value, |item| item.as_str().map(&spell)).map(Canon::Set)
}

fn set(value: &Value, spell: impl Fn(&Value) -> Option<String>) -> Option<BTreeSet<String>> {
    match value {
        Value::Array(items) => items.iter().map(spell).collect(),
        item => Some(BTreeSet::from([spell(item)?])),
    }
}

fn principals(value: &Value) -> Option<Canon> {
    // Everyone is written `"*"` or `{"AWS": "*"}`.
    if value.as_str() == Some("*") {
        let everyone = BTreeSet::from(["*".to_owned()]);
        return Some(Canon::Sets(BTreeMap::from([("AWS".to_owned(), everyone)])));
    }
    let mut sets = BTreeMap::new();
    for (kind, names) in value.as_object()? {
        let spell = |name: &Value| {
            let name = name.as_str()?;
            let account = if kind == "AWS" { account_of_root(name) } else { None };
            Some(account.unwrap_or(name).to_owned())
        };
        sets.insert(kind.clone(), set(names, spell)?);
    }
    Some(Canon::Sets(sets))
}

/// The account of `arn:aws*:iam::<account>:root`, which its bare number stands for.
fn account_of_root(arn: &str) -> Option<&str> {
    let (partition, rest) = arn.strip_prefix("arn:")?.split_once(':')?;
    let account = rest.strip_prefix("iam::")?.strip_suffix(":root")?;
    let is_partition = partition == "aws" || partition.starts_with("aws-");
    let is_account = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
    (is_partition && is_account).then_some(account)
}

fn conditions(value: &Value) -> Option<Canon> {
    let mut operators = BTreeMap::new();
    for (operator, keys) in value.as_object()? {
        let mut sets = BTreeMap::new();
        for (key, values) in keys.as_object()? {
            // Condition keys are not case-sensitive. Two that differ in case only are left alone:
            // how they combine is not documented.
            if sets.insert(key.to_ascii_lowercase(), set(values, condition_value)?).is_some() {
                return None;
            }
        }
        operators.insert(operator.clone(), sets);
    }
    Some(Canon::Conditions(operators))
}

/// A condition's value: IAM reads `true` and `"true"`, `5` and `"5"` alike.
fn condition_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

fn other(value: &Value) -> Option<Canon> {
    let mut text = String::new();
    write_other(value, &mut text, MAX_DEPTH)?;
    Some(Canon::Other(text))
}

/// What is nested deeper has no canonical form, and equals only itself.
const MAX_DEPTH: usize = 64;

fn write_other(value: &Value, out: &mut String, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Number(number) => out.push_str(&number::canonical(number)),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_other(item, out, depth)?;
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            for (key, member) in sorted {
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_other(member, out, depth)?;
                out.push(',');
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    Some(())
}

#[cfg(test)]
mod tests;
