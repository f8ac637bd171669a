//! From a name to the resource that it refers to, and from a value into it.

use std::collections::BTreeMap;

use hangar_diag::Span;
use hangar_ids::{InstanceKey, ResourceMode};

use super::super::error::EvaluateError;
use super::super::expression::{Step, StepKind};
use super::super::value::{Data, Datum};
use super::{Evaluated, Evaluator, Reference, wrong};
use crate::deployed::{LookupError, Names, NotHeld};

impl Evaluator<'_> {
    /// The value of a name with what follows it.
    pub(super) fn traverse(&mut self, name: &str, steps: &[Step], span: Span) -> Evaluated {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        if let Some((_, datum)) = local {
            let datum = datum.clone();
            self.spend(datum.weight(), span)?;
            return self.walk(datum, steps);
        }
        let (datum, rest) = self.reference(name, steps, span)?;
        self.walk(datum, rest)
    }

    /// What a resource has there, and the steps that are left.
    fn reference<'e>(
        &mut self,
        first: &'e str,
        steps: &'e [Step],
        span: Span,
    ) -> Result<(Datum, &'e [Step]), EvaluateError> {
        let end = steps.last().map_or(span.end, |step| step.span.end);
        let whole = Span::new(span.start, end);
        if let Some(what) = NotHeld::of(first) {
            let written = written(first, steps);
            let error = LookupError::NotHeld { what, written };
            return Err(EvaluateError::Lookup { error, span: whole });
        }
        let name_at = |at: usize| match steps.get(at).map(|step| &step.kind) {
            Some(StepKind::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        let (mode, type_name, name, mut used) = match first {
            "data" => (ResourceMode::Data, name_at(0), name_at(1), 2),
            _ => (ResourceMode::Managed, Some(first), name_at(0), 1),
        };
        let (Some(type_name), Some(name)) = (type_name, name) else {
            let written = written(first, steps);
            let problem = format!("`{written}` is not a reference: write `TYPE.NAME.ATTRIBUTE`");
            return Err(wrong(whole, problem));
        };
        let mut sensitive = false;
        let key = match steps.get(used).map(|step| (&step.kind, step.span)) {
            Some((StepKind::Index(key), span)) => {
                used += 1;
                let key = self.value(key)?;
                sensitive = key.sensitive;
                Some(instance_key(&key, span)?)
            }
            _ => None,
        };
        let attribute = name_at(used);
        used += usize::from(attribute.is_some());
        let reference = Reference { mode, type_name, name, key, attribute };
        self.spend(self.scope.cost(&reference), whole)?;
        let loaded = self.scope.load(&reference).map_err(|error| match error {
            LookupError::NoInstance { .. } if sensitive => {
                wrong(whole, "the resource has no instance with this key")
            }
            error => EvaluateError::Lookup { error, span: whole },
        })?;
        for warning in loaded.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.spend(loaded.datum.weight(), whole)?;
        Ok((loaded.datum.marked(sensitive), &steps[used..]))
    }

    pub(super) fn walk(&mut self, mut datum: Datum, steps: &[Step]) -> Evaluated {
        for step in steps {
            datum = match &step.kind {
                StepKind::Name(name) => member(datum, name, step.span)?,
                StepKind::Index(key) => {
                    let key = self.value(key)?;
                    let marked = key.sensitive;
                    indexed(datum, &key, step.span)?.marked(marked)
                }
                StepKind::Splat(inner) => self.each(datum, inner, step.span)?,
            };
        }
        Ok(datum)
    }

    /// The steps from each element; what is no list is a list of itself, and null an empty one.
    fn each(&mut self, datum: Datum, steps: &[Step], span: Span) -> Evaluated {
        let sensitive = datum.sensitive;
        let elements = match datum.data {
            Data::List(items) | Data::Set(items) => items,
            Data::Null => Vec::new(),
            data => vec![Datum { data, sensitive }],
        };
        let mut all = Vec::with_capacity(elements.len());
        for element in elements {
            self.spend(1, span)?;
            all.push(self.walk(element, steps)?);
        }
        Ok(Datum::list(all).marked(sensitive))
    }
}

/// A part of a value by its name.
fn member(datum: Datum, name: &str, span: Span) -> Evaluated {
    let (sensitive, noun) = (datum.sensitive, datum.noun());
    match datum.data {
        Data::Map(mut members) => match members.remove(name) {
            Some(member) => Ok(member.marked(sensitive)),
            None => Err(absent(&members, name, sensitive, span)),
        },
        Data::List(_) | Data::Set(_) => {
            let problem =
                format!("{noun} has no `.{name}`; `[*].{name}` reads it from each element");
            Err(wrong(span, problem))
        }
        _ => Err(wrong(span, format!("{noun} has no `.{name}`"))),
    }
}

/// A part of a value by a key or the number of an element.
fn indexed(datum: Datum, key: &Datum, span: Span) -> Evaluated {
    let (sensitive, noun) = (datum.sensitive, datum.noun());
    match datum.data {
        Data::Map(mut members) => {
            let Some(name) = key.to_text() else {
                return Err(wrong(span, format!("a key must be a string, not {}", key.noun())));
            };
            match members.remove(&name) {
                Some(member) => Ok(member.marked(sensitive)),
                None if key.sensitive => Err(wrong(span, "the object has no such key")),
                None => Err(absent(&members, &name, sensitive, span)),
            }
        }
        Data::List(mut items) => {
            let Some(index) = key.to_decimal().and_then(|index| index.to_integer()) else {
                return Err(wrong(span, "the index of an element must be a whole number"));
            };
            let count = items.len();
            match usize::try_from(index).ok().filter(|index| *index < count) {
                Some(index) => Ok(items.swap_remove(index).marked(sensitive)),
                None => Err(wrong(
                    span,
                    format!("the index is out of range: the length of the list is {count}"),
                )),
            }
        }
        Data::Set(_) => Err(wrong(span, "a set has no order; convert it to a list with `tolist`")),
        _ => Err(wrong(span, format!("{noun} has no elements"))),
    }
}

fn absent(
    members: &BTreeMap<String, Datum>,
    asked: &str,
    sensitive: bool,
    span: Span,
) -> EvaluateError {
    let names = members.keys().map(String::as_str).filter(|_| !sensitive);
    EvaluateError::NoMember { asked: asked.to_owned(), there: Names::of(names), span }
}

fn instance_key(key: &Datum, span: Span) -> Result<InstanceKey, EvaluateError> {
    let index = match key.data {
        Data::Number(_) => key.to_decimal().and_then(|index| index.to_integer()),
        _ => None,
    };
    if let Some(index) = index.and_then(|index| u64::try_from(index).ok()) {
        return Ok(InstanceKey::Index(index));
    }
    let text = key.to_text().map(InstanceKey::Text);
    text.ok_or_else(|| {
        wrong(
            span,
            format!("the key of an instance must be a string or a number, not {}", key.noun()),
        )
    })
}

/// A reference as far as it is names, for messages.
fn written(first: &str, steps: &[Step]) -> String {
    let mut text = first.to_owned();
    for step in steps {
        let StepKind::Name(name) = &step.kind else { break };
        text.push('.');
        text.push_str(name);
    }
    text
}
