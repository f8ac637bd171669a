//! Property pointers as schemas write them (`/properties/A/*/B`), and paths as patches write them.
//!
//! Schemas are careless with pointers: `/properties/A/properties/B`, `/items/`, dots for slashes,
//! `/definitions/…`, a missing `*` where an array is crossed. `resolve` brings every spelling to
//! one form by walking the shapes, and says when a pointer leads nowhere.

use std::fmt;

use crate::shape::{ShapeId, Shapes};

/// One step of a property pointer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The member of this name.
    Member(Box<str>),
    /// Every element of an array, or every member of a map.
    Each,
}

/// A place in documents of a type, in one spelling: `/DefaultActions/*/TargetGroupArn`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PropertyPointer(Vec<Step>);

impl PropertyPointer {
    /// The pointer of a top-level property.
    pub fn of_member(name: &str) -> Self {
        Self(vec![Step::Member(name.into())])
    }

    /// The steps from the root of the document.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The member names, when the pointer crosses no array or map.
    pub fn member_names(&self) -> Option<Vec<&str>> {
        self.0
            .iter()
            .map(|step| match step {
                Step::Member(name) => Some(name.as_ref()),
                Step::Each => None,
            })
            .collect()
    }
}

impl FromIterator<Step> for PropertyPointer {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for PropertyPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                Step::Member(name) => write!(f, "/{}", escape(name))?,
                Step::Each => f.write_str("/*")?,
            }
        }
        Ok(())
    }
}

/// A key as one segment of an RFC 6901 pointer.
pub(crate) fn escape(key: &str) -> std::borrow::Cow<'_, str> {
    if key.contains(['~', '/']) {
        key.replace('~', "~0").replace('/', "~1").into()
    } else {
        key.into()
    }
}

/// The key that a segment of an RFC 6901 pointer stands for.
pub(crate) fn unescape(segment: &str) -> std::borrow::Cow<'_, str> {
    if segment.contains('~') {
        segment.replace("~1", "/").replace("~0", "~").into()
    } else {
        segment.into()
    }
}

/// The pointer that `text` means in this schema, or none when it leads nowhere.
///
/// `/definitions/X/…` is not handled here: the caller knows where a definition is used.
pub(crate) fn resolve(text: &str, shapes: &Shapes, root: ShapeId) -> Option<PropertyPointer> {
    let text = text.strip_prefix('/').unwrap_or(text);
    let text = text.strip_prefix("properties/").unwrap_or(text);
    let mut resolver = Resolver { shapes, at: root, steps: Vec::new() };
    for segment in text.split('/').filter(|segment| !segment.is_empty()) {
        resolver.enter(segment)?;
    }
    (!resolver.steps.is_empty()).then_some(PropertyPointer(resolver.steps))
}

/// Appends a resolved tail to the place of a definition.
pub(crate) fn join(head: &[Step], tail: &PropertyPointer) -> PropertyPointer {
    PropertyPointer(head.iter().chain(&tail.0).cloned().collect())
}

struct Resolver<'a> {
    shapes: &'a Shapes,
    at: ShapeId,
    steps: Vec<Step>,
}

impl Resolver<'_> {
    fn enter(&mut self, segment: &str) -> Option<()> {
        // What a dot at the end of a segment leaves.
        if segment.is_empty() {
            return Some(());
        }
        let shape = self.shapes.get(self.at);
        let name = unescape(segment);
        if let Some(next) = shape.find_named(&name) {
            return self.go(Step::Member(name.into()), next);
        }
        if matches!(segment, "*" | "items" | "additionalProperties") {
            // `/A/items/*/B` names the array twice: the second says nothing new.
            if shape.has_elements() {
                return self.go(Step::Each, shape.element());
            }
            if let Some(next) = shape.find_other() {
                return self.go(Step::Each, next);
            }
            return match self.steps.last() {
                Some(Step::Each) => Some(()),
                _ if segment == "*" && shape.is_map() => self.go(Step::Each, ShapeId::UNKNOWN),
                _ => None,
            };
        }
        // A schema keyword that slipped into the pointer.
        if matches!(segment, "properties" | "patternProperties") {
            return Some(());
        }
        if shape.has_elements() {
            self.go(Step::Each, shape.element())?;
            return self.enter(segment);
        }
        if let Some(next) = shape.find_other() {
            return self.go(Step::Member(name.into()), next);
        }
        if shape.is_unknown() || (shape.is_map() && shape.kinds.has(crate::kind::Kind::Object)) {
            return self.go(Step::Member(name.into()), ShapeId::UNKNOWN);
        }
        if let Some((first, rest)) = segment.split_once('.') {
            self.enter(first)?;
            return self.enter(rest);
        }
        None
    }

    fn go(&mut self, step: Step, next: ShapeId) -> Option<()> {
        // An array of arrays of … of itself could be entered for ever.
        if self.steps.len() >= MAX_STEPS {
            return None;
        }
        self.steps.push(step);
        self.at = next;
        Some(())
    }
}

/// Deeper than any public pointer (12 today).
const MAX_STEPS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{node, shape};
    use serde_json::json;

    fn resolved(text: &str) -> Option<String> {
        let schema = json!({
            "properties": {
                "Plain": {"type": "string"},
                "Outer": {"type": "object", "properties": {
                    "Inner": {"type": "string"},
                    "List": {"type": "array", "items": {"type": "object", "properties": {
                        "Leaf": {"type": "string"}, "Deep": {"type": "array", "items": {"type": "string"}}
                    }}}
                }},
                "Map": {"type": "object", "patternProperties": {".+": {"type": "object", "properties": {"V": {}}}}},
                "Free": {"type": "object"},
                "Grid": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
            }
        });
        let (nodes, root, _) = node::read(schema.as_object().unwrap());
        let (shapes, root) = shape::merge(&nodes, root);
        resolve(text, &shapes, root).map(|pointer| pointer.to_string())
    }

    #[test]
    fn every_public_spelling_comes_to_one_form() {
        let cases = [
            ("/properties/Plain", Some("/Plain")),
            ("properties/Plain", Some("/Plain")),
            ("/Plain", Some("/Plain")),
            ("/properties/Outer/Inner", Some("/Outer/Inner")),
            ("/properties/Outer/properties/Inner", Some("/Outer/Inner")),
            ("/properties/Outer/properties", Some("/Outer")),
            ("/properties/Outer.Inner", Some("/Outer/Inner")),
            ("/properties/Outer/List/*/Leaf", Some("/Outer/List/*/Leaf")),
            ("/properties/Outer/List/items/Leaf", Some("/Outer/List/*/Leaf")),
            ("/properties/Outer/List/items/properties/Leaf", Some("/Outer/List/*/Leaf")),
            ("/properties/Outer/List/Leaf", Some("/Outer/List/*/Leaf")),
            ("/properties/Outer/List/*/Deep/*", Some("/Outer/List/*/Deep/*")),
            ("/properties/Map/*/V", Some("/Map/*/V")),
            ("/properties/Map/key/V", Some("/Map/key/V")),
            ("/properties/Free/a/b", Some("/Free/a/b")),
            ("/properties/Grid/*/*", Some("/Grid/*/*")),
            ("/properties/Missing", None),
            ("/properties/Plain/More", None),
            ("/properties/", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(resolved(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn escaping_is_undone_by_unescaping() {
        for key in ["a/b", "~", "~1", "/~/", "plain"] {
            assert_eq!(unescape(&escape(key)), key);
        }
    }
}
