//! Members that are declared `@secure()`: their values are secrets wherever they come from.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Slot, Table, Type};
use crate::value::{Data, Members, Value};

/// How deep members are looked for.
const MOST_DEPTH: usize = 100;

impl<'a> Table<'a> {
    /// Whether values of a type are secret, or may hold something that is.
    pub(crate) fn holds_secure(self, value_type: &'a Type) -> bool {
        // What has a name is looked into once, so that this ends where types hold themselves.
        let mut seen: HashSet<*const Slot> = HashSet::new();
        let mut open = vec![value_type];
        let mut slots: Vec<&'a Slot> = Vec::new();
        loop {
            if slots.iter().any(|slot| slot.secure) {
                return true;
            }
            open.extend(slots.drain(..).map(|slot| &slot.value_type));
            let Some(next) = open.pop() else { return false };
            match next {
                Type::Declared(reference) => {
                    slots.extend(self.get(reference).filter(|it| seen.insert(&raw const **it)));
                }
                Type::Part(part) => {
                    slots.extend(self.part(part).filter(|it| seen.insert(&raw const **it)));
                }
                Type::Nullable(inner) | Type::NonNull(inner) => open.push(inner),
                Type::Discriminated(it) => open.push(&it.union),
                Type::Union(members) => open.extend(members),
                Type::List(item) => slots.push(item),
                Type::Tuple(items) => slots.extend(items),
                Type::Object(object) => {
                    slots.extend(object.members.iter().map(|(_, slot)| slot));
                    slots.extend(&object.others);
                }
                Type::Any | Type::Kind(_) | Type::Literal(_) | Type::Foreign(_) => {}
            }
        }
    }

    /// The value, secret where its type says so.
    pub(crate) fn secured_type(self, value_type: &Type, value: Value) -> Value {
        self.secured_type_within(value_type, value, MOST_DEPTH)
    }

    fn secured_within(self, slot: &Slot, value: Value, left: usize) -> Value {
        let value = value.tainted(slot.secure);
        let Some(left) = left.checked_sub(1) else { return value };
        self.secured_type_within(&slot.value_type, value, left)
    }

    fn secured_type_within(self, value_type: &Type, value: Value, left: usize) -> Value {
        let Some(left) = left.checked_sub(1) else { return value };
        match (value_type, &value.data) {
            (Type::Declared(reference), _) => match self.get(reference) {
                Some(slot) => self.secured_within(slot, value, left),
                None => value,
            },
            (Type::Part(part), _) => match self.part(part) {
                Some(slot) => self.secured_within(slot, value, left),
                None => value,
            },
            (Type::Nullable(inner) | Type::NonNull(inner), _) => {
                self.secured_type_within(inner, value, left)
            }
            (Type::Discriminated(it), _) => self.secured_type_within(&it.union, value, left),
            // Which of them it is does not matter: what one of them hides is hidden.
            (Type::Union(members), Data::Object(_)) => members
                .iter()
                .take(100)
                .fold(value, |value, member| self.secured_type_within(member, value, left / 2)),
            (Type::List(item), Data::Array(items)) => {
                let items = items.iter().map(|it| self.secured_within(item, it.clone(), left));
                let data = Data::Array(Arc::new(items.collect()));
                Value { data, secret: value.secret }
            }
            (Type::Tuple(slots), Data::Array(items)) => {
                let items = items.iter().enumerate().map(|(index, it)| match slots.get(index) {
                    Some(slot) => self.secured_within(slot, it.clone(), left),
                    None => it.clone(),
                });
                let data = Data::Array(Arc::new(items.collect()));
                Value { data, secret: value.secret }
            }
            (Type::Object(object), Data::Object(members)) => {
                let members = members.iter().map(|(name, it)| {
                    let slot = object.member(name).or(object.others.as_ref());
                    let it = it.clone();
                    let it = match slot {
                        Some(slot) => self.secured_within(slot, it, left),
                        None => it,
                    };
                    (name.clone(), it)
                });
                let data = Data::Object(Arc::new(members.collect::<Members>()));
                Value { data, secret: value.secret }
            }
            _ => value,
        }
    }
}
