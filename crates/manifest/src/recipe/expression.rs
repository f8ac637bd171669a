//! `{{context.…}}` inside the parameters of a module that knows nothing of contexts.
//!
//! An expression is a path, or one choice by a comparison: `{{context.a == "x" ? "big" : context.b}}`.
//! Braces around anything else are somebody else's and stay.

use serde_json::Value;
use thiserror::Error;

/// Why an expression has no value.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum ExpressionError {
    /// It is not written as one.
    #[error(
        "`{{{{{0}}}}}` is not an expression: expected `context.path` or \
         `context.path == \"text\" ? \"this\" : \"that\"`"
    )]
    Syntax(String),
    /// The context has nothing there.
    #[error("`{{{{{0}}}}}`: the context has no such value")]
    Absent(String),
    /// It stands inside of a text and is no text, number or boolean.
    #[error(
        "`{{{{{0}}}}}` is part of a longer string, so its value must be a string, a number or a boolean"
    )]
    NotScalar(String),
}

/// The parameter with all of its expressions resolved; every mistake is told.
pub fn resolve(parameter: &Value, context: &Value, errors: &mut Vec<ExpressionError>) -> Value {
    match parameter {
        Value::String(text) => match resolve_text(text, context) {
            Ok(value) => value,
            Err(error) => {
                errors.push(error);
                Value::Null
            }
        },
        Value::Array(items) => items.iter().map(|item| resolve(item, context, errors)).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), resolve(member, context, errors)))
                .collect(),
        ),
        scalar => scalar.clone(),
    }
}

fn resolve_text(text: &str, context: &Value) -> Result<Value, ExpressionError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let Some((inner, behind)) = expression_at(&rest[start + 2..]) else {
            out.push_str(&rest[..start + 2]);
            rest = &rest[start + 2..];
            continue;
        };
        let value = evaluate(inner, context)?;
        if start == 0 && behind.is_empty() && out.is_empty() {
            return match value {
                Operand::Value(value) => Ok(value),
                Operand::Absent => Err(ExpressionError::Absent(inner.to_owned())),
            };
        }
        out.push_str(&rest[..start]);
        match value {
            Operand::Value(Value::String(text)) => out.push_str(&text),
            Operand::Value(scalar @ (Value::Bool(_) | Value::Number(_))) => {
                out.push_str(&scalar.to_string());
            }
            Operand::Value(_) => return Err(ExpressionError::NotScalar(inner.to_owned())),
            Operand::Absent => return Err(ExpressionError::Absent(inner.to_owned())),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(Value::String(out))
}

/// The inside of an expression that begins behind `{{`, and what is behind its `}}`.
fn expression_at(text: &str) -> Option<(&str, &str)> {
    let trimmed = text.trim_start();
    let tail = trimmed.strip_prefix("context")?;
    if !tail.starts_with(['.', '[']) {
        return None;
    }
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None if text[at..].starts_with("}}") => return Some((&text[..at], &text[at + 2..])),
            _ => {}
        }
    }
    None
}

/// What a part of an expression comes to.
enum Operand {
    Value(Value),
    /// A path that leads nowhere.
    Absent,
}

impl Operand {
    /// In a comparison what is not there is null.
    fn or_null(self) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Absent => Value::Null,
        }
    }
}

fn evaluate(inner: &str, context: &Value) -> Result<Operand, ExpressionError> {
    let syntax = || ExpressionError::Syntax(inner.to_owned());
    let mut reader = Reader { rest: inner, context };
    let left = reader.operand().ok_or_else(syntax)?;
    if reader.is_over() {
        return Ok(left);
    }
    let left = left.or_null();
    let is_chosen = if reader.take("==") {
        left == reader.operand().ok_or_else(syntax)?.or_null()
    } else if reader.take("!=") {
        left != reader.operand().ok_or_else(syntax)?.or_null()
    } else {
        left.as_bool().ok_or_else(syntax)?
    };
    let mut branch = |mark| if reader.take(mark) { reader.operand() } else { None };
    let this = branch("?").ok_or_else(syntax)?;
    let that = branch(":").ok_or_else(syntax)?;
    if !reader.is_over() {
        return Err(syntax());
    }
    Ok(if is_chosen { this } else { that })
}

struct Reader<'a> {
    rest: &'a str,
    context: &'a Value,
}

impl<'a> Reader<'a> {
    fn is_over(&self) -> bool {
        self.rest.trim_start().is_empty()
    }

    fn take(&mut self, mark: &str) -> bool {
        match self.rest.trim_start().strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A literal or a path.
    fn operand(&mut self) -> Option<Operand> {
        self.rest = self.rest.trim_start();
        if let Some(text) = self.quoted() {
            return Some(Operand::Value(Value::String(text.to_owned())));
        }
        if self.rest.starts_with("context") {
            return self.path();
        }
        let end = self.rest.find([' ', '?', ':', '=', '!', '\t']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let value: Value = serde_json::from_str(word).ok()?;
        if value.is_array() || value.is_object() {
            return None;
        }
        self.rest = rest;
        Some(Operand::Value(value))
    }

    fn quoted(&mut self) -> Option<&'a str> {
        let open = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (text, rest) = self.rest[1..].split_once(open)?;
        self.rest = rest;
        Some(text)
    }

    fn until(&mut self, mark: char) -> Option<&'a str> {
        let (before, rest) = self.rest.split_at(self.rest.find(mark)?);
        self.rest = rest;
        Some(before)
    }

    /// `context.a.b["c d"].0`.
    fn path(&mut self) -> Option<Operand> {
        self.rest = self.rest.strip_prefix("context")?;
        let mut at = Some(self.context);
        loop {
            let step = if let Some(rest) = self.rest.strip_prefix('.') {
                let end = rest
                    .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                    .unwrap_or(rest.len());
                let (name, rest) = rest.split_at(end);
                self.rest = rest;
                name
            } else if let Some(rest) = self.rest.strip_prefix('[') {
                self.rest = rest;
                let name = self.quoted().or_else(|| self.until(']'))?;
                self.rest = self.rest.strip_prefix(']')?;
                name
            } else {
                return Some(at.cloned().map_or(Operand::Absent, Operand::Value));
            };
            if step.is_empty() {
                return None;
            }
            at = at.and_then(|value| match value {
                Value::Array(items) => items.get(step.parse::<usize>().ok()?),
                other => other.get(step),
            });
        }
    }
}
