//! Values as text: for `string`, for `format` and for the holes of a string.

use super::MOST_BYTES;
use super::fault::Fault;
use crate::value::{Data, Value};

/// A text that is built piece by piece and never grows past the bound.
#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
}

/// The text would be too large.
#[derive(Debug)]
pub(super) struct TooLarge;

impl Text {
    pub(super) fn push(&mut self, piece: &str) -> Result<(), TooLarge> {
        if self.text.len() + piece.len() > MOST_BYTES {
            return Err(TooLarge);
        }
        self.text.push_str(piece);
        Ok(())
    }

    pub(super) fn into_value(self) -> Value {
        Value::string(self.text)
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }
}

/// What stands around names and texts in a rendered object or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// As in JSON: what `string` gives.
    Double,
    /// As .NET writes it into a formatted text: what `format` and the holes of a string give.
    Single,
}

/// What a hole of a string (`'${value}'`) is filled with.
///
/// `true` and `false` are written `True` and `False`, and null as nothing: that is how templates are
/// evaluated elsewhere. Nothing of what is not known yet may be in the value.
pub fn text_of(value: &Value) -> Result<String, Fault> {
    let mut text = Text::default();
    match write(&mut text, value, Quote::Single) {
        Ok(()) => Ok(text.into_string()),
        Err(TooLarge) => {
            Err(Fault::call(format!("the string would have more than {MOST_BYTES} bytes")))
        }
    }
}

/// Writes a value as text.
pub(super) fn write(text: &mut Text, value: &Value, quote: Quote) -> Result<(), TooLarge> {
    match &value.data {
        Data::Null | Data::Unknown(_) => Ok(()),
        Data::Bool(truth) => text.push(if *truth { "True" } else { "False" }),
        Data::String(content) => text.push(content),
        _ => write_json(text, value, quote),
    }
}

fn write_json(text: &mut Text, value: &Value, quote: Quote) -> Result<(), TooLarge> {
    match &value.data {
        Data::Null | Data::Unknown(_) => text.push("null"),
        Data::Bool(truth) => text.push(if *truth { "true" } else { "false" }),
        Data::Int(number) => text.push(&number.to_string()),
        Data::Decimal(number) => text.push(&number.to_string()),
        Data::String(content) => write_quoted(text, content, quote),
        Data::Array(items) => {
            text.push("[")?;
            for (index, item) in items.iter().enumerate() {
                text.push(if index == 0 { "" } else { "," })?;
                write_json(text, item, quote)?;
            }
            text.push("]")
        }
        Data::Object(members) => {
            text.push("{")?;
            for (index, (name, member)) in members.iter().enumerate() {
                text.push(if index == 0 { "" } else { "," })?;
                write_quoted(text, name, quote)?;
                text.push(":")?;
                write_json(text, member, quote)?;
            }
            text.push("}")
        }
    }
}

fn write_quoted(text: &mut Text, content: &str, quote: Quote) -> Result<(), TooLarge> {
    let around = if quote == Quote::Double { '"' } else { '\'' };
    let mut quoted = String::with_capacity(content.len() + 2);
    quoted.push(around);
    for character in content.chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            it if it == around => {
                quoted.push('\\');
                quoted.push(it);
            }
            it if it < ' ' => quoted.extend(format!("\\u{:04x}", u32::from(it)).chars()),
            it => quoted.push(it),
        }
    }
    quoted.push(around);
    text.push(&quoted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(document: &serde_json::Value, quote: Quote) -> String {
        let mut text = Text::default();
        write(&mut text, &Value::from_json(document, false), quote).unwrap();
        text.into_string()
    }

    #[test]
    fn an_object_is_json_or_has_single_quotes() {
        let document = json!({"b": [1, true, null], "a": "it's \"x\"\n\u{1}"});
        assert_eq!(
            written(&document, Quote::Double),
            r#"{"a":"it's \"x\"\n\u0001","b":[1,true,null]}"#
        );
        assert_eq!(
            written(&document, Quote::Single),
            r#"{'a':'it\'s "x"\n\u0001','b':[1,true,null]}"#
        );
    }

    #[test]
    fn what_has_no_parts_is_written_as_it_is() {
        for (document, text) in [
            (json!(null), ""),
            (json!(true), "True"),
            (json!(false), "False"),
            (json!(-5), "-5"),
            (json!("a'b"), "a'b"),
        ] {
            assert_eq!(written(&document, Quote::Double), text);
            assert_eq!(text_of(&Value::from_json(&document, false)).unwrap(), text);
        }
    }

    #[test]
    fn a_text_does_not_outgrow_its_bound() {
        let mut long = Value::string("x".repeat(1000));
        for _ in 0..3 {
            long = Value::array(vec![long; 200]);
        }
        assert!(text_of(&long).is_err());
    }
}
