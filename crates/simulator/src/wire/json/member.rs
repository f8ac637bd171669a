//! The members of a body with the constraints of AWS's model; all that is broken is told at once.

use serde_json::{Map, Value};

use crate::core::refusal::{Exception, Refusal};

/// A pattern as the model writes it, and the same as a function.
type Pattern = (&'static str, fn(&str) -> bool);

/// What the model asks of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constraint {
    least: usize,
    most: usize,
    pattern: Option<Pattern>,
}

const fn length(least: usize, most: usize) -> Constraint {
    Constraint { least, most, pattern: None }
}

pub(super) const DOCUMENT: Constraint = length(1, 262_144);
pub(super) const IDENTIFIER: Constraint = length(1, 1024);
pub(super) const HANDLER_TOKEN: Constraint = length(1, 4096);
pub(super) const TOKEN: Constraint =
    Constraint { least: 1, most: 128, pattern: Some(("[-A-Za-z0-9+/=]+", is_token)) };
pub(super) const NEXT_TOKEN: Constraint =
    Constraint { least: 1, most: 2048, pattern: Some(("[-A-Za-z0-9+/=]+", is_token)) };
pub(super) const VERSION: Constraint =
    Constraint { least: 1, most: 128, pattern: Some(("[A-Za-z0-9-]+", is_version)) };
pub(super) const ROLE: Constraint =
    Constraint { least: 20, most: 2048, pattern: Some(("arn:.+:iam::[0-9]{12}:role/.+", is_role)) };
const TYPE_NAME: Constraint = Constraint {
    least: 10,
    most: 196,
    pattern: Some(("[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}", is_type_name)),
};

fn is_token(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+/=".contains(&byte))
}

fn is_version(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_type_name(text: &str) -> bool {
    let is_part = |part: &str| {
        (2..=64).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    text.split("::").count() == 3 && text.split("::").all(is_part)
}

fn is_role(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    let [arn, partition, service, region, account, resource] = parts.as_slice() else {
        return false;
    };
    *arn == "arn"
        && !partition.is_empty()
        && *service == "iam"
        && region.is_empty()
        && account.len() == 12
        && account.bytes().all(|byte| byte.is_ascii_digit())
        && resource.strip_prefix("role/").is_some_and(|name| !name.is_empty())
}

/// Reads members and collects what is wrong with them.
pub(super) struct Members<'a> {
    document: &'a Map<String, Value>,
    broken: Vec<String>,
    unreadable: Option<String>,
}

impl<'a> Members<'a> {
    pub(super) fn new(document: &'a Map<String, Value>) -> Self {
        Self { document, broken: Vec::new(), unreadable: None }
    }

    /// A text that must be there.
    pub(super) fn required(&mut self, name: &str, constraint: Constraint) -> String {
        self.optional(name, constraint).unwrap_or_else(|| {
            if matches!(self.document.get(name), None | Some(Value::Null)) {
                self.broken.push(format!(
                    "Value null at '{}' failed to satisfy constraint: Member must not be null",
                    lower(name)
                ));
            }
            String::new()
        })
    }

    /// A text that may be there.
    pub(super) fn optional(&mut self, name: &str, constraint: Constraint) -> Option<String> {
        let text = match self.document.get(name)? {
            Value::Null => return None,
            Value::String(text) => text,
            other => {
                self.wrong_kind(name, other);
                return None;
            }
        };
        let count = text.chars().count();
        let mut must = Vec::new();
        if count < constraint.least {
            must.push(format!("have length greater than or equal to {}", constraint.least));
        }
        if count > constraint.most {
            must.push(format!("have length less than or equal to {}", constraint.most));
        }
        if let Some((pattern, fits)) = constraint.pattern
            && !text.is_empty()
            && !fits(text)
        {
            must.push(format!("satisfy regular expression pattern: {pattern}"));
        }
        for must in must {
            self.broken.push(format!(
                "Value '{}' at '{}' failed to satisfy constraint: Member must {must}",
                shortened(text),
                lower(name)
            ));
        }
        Some(text.clone())
    }

    pub(super) fn type_name(&mut self) -> String {
        self.required("TypeName", TYPE_NAME)
    }

    /// How many a page may hold.
    pub(super) fn max_results(&mut self) -> Option<u16> {
        let value = self.document.get("MaxResults").filter(|value| !value.is_null())?;
        let Some(count) = value.as_i64() else {
            self.wrong_kind("MaxResults", value);
            return None;
        };
        let bound = match count {
            ..1 => "greater than or equal to 1",
            101.. => "less than or equal to 100",
            _ => return u16::try_from(count).ok(),
        };
        self.broken.push(format!(
            "Value '{count}' at 'maxResults' failed to satisfy constraint: Member must have value {bound}"
        ));
        None
    }

    /// A list of words in a structure.
    pub(super) fn words(&mut self, structure: &str, name: &str) -> Vec<String> {
        let Some(holder) = self.document.get(structure).filter(|value| !value.is_null()) else {
            return Vec::new();
        };
        match holder.get(name) {
            None | Some(Value::Null) if holder.is_object() => Vec::new(),
            Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
                items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => {
                self.wrong_kind(structure, holder);
                Vec::new()
            }
        }
    }

    /// Breaks on words that are none of `known`.
    pub(super) fn check_words<T: 'static>(
        &mut self,
        structure: &str,
        name: &str,
        known: &[T],
        word: fn(&T) -> &'static str,
    ) {
        let known: Vec<&str> = known.iter().map(word).collect();
        let given = self.words(structure, name);
        if given.iter().any(|given| !known.contains(&given.as_str())) {
            self.broken.push(format!(
                "Value '[{}]' at '{}.{}' failed to satisfy constraint: Member must satisfy \
                 constraint: [Member must satisfy enum value set: [{}]]",
                given.join(", "),
                lower(structure),
                lower(name),
                known.join(", ")
            ));
        }
    }

    fn wrong_kind(&mut self, name: &str, value: &Value) {
        let found = match value {
            Value::Bool(_) => "TRUE_VALUE",
            Value::Number(_) => "NUMBER_VALUE",
            Value::String(_) => "STRING_VALUE",
            Value::Array(_) => "START_ARRAY",
            _ => "START_OBJECT",
        };
        self.unreadable = Some(format!("{found} cannot be converted to the type of {name}"));
    }

    /// Whether the body is a call.
    pub(super) fn finish(self) -> Result<(), Refusal> {
        if let Some(why) = self.unreadable {
            return Err(Refusal::new(Exception::Serialization, why));
        }
        match self.broken.len() {
            0 => Ok(()),
            count => {
                let noun = if count == 1 { "error" } else { "errors" };
                let message =
                    format!("{count} validation {noun} detected: {}", self.broken.join("; "));
                Err(Refusal::new(Exception::Validation, message))
            }
        }
    }
}

/// `TypeName` as the framework names members: `typeName`.
fn lower(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// A value of a quarter of a megabyte is not worth repeating.
fn shortened(text: &str) -> String {
    if text.len() <= 1024 {
        return text.to_owned();
    }
    text.chars().take(256).chain("...".chars()).collect()
}
