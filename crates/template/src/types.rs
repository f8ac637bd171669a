//! The types that values can be declared with.
//!
//! A declared type is a reference, so that types may hold themselves; whoever looks into one asks a [`Table`].

mod advice;
mod bounds;
mod check;
mod print;
mod secure;

use std::sync::Arc;

use crate::ir::{Bounds, Remarks, TypeDeclaration, Unit};
use crate::value::{Data, Kind, Value};
pub(crate) use advice::{Advice, advice_for_kind};
pub(crate) use check::{Misfit, Reason, Step};

/// How many references to types are followed one after another.
const MOST_REFERENCES: usize = 200;

/// What a value may be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    /// Anything; also where the type is wrong, which was reported.
    Any,
    /// Any value of a kind.
    Kind(Kind),
    /// A list of items of a type.
    List(Box<Slot>),
    /// A list of so many items, each of its own type.
    Tuple(Vec<Slot>),
    /// Names and values.
    Object(Box<ObjectType>),
    /// This value alone.
    Literal(Value),
    /// Any of these.
    Union(Vec<Type>),
    /// A union of objects that one of their members tells apart.
    Discriminated(Box<Discriminated>),
    /// The type, or null.
    Nullable(Box<Type>),
    /// The type without null.
    NonNull(Box<Type>),
    /// A type that is declared by a name.
    Declared(Reference),
    /// A part of a type: `T.name`, `T[0]`, `T.*`, `T[*]`.
    Part(Box<Part>),
    /// A type of Azure's, as it is written: anything, for Hangar does not know them.
    Foreign(Arc<str>),
}

/// A type with what decorators add to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slot {
    pub(crate) value_type: Type,
    pub(crate) secure: bool,
    pub(crate) bounds: Bounds,
    pub(crate) remarks: Remarks,
}

impl Slot {
    /// A type with no decorators.
    pub(crate) fn plain(value_type: Type) -> Self {
        Self { value_type, secure: false, bounds: Bounds::default(), remarks: Remarks::default() }
    }
}

/// The members of an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ObjectType {
    pub(crate) members: Vec<(Arc<str>, Slot)>,
    /// `*:`, the type of all members that are not named.
    pub(crate) others: Option<Slot>,
    /// Whether members that are not named are mistakes.
    pub(crate) sealed: bool,
}

impl ObjectType {
    pub(crate) fn member(&self, name: &str) -> Option<&Slot> {
        self.members.iter().find(|(it, _)| **it == *name).map(|(_, slot)| slot)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Discriminated {
    /// The member that tells them apart.
    pub(crate) by: Arc<str>,
    pub(crate) union: Type,
}

/// A type by its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The file, by its place in [`Units::list`](crate::ir::Units).
    pub(crate) unit: usize,
    /// Its place in [`Unit::types`].
    pub(crate) index: usize,
    /// Its name where it is declared.
    pub(crate) name: Arc<str>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) base: Type,
    pub(crate) step: PartStep,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartStep {
    /// `.name`.
    Member(Arc<str>),
    /// `.*`: members that are not named.
    OtherMembers,
    /// `[0]`: an item of a tuple.
    Item(usize),
    /// `[*]`: the items of a list.
    Items,
}

/// The declared types that can be looked into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    units: &'a [Unit],
    /// The file that is being lowered, which is not among the others yet.
    own: Option<(usize, &'a [TypeDeclaration])>,
}

impl<'a> Table<'a> {
    pub(crate) const fn of(units: &'a [Unit]) -> Self {
        Self { units, own: None }
    }

    /// Those of other files, and of one that is not finished.
    pub(crate) const fn with_own(
        units: &'a [Unit],
        unit: usize,
        types: &'a [TypeDeclaration],
    ) -> Self {
        Self { units, own: Some((unit, types)) }
    }

    /// What a reference stands for.
    pub(crate) fn get(self, reference: &Reference) -> Option<&'a Slot> {
        match self.own {
            Some((unit, types)) if unit == reference.unit => {
                types.get(reference.index).map(|it| &it.slot)
            }
            _ => Some(&self.units.get(reference.unit)?.types.get(reference.index)?.slot),
        }
    }

    /// The part that a step leads to.
    pub(crate) fn part(self, part: &'a Part) -> Option<&'a Slot> {
        let base = self.resolve(&part.base)?;
        match (&part.step, base) {
            (PartStep::Member(name), Type::Object(object)) => object.member(name),
            (PartStep::OtherMembers, Type::Object(object)) => object.others.as_ref(),
            (PartStep::Item(index), Type::Tuple(items)) => items.get(*index),
            (PartStep::Items, Type::List(item)) => Some(item),
            _ => None,
        }
    }

    /// The type behind references, parts and nulls.
    pub(crate) fn resolve(self, value_type: &'a Type) -> Option<&'a Type> {
        self.resolve_within(value_type, MOST_REFERENCES)
    }

    fn resolve_within(self, value_type: &'a Type, left: usize) -> Option<&'a Type> {
        let left = left.checked_sub(1)?;
        match value_type {
            Type::Declared(reference) => {
                self.resolve_within(&self.get(reference)?.value_type, left)
            }
            Type::Part(part) => self.resolve_within(&self.part(part)?.value_type, left),
            Type::Nullable(inner) | Type::NonNull(inner) => self.resolve_within(inner, left),
            other => Some(other),
        }
    }

    /// The kind of a type's values, where it has only one.
    pub(crate) fn kind(self, value_type: &'a Type) -> Option<Kind> {
        self.kind_within(value_type, MOST_REFERENCES)
    }

    fn kind_within(self, value_type: &'a Type, left: usize) -> Option<Kind> {
        let left = left.checked_sub(1)?;
        match self.resolve(value_type)? {
            Type::Kind(kind) => Some(*kind),
            Type::List(_) | Type::Tuple(_) => Some(Kind::Array),
            Type::Object(_) | Type::Discriminated(_) => Some(Kind::Object),
            Type::Literal(value) => value.kind(),
            Type::Union(members) => {
                // A union is as many types as it has members: only the first few levels are looked at.
                let mut kinds = members.iter().take(1_000).map(|it| self.kind_within(it, left / 4));
                let first = kinds.next()??;
                kinds.all(|kind| kind == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// Whether null is a value of a type.
    pub(crate) fn is_nullable(self, value_type: &'a Type) -> bool {
        let mut at = value_type;
        for _ in 0..MOST_REFERENCES {
            at = match at {
                Type::Nullable(_) | Type::Kind(Kind::Null) => return true,
                Type::Declared(reference) => match self.get(reference) {
                    Some(slot) => &slot.value_type,
                    None => return false,
                },
                Type::Part(part) => match self.part(part) {
                    Some(slot) => &slot.value_type,
                    None => return false,
                },
                _ => return false,
            };
        }
        false
    }
}

/// What a value is, in words, without saying its value.
pub(crate) fn describe(value: &Value) -> String {
    match (&value.data, value.kind()) {
        (Data::Decimal(_), _) => "a decimal number".to_owned(),
        (_, Some(kind)) => format!("`{kind}`"),
        (_, None) => "a value that is not known yet".to_owned(),
    }
}

#[cfg(test)]
mod tests;
