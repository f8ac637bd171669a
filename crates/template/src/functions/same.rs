//! Whether two values say the same, whoever may see them, and lists without duplicates.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::value::{Data, Value};

/// Whether two values say the same. What is secret is no different from what is not.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (&a.data, &b.data) {
        (Data::Array(a), Data::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b))
        }
        (Data::Object(a), Data::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b.iter())
                    .all(|((name, a), (other, b))| name == other && is_same(a, b))
        }
        (a, b) => a == b,
    }
}

/// Values in the order in which they came, each once.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    items: Vec<Value>,
    places: HashMap<u64, Vec<usize>>,
}

impl Distinct {
    /// Adds a value that is not there. One that is there becomes secret if this one is: that it was left
    /// out tells what it is.
    pub(super) fn push(&mut self, value: &Value) {
        let places = self.places.entry(digest(value)).or_default();
        if let Some(place) = places.iter().find(|it| is_same(&self.items[**it], value)) {
            self.items[*place].secret |= value.secret;
        } else {
            places.push(self.items.len());
            self.items.push(value.clone());
        }
    }

    pub(super) fn find(&self, value: &Value) -> Option<&Value> {
        let places = self.places.get(&digest(value))?;
        places.iter().map(|it| &self.items[*it]).find(|it| is_same(it, value))
    }

    pub(super) fn into_items(self) -> Vec<Value> {
        self.items
    }
}

impl<'a> FromIterator<&'a Value> for Distinct {
    fn from_iter<T: IntoIterator<Item = &'a Value>>(values: T) -> Self {
        let mut distinct = Self::default();
        values.into_iter().for_each(|it| distinct.push(it));
        distinct
    }
}

fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash(value, &mut hasher);
    hasher.finish()
}

fn hash(value: &Value, hasher: &mut DefaultHasher) {
    std::mem::discriminant(&value.data).hash(hasher);
    match &value.data {
        Data::Null | Data::Unknown(_) => {}
        Data::Bool(truth) => truth.hash(hasher),
        Data::Int(number) => number.hash(hasher),
        Data::Decimal(number) => number.to_string().hash(hasher),
        Data::String(text) => text.hash(hasher),
        Data::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|it| hash(it, hasher));
        }
        Data::Object(members) => {
            members.len().hash(hasher);
            for (name, member) in members.iter() {
                name.hash(hasher);
                hash(member, hasher);
            }
        }
    }
}
