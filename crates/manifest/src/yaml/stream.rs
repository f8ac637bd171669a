//! All of one text, held so that a large one needs little more than itself.
//!
//! A way to a value is one small record that names its parent, and a key in it is the scalar that says it:
//! no path is written out before somebody asks.

use std::collections::HashMap;

use hangar_diag::Span;

use super::key::{Key, Step};
use super::object::Object;
use super::scalar::{Place, Scalar, Style, Tag};

/// So far from a value its item's name is looked for.
const NEAR: usize = 100;
/// And so deep in an item.
const MAX_NAMED_DEPTH: usize = 16;

/// All documents of one text.
#[derive(Debug)]
pub struct Stream<'t> {
    pub(super) text: &'t str,
    pub(super) documents: Vec<Document>,
    pub(super) objects: Vec<Entry>,
    pub(super) scalars: Vec<Scalar<'t>>,
    pub(super) nodes: Vec<Node>,
    /// What a reader meets in turn; the guard holds a changed text to it.
    pub(super) shape: Vec<Shape>,
    /// The tags that [`Shape`] and the guard tell apart, each with its number.
    pub(super) tags: HashMap<String, u32>,
}

/// One document of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// From its first value to its last.
    pub span: Span,
    /// Whether something in it is repeated by an alias.
    pub has_aliases: bool,
}

/// An object, or what would be one if the document that holds it were a list.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) object: Object,
    /// Its root.
    pub(super) node: u32,
    /// The object that holds it, of one that may be an item.
    pub(super) parent: Option<u32>,
    pub(super) has_metadata: bool,
    /// Whether it is one; decided when its document has been read.
    pub(super) is_own: bool,
}

/// One step of a way to a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) step: NodeStep,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum NodeStep {
    /// The root of a document.
    Root,
    /// By the key that this scalar says.
    Name(u32),
    /// By a key that is no scalar; its first byte.
    Raw(u32),
    Index(u32),
}

/// What a reader meets, without its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Document,
    Map { anchor: u32, tag: TagId },
    List { anchor: u32, tag: TagId },
    Close,
    Alias(u32),
    Scalar { anchor: u32, style: Style, tag: TagId },
}

/// Which tag: its kind, and of other ones the number in [`Stream::tags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TagId(pub(super) Option<Tag>, pub(super) u32);

impl<'t> Stream<'t> {
    /// The text that was read.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The documents, in their order.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The scalars of all documents, keys among them, in their order.
    pub fn scalars(&self) -> &[Scalar<'t>] {
        &self.scalars
    }

    /// The objects of all documents, in their order; a list comes before its items.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.iter().filter(|entry| entry.is_own).map(|entry| &entry.object)
    }

    /// The way to a scalar of this stream from the root of its object.
    pub fn key(&self, scalar: &Scalar<'_>) -> Key {
        let root = self.entry(scalar).map_or(0, |entry| entry.node);
        let mut steps = Vec::new();
        let mut at = scalar.node;
        while at != root {
            let Some(node) = self.nodes.get(at as usize) else { break };
            match node.step {
                NodeStep::Root => break,
                NodeStep::Index(index) => steps.push(Step::Index(index as usize)),
                NodeStep::Name(name) => {
                    let name = self.scalars.get(name as usize).map_or("", |name| &*name.text);
                    steps.push(Step::Name(name.to_owned()));
                }
                NodeStep::Raw(start) => {
                    let line = self.text.get(start as usize..).unwrap_or("").lines().next();
                    steps.push(Step::Name(line.unwrap_or("").to_owned()));
                }
            }
            at = node.parent;
        }
        steps.reverse();
        Key(steps)
    }

    /// The `name` of the item of a list that a scalar stands in, as of a variable of a container: people know it by
    /// that. None where nothing near it is its name.
    pub fn item_name(&self, scalar: &Scalar<'_>) -> Option<&str> {
        let mut item = self.nodes.get(scalar.node as usize).map(|_| scalar.node)?;
        let steps = (0..MAX_NAMED_DEPTH).map_while(|_| {
            let Node { parent, step } = *self.nodes.get(item as usize)?;
            let at = std::mem::replace(&mut item, parent);
            (!matches!(step, NodeStep::Root)).then_some((at, step))
        });
        let mut items = steps.filter(|(_, step)| matches!(step, NodeStep::Index(_)));
        let (item, _) = items.next()?;
        let at = self.scalars.partition_point(|it| it.span.start < scalar.span.start);
        let near = at.saturating_sub(NEAR)..(at + NEAR).min(self.scalars.len());
        let is_name = |it: &&Scalar<'_>| {
            let node = self.nodes.get(it.node as usize).filter(|node| node.parent == item);
            let Some(Node { step: NodeStep::Name(key), .. }) = node else { return false };
            it.place == Place::Value
                && self.scalars.get(*key as usize).is_some_and(|key| key.text == "name")
        };
        let name = self.scalars.get(near)?.iter().find(is_name)?;
        (!name.text.is_empty() && !std::ptr::eq(name, scalar)).then_some(&*name.text)
    }

    /// The object that holds a scalar of this stream.
    pub fn object(&self, scalar: &Scalar<'_>) -> &Object {
        &self
            .entry(scalar)
            .expect("every scalar is read within a document, which has an object")
            .object
    }

    /// Whether what a scalar says may stand at other places of its document, too, by an alias.
    pub fn may_be_repeated(&self, scalar: &Scalar<'_>) -> bool {
        let document = self.documents.get(self.object(scalar).document);
        document.is_some_and(|document| document.has_aliases)
    }

    fn entry(&self, scalar: &Scalar<'_>) -> Option<&Entry> {
        let mut entry = self.objects.get(scalar.object as usize)?;
        while !entry.is_own {
            entry = self.objects.get(entry.parent? as usize)?;
        }
        Some(entry)
    }
}
