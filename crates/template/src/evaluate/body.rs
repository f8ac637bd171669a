//! The body of a node: its properties, and where each of them is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_diag::Span;

use super::collection::Spread;
use super::facts::Instance;
use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::deployment::{Body, Written};
use crate::ir::{Entry, Expression, ExpressionKind, Item, Loop, ResourceDeclaration};
use crate::source::{Problem, add};
use crate::types::describe;
use crate::value::{Data, Members, Value};

/// Where properties are written, by pointer.
type Places = BTreeMap<String, Written>;

impl Evaluator<'_> {
    /// What the body of an instance comes to.
    pub(crate) fn body(
        &self,
        declared: &ResourceDeclaration,
        instance: &Instance,
    ) -> Result<Body, Vec<Problem>> {
        instance.with_scope(|scope| {
            let name = declared.identifier.as_ref().map(|it| self.identifier(it, scope));
            let properties = self.body_properties(declared, scope);
            match (name.transpose(), properties) {
                (Ok(name), Ok((properties, places))) => Ok(Body { properties, name, places }),
                (Err(mut found), Err(more)) => {
                    add(&mut found, more);
                    Err(found)
                }
                (Err(found), _) | (_, Err(found)) => Err(found),
            }
        })
    }

    fn identifier(&self, expression: &Expression, scope: Scope<'_>) -> Evaluated {
        let value = self.value(expression, scope)?;
        match &value.data {
            Data::String(_) | Data::Unknown(_) => Ok(value),
            _ => {
                let message = format!("`name`: expected `string`, found {}", describe(&value));
                self.fail(codes::WRONG_TYPE, expression.span, message)
            }
        }
    }

    fn body_properties(
        &self,
        declared: &ResourceDeclaration,
        scope: Scope<'_>,
    ) -> Result<(Value, Places), Vec<Problem>> {
        let mut places = Places::new();
        let Some(expression) = &declared.properties else {
            let place = self.unit.place(declared.body);
            places.insert(String::new(), Written { key: place.clone(), value: place });
            return Ok((Value::object(Members::new()), places));
        };
        let place = self.unit.place(expression.span);
        places.insert(String::new(), Written { key: place.clone(), value: place });
        let mut pointer = String::new();
        let value = self.written(expression, scope, &mut pointer, &mut places)?;
        if !matches!(value.data, Data::Object(_) | Data::Unknown(_)) {
            let message = format!("`properties`: expected `object`, found {}", describe(&value));
            return self.fail(codes::WRONG_TYPE, expression.span, message);
        }
        let value = self.without_nulls(value, &mut pointer, &mut places)?;
        Ok((value, places))
    }

    /// Evaluates an expression and notes where its parts are written.
    fn written(
        &self,
        expression: &Expression,
        scope: Scope<'_>,
        pointer: &mut String,
        places: &mut Places,
    ) -> Evaluated {
        match &expression.kind {
            ExpressionKind::Object(entries) => {
                self.written_object(entries, scope, pointer, places, expression.span)
            }
            ExpressionKind::Array(items) => {
                self.written_array(items, scope, pointer, places, expression.span)
            }
            ExpressionKind::Loop(repeat) => {
                self.written_loop(repeat, scope, pointer, places, expression.span)
            }
            ExpressionKind::Ternary(ternary) => {
                let condition = self.value(&ternary.condition, scope)?;
                let taken = match &condition.data {
                    Data::Bool(true) => &ternary.then,
                    Data::Bool(false) => &ternary.otherwise,
                    // Whatever else it is, it is told there.
                    _ => return self.value(expression, scope),
                };
                let value = self.written(taken, scope, pointer, places)?;
                Ok(value.tainted(condition.secret))
            }
            _ => self.value(expression, scope),
        }
    }

    fn written_object(
        &self,
        entries: &[Entry],
        scope: Scope<'_>,
        pointer: &mut String,
        places: &mut Places,
        span: Span,
    ) -> Evaluated {
        let mut members = Members::new();
        let mut problems = Vec::new();
        let mut unknown = None;
        for entry in entries {
            match entry {
                Entry::Member { key, value } => {
                    let name = match self.key(key, scope) {
                        Ok(Ok(name)) => name,
                        Ok(Err(key)) => {
                            unknown = unknown.or(Some(key));
                            continue;
                        }
                        Err(found) => {
                            add(&mut problems, found);
                            continue;
                        }
                    };
                    let length = push(pointer, &name);
                    if members.contains_key(&name) {
                        forget(places, pointer);
                    }
                    let key = self.unit.place(key.span());
                    let place = self.unit.place(value.span);
                    places.insert(pointer.clone(), Written { key, value: place });
                    match self.written(value, scope, pointer, places) {
                        Ok(value) => {
                            members.insert(name, value);
                        }
                        Err(found) => add(&mut problems, found),
                    }
                    pointer.truncate(length);
                }
                Entry::Spread(spread) => match self.spread_object(spread, scope) {
                    Ok(Spread::Parts(added)) => {
                        for (name, value) in added {
                            let length = push(pointer, &name);
                            forget(places, pointer);
                            let place = self.unit.place(spread.span);
                            let written = Written { key: place.clone(), value: place };
                            places.insert(pointer.clone(), written);
                            pointer.truncate(length);
                            members.insert(name, value);
                        }
                    }
                    Ok(Spread::Unknown(value)) => unknown = unknown.or(Some(value)),
                    Err(found) => add(&mut problems, found),
                },
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        match unknown {
            Some(unknown) => Ok(super::collection::of_kind(&unknown, crate::value::Kind::Object)),
            None => self.weighed(Value::object(members), span),
        }
    }

    fn written_array(
        &self,
        items: &[Item],
        scope: Scope<'_>,
        pointer: &mut String,
        places: &mut Places,
        span: Span,
    ) -> Evaluated {
        self.array_of(items, scope, span, &mut |item, index| {
            self.written_item(item, index, scope, pointer, places)
        })
    }

    fn written_loop(
        &self,
        repeat: &Loop,
        scope: Scope<'_>,
        pointer: &mut String,
        places: &mut Places,
        span: Span,
    ) -> Evaluated {
        let mut values = Vec::new();
        let mut problems = Vec::new();
        let visited = self.each_round(repeat, scope, |inner| {
            match self.written_item(&repeat.body, values.len(), inner, pointer, places) {
                Ok(value) => values.push(value),
                Err(found) => add(&mut problems, found),
            }
            problems.is_empty()
        })?;
        if !problems.is_empty() {
            return Err(problems);
        }
        match visited {
            Some(unknown) => Ok(super::collection::of_kind(&unknown, crate::value::Kind::Array)),
            None => self.weighed(Value::array(values), span),
        }
    }

    fn written_item(
        &self,
        item: &Expression,
        index: usize,
        scope: Scope<'_>,
        pointer: &mut String,
        places: &mut Places,
    ) -> Evaluated {
        let length = push(pointer, &index.to_string());
        let place = self.unit.place(item.span);
        places.insert(pointer.clone(), Written { key: place.clone(), value: place });
        let value = self.written(item, scope, pointer, places);
        pointer.truncate(length);
        value
    }

    /// The value without members that are null: a template means by null that it says nothing.
    fn without_nulls(&self, value: Value, pointer: &mut String, places: &mut Places) -> Evaluated {
        if !holds_null(&value) {
            return Ok(value);
        }
        let data = match &value.data {
            Data::Object(members) => {
                let mut kept = Members::new();
                for (name, member) in members.iter() {
                    let length = push(pointer, name);
                    if matches!(member.data, Data::Null) {
                        forget(places, pointer);
                    } else {
                        let member = self.without_nulls(member.clone(), pointer, places)?;
                        kept.insert(name.clone(), member);
                    }
                    pointer.truncate(length);
                }
                Data::Object(Arc::new(kept))
            }
            Data::Array(items) => {
                let mut kept = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let length = push(pointer, &index.to_string());
                    if matches!(item.data, Data::Null) {
                        let message = "an array in the resource's properties contains null";
                        let hint = "remove the item, for example with `filter(list, item => item != null)`";
                        let span = nearest_place(places, pointer);
                        return self.fail_with(codes::NULL_IN_LIST, span, message, hint);
                    }
                    kept.push(self.without_nulls(item.clone(), pointer, places)?);
                    pointer.truncate(length);
                }
                Data::Array(Arc::new(kept))
            }
            data => data.clone(),
        };
        Ok(Value { data, secret: value.secret })
    }
}

/// Whether null is inside of a value.
fn holds_null(value: &Value) -> bool {
    let is_null = |it: &Value| matches!(it.data, Data::Null) || holds_null(it);
    match &value.data {
        Data::Array(items) => items.iter().any(is_null),
        Data::Object(members) => members.values().any(is_null),
        _ => false,
    }
}

/// Adds a part to a pointer; returns how long it was.
fn push(pointer: &mut String, part: &str) -> usize {
    let length = pointer.len();
    pointer.push('/');
    if part.contains(['~', '/']) {
        pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(part);
    }
    length
}

/// Forgets where a property and all in it are written.
fn forget(places: &mut Places, pointer: &str) {
    let inside = format!("{pointer}/");
    places.remove(pointer);
    let gone: Vec<String> = places
        .range(inside.clone()..)
        .map(|(at, _)| at)
        .take_while(|at| at.starts_with(&inside))
        .cloned()
        .collect();
    for at in gone {
        places.remove(&at);
    }
}

/// Where a property is written, or what is around it.
fn nearest_place(places: &Places, pointer: &str) -> Span {
    let mut at = pointer;
    loop {
        if let Some(written) = places.get(at) {
            return written.value.span;
        }
        match at.rsplit_once('/') {
            Some((around, _)) => at = around,
            None => return Span::new(0, 0),
        }
    }
}
