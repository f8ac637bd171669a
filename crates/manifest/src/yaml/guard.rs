//! The proof that a changed text means what it meant but for what was to change.
//!
//! It reads the result and holds it, event by event, to the shape of what was read: same documents, same maps
//! and lists, same anchors, tags and aliases, same words; in the place of an edited scalar just its value.

use granit_parser::{Event, Parser};
use serde_json::Value;

use super::error::options;
use super::reader::{bytes, cooked, number, tag_id};
use super::scalar::{Style, Tag, meaning};
use super::stream::{Shape, Stream, TagId};

/// One scalar that was to change, and what it must mean now.
pub(super) struct Wanted<'v> {
    pub(super) scalar: usize,
    pub(super) value: &'v Value,
}

/// Holds a result to what was read; `wanted` is in the order of its scalars.
///
/// # Errors
/// The scalar of the stream at which the result is another one.
pub(super) fn check(stream: &Stream<'_>, wanted: &[Wanted<'_>], result: &str) -> Result<(), usize> {
    let mut guard = Guard { stream, wanted, pending: Vec::new(), shape: 0, scalar: 0 };
    let mut tags = stream.tags.clone();
    for event in Parser::new_from_str_with_options(result, options()) {
        let Ok((event, span)) = event else { return Err(guard.scalar) };
        let (shape, text) = match event {
            Event::DocumentStart(..) => (Shape::Document, None),
            Event::SequenceStart(_, anchor, tag) => {
                let tag = tag_id(tag.as_deref(), &mut tags);
                (Shape::List { anchor: number(anchor), tag }, None)
            }
            Event::MappingStart(_, anchor, tag) => {
                let tag = tag_id(tag.as_deref(), &mut tags);
                (Shape::Map { anchor: number(anchor), tag }, None)
            }
            Event::SequenceEnd | Event::MappingEnd => (Shape::Close, None),
            Event::Alias(id) => (Shape::Alias(number(id)), None),
            Event::Scalar(text, style, anchor, tag) => {
                let (style, tag) = (style.into(), tag_id(tag.as_deref(), &mut tags));
                let text = cooked(text, style, bytes(&span));
                (Shape::Scalar { anchor: number(anchor), style, tag }, Some(text))
            }
            _ => continue,
        };
        if !guard.meets(shape, text.as_deref().unwrap_or("")) {
            return Err(guard.scalar);
        }
    }
    if guard.pending.is_empty() && guard.shape == stream.shape.len() {
        Ok(())
    } else {
        Err(guard.scalar)
    }
}

/// What must come next of a list or map that was written in a scalar's place.
enum Next<'v> {
    Value(&'v Value),
    Text(&'v str),
    Close,
}

struct Guard<'s, 'v> {
    stream: &'s Stream<'s>,
    wanted: &'v [Wanted<'v>],
    /// What must come first is last.
    pending: Vec<Next<'v>>,
    /// How much of the stream's shape was met.
    shape: usize,
    scalar: usize,
}

impl<'v> Guard<'_, 'v> {
    fn meets(&mut self, found: Shape, text: &str) -> bool {
        const BARE: (u32, TagId) = (0, TagId(None, 0));
        match self.pending.pop() {
            Some(Next::Close) => return found == Shape::Close,
            Some(Next::Text(wanted)) => {
                return self.is_value(found, text, BARE, None) && text == wanted;
            }
            Some(Next::Value(value)) => return self.is_value(found, text, BARE, Some(value)),
            None => {}
        }
        let Some(shape) = self.stream.shape.get(self.shape) else { return false };
        self.shape += 1;
        let Shape::Scalar { anchor, tag, .. } = *shape else { return found == *shape };
        let at = self.scalar;
        let is_met = match self.wanted.first().filter(|wanted| wanted.scalar == at) {
            Some(wanted) => {
                self.wanted = &self.wanted[1..];
                self.is_value(found, text, (anchor, tag), Some(wanted.value))
            }
            None => found == *shape && self.stream.scalars[at].text == text,
        };
        if is_met {
            self.scalar += 1;
        }
        is_met
    }

    /// Whether this begins the value; without one, whether it is a text.
    fn is_value(
        &mut self,
        found: Shape,
        text: &str,
        (anchor, tag): (u32, TagId),
        value: Option<&'v Value>,
    ) -> bool {
        match (value, found) {
            (Some(Value::Array(items)), Shape::List { .. }) => {
                self.pending.push(Next::Close);
                self.pending.extend(items.iter().rev().map(Next::Value));
                found == Shape::List { anchor, tag } && tag.0.is_none()
            }
            (Some(Value::Object(members)), Shape::Map { .. }) => {
                self.pending.push(Next::Close);
                for (name, member) in members.iter().rev() {
                    self.pending.push(Next::Value(member));
                    self.pending.push(Next::Text(name));
                }
                found == Shape::Map { anchor, tag } && tag.0.is_none()
            }
            (value, Shape::Scalar { anchor: has_anchor, style, tag: has_tag }) => {
                (has_anchor, has_tag) == (anchor, tag) && means(text, style, tag, value)
            }
            _ => false,
        }
    }
}

fn means(text: &str, style: Style, tag: TagId, wanted: Option<&Value>) -> bool {
    match wanted {
        // Most edits are texts: nothing is to be made to compare them.
        Some(Value::String(wanted)) if style != Style::Plain && tag.0.is_none() => text == wanted,
        None if style != Style::Plain && tag.0.is_none() => true,
        // `!!int b` is nothing that a reader takes.
        Some(Value::String(_)) | None if !matches!(tag.0, None | Some(Tag::Text | Tag::Other)) => {
            false
        }
        Some(wanted) => meaning(text, style, tag.0) == *wanted,
        None => meaning(text, style, tag.0).is_string(),
    }
}
