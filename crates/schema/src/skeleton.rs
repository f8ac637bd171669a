//! The smallest document of a type that its schema accepts, with placeholders that are easy to read.

use serde_json::{Map, Number, Value};

use crate::finding::Finding;
use crate::outline::Outline;
use crate::pointer::{escape, unescape};
use crate::sample::Sampler;
use crate::type_schema::TypeSchema;
use crate::validate::{Holes, Purpose, findings};

/// As many samples are tried; choices between alternatives differ from seed to seed.
const SEEDS: u64 = 40;

/// After as many, one without a fault is taken although it has members that the schema does not name.
const ENOUGH: u64 = 6;

/// Returns a document that states the required members of a type and nothing else.
///
/// Arrays hold one item. Values satisfy the schema's enumerations, patterns and ranges where a value that does so is
/// found. The same schema gives the same document.
///
/// ```
/// use hangar_schema::{Catalog, skeleton};
/// use serde_json::json;
///
/// let log_stream = Catalog::bundled().get("AWS::Logs::LogStream")?;
/// assert_eq!(skeleton(&log_stream), json!({"LogGroupName": "log-group-name"}));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn skeleton(schema: &TypeSchema) -> Value {
    let mut sampler = Sampler::new(schema);
    let mut best = ((Faults::NONE, 0), Value::Object(Map::new()));
    for seed in 0..SEEDS {
        let document = sampler.required(seed);
        let rank = (Faults::of(schema, &document), free_members(&document));
        let (faults, free) = rank;
        if seed == 0 || rank < best.0 {
            best = (rank, document);
        }
        if faults == Faults::NONE && free == 0 {
            break;
        }
        if best.0.0 == Faults::NONE && seed >= ENOUGH {
            break;
        }
    }
    let ((faults, _), document) = best;
    let mut simplifier = Simplifier { schema, document, faults };
    let mut pointers = Vec::new();
    leaves(&simplifier.document, &mut String::new(), &mut pointers);
    for pointer in pointers {
        simplifier.simplify(&pointer);
    }
    simplifier.document
}

/// How much is wrong with a document; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Faults {
    errors: usize,
    warnings: usize,
}

impl Faults {
    const NONE: Self = Self { errors: 0, warnings: 0 };

    fn of(schema: &TypeSchema, document: &Value) -> Self {
        let found = findings(schema, document, Purpose::Desired, Holes::NONE);
        let errors = found.iter().filter(|it: &&Finding<'_>| it.is_error()).count();
        Self { errors, warnings: found.len() - errors }
    }
}

/// How many members have names that are made up, because the schema does not name them: an alternative that names its
/// members says more.
fn free_members(value: &Value) -> usize {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, inner)| usize::from(name.starts_with("key-")) + free_members(inner))
            .sum(),
        Value::Array(items) => items.iter().map(free_members).sum(),
        _ => 0,
    }
}

/// The pointers of all texts, numbers and booleans.
fn leaves(value: &Value, at: &mut String, found: &mut Vec<String>) {
    let length = at.len();
    let mut inside = |step: &str, value: &Value, at: &mut String| {
        at.push('/');
        at.push_str(step);
        leaves(value, at, found);
        at.truncate(length);
    };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                inside(&escape(name), member, at);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                inside(&index.to_string(), item, at);
            }
        }
        _ => found.push(at.clone()),
    }
}

struct Simplifier<'s> {
    schema: &'s TypeSchema,
    document: Value,
    faults: Faults,
}

impl Simplifier<'_> {
    /// Replaces a value by the first candidate that makes nothing worse.
    fn simplify(&mut self, pointer: &str) {
        let Some((outline, name)) = self.place(pointer) else { return };
        let Some(value) = self.document.pointer(pointer).cloned() else { return };
        for candidate in candidates(outline, &name, &value) {
            let Some(place) = self.document.pointer_mut(pointer) else { return };
            *place = candidate;
            let faults = Faults::of(self.schema, &self.document);
            if faults <= self.faults {
                self.faults = faults;
                return;
            }
        }
        if let Some(place) = self.document.pointer_mut(pointer) {
            *place = value;
        }
    }

    /// What describes the value, and the name of the last member on the way to it.
    fn place(&self, pointer: &str) -> Option<(Outline<'_>, String)> {
        let (mut outline, mut value) = (self.schema.outline(), &self.document);
        let mut name = String::new();
        for segment in pointer.split('/').skip(1) {
            let segment = unescape(segment);
            if let Value::Array(items) = value {
                outline = outline.element()?;
                value = items.get(segment.parse::<usize>().ok()?)?;
            } else {
                outline = outline.find_member(&segment).or_else(|| outline.others())?;
                value = value.get(&*segment)?;
                name = segment.into_owned();
            }
        }
        Some((outline, name))
    }
}

/// Values that are easier to read than a sampled one, the best first.
fn candidates(outline: Outline<'_>, name: &str, sampled: &Value) -> Vec<Value> {
    let limits = outline.limits();
    let is_like = |it: &&&Value| std::mem::discriminant(**it) == std::mem::discriminant(sampled);
    let stated = limits.allowed.iter().chain(&limits.advised).filter(is_like).take(4);
    let mut candidates: Vec<Value> =
        limits.default.iter().filter(is_like).chain(stated).map(|it| (*it).clone()).collect();
    match sampled {
        Value::String(text) if !text.starts_with("arn:") => {
            let spelled = kebab(name);
            let length = usize::try_from(limits.length.1.unwrap_or(64)).unwrap_or(64);
            candidates.push(spelled.chars().take(length).collect::<String>().into());
            candidates.push(spelled.replace('-', "_").into());
            candidates.push(spelled.replace('-', "").into());
            candidates.extend(["example", "Example", "10.0.0.0/16", "1"].map(Value::from));
        }
        Value::String(_) => candidates.push("arn:aws:iam::123456789012:role/example".into()),
        Value::Number(_) => {
            candidates.extend(limits.range.0.map(|least| Value::Number(least.clone())));
            candidates.extend([1, 0].map(|number: i64| Value::Number(Number::from(number))));
        }
        Value::Bool(_) => candidates.push(false.into()),
        _ => {}
    }
    candidates
}

/// `LogGroupName` as `log-group-name`.
fn kebab(name: &str) -> String {
    let mut spelled = String::new();
    let letters: Vec<char> = name.chars().filter(char::is_ascii_alphanumeric).collect();
    for (at, letter) in letters.iter().enumerate() {
        let is_after_small = at > 0 && !letters[at - 1].is_ascii_uppercase();
        let is_before_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && at > 0 && (is_after_small || is_before_small) {
            spelled.push('-');
        }
        spelled.push(letter.to_ascii_lowercase());
    }
    if spelled.is_empty() { "example".to_owned() } else { spelled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_are_parted_by_hyphens() {
        assert_eq!(kebab("LogGroupName"), "log-group-name");
        assert_eq!(kebab("DBInstanceARN"), "db-instance-arn");
        assert_eq!(kebab(""), "example");
    }
}
