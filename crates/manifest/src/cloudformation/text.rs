//! A template's text, in JSON or in YAML with its short forms, as the one JSON value that it stands for.
//!
//! Every text is read as YAML, which JSON is a part of. Chosen where readers differ: words and numbers are
//! those of YAML 1.1 (`yes` is a boolean, `012` is ten), but dates, times such as `12:30`, `y` and `n` stay
//! text, and the digits of a number stay as they are written.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, Tag};
use hangar_diag::Span;
use serde_json::{Map, Value};

use crate::yaml::{MAX_DEPTH, options, plain, syntax};

mod error;
#[cfg(test)]
mod tests;

pub use error::TemplateTextError;

/// How many values a template may have, aliases written out: `CloudFormation` takes a text of 1 MB.
const MAX_VALUES: usize = 500_000;
/// How many bytes its texts may have, aliases written out.
const MAX_BYTES: usize = 32 << 20;

/// Reads a template in JSON or YAML; short forms become long ones (`!Ref x` is `{"Ref": "x"}`).
///
/// ```
/// let template = hangar_manifest::cloudformation::text::parse("Outputs: {A: {Value: !GetAtt B.Arn}}");
/// assert_eq!(template.unwrap()["Outputs"]["A"]["Value"]["Fn::GetAtt"][1], "Arn");
/// ```
pub fn parse(text: &str) -> Result<Value, TemplateTextError> {
    let mut build = Build::default();
    let mut options = options();
    // JSON bounds no key; YAML would end them at 1,024 characters.
    options.simple_key_max_lookahead = text.len().max(1024);
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| syntax(&error, text))?;
        let span =
            span.byte_range().map_or(Span::new(0, 0), |range| Span::new(range.start, range.end));
        build.take(event, span)?;
    }
    match build.root {
        Some(Value::Object(map)) => Ok(Value::Object(map)),
        None | Some(Value::Null) => Err(TemplateTextError::Empty),
        Some(_) => Err(TemplateTextError::NotMap),
    }
}

/// A value with what it would cost to repeat it.
#[derive(Clone)]
struct Node {
    value: Value,
    size: Size,
}

#[derive(Clone, Copy, Default)]
struct Size {
    values: usize,
    bytes: usize,
    depth: usize,
}

impl Size {
    fn of(bytes: usize) -> Self {
        Self { values: 1, bytes, depth: 1 }
    }

    fn hold(&mut self, inner: Self) {
        self.values += inner.values;
        self.bytes += inner.bytes;
        self.depth = self.depth.max(inner.depth + 1);
    }
}

enum Holder {
    List(Vec<Value>),
    Map { map: Map<String, Value>, key: Option<String> },
}

struct Frame {
    holder: Holder,
    size: Size,
    function: Option<String>,
    anchor: usize,
}

#[derive(Default)]
struct Build {
    frames: Vec<Frame>,
    /// What an anchor names, once it is read whole.
    anchors: HashMap<usize, Node>,
    /// What was written out so far, in all.
    total: Size,
    documents: usize,
    root: Option<Value>,
}

impl Build {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), TemplateTextError> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(TemplateTextError::Many { span });
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.at_key() {
                    if tag.as_deref().is_some_and(|tag| !tag.is_yaml_core_schema()) {
                        return Err(TemplateTextError::Key { span });
                    }
                    if anchor != 0 {
                        let size = Size::of(text.len());
                        self.anchors
                            .insert(anchor, Node { value: Value::String(text.to_string()), size });
                    }
                    if text == "<<" && style == ScalarStyle::Plain {
                        return Err(TemplateTextError::MergeKey { span });
                    }
                    return self.key(text.into_owned(), span);
                }
                let function = function(tag.as_deref(), span)?;
                self.count(Size::of(text.len()), span)?;
                let value = match (&function, tag.as_deref()) {
                    (Some(_), _) => Value::String(text.to_string()),
                    (None, tag) => scalar(&text, style, tag, span.start == span.end),
                };
                let node = Node { value, size: Size::of(text.len()) };
                self.place(wrap(node, function), anchor, span)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(Holder::List(Vec::new()), anchor, tag.as_deref(), span)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.open(Holder::Map { map: Map::new(), key: None }, anchor, tag.as_deref(), span)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(frame) = self.frames.pop() else { return Ok(()) };
                let value = match frame.holder {
                    Holder::List(items) => Value::Array(items),
                    Holder::Map { map, .. } => Value::Object(map),
                };
                let node = wrap(Node { value, size: frame.size }, frame.function);
                self.place(node, frame.anchor, span)
            }
            Event::Alias(id) => {
                let Some(size) = self.anchors.get(&id).map(|node| node.size) else {
                    return Err(TemplateTextError::AliasOfItself { span });
                };
                // Before it is written out: a bomb is refused by its size, not by having gone off.
                self.count(size, span)?;
                let node = self.anchors[&id].clone();
                if self.at_key() {
                    let Value::String(key) = node.value else {
                        return Err(TemplateTextError::Key { span });
                    };
                    return self.key(key, span);
                }
                self.place(node, 0, span)
            }
            _ => Ok(()),
        }
    }

    fn at_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { holder: Holder::Map { key: None, .. }, .. }))
    }

    fn key(&mut self, text: String, span: Span) -> Result<(), TemplateTextError> {
        self.count(Size::of(text.len()), span)?;
        if let Some(Frame { holder: Holder::Map { map, key }, size, .. }) = self.frames.last_mut() {
            if map.contains_key(&text) {
                return Err(TemplateTextError::KeyTwice { key: text, span });
            }
            size.bytes += text.len();
            *key = Some(text);
        }
        Ok(())
    }

    fn open(
        &mut self,
        holder: Holder,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<(), TemplateTextError> {
        if self.at_key() {
            return Err(TemplateTextError::Key { span });
        }
        let function = function(tag, span)?;
        self.count(Size::of(0), span)?;
        if self.frames.len() >= MAX_DEPTH {
            return Err(TemplateTextError::Yaml(crate::yaml::YamlError::TooDeep { span }));
        }
        self.frames.push(Frame { holder, size: Size::of(0), function, anchor });
        Ok(())
    }

    fn count(&mut self, size: Size, span: Span) -> Result<(), TemplateTextError> {
        self.total.values += size.values;
        self.total.bytes += size.bytes;
        if self.total.values > MAX_VALUES || self.total.bytes > MAX_BYTES {
            return Err(TemplateTextError::TooLarge { span });
        }
        Ok(())
    }

    /// Puts a value that was read whole where it belongs.
    fn place(&mut self, node: Node, anchor: usize, span: Span) -> Result<(), TemplateTextError> {
        if self.frames.len() + node.size.depth > MAX_DEPTH {
            return Err(TemplateTextError::Yaml(crate::yaml::YamlError::TooDeep { span }));
        }
        if anchor != 0 {
            self.count(node.size, span)?;
            self.anchors.insert(anchor, node.clone());
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node.value);
            return Ok(());
        };
        frame.size.hold(node.size);
        match &mut frame.holder {
            Holder::List(items) => items.push(node.value),
            Holder::Map { map, key } => {
                if let Some(key) = key.take() {
                    map.insert(key, node.value);
                }
            }
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, unwritten: bool) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str") || tag.is_custom());
    if unwritten && !is_text {
        return Value::Null;
    }
    let typed = tag.is_some_and(|tag| tag.is_yaml_core_schema() && !is_text);
    if is_text || (style != ScalarStyle::Plain && !typed) || matches!(text, "y" | "Y" | "n" | "N") {
        return Value::String(text.to_owned());
    }
    plain(text)
}

/// The long name of a tag's function; none where the tag is none of a function.
fn function(tag: Option<&Tag>, span: Span) -> Result<Option<String>, TemplateTextError> {
    let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) else { return Ok(None) };
    let (handle, name) = tag.parts();
    match name {
        // `!` alone: this is text.
        "" | "!" if matches!(handle, "!" | "") => Ok(None),
        "Ref" | "Condition" if handle == "!" => Ok(Some(name.to_owned())),
        _ if handle == "!"
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b':') =>
        {
            Ok(Some(format!("Fn::{name}")))
        }
        _ => Err(TemplateTextError::Tag { tag: tag.original(), span }),
    }
}

fn wrap(node: Node, function: Option<String>) -> Node {
    let Some(function) = function else { return node };
    let Node { value, size: inner } = node;
    let value = match value {
        // The name of a resource has no dot; that of an attribute may.
        Value::String(text) if function == "Fn::GetAtt" => match text.split_once('.') {
            Some((resource, attribute)) => Value::from(vec![resource, attribute]),
            None => Value::String(text),
        },
        value => value,
    };
    let mut size = Size::of(function.len());
    size.hold(inner);
    // The list that a dotted name becomes.
    size.hold(Size { values: 2, bytes: 0, depth: inner.depth + 1 });
    Node { value: Value::Object(Map::from_iter([(function, value)])), size }
}
