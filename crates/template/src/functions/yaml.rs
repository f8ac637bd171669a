//! YAML as one JSON value: the core schema of YAML 1.2, one document, aliases written out within bounds.

use std::collections::HashMap;

use granit_parser::{Event, Options, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value};

/// How deep lists and maps stand in each other.
const MAX_DEPTH: usize = 100;
/// How many values a document may have, aliases written out.
const MAX_VALUES: usize = 200_000;
/// How many bytes its texts may have, aliases written out.
const MAX_BYTES: usize = 8 << 20;

/// Reads a document. The error has the place and never the text: that may be secret.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    // JSON may be indented by tabs, and YAML may not.
    if let Ok(document) = serde_json::from_str(text) {
        return Ok(document);
    }
    let mut options = Options::default();
    options.emit_comments = false;
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    options.simple_key_max_lookahead = text.len().max(1024);
    let mut build = Build::default();
    let at = |byte: usize| {
        let before = text.as_bytes().get(..byte.min(text.len())).unwrap_or_default();
        let line = before.split(|it| *it == b'\n').count();
        format!("at line {line}")
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| {
            let byte = error.marker().byte_offset().unwrap_or(text.len());
            format!("syntax error {}", at(byte))
        })?;
        let start = span.byte_range().map_or(0, |range| range.start);
        let is_unwritten = span.byte_range().is_some_and(|range| range.is_empty());
        build.take(event, is_unwritten).map_err(|what| format!("{what} {}", at(start)))?;
    }
    Ok(build.root.unwrap_or(Value::Null))
}

#[derive(Clone, Copy, Default)]
struct Size {
    values: usize,
    bytes: usize,
    depth: usize,
}

enum Holder {
    List(Vec<Value>),
    Map { members: Map<String, Value>, key: Option<String> },
}

struct Frame {
    holder: Holder,
    size: Size,
    anchor: usize,
}

#[derive(Default)]
struct Build {
    frames: Vec<Frame>,
    /// The values of anchors that are read whole.
    anchors: HashMap<usize, (Value, Size)>,
    total: Size,
    documents: usize,
    root: Option<Value>,
}

impl Build {
    fn take(&mut self, event: Event<'_>, is_unwritten: bool) -> Result<(), &'static str> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("a second document starts");
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let size = Size { values: 1, bytes: text.len(), depth: 1 };
                self.count(size)?;
                if self.is_at_key() {
                    if anchor != 0 {
                        self.anchors.insert(anchor, (Value::String(text.to_string()), size));
                    }
                    return self.key(text.into_owned());
                }
                let value = scalar(&text, style, tag.as_deref(), is_unwritten);
                self.place(value, size, anchor)?;
            }
            Event::SequenceStart(_, anchor, _) => self.open(Holder::List(Vec::new()), anchor)?,
            Event::MappingStart(_, anchor, _) => {
                self.open(Holder::Map { members: Map::new(), key: None }, anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(frame) = self.frames.pop() else { return Ok(()) };
                let value = match frame.holder {
                    Holder::List(items) => Value::Array(items),
                    Holder::Map { members, .. } => Value::Object(members),
                };
                self.place(value, frame.size, frame.anchor)?;
            }
            Event::Alias(id) => {
                let Some((_, size)) = self.anchors.get(&id) else {
                    return Err("an alias refers to itself");
                };
                let size = *size;
                // Counted before it is copied: aliases of aliases double.
                self.count(size)?;
                let value = self.anchors[&id].0.clone();
                if self.is_at_key() {
                    let Value::String(key) = value else { return Err("a key is not a string") };
                    return self.key(key);
                }
                self.place(value, size, 0)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn is_at_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { holder: Holder::Map { key: None, .. }, .. }))
    }

    fn key(&mut self, text: String) -> Result<(), &'static str> {
        if let Some(Frame { holder: Holder::Map { members, key }, .. }) = self.frames.last_mut() {
            if members.contains_key(&text) {
                return Err("a key appears twice");
            }
            *key = Some(text);
        }
        Ok(())
    }

    fn open(&mut self, holder: Holder, anchor: usize) -> Result<(), &'static str> {
        if self.is_at_key() {
            return Err("a key is not a string");
        }
        let size = Size { values: 1, bytes: 0, depth: 1 };
        self.count(size)?;
        self.frames.push(Frame { holder, size, anchor });
        Ok(())
    }

    fn count(&mut self, size: Size) -> Result<(), &'static str> {
        self.total.values += size.values;
        self.total.bytes += size.bytes;
        let is_too_large = self.total.values > MAX_VALUES || self.total.bytes > MAX_BYTES;
        if is_too_large { Err("there are too many values") } else { Ok(()) }
    }

    /// Puts a value that was read whole where it belongs.
    fn place(&mut self, value: Value, size: Size, anchor: usize) -> Result<(), &'static str> {
        if self.frames.len() + size.depth > MAX_DEPTH {
            return Err("the values are nested too deeply");
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        frame.size.values += size.values;
        frame.size.bytes += size.bytes;
        frame.size.depth = frame.size.depth.max(size.depth + 1);
        match &mut frame.holder {
            Holder::List(items) => items.push(value),
            Holder::Map { members, key } => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
            }
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, is_unwritten: bool) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
    if style != ScalarStyle::Plain || is_text {
        return Value::String(text.to_owned());
    }
    match text {
        _ if is_unwritten => Value::Null,
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

/// The number that a plain scalar is; nothing if it is text.
fn number(text: &str) -> Option<Value> {
    let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok().map(Value::from);
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let is_numeric = |it: u8| it.is_ascii_digit() || b"+-.eE".contains(&it);
    if !text.bytes().all(is_numeric) || !text.bytes().any(|it| it.is_ascii_digit()) {
        return None;
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    // As it is written, where JSON writes it so.
    let plain = text.strip_prefix('+').unwrap_or(text);
    if let Ok(number) = serde_json::from_str::<serde_json::Number>(plain) {
        return Some(Value::Number(number));
    }
    let number = text.parse::<f64>().ok()?;
    serde_json::Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_read_by_the_core_schema() {
        let text = "# remark\na: &x [1, 0x1F, 0o17, 1.50, yes, true, ~, '1', 12:30]\nb: *x\n\
                    c:\nd: |\n  two\n  lines\n\"e f\": {g: -1, h: !!str 2, i: .5}\n";
        let list = json!([1, 31, 15, 1.5, "yes", true, null, "1", "12:30"]);
        let read = parse(text).unwrap();
        assert_eq!(read["a"].to_string(), list.to_string().replace("1.5", "1.50"));
        assert_eq!(read["b"], read["a"]);
        assert_eq!(read["c"], Value::Null);
        assert_eq!(read["d"], "two\nlines\n");
        assert_eq!(read["e f"]["g"], json!(-1));
        assert_eq!(read["e f"]["h"], json!("2"));
        assert_eq!(read["e f"]["i"], json!(0.5));
        assert_eq!(parse("").unwrap(), Value::Null);
        assert_eq!(parse("{\n\t\"a\": 1}").unwrap(), json!({"a": 1}));
    }

    #[test]
    fn mistakes_and_bombs_are_refused_by_their_line() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (before, name) in ('a'..='i').zip('b'..='j') {
            let items = vec![format!("*{before}"); 10].join(", ");
            bomb.extend([format!("{name}: &{name} [{items}]\n")]);
        }
        for (text, wrong) in [
            ("a: 1\nb: [", "syntax error at line 2"),
            ("a: 1\na: 2", "a key appears twice at line 2"),
            ("? [1]\n: 2", "a key is not a string at line 1"),
            ("a: 1\n---\nb: 1\n", "a second document starts at line 2"),
            (bomb.as_str(), "there are too many values"),
        ] {
            let told = parse(text).unwrap_err();
            assert!(told.starts_with(wrong), "{told}");
        }
        assert!(parse(&"[".repeat(10_000)).is_err());
        assert!(parse(&"- ".repeat(10_000)).is_err());
    }
}
