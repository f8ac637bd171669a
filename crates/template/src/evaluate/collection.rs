//! Objects, lists, spreads and loops.

use std::sync::Arc;

use hangar_diag::Span;

use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::ir::{Entry, Expression, Item, Key, Loop};
use crate::source::{Problem, add};
use crate::types::describe;
use crate::value::{Data, Kind, Members, Value};

/// A key, or the unknown value that will be one.
pub(crate) type Named = Result<Arc<str>, Value>;

/// Members by name.
type Parts = Vec<(Arc<str>, Value)>;

/// What is spread into something larger.
pub(super) enum Spread<T> {
    Parts(T),
    /// Not known as a whole: neither is what it is spread into.
    Unknown(Value),
}

impl Evaluator<'_> {
    pub(super) fn object(&self, entries: &[Entry], scope: Scope<'_>, span: Span) -> Evaluated {
        let mut members = Members::new();
        let mut problems = Vec::new();
        let mut unknown = None;
        for entry in entries {
            match entry {
                Entry::Member { key, value } => match self.member(key, value, scope) {
                    Ok((Ok(name), value)) => {
                        members.insert(name, value);
                    }
                    Ok((Err(key), _)) => unknown = unknown.or(Some(key)),
                    Err(found) => add(&mut problems, found),
                },
                Entry::Spread(spread) => match self.spread_object(spread, scope) {
                    Ok(Spread::Parts(added)) => members.extend(added),
                    Ok(Spread::Unknown(value)) => unknown = unknown.or(Some(value)),
                    Err(found) => add(&mut problems, found),
                },
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        match unknown {
            Some(unknown) => Ok(of_kind(&unknown, Kind::Object)),
            None => self.weighed(Value::object(members), span),
        }
    }

    /// A member with its name, or with the unknown value that will be its name.
    fn member(
        &self,
        key: &Key,
        value: &Expression,
        scope: Scope<'_>,
    ) -> Result<(Named, Value), Vec<Problem>> {
        let name = self.key(key, scope);
        let value = self.value(value, scope);
        match (name, value) {
            (Ok(name), Ok(value)) => Ok((name, value)),
            (Err(mut found), Err(more)) => {
                add(&mut found, more);
                Err(found)
            }
            (Err(found), _) | (_, Err(found)) => Err(found),
        }
    }

    /// A key; the inner error is one that is not known yet.
    pub(crate) fn key(&self, key: &Key, scope: Scope<'_>) -> Result<Named, Vec<Problem>> {
        let expression = match key {
            Key::Fixed(name) => return Ok(Ok(name.text.clone())),
            Key::Computed(expression) => expression,
        };
        let value = self.value(expression, scope)?;
        match &value.data {
            // The names of members are shown wherever the object is.
            Data::String(_) | Data::Unknown(_) if value.secret => self.fail(
                codes::WRONG_TYPE,
                expression.span,
                "a secret cannot be used as the name of a property",
            ),
            Data::String(text) => Ok(Ok(text.clone())),
            Data::Unknown(_) => Ok(Err(value)),
            _ => {
                let message = format!(
                    "expected a `string` as the name of the property, found {}",
                    describe(&value)
                );
                self.fail(codes::WRONG_TYPE, expression.span, message)
            }
        }
    }

    /// The members of what is spread into an object; null has none.
    pub(super) fn spread_object(
        &self,
        spread: &Expression,
        scope: Scope<'_>,
    ) -> Result<Spread<Parts>, Vec<Problem>> {
        let value = self.value(spread, scope)?;
        match &value.data {
            Data::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(name, it)| (name.clone(), it.clone().tainted(value.secret)));
                Ok(Spread::Parts(members.collect()))
            }
            Data::Null => Ok(Spread::Parts(Vec::new())),
            Data::Unknown(_) => Ok(Spread::Unknown(value)),
            _ => {
                let message = format!(
                    "expected an `object` to spread into an object, found {}",
                    describe(&value)
                );
                let hint = "write `name: value`, or spread an object";
                self.fail_with(codes::WRONG_TYPE, spread.span, message, hint)
            }
        }
    }

    pub(super) fn array(&self, items: &[Item], scope: Scope<'_>, span: Span) -> Evaluated {
        self.array_of(items, scope, span, &mut |item, _| self.value(item, scope))
    }

    /// A list whose items `each` evaluates, given the place that each will have.
    pub(super) fn array_of(
        &self,
        items: &[Item],
        scope: Scope<'_>,
        span: Span,
        each: &mut dyn FnMut(&Expression, usize) -> Evaluated,
    ) -> Evaluated {
        let mut values = Vec::with_capacity(items.len());
        let mut problems = Vec::new();
        let mut unknown = None;
        for item in items {
            match item {
                Item::Value(value) => match each(value, values.len()) {
                    Ok(value) => values.push(value),
                    Err(found) => add(&mut problems, found),
                },
                Item::Spread(spread) => match self.spread_array(spread, scope) {
                    Ok(Spread::Parts(added)) => values.extend(added),
                    Ok(Spread::Unknown(value)) => unknown = unknown.or(Some(value)),
                    Err(found) => add(&mut problems, found),
                },
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        match unknown {
            Some(unknown) => Ok(of_kind(&unknown, Kind::Array)),
            None => self.weighed(Value::array(values), span),
        }
    }

    pub(super) fn spread_array(
        &self,
        spread: &Expression,
        scope: Scope<'_>,
    ) -> Result<Spread<Vec<Value>>, Vec<Problem>> {
        let value = self.value(spread, scope)?;
        match &value.data {
            Data::Array(items) => {
                let items = items.iter().map(|it| it.clone().tainted(value.secret));
                Ok(Spread::Parts(items.collect()))
            }
            Data::Unknown(_) => Ok(Spread::Unknown(value)),
            _ => {
                let message = format!(
                    "expected an `array` to spread into an array, found {}",
                    describe(&value)
                );
                let hint = "remove `...` to add the value as one item";
                self.fail_with(codes::WRONG_TYPE, spread.span, message, hint)
            }
        }
    }

    pub(super) fn repeat(&self, repeat: &Loop, scope: Scope<'_>, span: Span) -> Evaluated {
        let mut values = Vec::new();
        let mut problems = Vec::new();
        let visited = self.each_round(repeat, scope, |inner| {
            match self.value(&repeat.body, inner) {
                Ok(value) => values.push(value),
                Err(found) => add(&mut problems, found),
            }
            // One broken round tells what is wrong with all of them.
            problems.is_empty()
        })?;
        if !problems.is_empty() {
            return Err(problems);
        }
        match visited {
            Some(unknown) => Ok(of_kind(&unknown, Kind::Array)),
            None => self.weighed(Value::array(values), span),
        }
    }

    /// Calls `visit` for each item until it says no; what is not known has no items, and is returned.
    pub(super) fn each_round(
        &self,
        repeat: &Loop,
        scope: Scope<'_>,
        mut visit: impl FnMut(Scope<'_>) -> bool,
    ) -> Result<Option<Value>, Vec<Problem>> {
        let list = self.value(&repeat.list, scope)?;
        let items = match &list.data {
            Data::Array(items) => items,
            Data::Unknown(_) => return Ok(Some(list)),
            _ => {
                let message =
                    format!("expected an `array` to loop over, found {}", describe(&list));
                return self.fail(codes::LOOP_OVER, repeat.list.span, message);
            }
        };
        for (index, item) in items.iter().enumerate() {
            let item = item.clone().tainted(list.secret);
            let index = Value::int(i64::try_from(index).unwrap_or(i64::MAX));
            let outer = scope.local_at(repeat.level, &item);
            let inner = Scope::inside(&outer).local_at(repeat.level + 1, &index);
            if !visit(Scope::inside(&inner)) {
                break;
            }
        }
        Ok(None)
    }
}

/// An unknown value that will be of a kind.
pub(super) fn of_kind(unknown: &Value, kind: Kind) -> Value {
    match &unknown.data {
        Data::Unknown(it) => Value::unknown(Some(kind), it.because.clone()).tainted(unknown.secret),
        _ => unknown.clone(),
    }
}
