//! From JSON to Bicep: values, resources and names as a person would write them.
//!
//! What is written here is read back as exactly what it was made of (`tests/it/written.rs`). Nothing is left
//! out or put in: what of a live document belongs into a template is decided elsewhere.

mod name;
mod resource;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Number, Value};

pub use name::symbol_for;
pub use resource::{ResourceText, existing, resource};
pub use text::{comment, string};

/// Levels that are written as objects and lists of the language; what is below them is one `json('…')`.
const MOST_LEVELS: usize = 60;

/// Levels of one value, all in all: more than this no template evaluates.
const MOST_NESTING: usize = 110;

/// Expressions that stand in the place of values, by RFC 6901 pointer from the value that is written.
pub type Replacements = BTreeMap<String, String>;

/// A value as an expression. `depth` is how many levels it stands in: lines after the first are indented by two
/// spaces each.
///
/// A value that is nested deeper than a template may be is `null` with a comment that says so.
///
/// ```
/// use hangar_template::write::value;
/// use serde_json::json;
///
/// let document = json!({"Name": "it's", "Size": 3, "a-b": [true]});
/// assert_eq!(value(&document, 0), "{
///   Name: 'it\\'s'
///   Size: 3
///   'a-b': [
///     true
///   ]
/// }");
/// ```
pub fn value(document: &Value, depth: usize) -> String {
    value_with(document, depth, &Replacements::new())
}

/// The same, with expressions in the place of some of its parts.
pub fn value_with(document: &Value, depth: usize, replacements: &Replacements) -> String {
    let mut writer =
        Writer { out: String::new(), pointer: String::new(), replacements, levels: 0, depth };
    if levels_of(document) > MOST_NESTING {
        return "null /* nested too deeply for a template */".to_owned();
    }
    writer.value(document);
    writer.out
}

/// A key as it stands before its colon.
pub fn key(name: &str) -> String {
    if is_plain_key(name) { name.to_owned() } else { text::quoted(name) }
}

/// Whether a key needs no quotes: a name that is no value.
pub(crate) fn is_plain_key(name: &str) -> bool {
    name::is_identifier(name) && !matches!(name, "true" | "false" | "null")
}

struct Writer<'a> {
    out: String,
    /// Where the value stands that is written now.
    pointer: String,
    replacements: &'a Replacements,
    /// How many levels of the document are open.
    levels: usize,
    /// How many levels it is indented by besides.
    depth: usize,
}

impl Writer<'_> {
    fn value(&mut self, document: &Value) {
        if let Some(expression) = self.replacements.get(&self.pointer) {
            self.out.push_str(expression);
            return;
        }
        match document {
            Value::Null => self.out.push_str("null"),
            Value::Bool(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.out.push_str(&text::string(text)),
            Value::Array(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Object(members) if members.is_empty() => self.out.push_str("{}"),
            Value::Array(_) | Value::Object(_) if self.levels >= MOST_LEVELS => {
                // Exact all the same: it is read back by the function of that name.
                let _ = write!(self.out, "json({})", text::quoted(&document.to_string()));
            }
            Value::Array(items) => {
                let parts = items.iter().enumerate();
                self.lines('[', ']', parts.map(|(at, it)| (at.to_string(), None, it)));
            }
            Value::Object(members) => {
                let parts = members.iter();
                self.lines('{', '}', parts.map(|(name, it)| (name.clone(), Some(key(name)), it)));
            }
        }
    }

    /// Parts on lines of their own.
    fn lines<'v>(
        &mut self,
        open: char,
        close: char,
        parts: impl Iterator<Item = (String, Option<String>, &'v Value)>,
    ) {
        self.out.push(open);
        self.levels += 1;
        for (step, key, part) in parts {
            self.new_line();
            if let Some(key) = key {
                self.out.push_str(&key);
                self.out.push_str(": ");
            }
            let length = self.pointer.len();
            self.pointer.push('/');
            self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
            self.value(part);
            self.pointer.truncate(length);
        }
        self.levels -= 1;
        self.new_line();
        self.out.push(close);
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth + self.levels {
            self.out.push_str("  ");
        }
    }

    /// The language has whole numbers of 64 bits only; the others are read from their JSON.
    fn number(&mut self, number: &Number) {
        let written = number.to_string();
        match number.as_i64() {
            Some(whole) if whole.to_string() == written => self.out.push_str(&written),
            _ => {
                let _ = write!(self.out, "json('{written}')");
            }
        }
    }
}

/// How many lists and objects are in each other; it does not go deeper than what is asked for.
fn levels_of(document: &Value) -> usize {
    let mut open = vec![(document, 1)];
    let mut most = 0;
    while let Some((value, level)) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().map(|it| (it, level + 1))),
            Value::Object(members) => open.extend(members.values().map(|it| (it, level + 1))),
            _ => continue,
        }
        most = most.max(level);
        if most > MOST_NESTING {
            break;
        }
    }
    most
}
