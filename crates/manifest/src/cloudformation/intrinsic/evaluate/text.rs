//! Functions that make texts and take them apart.

use serde_json::{Map, Value};

use super::super::Lookup;
use super::super::error::{Fault, Problem};
use super::super::substitute::{Piece, is_name, pieces};
use super::{Evaluation, Found};

impl<L: Lookup> Evaluation<'_, L> {
    pub(super) fn join(&mut self, argument: &Value) -> Found<Value, L> {
        let [separator, list] = self.arguments(argument, "[separator, list]")?;
        let Value::String(separator) = separator else {
            return Err(
                self.wrong(Problem::Argument("[separator, list] whose first item is a string"))
            );
        };
        let mut joined = String::new();
        for (index, item) in self.list(1, list)?.iter().enumerate() {
            if index > 0 {
                joined += separator;
            }
            joined += &self.text_of(item)?;
            if joined.len() > self.left {
                return Err(self.wrong(Problem::TooLarge));
            }
        }
        self.made(joined)
    }

    pub(super) fn substitute(&mut self, argument: &Value) -> Found<Value, L> {
        let empty = Map::new();
        let (text, variables) = match argument {
            Value::String(text) => (text, &empty),
            Value::Array(items) => match items.as_slice() {
                [Value::String(text), Value::Object(variables)] => (text, variables),
                [Value::String(text)] => (text, &empty),
                _ => return Err(self.wrong(Problem::Argument("a string or [string, variables]"))),
            },
            _ => return Err(self.wrong(Problem::Argument("a string or [string, variables]"))),
        };
        let mut whole = String::new();
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => whole += text,
                Piece::Hole(hole) if !is_name(hole) => {
                    return Err(self.wrong(Problem::Hole(hole.to_owned())));
                }
                Piece::Hole(hole) => whole += &self.hole(hole, variables)?,
            }
            if whole.len() > self.left {
                return Err(self.wrong(Problem::TooLarge));
            }
        }
        self.made(whole)
    }

    pub(super) fn hole(&mut self, hole: &str, variables: &Map<String, Value>) -> Found<String, L> {
        if let Some(variable) = variables.get(hole) {
            return self.within(&1, |it| it.within(hole, |it| it.text(variable)));
        }
        let value = match hole.split_once('.') {
            Some((logical_id, attribute)) => self.lookup.attribute(logical_id, attribute),
            None => self.lookup.reference(hole),
        };
        let value = value.map_err(Fault::Stop)?;
        self.text_of(&value)
    }

    pub(super) fn split(&mut self, argument: &Value) -> Found<Value, L> {
        let [separator, text] = self.arguments(argument, "[separator, string]")?;
        let separator = self.within(&0, |it| it.text(separator))?;
        if separator.is_empty() {
            return Err(self.wrong(Problem::Argument(
                "[separator, string] with a separator that is not empty",
            )));
        }
        let text = self.within(&1, |it| it.text(text))?;
        self.spend(text.len())?;
        Ok(text.split(separator.as_str()).map(Value::from).collect())
    }

    pub(super) fn text(&mut self, expression: &Value) -> Found<String, L> {
        match self.value(expression)? {
            Some(value) => self.text_of(&value),
            None => Err(self.wrong(Problem::NoText("AWS::NoValue"))),
        }
    }

    pub(super) fn text_of(&self, value: &Value) -> Found<String, L> {
        Ok(match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Null => return Err(self.wrong(Problem::NoText("null"))),
            Value::Array(_) => return Err(self.wrong(Problem::NoText("a list"))),
            Value::Object(_) => return Err(self.wrong(Problem::NoText("an object"))),
        })
    }

    pub(super) fn made(&mut self, text: String) -> Found<Value, L> {
        self.spend(text.len())?;
        Ok(Value::String(text))
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sextet = (bits >> (18 - 6 * place)) & 0x3f;
            text.push(if place <= chunk.len() { ALPHABET[sextet as usize].into() } else { '=' });
        }
    }
    text
}
