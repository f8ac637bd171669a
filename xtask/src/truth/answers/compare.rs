//! Compares an answer of AWS with an answer of the simulator, member by member.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use anyhow::{Result, bail, ensure};
use fancy_regex::Regex;
use serde_json::Value;

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    pub(super) test: String,
    pub(super) answer: String,
    /// RFC 6901 pointer into the answer.
    pub(super) pointer: String,
    /// JSON with placeholders, or `-` for no value.
    pub(super) aws: String,
    /// The same of the simulator.
    pub(super) simulator: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { test, answer, pointer, aws, simulator } = self;
        write!(f, "{test}\t{answer}\t{pointer}\t{aws}\t{simulator}")
    }
}

/// The recorder's text for a time.
const TIME: &str = "datetime";
/// The recorder's text for a UUID that it did not number.
const UUID: &str = "uuid";
const UUID_PATTERN: &str = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/// `<identifier:1>`, `<region>`, and `<client-token`, which the recorder wrote without an end.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<[a-z-]+(?::\d+>|>)?|\buuid\b").expect("the pattern is a constant")
});

/// The simulator's values in the places of the recorder's placeholders.
#[derive(Debug, Clone, Default)]
pub(super) struct Placeholders {
    values: BTreeMap<String, String>,
}

impl Placeholders {
    /// The values that the caller chose.
    pub(super) fn of_caller(given: &BTreeMap<String, String>) -> Self {
        Self { values: given.clone() }
    }

    /// Binds a placeholder once, to a value that no other one has.
    pub(super) fn bind(&mut self, name: &str, value: &str) -> Result<()> {
        ensure!(!self.values.contains_key(name), "`{name}` has two values");
        ensure!(!self.values.values().any(|other| other == value), "`{name}` has another's value");
        self.values.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// The value with the values of its placeholders.
    pub(super) fn fill(&self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::String(text) => self.fill_text(text)?.into(),
            Value::Array(items) => {
                items.iter().map(|item| self.fill(item)).collect::<Result<_>>()?
            }
            Value::Object(members) => members
                .iter()
                .map(|(name, member)| Ok((name.clone(), self.fill(member)?)))
                .collect::<Result<_>>()?,
            other => other.clone(),
        })
    }

    fn fill_text(&self, text: &str) -> Result<String> {
        let mut filled = text.to_owned();
        for (name, value) in &self.values {
            filled = filled.replace(name, value);
        }
        if let Some(found) = PLACEHOLDER.find(&filled)? {
            bail!("`{}` has no value yet", found.as_str());
        }
        Ok(filled)
    }

    /// Whether a text is the recorded one with values in the places of placeholders. Binds those
    /// that have no value yet.
    fn matches(&mut self, recorded: &str, text: &str) -> Result<bool> {
        let (mut pattern, mut end, mut unbound) = (String::new(), 0, BTreeSet::new());
        for found in PLACEHOLDER.find_iter(recorded) {
            let found = found?;
            let name = found.as_str();
            pattern.push_str(&fancy_regex::escape(&recorded[end..found.start()]));
            end = found.end();
            match self.values.get(name) {
                _ if name == UUID => pattern.push_str(UUID_PATTERN),
                Some(value) => pattern.push_str(&fancy_regex::escape(value)),
                None if unbound.insert(name) => pattern.push_str("(.+?)"),
                None => bail!("`{name}` occurs twice in `{recorded}` before it has a value"),
            }
        }
        pattern.push_str(&fancy_regex::escape(&recorded[end..]));
        let Some(groups) = Regex::new(&format!("^(?s:{pattern})$"))?.captures(text)? else {
            return Ok(false);
        };
        let in_order: Vec<&str> = PLACEHOLDER
            .find_iter(recorded)
            .filter_map(|found| found.ok().map(|found| found.as_str()))
            .filter(|name| unbound.contains(name))
            .collect();
        for (name, group) in in_order.iter().zip(groups.iter().skip(1).flatten()) {
            if self.bind(name, group.as_str()).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The simulator's value for a list of differences: the same in every run.
    fn unfill(&self, value: &Value) -> String {
        let mut text = value.to_string();
        for (name, value) in self.values.iter().filter(|(name, _)| is_numbered(name)) {
            text = text.replace(value, name);
        }
        let uuids = Regex::new(UUID_PATTERN).expect("the pattern is a constant");
        uuids.replace_all(&text, UUID).into_owned()
    }
}

/// `<identifier:1>`, but not `<region>`, whose value occurs in unrelated texts.
fn is_numbered(name: &str) -> bool {
    name.contains(':')
}

/// A pointer with the values of AWS and of the simulator.
pub(super) type Mismatch = (String, String, String);

/// The places where the answers differ. Binds placeholders that have no value yet.
pub(super) fn compare(
    recorded: &Value,
    simulated: &Value,
    placeholders: &mut Placeholders,
) -> Result<Vec<Mismatch>> {
    let mut simulated = simulated.clone();
    // The recorder joined the pages of lists itself: such an answer has no HTTP status.
    if recorded.get("ResponseMetadata").is_none()
        && let Some(members) = simulated.as_object_mut()
    {
        members.remove("ResponseMetadata");
    }
    let mut found = Vec::new();
    compare_values("", Some(recorded), Some(&simulated), placeholders, &mut found)?;
    Ok(found)
}

fn compare_values(
    pointer: &str,
    recorded: Option<&Value>,
    simulated: Option<&Value>,
    placeholders: &mut Placeholders,
    found: &mut Vec<Mismatch>,
) -> Result<()> {
    let is_equal = match (recorded, simulated) {
        (Some(Value::Object(aws)), Some(Value::Object(ours))) => {
            let names: BTreeSet<&String> = aws.keys().chain(ours.keys()).collect();
            for name in names {
                let pointer = format!("{pointer}/{name}");
                compare_values(&pointer, aws.get(name), ours.get(name), placeholders, found)?;
            }
            true
        }
        (Some(Value::Array(aws)), Some(Value::Array(ours))) => {
            for index in 0..aws.len().max(ours.len()) {
                let pointer = format!("{pointer}/{index}");
                compare_values(&pointer, aws.get(index), ours.get(index), placeholders, found)?;
            }
            true
        }
        (Some(Value::String(aws)), Some(Value::Number(_))) => aws == TIME,
        (Some(Value::String(aws)), Some(Value::String(ours))) => placeholders.matches(aws, ours)?,
        (aws, ours) => aws == ours,
    };
    if !is_equal {
        let aws = recorded.map_or_else(|| "-".to_owned(), Value::to_string);
        let simulator =
            simulated.map_or_else(|| "-".to_owned(), |value| placeholders.unfill(value));
        found.push((pointer.to_owned(), aws, simulator));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TOKEN: &str = "0b2c6e1a-5d2f-4a3b-8c9d-000000000001";

    fn differences(recorded: &Value, simulated: &Value) -> Vec<Mismatch> {
        let mut placeholders = Placeholders::default();
        placeholders.bind("<request-token:1>", TOKEN).unwrap();
        compare(recorded, simulated, &mut placeholders).unwrap()
    }

    #[test]
    fn placeholders_match_their_value_and_no_other() {
        let message = "<request-token:1> of <identifier:1> (uuid)";
        let recorded = json!({"A": "<identifier:1>", "B": message, "C": "datetime"});
        let simulated = json!({"A": "b-1", "B": format!("{TOKEN} of b-1 ({TOKEN})"), "C": 1.5});
        assert_eq!(differences(&recorded, &simulated), []);
        let simulated = json!({"A": "b-1", "B": format!("{TOKEN} of b-2 (x)"), "C": 1.5});
        let simulator = "\"<request-token:1> of b-2 (x)\"".to_owned();
        let expected = ("/B".to_owned(), json!(message).to_string(), simulator);
        assert_eq!(differences(&recorded, &simulated), [expected]);
        let recorded = json!({"A": "<identifier:1>", "B": "<identifier:2>"});
        assert_eq!(differences(&recorded, &json!({"A": "b", "B": "b"})).len(), 1);
    }

    #[test]
    fn absent_and_added_members_and_elements_differ() {
        let recorded = json!({"A": [1], "B": 2, "ResponseMetadata": {"HTTPStatusCode": 400}});
        let simulated = json!({"A": [], "C": {}, "ResponseMetadata": {"HTTPStatusCode": 200}});
        let found = differences(&recorded, &simulated);
        let expected = [
            ("/A/0", "1", "-"),
            ("/B", "2", "-"),
            ("/C", "-", "{}"),
            ("/ResponseMetadata/HTTPStatusCode", "400", "200"),
        ];
        assert_eq!(found, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
        assert_eq!(differences(&json!({}), &json!({"ResponseMetadata": {}})), []);
    }
}
