//! From the parser's events to a [`Stream`].

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Parser, StructureStyle};
use hangar_diag::Span;

use super::error::{MAX_DEPTH, YamlError, options, syntax};
use super::object::Object;
use super::scalar::{Place, Scalar, Style, Tag};
use super::stream::{Document, Entry, Node, NodeStep, Shape, Stream, TagId};
use super::{block, meaning};

/// Reads all documents of a text; JSON is YAML too.
///
/// ```
/// let stream = hangar_manifest::yaml::read("kind: Service\nmetadata: {name: web}\nspec: {type: A}\n").unwrap();
/// let scalar = &stream.scalars()[7];
/// assert_eq!((&*scalar.text, stream.key(scalar).pointer()), ("A", "/spec/type".to_owned()));
/// assert_eq!(stream.object(scalar).to_string(), "Service web");
/// ```
pub fn read(text: &str) -> Result<Stream<'_>, YamlError> {
    if u32::try_from(text.len()).is_err() {
        return Err(YamlError::Syntax {
            reason: "it is larger than 4 GB".to_owned(),
            span: Span::new(0, 0),
            hint: "split it into several files",
        });
    }
    let mut reader = Reader::new(text);
    for event in Parser::new_from_str_with_options(text, options()) {
        let (event, span) = event.map_err(|error| syntax(&error, text))?;
        let span = bytes(&span);
        reader.take(event, span)?;
    }
    Ok(reader.stream)
}

pub(super) fn bytes(span: &granit_parser::Span) -> Span {
    span.byte_range().map_or(Span::new(0, 0), |range| Span::new(range.start, range.end))
}

/// What the parser gives as `~` for a value that nobody wrote is empty here.
pub(super) fn cooked(text: Cow<'_, str>, style: Style, span: Span) -> Cow<'_, str> {
    if style == Style::Plain && span.start == span.end { Cow::Borrowed("") } else { text }
}

pub(super) fn tag_id(tag: Option<&granit_parser::Tag>, tags: &mut HashMap<String, u32>) -> TagId {
    let Some(tag) = tag else { return TagId(None, 0) };
    let kind = Tag::from(tag);
    if kind != Tag::Other {
        return TagId(Some(kind), 0);
    }
    let (handle, suffix) = tag.parts();
    let next = number(tags.len());
    TagId(Some(kind), *tags.entry(format!("{handle}{suffix}")).or_insert(next))
}

/// Counts of things in a text are below its length, which fits.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// What the members of a collection tell of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is the object.
    Object(u32),
    /// It is the object's `metadata`.
    Metadata(u32),
    /// It is the object's `items`.
    Items(u32),
    /// Nothing.
    Inner,
}

enum Position {
    /// In a list, before this item.
    Item(u32),
    /// In a map, before a key.
    Key,
    /// In a map, before the value of this entry; the scalar that is its key.
    Value { entry: u32, key: Option<u32> },
}

struct Frame {
    position: Position,
    node: u32,
    object: u32,
    role: Role,
    in_flow: bool,
    in_key: bool,
}

struct Reader<'t> {
    stream: Stream<'t>,
    frames: Vec<Frame>,
    /// The scalar that an anchor names.
    anchors: HashMap<usize, u32>,
    /// The first object of the document.
    first: u32,
    /// Where what was read last ends.
    end: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let stream = Stream {
            text,
            documents: Vec::new(),
            objects: Vec::new(),
            scalars: Vec::new(),
            nodes: Vec::new(),
            shape: Vec::new(),
            tags: HashMap::new(),
        };
        Self { stream, frames: Vec::new(), anchors: HashMap::new(), first: 0, end: 0 }
    }

    fn take(&mut self, event: Event<'t>, span: Span) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => self.begin(span),
            Event::DocumentEnd => self.finish(),
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag_id(tag.as_deref(), &mut self.stream.tags);
                self.scalar(text, style.into(), anchor, tag, span)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                let tag = tag_id(tag.as_deref(), &mut self.stream.tags);
                self.stream.shape.push(Shape::List { anchor: number(anchor), tag });
                self.open(Position::Item(0), style, span)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let tag = tag_id(tag.as_deref(), &mut self.stream.tags);
                self.stream.shape.push(Shape::Map { anchor: number(anchor), tag });
                self.open(Position::Key, style, span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.stream.shape.push(Shape::Close);
                self.close(span);
            }
            Event::Alias(id) => {
                self.stream.shape.push(Shape::Alias(number(id)));
                if let Some(document) = self.stream.documents.last_mut() {
                    document.has_aliases = true;
                }
                self.alias(id, span);
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, span: Span) {
        self.stream.shape.push(Shape::Document);
        let document = self.stream.documents.len();
        let span = Span::new(span.start, span.start);
        self.stream.documents.push(Document { span, has_aliases: false });
        self.first = number(self.stream.objects.len());
        self.anchors.clear();
        let node = self.node(0, NodeStep::Root);
        self.stream.objects.push(Entry {
            object: Object::new(document, span),
            node,
            parent: None,
            has_metadata: false,
            is_own: true,
        });
    }

    /// Which of the candidates are objects is known only now: `kind` may come after `items`.
    fn finish(&mut self) {
        if let Some(document) = self.stream.documents.last_mut() {
            document.span = Span::new(document.span.start, self.end);
        }
        if let Some(entry) = self.stream.objects.get_mut(self.first as usize) {
            entry.object.span = Span::new(entry.object.span.start, self.end);
        }
        for at in self.first as usize + 1..self.stream.objects.len() {
            let (before, rest) = self.stream.objects.split_at_mut(at);
            let entry = &mut rest[0];
            let Some(parent) = entry.parent.and_then(|parent| before.get(parent as usize)) else {
                continue;
            };
            let is_object = entry.object.kind.is_some() || entry.has_metadata;
            entry.is_own = parent.is_own && parent.object.is_list() && is_object;
            if entry.object.kind.is_none() {
                let kind = parent.object.kind.as_deref().and_then(|kind| kind.strip_suffix("List"));
                let kind = kind.filter(|kind| !matches!(*kind, "" | "Resource"));
                entry.object.kind = kind.map(str::to_owned);
            }
        }
    }

    fn node(&mut self, parent: u32, step: NodeStep) -> u32 {
        self.stream.nodes.push(Node { parent, step });
        number(self.stream.nodes.len() - 1)
    }

    /// The node of what comes next, and whether it is a key.
    fn next(&mut self, step: NodeStep) -> (u32, Place) {
        let Some(frame) = self.frames.last_mut() else {
            let root = self.stream.objects.get(self.first as usize).map_or(0, |entry| entry.node);
            return (root, Place::Value);
        };
        let place = if frame.in_key { Place::Key } else { Place::Value };
        match &mut frame.position {
            Position::Item(index) => {
                let (parent, step) = (frame.node, NodeStep::Index(*index));
                *index += 1;
                (self.node(parent, step), place)
            }
            Position::Key => {
                let parent = frame.node;
                (self.node(parent, step), Place::Key)
            }
            Position::Value { entry, .. } => (*entry, place),
        }
    }

    /// Goes past the key or value that was read whole; `key` is the scalar that it is.
    fn pass(&mut self, node: u32, key: Option<u32>) {
        if let Some(frame) = self.frames.last_mut() {
            match frame.position {
                Position::Item(_) => {}
                Position::Key => frame.position = Position::Value { entry: node, key },
                Position::Value { .. } => frame.position = Position::Key,
            }
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: Style,
        anchor: usize,
        tag: TagId,
        span: Span,
    ) -> Result<(), YamlError> {
        let text = cooked(text, style, span);
        let end = span.end;
        let span = match style {
            Style::Literal | Style::Folded => block::span(self.stream.text, self.end, span),
            _ => span,
        };
        self.end = self.end.max(end);
        let index = number(self.stream.scalars.len());
        let (node, place) = self.next(NodeStep::Name(index));
        let (object, in_flow) =
            self.frames.last().map_or((self.first, false), |frame| (frame.object, frame.in_flow));
        if in_flow && style == Style::Plain && text.ends_with('$') {
            let after = self.stream.text.as_bytes().get(span.end);
            if after == Some(&b'{') {
                return Err(YamlError::Unquoted { span: Span::new(span.end - 1, span.end + 1) });
            }
        }
        if anchor != 0 {
            self.anchors.insert(anchor, index);
        }
        self.stream.shape.push(Shape::Scalar { anchor: number(anchor), style, tag });
        self.stream.scalars.push(Scalar {
            text,
            span,
            style,
            place,
            tag: tag.0,
            in_flow,
            anchored: anchor != 0,
            object,
            node,
        });
        self.tell(index);
        self.pass(node, Some(index));
        Ok(())
    }

    fn alias(&mut self, id: usize, span: Span) {
        self.end = self.end.max(span.end);
        let target = self.anchors.get(&id).copied();
        let step = target.map_or(NodeStep::Raw(number(span.start)), NodeStep::Name);
        let (node, _) = self.next(step);
        if let Some(target) = target {
            self.tell(target);
        }
        self.pass(node, target);
    }

    /// Writes down what a value says of its object.
    fn tell(&mut self, value: u32) {
        let Some(frame) = self.frames.last() else { return };
        let (Role::Object(object) | Role::Metadata(object)) = frame.role else { return };
        let Position::Value { key: Some(key), .. } = frame.position else { return };
        let scalars = &self.stream.scalars;
        let (key, value) = (&*scalars[key as usize].text, &scalars[value as usize]);
        let Some(entry) = self.stream.objects.get_mut(object as usize) else { return };
        let slot = match (frame.role, key) {
            (Role::Object(_), "apiVersion") => &mut entry.object.api_version,
            (Role::Object(_), "kind") => &mut entry.object.kind,
            (Role::Metadata(_), "name") => &mut entry.object.name,
            (Role::Metadata(_), "namespace") => &mut entry.object.namespace,
            _ => return,
        };
        let is_null = value.style == Style::Plain && meaning::plain(&value.text).is_null();
        if !value.text.is_empty() && !is_null {
            *slot = Some(value.text.to_string());
        }
    }

    fn open(
        &mut self,
        position: Position,
        style: StructureStyle,
        span: Span,
    ) -> Result<(), YamlError> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(YamlError::TooDeep { span });
        }
        let (node, place) = self.next(NodeStep::Raw(number(span.start)));
        let is_map = matches!(position, Position::Key);
        let (object, role) = self.role(node, is_map, span);
        let outer = self.frames.last();
        let in_flow = style == StructureStyle::Flow || outer.is_some_and(|frame| frame.in_flow);
        if style == StructureStyle::Flow {
            self.end = self.end.max(span.end);
        }
        let in_key = place == Place::Key;
        self.frames.push(Frame { position, node, object, role, in_flow, in_key });
        Ok(())
    }

    fn role(&mut self, node: u32, is_map: bool, span: Span) -> (u32, Role) {
        let Some(frame) = self.frames.last() else {
            let role = if is_map { Role::Object(self.first) } else { Role::Inner };
            return (self.first, role);
        };
        let object = frame.object;
        match (frame.role, &frame.position) {
            (Role::Object(own), Position::Value { key: Some(key), .. }) => {
                match (&*self.stream.scalars[*key as usize].text, is_map) {
                    ("metadata", true) => {
                        self.stream.objects[own as usize].has_metadata = true;
                        (object, Role::Metadata(own))
                    }
                    ("items", false) => (object, Role::Items(own)),
                    _ => (object, Role::Inner),
                }
            }
            (Role::Items(list), _) if is_map => {
                let document = self.stream.documents.len() - 1;
                self.stream.objects.push(Entry {
                    object: Object::new(document, span),
                    node,
                    parent: Some(list),
                    has_metadata: false,
                    is_own: false,
                });
                let object = number(self.stream.objects.len() - 1);
                (object, Role::Object(object))
            }
            _ => (object, Role::Inner),
        }
    }

    fn close(&mut self, span: Span) {
        // A block ends where the next thing begins; what it holds ended before.
        if span.start < span.end {
            self.end = self.end.max(span.end);
        }
        let Some(frame) = self.frames.pop() else { return };
        if let Role::Object(object) = frame.role
            && let Some(entry) = self.stream.objects.get_mut(object as usize)
        {
            entry.object.span = Span::new(entry.object.span.start, self.end);
        }
        self.pass(frame.node, None);
    }
}
