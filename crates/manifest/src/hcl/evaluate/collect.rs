//! Lists, objects, and both made by `for`.

use std::collections::BTreeMap;

use hangar_diag::Span;

use super::super::error::EvaluateError;
use super::super::expression::{Expression, For};
use super::super::value::{Data, Datum};
use super::operate::truth;
use super::{Evaluated, Evaluator, wrong};

impl Evaluator<'_> {
    pub(super) fn list(&mut self, elements: &[Expression]) -> Evaluated {
        let elements = elements.iter().map(|element| self.value(element));
        Ok(Datum::list(elements.collect::<Result<_, _>>()?))
    }

    pub(super) fn object(&mut self, members: &[(Expression, Expression)]) -> Evaluated {
        let mut all = BTreeMap::new();
        let mut sensitive = false;
        for (key, member) in members {
            let name = self.value(key)?;
            sensitive |= name.sensitive;
            let text = name_of(&name, key.span)?;
            all.insert(text, self.value(member)?);
        }
        Ok(Datum::new(Data::Map(all)).marked(sensitive))
    }

    pub(super) fn for_each(&mut self, parts: &For) -> Evaluated {
        let collection = self.value(&parts.collection)?;
        let mut sensitive = collection.sensitive;
        let mut elements = Vec::new();
        let mut members: BTreeMap<String, Vec<Datum>> = BTreeMap::new();
        for (key, value) in items(collection, parts.collection.span)? {
            let names = (parts.key.as_deref(), parts.value.as_str());
            let made = self.with_locals(names, key, value, |evaluator| evaluator.made(parts))?;
            match made {
                Made::PassedOver { sensitive: marked } => sensitive |= marked,
                Made::Element(element, marked) => {
                    sensitive |= marked;
                    elements.push(element);
                }
                Made::Member(name, element, marked) => {
                    sensitive |= marked;
                    let of_name = members.entry(name).or_default();
                    if !of_name.is_empty() && !parts.groups {
                        let problem = "two members have the same key; write `...` after the value to group them into a list";
                        return Err(wrong(parts.element.span, problem));
                    }
                    of_name.push(element);
                }
            }
        }
        let datum = if parts.name.is_none() {
            Datum::list(elements)
        } else {
            let grouped = members.into_iter().filter_map(|(name, mut of_name)| {
                let member = if parts.groups { Datum::list(of_name) } else { of_name.pop()? };
                Some((name, member))
            });
            Datum::new(Data::Map(grouped.collect()))
        };
        Ok(datum.marked(sensitive))
    }

    /// What one round of a `for` makes; whether a condition or a key of it is sensitive.
    fn made(&mut self, parts: &For) -> Result<Made, EvaluateError> {
        let mut sensitive = false;
        if let Some(condition) = &parts.condition {
            let asked = self.value(condition)?;
            sensitive |= asked.sensitive;
            if !truth(&asked, "the condition of `for`", condition.span)? {
                return Ok(Made::PassedOver { sensitive });
            }
        }
        let Some(name) = &parts.name else {
            return Ok(Made::Element(self.value(&parts.element)?, sensitive));
        };
        let key = self.value(name)?;
        sensitive |= key.sensitive;
        let text = name_of(&key, name.span)?;
        Ok(Made::Member(text, self.value(&parts.element)?, sensitive))
    }

    /// Does something while a key and a value have names.
    pub(super) fn with_locals<T>(
        &mut self,
        (key_name, value_name): (Option<&str>, &str),
        key: Datum,
        value: Datum,
        run: impl FnOnce(&mut Self) -> Result<T, EvaluateError>,
    ) -> Result<T, EvaluateError> {
        let before = self.locals.len();
        if let Some(name) = key_name {
            self.locals.push((name.to_owned(), key));
        }
        self.locals.push((value_name.to_owned(), value));
        let result = run(self);
        self.locals.truncate(before);
        result
    }
}

enum Made {
    PassedOver { sensitive: bool },
    Element(Datum, bool),
    Member(String, Datum, bool),
}

/// What a `for` goes through: keys and values.
pub(super) fn items(collection: Datum, span: Span) -> Result<Vec<(Datum, Datum)>, EvaluateError> {
    let noun = collection.noun();
    Ok(match collection.data {
        Data::List(items) => {
            items.into_iter().enumerate().map(|(at, item)| (Datum::count(at), item)).collect()
        }
        Data::Set(items) => items.into_iter().map(|item| (item.clone(), item)).collect(),
        Data::Map(members) => {
            members.into_iter().map(|(name, member)| (Datum::text(name), member)).collect()
        }
        _ => {
            return Err(wrong(span, format!("`for` requires a list or an object, not {noun}")));
        }
    })
}

fn name_of(key: &Datum, span: Span) -> Result<String, EvaluateError> {
    key.to_text().ok_or_else(|| wrong(span, format!("a key must be a string, not {}", key.noun())))
}
