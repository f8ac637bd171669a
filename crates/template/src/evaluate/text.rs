//! Strings with holes.

use hangar_diag::Span;

use super::limits::{MOST_BYTES, is_printable};
use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::ir::Piece;
use crate::value::{Data, Kind, Value};

impl Evaluator<'_> {
    pub(super) fn text(&self, pieces: &[Piece], scope: Scope<'_>, span: Span) -> Evaluated {
        let mut text = String::new();
        let mut secret = false;
        let mut unknown = None;
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Hole(hole) => {
                    let value = self.value(hole, scope)?;
                    secret |= value.holds_secret();
                    match value.first_unknown() {
                        Some(because) => unknown = unknown.or_else(|| Some(because.clone())),
                        None if is_printable(&value) => print(&value, &mut text),
                        None => return self.too_long(span),
                    }
                }
            }
            if text.len() > MOST_BYTES {
                return self.too_long(span);
            }
        }
        self.note_text(text.len(), span)?;
        let value = match unknown {
            Some(unknown) => Value::unknown(Some(Kind::String), unknown.because.clone()),
            None => Value::string(text),
        };
        Ok(value.tainted(secret))
    }

    fn too_long(&self, span: Span) -> Evaluated {
        let message = format!("the string is longer than {MOST_BYTES} bytes");
        self.fail(codes::TOO_MUCH, span, message)
    }
}

/// A value as a hole prints it: `True` and `False` as .NET does, lists and objects as JSON.
fn print(value: &Value, text: &mut String) {
    match &value.data {
        Data::Null | Data::Unknown(_) => {}
        Data::Bool(true) => text.push_str("True"),
        Data::Bool(false) => text.push_str("False"),
        Data::Int(number) => text.push_str(&number.to_string()),
        Data::Decimal(number) => text.push_str(&number.to_string()),
        Data::String(piece) => text.push_str(piece),
        Data::Array(_) | Data::Object(_) => {
            if let Some(document) = value.to_json() {
                text.push_str(&document.to_string());
            }
        }
    }
}
