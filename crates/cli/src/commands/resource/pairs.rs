//! Properties as `KEY=VALUE` pairs: `CidrBlock=10.0.0.0/16 Tags.0.Key=team`.
//!
//! The schema says what a value means: a string property takes the text as it is, any other takes
//! JSON. A key reaches below with dots, or as a JSON pointer where a name has a dot in it; a number
//! in it is an index where the schema has an array, or says nothing and the numbers count from 0.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use hangar_diag::{Diagnostic, Label, Span};
use hangar_schema::{Kind, Kinds, PropertyPointer, Step, TypeSchema, codes as schema_codes, json};
use serde_json::{Map, Value};

use crate::codes;
use crate::failure::{Failure, Report};
use crate::input::Source;

/// What the text `null` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    /// What the schema says: a text where it wants a string, else JSON's null.
    Text,
    /// The absence of the value, whatever the schema wants.
    Remove,
}

/// The pairs as they were typed.
pub(super) struct Pairs(Vec<Pair>);

struct Pair {
    text: String,
    /// Where the value begins, after the `=`.
    value_at: usize,
    /// RFC 6901, into the document that all pairs make.
    pointer: String,
}

/// What one pair says, before all are put together.
struct Assignment {
    steps: Vec<Place>,
    value: Value,
}

/// One step of a key, told apart by the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Member(String),
    Index(usize),
    /// Of what the schema says nothing of: an array or an object, as all of its names tell.
    Free(String),
}

impl Pairs {
    /// Reads pairs, and puts together the document that they make; every mistake is told, and of what
    /// is secret only that it is wrong.
    pub(super) fn read(
        given: &[String],
        schema: &TypeSchema,
        secret_paths: &[String],
        nulls: Nulls,
    ) -> Result<(Self, Value), Failure> {
        let mut pairs = Vec::new();
        let mut tree = Node::Open(BTreeMap::new());
        let mut mistakes = Vec::new();
        let mut keys = HashSet::new();
        for text in given {
            let read = Pair::read(text, schema, nulls).and_then(|(pair, assignment)| {
                if !keys.insert(pair.pointer.clone()) {
                    return Err(pair.wrong("the key is set twice", "set it once"));
                }
                tree.set(&assignment.steps, assignment.value).map_err(|()| {
                    let message = "the key contains another key, or is a part of one";
                    pair.wrong(
                        message,
                        "pass the whole value as JSON in one pair, or only its parts",
                    )
                })?;
                Ok(pair)
            });
            match read {
                Ok(pair) => pairs.push(pair),
                Err(mistake) => mistakes.push(mistake_in(text, schema, secret_paths, mistake)),
            }
        }
        if !mistakes.is_empty() {
            return Err(Failure::Reported(mistakes));
        }
        match tree.into_value("") {
            Ok(value) => Ok((Self(pairs), value)),
            Err(gap) => Err(Diagnostic::error(codes::BAD_PAIR, gap)
                .hint("number the elements of an array from 0, without gaps")
                .into()),
        }
    }

    /// Shows each diagnostic in the pair that it is about.
    pub(super) fn locate(&self, hidden: &[String], found: Vec<Diagnostic>) -> Vec<Report> {
        found.into_iter().map(|diagnostic| self.locate_one(hidden, diagnostic)).collect()
    }

    fn locate_one(&self, hidden: &[String], diagnostic: Diagnostic) -> Report {
        let Some(pair) = diagnostic.pointer.as_deref().and_then(|at| self.find(at)) else {
            return Report { source: None, diagnostics: vec![diagnostic] };
        };
        let is_whole = diagnostic.pointer.as_deref() == Some(&*pair.pointer);
        let is_name = matches!(
            diagnostic.code,
            schema_codes::UNKNOWN_PROPERTY
                | schema_codes::READ_ONLY_PROPERTY
                | schema_codes::READ_ONLY_STATED
                | schema_codes::DEPRECATED_PROPERTY
        );
        let span = if is_whole && !is_name { pair.value_span() } else { pair.key_span() };
        let is_hidden = hidden.iter().any(|secret| is_near(secret, &pair.pointer));
        let source = Source::argument(pair.text.clone());
        let source = source.masked(is_hidden.then(|| pair.value_span()));
        Report { source: Some(source), diagnostics: vec![diagnostic.at(span, "")] }
    }

    /// The pair that states the value at a pointer, or the nearest to it.
    fn find(&self, pointer: &str) -> Option<&Pair> {
        let states = |pair: &&Pair| is_below(pointer, &pair.pointer);
        let is_part = |pair: &&Pair| !pointer.is_empty() && is_below(&pair.pointer, pointer);
        self.0.iter().find(states).or_else(|| self.0.iter().find(is_part))
    }
}

/// Whether one of two pointers is the other, or below it.
fn is_near(one: &str, other: &str) -> bool {
    is_below(one, other) || is_below(other, one)
}

/// Whether a pointer is the same as another, or below it.
fn is_below(pointer: &str, above: &str) -> bool {
    pointer.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn mistake_in(
    text: &str,
    schema: &TypeSchema,
    secret_paths: &[String],
    mistake: Diagnostic,
) -> Report {
    let named = text.find('=').and_then(|equals| Some((equals, names_of(&text[..equals])?)));
    let hidden = named.and_then(|(equals, names)| {
        let (_, pointer, kinds) = placed(&names, schema);
        let is_secret = secret_paths.iter().any(|secret| is_near(&pointer, secret));
        // What the schema does not know may be a secret one, misspelt.
        let is_hidden = is_secret || kinds.is_unstated() || is_write_only(&names, schema);
        is_hidden.then(|| Span::new(equals + 1, text.len()))
    });
    let source = Source::argument(text).masked(hidden);
    Report { source: Some(source), diagnostics: vec![mistake] }
}

/// Whether AWS never returns the value, what it is a part of, or a part of it.
fn is_write_only(names: &[String], schema: &TypeSchema) -> bool {
    let steps: Vec<Step> = steps_below(names, schema).into_iter().map(|(_, step)| step).collect();
    let lists = schema.lists();
    lists.write_only.iter().any(|hidden| {
        let hidden = hidden.steps();
        hidden.starts_with(&steps) || steps.starts_with(hidden)
    })
}

impl Pair {
    fn read(
        text: &str,
        schema: &TypeSchema,
        nulls: Nulls,
    ) -> Result<(Self, Assignment), Diagnostic> {
        let Some(equals) = text.find('=') else {
            return Err(Diagnostic::error(codes::BAD_PAIR, "this is neither KEY=VALUE nor a file")
                .at(Span::new(text.len(), text.len()), "no `=`")
                .hint("write KEY=VALUE, or pass only a file: --properties FILE"));
        };
        let (key, value_at) = (&text[..equals], equals + 1);
        let names = names_of(key).ok_or_else(|| {
            Diagnostic::error(codes::BAD_PAIR, "the key, or a part of it, is empty")
                .at(Span::new(0, equals), "")
                .hint("write a property's name, as in CidrBlock=10.0.0.0/16; below it, Name.Name or /Name/Name")
        })?;
        let (steps, pointer, kinds) = placed(&names, schema);
        let pair = Self { text: text.to_owned(), value_at, pointer };
        let value = match (&text[value_at..], nulls) {
            ("null", Nulls::Remove) => Value::Null,
            (text, _) => value_of(text, kinds).map_err(|mistake| pair.shifted(mistake))?,
        };
        Ok((pair, Assignment { steps, value }))
    }

    fn key_span(&self) -> Span {
        Span::new(0, self.value_at.saturating_sub(1))
    }

    fn value_span(&self) -> Span {
        Span::new(self.value_at, self.text.len())
    }

    fn wrong(&self, message: &str, hint: &str) -> Diagnostic {
        Diagnostic::error(codes::BAD_PAIR, message).at(self.key_span(), "").hint(hint)
    }

    /// A mistake in the value, with its places in the whole pair.
    fn shifted(&self, mut mistake: Diagnostic) -> Diagnostic {
        for label in &mut mistake.labels {
            label.span.start += self.value_at;
            label.span.end += self.value_at;
        }
        mistake
    }
}

/// The names that a key is made of: a JSON pointer's, or those between dots.
fn names_of(key: &str) -> Option<Vec<String>> {
    let names: Vec<String> = match key.strip_prefix('/') {
        Some(pointer) => {
            pointer.split('/').map(|name| name.replace("~1", "/").replace("~0", "~")).collect()
        }
        None => key.split('.').map(str::to_owned).collect(),
    };
    names.iter().all(|name| !name.is_empty()).then_some(names)
}

/// Where the names lead in documents of the type, and what the schema wants there.
fn placed(names: &[String], schema: &TypeSchema) -> (Vec<Place>, String, Kinds) {
    let (places, steps): (Vec<Place>, Vec<Step>) = steps_below(names, schema).into_iter().unzip();
    let escaped = names.iter().map(|name| name.replace('~', "~0").replace('/', "~1"));
    let pointer = escaped.flat_map(|name| ["/".to_owned(), name]).collect();
    (places, pointer, schema.kinds_at(&steps.into_iter().collect()))
}

/// Each name as a step in a document, and as one in the schema.
fn steps_below(names: &[String], schema: &TypeSchema) -> Vec<(Place, Step)> {
    let mut steps: Vec<(Place, Step)> = Vec::new();
    for name in names {
        let above: PropertyPointer = steps.iter().map(|(_, step)| step.clone()).collect();
        let kinds = schema.kinds_at(&above);
        let is_array = !steps.is_empty() && kinds.has(Kind::Array);
        let is_free = !steps.is_empty() && kinds.is_unstated();
        steps.push(match name.parse() {
            Ok(index) if is_array => (Place::Index(index), Step::Each),
            _ if is_free => (Place::Free(name.clone()), Step::Member(name.as_str().into())),
            _ => (Place::Member(name.clone()), Step::Member(name.as_str().into())),
        });
    }
    steps
}

/// What a text means where the schema wants these kinds.
fn value_of(text: &str, kinds: Kinds) -> Result<Value, Diagnostic> {
    let has_others = kinds.iter().any(|kind| kind != Kind::String && kind != Kind::Null);
    let plain = || Value::String(text.to_owned());
    if kinds.has(Kind::String) {
        // A policy is a string or an object: what is an object is meant as one.
        let is_composite = text.trim_start().starts_with(['{', '[']);
        if !has_others || !is_composite {
            return Ok(plain());
        }
    }
    match json::read(text) {
        Ok(document) => Ok(document.into_value()),
        Err(_) if kinds.is_unstated() || kinds.has(Kind::String) => Ok(plain()),
        Err(mistake) => {
            let wanted = kinds.describe();
            let message =
                format!("the value is not JSON, but the schema requires {}", article(&wanted));
            let mut diagnostic = Diagnostic::error(codes::BAD_PAIR, message);
            let places = mistake.labels.into_iter();
            diagnostic.labels =
                places.map(|label| Label { text: String::new(), ..label }).collect();
            Err(diagnostic.hint(example(kinds)))
        }
    }
}

fn article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

fn example(kinds: Kinds) -> &'static str {
    if kinds.has(Kind::Boolean) {
        "write `true` or `false`"
    } else if kinds.has_numeric() {
        "write a number, without quotes"
    } else if kinds.has(Kind::Array) {
        "write an array, as in '[\"a\", \"b\"]', or its elements as KEY.0=a KEY.1=b"
    } else {
        "write an object, as in '{\"Name\": \"value\"}', or its members as KEY.Name=value"
    }
}

/// A document in the making: what is stated whole is closed to further parts.
enum Node {
    Closed(Value),
    Open(BTreeMap<String, Node>),
    /// By index; a gap is a mistake that only the whole shows.
    Elements(BTreeMap<usize, Node>),
    /// An array where the names count from 0, else an object.
    Free(BTreeMap<String, Node>),
}

impl Node {
    fn set(&mut self, steps: &[Place], value: Value) -> Result<(), ()> {
        let Some((first, rest)) = steps.split_first() else { return Err(()) };
        match (self, first) {
            (Self::Open(members), Place::Member(name))
            | (Self::Free(members), Place::Free(name)) => {
                place(members.entry(name.clone()), rest, value)
            }
            (Self::Elements(elements), Place::Index(index)) => {
                place(elements.entry(*index), rest, value)
            }
            _ => Err(()),
        }
    }

    /// The document; `key` leads to it, for a mistake to name.
    fn into_value(self, key: &str) -> Result<Value, String> {
        let below =
            |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
        match self {
            Self::Closed(value) => Ok(value),
            Self::Free(mut members) if counts_from_0(&members) => {
                let names: Vec<String> = (0..members.len()).map(|at| at.to_string()).collect();
                let nodes = names.iter().filter_map(|name| Some((name, members.remove(name)?)));
                let values: Result<Vec<_>, String> =
                    nodes.map(|(name, node)| node.into_value(&below(name))).collect();
                Ok(Value::Array(values?))
            }
            Self::Open(members) | Self::Free(members) => {
                let members = members.into_iter();
                let members: Result<Map<_, _>, String> = members
                    .map(|(name, node)| {
                        let value = node.into_value(&below(&name))?;
                        Ok((name, value))
                    })
                    .collect();
                Ok(Value::Object(members?))
            }
            Self::Elements(elements) => {
                let gap = elements.keys().enumerate().find(|(place, index)| place != *index);
                if let Some((place, index)) = gap {
                    return Err(format!(
                        "`{key}.{index}` is set, but element {place} of `{key}` is not"
                    ));
                }
                let values: Result<Vec<_>, String> = elements
                    .into_iter()
                    .map(|(index, node)| node.into_value(&below(&index.to_string())))
                    .collect();
                Ok(Value::Array(values?))
            }
        }
    }
}

fn counts_from_0(members: &BTreeMap<String, Node>) -> bool {
    (0..members.len()).all(|at| members.contains_key(&at.to_string()))
}

/// Puts a value at the end of the steps that are left.
fn place<K: Ord>(entry: Entry<'_, K, Node>, rest: &[Place], value: Value) -> Result<(), ()> {
    match (entry, rest.first()) {
        (Entry::Vacant(vacant), None) => {
            vacant.insert(Node::Closed(value));
            Ok(())
        }
        (Entry::Occupied(_), None) => Err(()),
        (Entry::Occupied(mut occupied), Some(_)) => occupied.get_mut().set(rest, value),
        (Entry::Vacant(vacant), Some(next)) => {
            let node = match next {
                Place::Member(_) => Node::Open(BTreeMap::new()),
                Place::Index(_) => Node::Elements(BTreeMap::new()),
                Place::Free(_) => Node::Free(BTreeMap::new()),
            };
            vacant.insert(node).set(rest, value)
        }
    }
}

#[cfg(test)]
mod tests;
