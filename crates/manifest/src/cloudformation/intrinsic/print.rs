//! An expression on one line, for people.

use serde_json::{Map, Value};

use super::function::{Attribute, Shape, attribute, shape};

/// No printed expression is longer, in characters.
const MAX_LENGTH: usize = 240;

/// What is nested deeper is printed as an ellipsis.
const MAX_DEPTH: usize = 12;

/// The expression on one line, such as `Fn::Join "-" [pre, Ref X, post]`; long ones end in an ellipsis.
pub fn print(expression: &Value) -> String {
    let mut line = Line { text: String::new(), left: MAX_LENGTH };
    line.value(expression, 0);
    line.text
}

struct Line {
    text: String,
    /// How many characters there is room for.
    left: usize,
}

impl Line {
    fn add(&mut self, text: &str) {
        for character in text.chars() {
            match self.left {
                0 => return,
                1 => self.text.push('…'),
                _ if character.is_control() => self.text.extend(character.escape_default()),
                _ => self.text.push(character),
            }
            self.left -= 1;
        }
    }

    fn value(&mut self, expression: &Value, depth: usize) {
        if self.left == 0 {
            return;
        }
        if depth > MAX_DEPTH {
            return self.add("…");
        }
        match expression {
            Value::Object(object) => match shape(object) {
                Shape::Function(name, argument) => self.function(name, argument, depth),
                _ => self.object(object, depth),
            },
            Value::Array(items) => {
                self.add("[");
                for (index, item) in items.iter().enumerate() {
                    if self.left == 0 {
                        return;
                    }
                    self.add(if index > 0 { ", " } else { "" });
                    self.value(item, depth + 1);
                }
                self.add("]");
            }
            Value::String(text) => self.add(text),
            other => self.add(&other.to_string()),
        }
    }

    fn object(&mut self, object: &Map<String, Value>, depth: usize) {
        self.add("{");
        for (index, (name, member)) in object.iter().enumerate() {
            if self.left == 0 {
                return;
            }
            self.add(if index > 0 { ", " } else { "" });
            self.add(name);
            self.add(": ");
            self.value(member, depth + 1);
        }
        self.add("}");
    }

    fn function(&mut self, name: &str, argument: &Value, depth: usize) {
        self.add(name);
        self.add(" ");
        match (name, argument) {
            ("Fn::GetAtt", _) if attribute(argument).is_some() => {
                let Some((logical_id, attribute)) = attribute(argument) else { return };
                self.add(logical_id);
                self.add(".");
                match attribute {
                    Attribute::Name(name) => self.add(name),
                    Attribute::Expression(expression) => {
                        self.add("(");
                        self.value(expression, depth + 1);
                        self.add(")");
                    }
                }
            }
            ("Fn::Join" | "Fn::Split", Value::Array(items)) if items.len() == 2 => {
                self.quoted(&items[0], depth + 1);
                self.add(" ");
                self.value(&items[1], depth + 1);
            }
            ("Fn::Sub", _) => self.quoted(argument, depth + 1),
            _ => self.value(argument, depth + 1),
        }
    }

    fn quoted(&mut self, expression: &Value, depth: usize) {
        match expression {
            Value::String(text) => {
                self.add("\"");
                self.add(text);
                self.add("\"");
            }
            _ => self.value(expression, depth),
        }
    }
}
