//! The properties of one change: what becomes of each, why, and where the template states it; no secret among them.

use std::cmp::Ordering;

use hangar_schema::{Class, ClassSet, Step, TypeSchema, secret_pointers};
use hangar_template::deployment::Body;
use hangar_template::source::Sources;
use hangar_template::value::Unknown;
use serde_json::{Map, Value};

use super::masked::holds_sign;
use super::told::source;
use crate::deployment::documents::{Stating, stating};
use crate::deployment::prepared::source_place;
use crate::documents::union;

/// What the template states of one resource, and what of it may be told.
pub(super) struct Page<'a> {
    sources: &'a Sources,
    body: &'a Body,
    pub(super) stated: Stating,
    /// Where secrets are, as RFC 6901 pointers.
    pub(super) hidden: Vec<String>,
}

impl<'a> Page<'a> {
    /// What a body states.
    pub(super) fn of(sources: &'a Sources, body: &'a Body) -> Self {
        Self::stating(sources, body, stating(&body.properties))
    }

    /// The same, for what the body was read as.
    pub(super) fn stating(sources: &'a Sources, body: &'a Body, stated: Stating) -> Self {
        let hidden = stated.secret_paths.clone();
        Self { sources, body, stated, hidden }
    }

    /// Hides what the schema calls secret, too.
    pub(super) fn hiding_as(mut self, schema: &TypeSchema) -> Self {
        let known = secret_pointers(schema, &self.stated.properties);
        self.stated.secret_paths = union(&self.stated.secret_paths, &known);
        self.hiding(&known)
    }

    /// Hides what lies at pointers, too.
    pub(super) fn hiding(mut self, paths: &[String]) -> Self {
        self.hidden = union(&self.hidden, paths);
        self
    }

    /// A property that has another value, or none, than it had.
    pub(super) fn value(
        &self,
        path: &str,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Map<String, Value> {
        let is_sign = [before, after].into_iter().flatten().any(holds_sign);
        self.part(path, before, after, is_sign || self.holds_secret(path))
    }

    /// The same of something of which it is known whether it is secret.
    pub(super) fn part(
        &self,
        path: &str,
        before: Option<&Value>,
        after: Option<&Value>,
        is_secret: bool,
    ) -> Map<String, Value> {
        let mut told = Map::from_iter([("path".to_owned(), path.into())]);
        if is_secret {
            told.insert("secret".to_owned(), true.into());
        } else {
            told.extend(before.map(|before| ("before".to_owned(), before.clone())));
            told.extend(after.map(|after| ("after".to_owned(), after.clone())));
        }
        let is_stated = after.is_some() || self.is_unknown_below(path);
        self.with_source(told, if is_stated { path } else { above(path) })
    }

    /// A property that is not known yet.
    pub(super) fn unknown(&self, path: &str, unknown: &Unknown) -> Map<String, Value> {
        let mut told = Map::from_iter([("path".to_owned(), path.into())]);
        told.insert("unknown".to_owned(), unknown.because.to_string().into());
        self.with_source(told, path)
    }

    /// All that is not known yet.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = Map<String, Value>> {
        self.stated.unknown.iter().map(|(path, unknown)| self.unknown(path, unknown))
    }

    fn with_source(&self, mut told: Map<String, Value>, path: &str) -> Map<String, Value> {
        if let Some(written) = self.body.written_at(path) {
            let place = source_place(self.sources, &written.key);
            told.insert("source".to_owned(), source(&place));
        }
        told
    }

    /// Where a property is written, or what is around it.
    pub(super) fn place(&self, path: &str) -> Option<hangar_plan::deployment::SourcePlace> {
        let written = self.body.written_at(path)?;
        Some(source_place(self.sources, &written.key))
    }

    /// All that is stated, as parts that are each known, secret or not known yet; what is so as a whole is one.
    pub(super) fn all(&self) -> Vec<Value> {
        let mut all: Vec<Map<String, Value>> = self.unknowns().collect();
        if let Value::Object(members) = &self.stated.properties {
            for (name, value) in members {
                self.describe(&format!("/{}", escaped(name)), value, &mut all);
            }
        }
        all.sort_by(|one, other| in_order(&one["path"], &other["path"]));
        all.into_iter().map(Value::Object).collect()
    }

    fn describe(&self, path: &str, value: &Value, all: &mut Vec<Map<String, Value>>) {
        if self.stated.unknown.iter().any(|(unknown, _)| unknown == path) {
            return;
        }
        let is_mixed = !self.is_secret(path)
            && (self.is_unknown_below(path) || self.hidden.iter().any(|it| is_below(it, path)));
        match value {
            Value::Object(members) if is_mixed => {
                for (name, member) in members {
                    self.describe(&format!("{path}/{}", escaped(name)), member, all);
                }
            }
            Value::Array(items) if is_mixed => {
                for (index, item) in items.iter().enumerate() {
                    self.describe(&format!("{path}/{index}"), item, all);
                }
            }
            _ => all.push(self.value(path, None, Some(value))),
        }
    }

    /// Whether what lies there is secret.
    pub(super) fn is_secret(&self, path: &str) -> bool {
        self.hidden.iter().any(|secret| path == secret || is_below(path, secret))
    }

    /// Whether what lies there is secret, or holds something that is.
    pub(super) fn holds_secret(&self, path: &str) -> bool {
        self.is_secret(path) || self.hidden.iter().any(|secret| is_below(secret, path))
    }

    fn is_unknown_below(&self, path: &str) -> bool {
        self.stated.unknown.iter().any(|(unknown, _)| is_below(unknown, path))
    }
}

/// What a schema says of a place of a document.
pub(super) fn classes(schema: &TypeSchema, path: &str) -> ClassSet {
    let steps = path.split('/').skip(1).map(|segment| match segment.parse::<usize>() {
        Ok(_) => Step::Each,
        Err(_) => Step::Member(segment.replace("~1", "/").replace("~0", "~").into()),
    });
    schema.classes_of(&steps.collect())
}

/// Whether AWS decides by what lies there whether it can update a resource or must make another.
pub(super) fn may_replace(schema: &TypeSchema, path: &str) -> bool {
    classes(schema, path).has(Class::ConditionalCreateOnly)
}

/// Whether a place is strictly below another.
pub(super) fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

/// Segment by segment, items by their numbers.
fn in_order(one: &Value, other: &Value) -> Ordering {
    let segments = |path: &Value| {
        let path = path.as_str().unwrap_or_default().to_owned();
        let segment = |it: &str| (it.parse::<usize>().ok(), it.to_owned());
        path.split('/').map(segment).collect::<Vec<_>>()
    };
    segments(one).cmp(&segments(other))
}
