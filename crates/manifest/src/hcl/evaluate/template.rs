//! Texts with computed parts.

use hangar_diag::Span;

use super::super::error::EvaluateError;
use super::super::expression::Part;
use super::super::function::MOST_TEXT;
use super::super::value::Datum;
use super::collect::items;
use super::operate::truth;
use super::{Evaluated, Evaluator, wrong};

/// The text so far, and whether something sensitive is in it.
struct Written {
    text: String,
    sensitive: bool,
    span: Span,
}

impl Evaluator<'_> {
    pub(super) fn template(&mut self, parts: &[Part], span: Span) -> Evaluated {
        let mut written = Written { text: String::new(), sensitive: false, span };
        self.write(parts, &mut written)?;
        Ok(Datum::text(written.text).marked(written.sensitive))
    }

    fn write(&mut self, parts: &[Part], written: &mut Written) -> Result<(), EvaluateError> {
        for part in parts {
            self.spend(1, written.span)?;
            match part {
                Part::Text(text) => written.push(text)?,
                Part::Value(value) => {
                    let datum = self.value(value)?;
                    let Some(text) = datum.to_text() else {
                        let problem = format!(
                            "a template requires a string, a number or a boolean, not {}",
                            datum.noun()
                        );
                        return Err(wrong(value.span, problem));
                    };
                    written.sensitive |= datum.sensitive;
                    written.push(&text)?;
                }
                Part::If(part) => {
                    let asked = self.value(&part.condition)?;
                    written.sensitive |= asked.sensitive;
                    let is_true = truth(&asked, "`%{if}`", part.condition.span)?;
                    self.write(if is_true { &part.then } else { &part.otherwise }, written)?;
                }
                Part::For(part) => {
                    let collection = self.value(&part.collection)?;
                    written.sensitive |= collection.sensitive;
                    for (key, value) in items(collection, part.collection.span)? {
                        let names = (part.key.as_deref(), part.value.as_str());
                        self.with_locals(names, key, value, |evaluator| {
                            evaluator.write(&part.body, written)
                        })?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Written {
    fn push(&mut self, text: &str) -> Result<(), EvaluateError> {
        if self.text.len() + text.len() > MOST_TEXT {
            return Err(EvaluateError::TooMuch { span: self.span });
        }
        self.text.push_str(text);
        Ok(())
    }
}
