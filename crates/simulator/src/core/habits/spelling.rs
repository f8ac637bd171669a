//! Other spellings of one value, as services write them.

use hangar_schema::policy::looks_like_policy;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::core::place::Place;

/// How a service spells a value.
#[derive(Debug)]
pub(super) enum Spelling {
    /// In this letter case.
    Case(LetterCase),
    /// As one of these words, whatever the letter case.
    Words(Vec<String>),
    /// With this at the end.
    Add(String),
    /// Without this at the end.
    Drop(String),
    /// As a version of so many numbers.
    Version(usize),
    /// As a rate in the largest unit that fits.
    Interval,
    /// A name as this ARN.
    Arn(String),
    /// An ARN as its last part.
    Last,
    /// A word, a number or a boolean as another value.
    Replace(Map<String, Value>),
    /// Each number and boolean as text.
    ScalarsAsText,
    /// An object as JSON text.
    JsonText,
    /// JSON text without white space, with sorted members.
    CompactJson,
    /// JSON text whose elements have these members if the caller states no others.
    JsonMembers(Map<String, Value>),
}

/// A letter case.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LetterCase {
    Lower,
    Upper,
}

/// How a service writes the values of a policy statement that may be one text or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PolicyForm {
    /// One text where there is only one.
    Scalars,
    /// Always a list.
    Lists,
}

impl Spelling {
    /// Reads the word and the value of a row.
    pub(super) fn read(word: &str, value: &str) -> Option<Self> {
        let text = || serde_json::from_str::<String>(value).ok();
        Some(match word {
            "case" => Self::Case(serde_json::from_str(value).ok()?),
            "words" => Self::Words(serde_json::from_str(value).ok()?),
            "add-end" => Self::Add(text()?),
            "drop-end" => Self::Drop(text()?),
            "version" => Self::Version(serde_json::from_str(value).ok()?),
            "interval" => Self::Interval,
            "arn" => Self::Arn(text()?),
            "last" => Self::Last,
            "replace" => Self::Replace(serde_json::from_str(value).ok()?),
            "scalars-as-text" => Self::ScalarsAsText,
            "json-text" => Self::JsonText,
            "compact-json" => Self::CompactJson,
            "json-members" => Self::JsonMembers(serde_json::from_str(value).ok()?),
            _ => return None,
        })
    }

    /// Spells a value; values that the spelling does not apply to stay.
    pub(super) fn apply(&self, value: &mut Value, place: &Place) {
        if let Self::ScalarsAsText = self {
            return scalars_as_text(value);
        }
        if let (Self::JsonText, Value::Object(_)) = (self, &*value) {
            *value = value.to_string().into();
            return;
        }
        if let Self::Replace(words) = self {
            let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if let Some(other) = words.get(&word) {
                *value = match other {
                    Value::String(text) => in_place(text, place).into(),
                    other => other.clone(),
                };
            }
            return;
        }
        let Value::String(text) = value else { return };
        if let Some(spelled) = self.spell(text, place) {
            *text = spelled;
        }
    }

    fn spell(&self, text: &str, place: &Place) -> Option<String> {
        match self {
            Self::Case(LetterCase::Lower) => Some(text.to_lowercase()),
            Self::Case(LetterCase::Upper) => Some(text.to_uppercase()),
            Self::Words(words) => {
                words.iter().find(|word| word.eq_ignore_ascii_case(text)).cloned()
            }
            Self::Add(end) => (!text.ends_with(end.as_str())).then(|| format!("{text}{end}")),
            Self::Drop(end) => text.strip_suffix(end.as_str()).map(str::to_owned),
            Self::Version(numbers) => complete_version(text, *numbers),
            Self::Interval => in_largest_unit(text),
            Self::Arn(template) => (!text.contains(':') && !text.is_empty())
                .then(|| in_place(template, place).replace("{}", text)),
            Self::Last => text
                .starts_with("arn:")
                .then(|| text.rsplit(['/', ':']).next().unwrap_or(text).to_owned()),
            Self::CompactJson => compact(text),
            Self::JsonMembers(members) => with_members(text, members),
            Self::Replace(_) | Self::ScalarsAsText | Self::JsonText => None,
        }
    }
}

/// A text with the caller's partition, region and account in place of their placeholders.
pub(super) fn in_place(text: &str, place: &Place) -> String {
    text.replace("{partition}", place.partition())
        .replace("{region}", place.region())
        .replace("{account}", place.account())
}

/// `8.0` as `8.0.7`. Services whose major versions have two digits use one number less
/// (PostgreSQL 16.3).
fn complete_version(text: &str, numbers: usize) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let parts: Vec<&str> = text.split('.').collect();
    let wanted = if parts[0].len() > 1 { numbers.saturating_sub(1) } else { numbers };
    (parts.iter().all(|part| is_number(part)) && parts.len() < wanted)
        .then(|| format!("{text}{}", ".7".repeat(wanted - parts.len())))
}

/// `rate(60 minutes)` as `rate(1 hour)`.
fn in_largest_unit(text: &str) -> Option<String> {
    let inner = text.strip_prefix("rate(")?.strip_suffix(')')?;
    let (count, unit) = inner.split_once(' ')?;
    let mut count: u64 = count.parse().ok()?;
    let mut unit = unit.trim_end_matches('s');
    for (small, times, large) in [("minute", 60, "hour"), ("hour", 24, "day")] {
        if unit == small && count > 0 && count.is_multiple_of(times) {
            (count, unit) = (count / times, large);
        }
    }
    let plural = if count == 1 { "" } else { "s" };
    Some(format!("rate({count} {unit}{plural})"))
}

fn scalars_as_text(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(scalars_as_text),
        Value::Array(items) => items.iter_mut().for_each(scalars_as_text),
        Value::Number(_) | Value::Bool(_) => *value = value.to_string().into(),
        Value::String(_) | Value::Null => {}
    }
}

/// JSON text of an object or array in its shortest form, with sorted members.
pub(super) fn compact(text: &str) -> Option<String> {
    parse_document(text).map(|document| document.to_string())
}

/// The object or array that a JSON text states.
pub(super) fn parse_document(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

fn with_members(text: &str, members: &Map<String, Value>) -> Option<String> {
    let mut document = parse_document(text)?;
    for element in document.as_array_mut()? {
        let Value::Object(stated) = element else { continue };
        for (name, member) in members {
            stated.entry(name).or_insert_with(|| member.clone());
        }
    }
    Some(document.to_string())
}

/// Writes the statements of a policy document in a form; other documents stay.
pub(super) fn rewrite_policy(document: &mut Value, form: PolicyForm, place: &Place) {
    if !looks_like_policy(document) {
        return;
    }
    let Some(statements) = document.get_mut("Statement") else { return };
    if statements.is_object() {
        *statements = Value::Array(vec![statements.take()]);
    }
    for statement in statements.as_array_mut().into_iter().flatten() {
        for name in ["Action", "NotAction", "Resource", "NotResource"] {
            if let Some(value) = statement.get_mut(name) {
                write_in_form(value, form);
            }
        }
        if let Some(Value::Object(principals)) = statement.get_mut("Principal") {
            for (kind, value) in principals.iter_mut() {
                if kind == "AWS" {
                    name_accounts(value, place);
                }
                if form == PolicyForm::Scalars {
                    write_in_form(value, form);
                }
            }
        }
    }
}

fn write_in_form(value: &mut Value, form: PolicyForm) {
    match (form, &mut *value) {
        (PolicyForm::Scalars, Value::Array(items)) if items.len() == 1 => {
            *value = items.remove(0);
        }
        (PolicyForm::Lists, Value::String(_)) => *value = Value::Array(vec![value.take()]),
        _ => {}
    }
}

/// Replaces the number of an account by the ARN of its root user.
fn name_accounts(value: &mut Value, place: &Place) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| name_accounts(item, place)),
        Value::String(text) if text.len() == 12 && text.bytes().all(|it| it.is_ascii_digit()) => {
            *text = format!("arn:{}:iam::{text}:root", place.partition());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spelled(word: &str, value: &str, stated: Value) -> Value {
        let spelling = Spelling::read(word, value).unwrap();
        let (mut once, place) = (stated, Place::of_caller("42", "eu-west-1"));
        spelling.apply(&mut once, &place);
        let mut twice = once.clone();
        spelling.apply(&mut twice, &place);
        assert_eq!(once, twice, "{word} {value} is applied once");
        once
    }

    #[test]
    fn values_are_spelled_as_the_table_says_and_stay_so() {
        for (word, value, stated, expected) in [
            ("case", r#""lower""#, json!("MyDB"), json!("mydb")),
            ("words", r#"["Spark"]"#, json!("SPARK"), json!("Spark")),
            ("words", r#"["Spark"]"#, json!("other"), json!("other")),
            ("add-end", r#"".""#, json!("a.b"), json!("a.b.")),
            ("drop-end", r#""/""#, json!("a/"), json!("a")),
            ("version", "3", json!("8.0"), json!("8.0.7")),
            ("version", "3", json!("16"), json!("16.7")),
            ("version", "3", json!("8.0.mysql_aurora"), json!("8.0.mysql_aurora")),
            ("interval", "-", json!("rate(60 minutes)"), json!("rate(1 hour)")),
            ("interval", "-", json!("rate(48 hours)"), json!("rate(2 days)")),
            ("interval", "-", json!("cron(0 1 * * ? *)"), json!("cron(0 1 * * ? *)")),
            (
                "arn",
                r#""arn:{partition}:lambda:{region}:{account}:function:{}""#,
                json!("f"),
                json!("arn:aws:lambda:eu-west-1:000000000042:function:f"),
            ),
            ("last", "-", json!("arn:aws:iam::1:role/a/b"), json!("b")),
            ("replace", r#"{"LATEST": "1.4.0"}"#, json!("LATEST"), json!("1.4.0")),
            ("replace", r#"{"true": "1"}"#, json!(true), json!("1")),
            ("scalars-as-text", "-", json!({"a": [30, true]}), json!({"a": ["30", "true"]})),
            ("json-text", "-", json!({"a": 1}), json!(r#"{"a":1}"#)),
            ("compact-json", "-", json!(r#"{ "b": 1, "a": 2 }"#), json!(r#"{"a":2,"b":1}"#)),
            (
                "json-members",
                r#"{"Type": "REGULAR"}"#,
                json!(r#"[{"Value": "x"}]"#),
                json!(r#"[{"Type":"REGULAR","Value":"x"}]"#),
            ),
        ] {
            assert_eq!(spelled(word, value, stated), expected, "{word} {value}");
        }
    }

    #[test]
    fn a_policy_is_written_with_lists_or_single_texts() {
        let stated = json!({"Statement": {"Effect": "Allow", "Action": ["s3:Get*"],
            "Resource": "*", "Principal": {"AWS": ["123456789012"]}}});
        let place = Place::default();
        let mut scalars = stated.clone();
        rewrite_policy(&mut scalars, PolicyForm::Scalars, &place);
        assert_eq!(
            scalars,
            json!({"Statement": [{"Effect": "Allow", "Action": "s3:Get*", "Resource": "*",
                "Principal": {"AWS": "arn:aws:iam::123456789012:root"}}]})
        );
        let mut lists = stated;
        rewrite_policy(&mut lists, PolicyForm::Lists, &place);
        assert_eq!(lists["Statement"][0]["Resource"], json!(["*"]));
    }
}
