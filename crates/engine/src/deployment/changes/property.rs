//! The properties of one change: what becomes of each, why, and where the template states it; no secret among them.

use hangar_plan::deployment::{Stating, stating};
use hangar_schema::{Class, ClassSet, Step, TypeSchema, secret_pointers};
use hangar_template::deployment::Body;
use hangar_template::source::Sources;
use hangar_template::value::Unknown;
use serde_json::{Map, Value};

use super::masked::holds_sign;
use super::told::source;
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
        let is_stated = after.is_some() || self.stated.is_unknown_below(path);
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
        let parts = self.stated.parts(&self.hidden).into_iter();
        let told = parts.map(|part| {
            let path = part["path"].as_str().unwrap_or_default().to_owned();
            Value::Object(self.with_source(part, &path))
        });
        told.collect()
    }

    /// Whether what lies there is secret.
    pub(super) fn is_secret(&self, path: &str) -> bool {
        self.hidden.iter().any(|secret| path == secret || is_below(path, secret))
    }

    /// Whether what lies there is secret, or holds something that is.
    pub(super) fn holds_secret(&self, path: &str) -> bool {
        self.is_secret(path) || self.hidden.iter().any(|secret| is_below(secret, path))
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
