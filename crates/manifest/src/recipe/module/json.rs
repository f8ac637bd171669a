//! Terraform's JSON syntax as the same blocks and attributes that the native syntax gives.
//!
//! Which members are blocks, and how many labels each has, is not in the text: only the kinds that an
//! outline reads are looked at.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::tree::{Attribute, Block, Body, Term};
use super::{Problem, line_after};

/// The kinds of block at the top of a file that are read, with their number of labels.
const KINDS: &[(&str, usize)] = &[
    ("variable", 1),
    ("output", 1),
    ("terraform", 0),
    ("provider", 1),
    ("module", 1),
    ("resource", 2),
    ("data", 2),
    ("ephemeral", 2),
];

/// The body of a file. What cannot be read is a problem.
pub(super) fn parse(file: &str, text: &str, problems: &mut Vec<Problem>) -> Body {
    let mut reader = Reader { file, text, problems };
    let mut body = Body::default();
    let raw: &RawValue = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            reader.problem(error.line().max(1), &format!("not JSON: {error}"));
            return body;
        }
    };
    for top in each(raw) {
        for (kind, value) in reader.members(top) {
            if let Some((_, labels)) = KINDS.iter().find(|(name, _)| *name == kind) {
                reader.blocks(&kind, *labels, &[], value, &mut body);
            }
        }
    }
    body
}

struct Reader<'a, 'p> {
    file: &'a str,
    text: &'a str,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Reader<'a, '_> {
    /// The blocks of one kind: a level of names for each label, and a list wherever there may be many.
    fn blocks(
        &mut self,
        kind: &str,
        levels: usize,
        labels: &[String],
        raw: &'a RawValue,
        into: &mut Body,
    ) {
        for part in each(raw) {
            if levels == 0 {
                let line = self.line(part);
                let body = self.block_body(kind, part);
                into.blocks.push(Block {
                    kind: kind.to_owned(),
                    labels: labels.to_vec(),
                    line,
                    body,
                });
                continue;
            }
            for (label, value) in self.members(part) {
                let mut labels = labels.to_vec();
                labels.push(label);
                self.blocks(kind, levels - 1, &labels, value, into);
            }
        }
    }

    fn block_body(&mut self, kind: &str, raw: &'a RawValue) -> Body {
        let mut body = Body::default();
        for (name, value) in self.members(raw) {
            if kind == "terraform" && name == "required_providers" {
                self.blocks(&name, 0, &[], value, &mut body);
                continue;
            }
            let line = self.line(value);
            // A number of a hundred digits is a number; only nesting beyond serde's limit is refused.
            match serde_json::from_str::<Value>(value.get()) {
                Ok(read) => body.attributes.push(Attribute {
                    name,
                    line,
                    text: as_text(&read),
                    term: Term::of(read),
                }),
                Err(error) => self.problem(line, &format!("`{name}` cannot be read: {error}")),
            }
        }
        body
    }

    /// The members of an object as written, without comments; none, and a problem, for anything else.
    fn members(&mut self, raw: &'a RawValue) -> Vec<(String, &'a RawValue)> {
        match serde_json::from_str::<Members<'a>>(raw.get()) {
            Ok(Members(members)) => members.into_iter().filter(|(name, _)| name != "//").collect(),
            // A block that is null is no block.
            Err(_) if raw.get() == "null" => Vec::new(),
            Err(_) => {
                let line = self.line(raw);
                self.problem(line, "expected an object");
                Vec::new()
            }
        }
    }

    fn line(&self, raw: &RawValue) -> usize {
        let offset = raw.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        line_after(before)
    }

    fn problem(&mut self, line: usize, message: &str) {
        self.problems.push(Problem {
            file: self.file.to_owned(),
            line,
            message: message.to_owned(),
        });
    }
}

/// The elements of a list, or the one value that stands for a list of it.
fn each(raw: &RawValue) -> Vec<&RawValue> {
    if raw.get().starts_with('[') {
        serde_json::from_str(raw.get()).unwrap_or_default()
    } else {
        vec![raw]
    }
}

/// A string is an expression in quotes here; anything else is written as JSON.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The members of an object in their order, each as often as it is written: a map would lose blocks.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Pairs)
    }
}
