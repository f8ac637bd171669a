//! A number that equal values share, to find equal array elements without comparing all pairs.
//!
//! Ours and not the standard library's, because names of array elements in secret paths are made
//! of it and must stay the same between releases. Not for security: a match is always verified.

use serde_json::Value;

use crate::equal;
use crate::number;
use crate::secret::holds_secrets;
use crate::shape::Order;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// The fingerprint of what a read could return of `value`: hidden values and nulls left out.
pub(crate) fn of_readable(schema: &TypeSchema, spot: Spot, value: &Value) -> u64 {
    let mut state = State::new();
    state.readable(schema, spot, value);
    state.0
}

/// The fingerprint of the part of `value` that `template` states.
///
/// Equal to [`of_readable`] of the template exactly when `value` holds what the template states
/// and spells it alike. Arrays and maps are owned whole, so they count whole.
pub(crate) fn of_projection(
    schema: &TypeSchema,
    spot: Spot,
    value: &Value,
    template: &Value,
) -> u64 {
    let mut state = State::new();
    state.projected(schema, spot, value, template);
    state.0
}

/// The fingerprint of which members a value states, whatever it says of them.
pub(crate) fn of_outline(schema: &TypeSchema, spot: Spot, value: &Value) -> u64 {
    let mut state = State::new();
    state.outline(schema, spot, value);
    state.0
}

struct State(u64);

impl State {
    const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.0 ^= self.0 >> 32;
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        for chunk in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn scalar(&mut self, value: &Value) {
        match value {
            Value::Null => self.word(1),
            Value::Bool(flag) => self.word(2 + u64::from(*flag)),
            Value::Number(number) => {
                self.word(4);
                // A short plain integer is its own canonical text.
                let text = number.as_str();
                if text.len() <= 40 && text != "-0" && !text.contains(['.', 'e', 'E']) {
                    self.text(text);
                } else {
                    self.text(&number::canonical(number));
                }
            }
            Value::String(text) => {
                self.word(5);
                self.text(text);
            }
            Value::Array(_) | Value::Object(_) => {}
        }
    }

    fn readable(&mut self, schema: &TypeSchema, spot: Spot, value: &Value) {
        match value {
            Value::Array(items) => {
                self.word(6);
                let element = schema.element(spot);
                let is_tags = schema.is_tags(spot);
                let visible = equal::visible(is_tags, items);
                if schema.order(spot) == Order::Ordered {
                    visible.for_each(|item| self.readable(schema, element, item));
                } else {
                    // In whatever order they stand, equal elements give equal sums.
                    let sum = visible
                        .map(|item| of_readable(schema, element, item))
                        .fold(0_u64, u64::wrapping_add);
                    self.word(sum);
                }
                self.word(9);
            }
            Value::Object(members) => {
                self.word(7);
                let may_hide = holds_secrets(schema, spot);
                for (name, member) in members.iter().filter(|(_, member)| !member.is_null()) {
                    if !may_hide && !member.is_object() && !member.is_array() {
                        // The usual member: nothing in the schema can bear on it.
                        self.text(name);
                        self.scalar(member);
                        continue;
                    }
                    let next = schema.member(spot, name);
                    if !schema.at(next).is_hidden() {
                        self.text(name);
                        self.readable(schema, next, member);
                    }
                }
                self.word(8);
            }
            scalar => self.scalar(scalar),
        }
    }

    fn projected(&mut self, schema: &TypeSchema, spot: Spot, value: &Value, template: &Value) {
        let (Value::Object(members), Value::Object(stated)) = (value, template) else {
            return self.readable(schema, spot, value);
        };
        if schema.shape(spot).is_map() {
            return self.readable(schema, spot, value);
        }
        self.word(7);
        for (name, wanted) in stated {
            let next = schema.member(spot, name);
            if wanted.is_null() || schema.at(next).is_hidden() {
                continue;
            }
            if let Some(member) = members.get(name) {
                self.text(name);
                self.projected(schema, next, member, wanted);
            }
        }
        self.word(8);
    }

    fn outline(&mut self, schema: &TypeSchema, spot: Spot, value: &Value) {
        let Value::Object(members) = value else { return };
        if schema.shape(spot).is_map() {
            return;
        }
        for (name, member) in members {
            let next = schema.member(spot, name);
            if !member.is_null() && !schema.at(next).is_hidden() {
                self.text(name);
                self.outline(schema, next, member);
            }
        }
        self.word(8);
    }
}
