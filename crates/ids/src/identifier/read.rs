//! The forms in which a person may type an identifier: `a|b`, a JSON object, named fields.

use std::collections::BTreeSet;
use std::fmt;

use hangar_diag::{Diagnostic, Span, nearest};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::{Identifier, SEPARATOR};
use crate::codes;

/// Which of a schema's sets of identifying properties a person named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifierSet {
    /// The primary identifier.
    Primary,
    /// The additional identifier at this index; AWS must be asked for the primary one.
    Additional(usize),
}

/// An identifier and the set it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedIdentifier {
    /// The set whose parts the identifier has.
    pub set: IdentifierSet,
    /// The parts joined in the order of the set.
    pub identifier: Identifier,
}

impl Identifier {
    /// Reads an identifier as a person types it, for a schema whose primary identifier has the
    /// parts `wanted` and whose additional identifiers have the parts `additional`.
    ///
    /// `a|b` gives the primary parts in order. A JSON object, or named fields separated by commas
    /// or spaces, gives them by name in any order and may name an additional set instead. Named
    /// fields are read as such only when every name is one of the schema's; other text is taken as
    /// it stands. An error lists the parts that the schema wants.
    ///
    /// ```
    /// use hangar_ids::{Identifier, IdentifierSet};
    ///
    /// let wanted = ["RestApiId", "StageName"];
    /// for text in ["a|b", r#"{"StageName": "b", "RestApiId": "a"}"#, "StageName=b RestApiId=a"] {
    ///     let named = Identifier::read(text, &wanted, &[])?;
    ///     assert_eq!(named.set, IdentifierSet::Primary);
    ///     assert_eq!(named.identifier.as_str(), "a|b");
    /// }
    /// # Ok::<(), hangar_diag::Diagnostic>(())
    /// ```
    pub fn read(
        text: &str,
        wanted: &[&str],
        additional: &[Vec<&str>],
    ) -> Result<NamedIdentifier, Diagnostic> {
        let sets = Sets { wanted, additional };
        let form = form(text, &sets)?;
        let named = match form {
            Form::Fields(fields) => sets.choose(&fields),
            Form::Joined => sets.joined(text),
        };
        // The reader knows the whole text and the schema; the parts below know neither.
        named.map_err(|diagnostic| {
            let has_place = !diagnostic.labels.is_empty();
            let whole = Span::new(0, text.len());
            let diagnostic =
                if has_place { diagnostic } else { diagnostic.at(whole, "in this identifier") };
            diagnostic.hint(sets.listed())
        })
    }
}

/// A part that was given by name.
struct Field {
    name: String,
    value: String,
}

enum Form {
    Fields(Vec<Field>),
    Joined,
}

fn form(text: &str, sets: &Sets) -> Result<Form, Diagnostic> {
    if text.trim_start().starts_with('{') {
        let fields = object(text).map_err(|diagnostic| diagnostic.hint(sets.listed()))?;
        return Ok(Form::Fields(fields));
    }
    Ok(named_fields(text, sets).map_or(Form::Joined, Form::Fields))
}

/// The fields of `A=x,B=y`, if every one of them has a name of the schema.
fn named_fields(text: &str, sets: &Sets) -> Option<Vec<Field>> {
    let is_separator = |c: char| c == ',' || c.is_whitespace();
    let fields: Option<Vec<Field>> = text
        .split(is_separator)
        .filter(|field| !field.is_empty())
        .map(|field| {
            let (name, value) = field.split_once('=')?;
            let is_known = sets.names().any(|known| known == name);
            is_known.then(|| Field { name: name.to_owned(), value: value.to_owned() })
        })
        .collect();
    fields.filter(|fields| !fields.is_empty())
}

/// The fields of a JSON object; a value must be one that has a plain text.
fn object(text: &str) -> Result<Vec<Field>, Diagnostic> {
    let whole = Span::new(0, text.len());
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader
        .deserialize_map(Members)
        .and_then(|members| reader.end().map(|()| members))
        .map_err(|error| not_json(text, &error))?;
    let mut fields = Vec::with_capacity(members.len());
    for (name, value) in members {
        let value = match value {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                let message =
                    format!("the identifier part `{name}` must be a string, a number or a boolean");
                return Err(Diagnostic::error(codes::IDENTIFIER_VALUE, message)
                    .at(whole, "in this identifier")
                    .hint(format!("write the value of `{name}` as a string")));
            }
        };
        fields.push(Field { name, value });
    }
    Ok(fields)
}

/// Reads the members of an object with duplicates, which a map would hide.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the parts of an identifier")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

fn not_json(text: &str, error: &serde_json::Error) -> Diagnostic {
    // The error counts lines from one and bytes of the line, of which the last read is the place.
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    Diagnostic::error(
        codes::IDENTIFIER_JSON,
        "the identifier starts with `{` but is not a JSON object",
    )
    .at(Span::new(at, end), "invalid JSON starts here")
    .hint("write a complete JSON object, or the parts joined with `|`")
}

/// The sets of parts that a schema identifies a resource by.
struct Sets<'a> {
    wanted: &'a [&'a str],
    additional: &'a [Vec<&'a str>],
}

impl<'a> Sets<'a> {
    fn all(&self) -> impl Iterator<Item = (IdentifierSet, &'a [&'a str])> {
        let additional = self.additional.iter().enumerate();
        std::iter::once((IdentifierSet::Primary, self.wanted)).chain(
            additional.map(|(index, set)| (IdentifierSet::Additional(index), set.as_slice())),
        )
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.all().flat_map(|(_, set)| set.iter().copied())
    }

    /// The parts that the schema wants, for an error.
    fn listed(&self) -> String {
        let list = |set: &[&str]| format!("`{}`", set.join("|"));
        let primary = if self.wanted.is_empty() { "none".to_owned() } else { list(self.wanted) };
        let text = format!("the schema's primary identifier is {primary}");
        if self.additional.is_empty() {
            return text;
        }
        let additional: Vec<String> = self.additional.iter().map(|set| list(set)).collect();
        format!("{text}; its additional identifiers are {}", additional.join(", "))
    }

    /// The first set that has exactly these fields.
    fn choose(&self, fields: &[Field]) -> Result<NamedIdentifier, Diagnostic> {
        let mut seen = BTreeSet::new();
        if let Some(field) = fields.iter().find(|field| !seen.insert(field.name.as_str())) {
            let message = format!("the identifier part `{}` is set twice", field.name);
            return Err(Diagnostic::error(codes::IDENTIFIER_DUPLICATE, message));
        }
        let value = |name: &str| fields.iter().find(|field| field.name == name);
        for (set, names) in self.all() {
            let values: Option<Vec<&str>> =
                names.iter().map(|name| value(name).map(|field| field.value.as_str())).collect();
            if let Some(values) =
                values.filter(|values| values.len() == fields.len() && !values.is_empty())
            {
                return Ok(NamedIdentifier { set, identifier: Identifier::from_parts(&values)? });
            }
        }
        Err(self.no_such_set(fields))
    }

    fn no_such_set(&self, fields: &[Field]) -> Diagnostic {
        let unknown = fields.iter().find(|field| self.names().all(|name| name != field.name));
        if let Some(field) = unknown {
            let message =
                format!("the identifier part `{}` does not exist in the schema", field.name);
            let diagnostic = Diagnostic::error(codes::IDENTIFIER_FIELDS, message);
            return match nearest(&field.name, self.names()) {
                Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
                None => diagnostic,
            };
        }
        let missing: Vec<&str> = self
            .wanted
            .iter()
            .copied()
            .filter(|name| fields.iter().all(|field| field.name != *name))
            .collect();
        let message = if missing.is_empty() {
            "the parts belong to more than one identifier of the schema".to_owned()
        } else {
            format!("the identifier lacks `{}`", missing.join("`, `"))
        };
        Diagnostic::error(codes::IDENTIFIER_FIELDS, message)
    }

    /// The primary identifier from its parts in order.
    fn joined(&self, text: &str) -> Result<NamedIdentifier, Diagnostic> {
        let count = self.wanted.len();
        let identifier = Identifier::parse(text)?;
        let mut at = 0;
        for part in identifier.parts(count)? {
            if part.is_empty() {
                return Err(Diagnostic::error(
                    codes::IDENTIFIER_EMPTY,
                    format!("a part of the identifier `{text}` is empty"),
                )
                .at(Span::new(at, at), "a part is missing here"));
            }
            at += part.len() + SEPARATOR.len_utf8();
        }
        Ok(NamedIdentifier { set: IdentifierSet::Primary, identifier })
    }
}
