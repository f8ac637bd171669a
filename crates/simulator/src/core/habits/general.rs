//! The habits of every type: how services store policies and documents, and order sets.
//!
//! Only what many services do and nobody has to look up: a set has no order, a document that may be an object or a text
//! is stored parsed, a policy is stored in a form of the service.

use hangar_schema::outline::Outline;
use hangar_schema::policy::looks_like_policy;
use hangar_schema::{Kind, PropertyPointer};
use serde_json::Value;

use super::Habits;
use super::rows::Habit;
use super::spelling::{PolicyForm, parse_document, rewrite_policy};
use crate::core::random::Random;

/// Models are not looked into below this depth.
const MAX_DEPTH: usize = 64;

/// Writes the policies and documents of a model in the form of the service.
pub(super) fn respell(habits: &Habits<'_>, model: &mut Value) {
    Respelling { habits }.walk(habits.schema.outline(), &mut Vec::new(), model);
}

struct Respelling<'a> {
    habits: &'a Habits<'a>,
}

impl Respelling<'_> {
    fn walk(&self, outline: Outline<'_>, path: &mut Vec<String>, value: &mut Value) {
        if path.len() > MAX_DEPTH || outline.classes().is_hidden() || self.is_identifier(path) {
            return;
        }
        let is_free = outline.members().next().is_none();
        match value {
            Value::Object(_) if is_free && looks_like_policy(value) => {
                rewrite_policy(value, self.form(path), self.habits.place);
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let Some(next) = outline.find_member(name).or_else(|| outline.others()) else {
                        continue;
                    };
                    path.push(name.clone());
                    self.walk(next, path, member);
                    path.pop();
                }
            }
            Value::Array(items) => {
                let Some(element) = outline.element() else { return };
                path.push("*".to_owned());
                for item in items.iter_mut() {
                    self.walk(element, path, item);
                }
                path.pop();
            }
            Value::String(text) => {
                let Some(mut document) = parse_document(text) else { return };
                let is_policy = looks_like_policy(&document);
                // A text that is not known to hold a document is returned byte by byte.
                if is_policy || outline.kinds().has(Kind::Object) {
                    rewrite_policy(&mut document, self.form(path), self.habits.place);
                    *text = document.to_string();
                }
            }
            _ => {}
        }
    }

    /// The form of policies at a place: many services return one text where there is only one.
    fn form(&self, path: &[String]) -> PolicyForm {
        let stated = self.habits.rows().find_map(|row| match row.habit {
            Habit::Policy(form) if row.steps == path => Some(form),
            _ => None,
        });
        stated.unwrap_or(PolicyForm::Scalars)
    }

    fn is_identifier(&self, path: &[String]) -> bool {
        let parts = self.habits.schema.primary_identifier().iter();
        let mut names = parts.filter_map(PropertyPointer::member_names);
        names.any(|names| !path.is_empty() && names.iter().eq(path.iter()))
    }
}

/// Shuffles sets: arrays of scalars whose elements must differ and whose order the schema does not
/// state. Arrays with a row of their own stay.
pub(super) fn reorder(habits: &Habits<'_>, model: &mut Value, random: &mut Random) {
    reorder_at(habits.schema.outline(), habits, &mut Vec::new(), model, random);
}

fn reorder_at(
    outline: Outline<'_>,
    habits: &Habits<'_>,
    path: &mut Vec<String>,
    value: &mut Value,
    random: &mut Random,
) {
    if path.len() > MAX_DEPTH || outline.classes().is_hidden() {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let Some(next) = outline.find_member(name).or_else(|| outline.others()) else {
                    continue;
                };
                path.push(name.clone());
                reorder_at(next, habits, path, member, random);
                path.pop();
            }
        }
        Value::Array(items) => {
            if let Some(element) = outline.element() {
                path.push("*".to_owned());
                for item in items.iter_mut() {
                    reorder_at(element, habits, path, item, random);
                }
                path.pop();
            }
            let is_set = items.len() > 1
                && items.iter().all(|item| !item.is_object() && !item.is_array())
                && outline.insertion_order().is_none()
                && outline.limits().has_unique_items;
            let has_row =
                habits.rows().any(|row| matches!(row.habit, Habit::Order(_)) && row.steps == *path);
            if is_set && !has_row {
                shuffle(items, random);
            }
        }
        _ => {}
    }
}

/// Brings items into an order that only the random numbers decide.
pub(super) fn shuffle(items: &mut [Value], random: &mut Random) {
    for at in (1..items.len()).rev() {
        let other = random.below(at as u64 + 1);
        items.swap(at, usize::try_from(other).unwrap_or(at));
    }
}
