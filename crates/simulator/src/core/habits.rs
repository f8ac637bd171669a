//! AWS's habits: how a service changes the model that a handler was given before a read returns it.
//!
//! Everything here is a pure function. `data/habits.tsv` states the habits of single types, `general`
//! has those of every type. No code names a type.

pub mod added;
mod general;
mod rows;
mod sibling;
mod spelling;
mod steps;

use hangar_schema::TypeSchema;
use serde_json::{Map, Value};

use super::place::Place;
use super::random::Random;
use added::AddedHabits;
use rows::{Element, Habit, ItemOrder, Row};
use steps::{visit, visit_holders};

pub(super) use sibling::{SharedElement, shared_elements, with_elements, without_elements};

/// The habits of one type in one account and region.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits<'a> {
    schema: &'a TypeSchema,
    place: &'a Place,
    known: &'static [Row],
    added: &'a AddedHabits,
}

impl<'a> Habits<'a> {
    /// The habits of a type: those of the table, and those that a user added.
    pub(super) fn of(schema: &'a TypeSchema, place: &'a Place, added: &'a AddedHabits) -> Self {
        Self { schema, place, known: rows::of_type(schema.name()), added }
    }

    fn rows(&self) -> impl DoubleEndedIterator<Item = &'a Row> + use<'a> {
        self.known.iter().chain(self.added.of_type(self.schema.name()))
    }

    /// Returns the caller's values as the service spells them. Spelling a result again changes
    /// nothing.
    pub(super) fn respell(&self, stated: &Value) -> Value {
        let mut model = stated.clone();
        general::respell(self, &mut model);
        for row in self.rows() {
            if let Habit::Spelling(spelling) = &row.habit {
                visit(&mut model, &row.steps, &mut |value| spelling.apply(value, self.place));
            }
        }
        model
    }

    /// Adds the values and elements that the service adds. An addition that `is_sound` rejects,
    /// because the caller's values exclude it, is left out.
    pub(super) fn fill(
        &self,
        model: &Value,
        random: &mut Random,
        is_sound: &dyn Fn(&Value) -> bool,
    ) -> Value {
        let mut filled = model.clone();
        let uuid = random.uuid();
        let mut additions = 0;
        // From the leaves to the root: a default for a whole object needs no defaults within.
        for row in self.rows().rev() {
            additions += usize::from(self.add(row, &mut filled, &uuid));
        }
        if additions == 0 || is_sound(&filled) {
            return filled;
        }
        let mut filled = model.clone();
        for row in self.rows().rev() {
            let mut next = filled.clone();
            if self.add(row, &mut next, &uuid) && is_sound(&next) {
                filled = next;
            }
        }
        filled
    }

    /// Adds what a row states; returns whether the model changed.
    fn add(&self, row: &Row, model: &mut Value, uuid: &str) -> bool {
        let expand = |value: &Value, model: &Value| expand(value, self.place, uuid, model);
        let mut is_changed = false;
        match &row.habit {
            Habit::Default(value) => {
                let Some(value) = expand(value, model) else { return false };
                visit_holders(model, &row.steps, &mut |members, name| {
                    if !members.contains_key(name) {
                        members.insert(name.to_owned(), value.clone());
                        is_changed = true;
                    }
                });
            }
            Habit::Element(Element { keys, value }) => {
                let Some(element) = expand(value, model) else { return false };
                visit_holders(model, &row.steps, &mut |members, name| {
                    is_changed |= add_element(members, name, keys, &element);
                });
            }
            _ => {}
        }
        is_changed
    }

    /// Brings arrays into the order in which the service returns them.
    pub(super) fn reorder(&self, model: &Value, random: &mut Random) -> Value {
        let mut model = model.clone();
        general::reorder(self, &mut model, random);
        for row in self.rows() {
            let Habit::Order(order) = row.habit else { continue };
            visit(&mut model, &row.steps, &mut |value| {
                let Value::Array(items) = value else { return };
                match order {
                    ItemOrder::Sorted => items.sort_by_cached_key(Value::to_string),
                    ItemOrder::Shuffled => general::shuffle(items, random),
                    ItemOrder::Kept => {}
                }
            });
        }
        model
    }

    /// Puts back the values whose removal the service accepts and ignores.
    pub(super) fn keep_ignored_removals(&self, before: &Value, after: &mut Value) {
        let mut before = before.clone();
        for row in self.rows().filter(|row| matches!(row.habit, Habit::KeepsRemoved)) {
            let mut kept = None;
            visit_holders(&mut before, &row.steps, &mut |members, name| {
                kept = members.get(name).cloned();
            });
            let Some(kept) = kept else { continue };
            visit_holders(after, &row.steps, &mut |members, name| {
                members.entry(name).or_insert_with(|| kept.clone());
            });
        }
    }

    /// Removes the values that a read does not return, although the schema does not say so.
    pub(super) fn hide(&self, readable: &mut Value) {
        for row in self.rows().filter(|row| matches!(row.habit, Habit::NotReturned)) {
            visit_holders(readable, &row.steps, &mut |members, name| {
                members.remove(name);
            });
        }
    }
}

/// Adds an element unless one with the same keys exists; returns whether it was added.
fn add_element(
    members: &mut Map<String, Value>,
    name: &str,
    keys: &[String],
    element: &Value,
) -> bool {
    let items = members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(items) = items else { return false };
    // The service refuses such elements, so no array of theirs is known.
    if !items.iter().all(|item| keys.iter().all(|key| item.get(key).is_some())) {
        return false;
    }
    let is_same = |item: &Value| keys.iter().all(|key| item.get(key) == element.get(key));
    if items.iter().any(is_same) {
        return false;
    }
    items.push(element.clone());
    true
}

/// A value of the table with its placeholders replaced; none if a property that it needs is absent.
fn expand(value: &Value, place: &Place, uuid: &str, model: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => {
            let mut text = spelling::in_place(text, place).replace("{uuid}", uuid);
            while let Some((before, rest)) = text.split_once("{/") {
                let (pointer, after) = rest.split_once('}')?;
                let named = model.pointer(&format!("/{pointer}"))?.as_str()?;
                text = format!("{before}{named}{after}");
            }
            text.into()
        }
        Value::Array(items) => {
            items.iter().map(|item| expand(item, place, uuid, model)).collect::<Option<_>>()?
        }
        Value::Object(members) => {
            let expanded = members.iter().map(|(name, member)| {
                expand(member, place, uuid, model).map(|member| (name.clone(), member))
            });
            Value::Object(expanded.collect::<Option<_>>()?)
        }
        scalar => scalar.clone(),
    })
}

#[cfg(test)]
mod tests;
