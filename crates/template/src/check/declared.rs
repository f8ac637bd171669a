//! The declared types of expressions: a value is known by its type before it is used.

use super::Check;
use crate::ir::{Entry, Expression, ExpressionKind, Index, Item, Key};
use crate::types::{Advice, Misfit, Reason, Step, Type, advice_for_kind};
use crate::value::Data;

/// How deep two types are compared: types may hold themselves.
const MAX_DEPTH: usize = 16;

impl<'a> Check<'a> {
    /// The type that a value, or what it is a part of, is declared with.
    pub(super) fn type_of(&self, expression: &Expression) -> Option<&'a Type> {
        match &expression.kind {
            ExpressionKind::Parameter(index) => Some(&self.unit.parameters.get(*index)?.value_type),
            ExpressionKind::Variable(index) => *self.variable_types.get(*index)?,
            ExpressionKind::Local(level) => self.locals.get(*level).copied(),
            ExpressionKind::Member(member) => {
                if let Some(declared) = self.type_of_output(member) {
                    return Some(declared);
                }
                match self.table.resolve(self.type_of(&member.base)?)? {
                    Type::Object(object) => {
                        let slot = object.member(&member.name.text).or(object.others.as_ref());
                        slot.map(|slot| &slot.value_type)
                    }
                    _ => None,
                }
            }
            ExpressionKind::Index(index) => self.item_type(index),
            ExpressionKind::NonNull(inner) => self.type_of(inner),
            ExpressionKind::CallUser(call) => {
                let is_own = call.function.unit == self.units.len();
                let unit = if is_own { self.unit } else { self.units.get(call.function.unit)? };
                Some(&unit.functions.get(call.function.index)?.result)
            }
            _ => None,
        }
    }

    /// The type of an item of a list or a tuple.
    pub(super) fn item_type(&self, index: &Index) -> Option<&'a Type> {
        match self.table.resolve(self.type_of(&index.base)?)? {
            Type::List(item) => Some(&item.value_type),
            Type::Tuple(items) if !index.from_end => {
                let ExpressionKind::Constant(at) = &index.at.kind else { return None };
                let Data::Int(at) = at.data else { return None };
                let slot = items.get(usize::try_from(at).ok()?)?;
                Some(&slot.value_type)
            }
            _ => None,
        }
    }

    /// Where the declared type of an expression, or of a part that is written in it, is another one than it must be.
    pub(super) fn clash(
        &self,
        wanted: &'a Type,
        expression: &Expression,
        path: &mut Vec<Step>,
    ) -> Option<Misfit> {
        if let Some(given) = self.type_of(expression) {
            return self.clash_of_types(wanted, given, path, 0);
        }
        match (&expression.kind, self.table.resolve(wanted)?) {
            (ExpressionKind::Object(entries), Type::Object(object)) => {
                entries.iter().find_map(|entry| {
                    let Entry::Member { key: Key::Fixed(name), value } = entry else { return None };
                    let slot = object.member(&name.text).or(object.others.as_ref())?;
                    path.push(Step::Member(name.text.clone()));
                    let found = self.clash(&slot.value_type, value, path);
                    path.pop();
                    found
                })
            }
            (ExpressionKind::Array(items), Type::List(slot)) => {
                items.iter().enumerate().find_map(|(at, item)| {
                    let Item::Value(value) = item else { return None };
                    path.push(Step::Item(at));
                    let found = self.clash(&slot.value_type, value, path);
                    path.pop();
                    found
                })
            }
            _ => None,
        }
    }

    /// Where no value of one type has the other, by the kinds of their parts.
    fn clash_of_types(
        &self,
        wanted: &'a Type,
        given: &'a Type,
        path: &mut Vec<Step>,
        depth: usize,
    ) -> Option<Misfit> {
        if depth > MAX_DEPTH {
            return None;
        }
        let kinds = (self.table.kind(wanted)?, self.table.kind(given)?);
        let differs = match (self.table.resolve(wanted)?, self.table.resolve(given)?) {
            _ if kinds.0 != kinds.1 => true,
            (Type::List(wanted), Type::List(given)) => {
                let (wanted, given) = (&wanted.value_type, &given.value_type);
                self.clash_of_types(wanted, given, path, depth + 1).is_some()
            }
            (Type::Object(wanted), Type::Object(given)) => {
                return wanted.members.iter().find_map(|(name, slot)| {
                    let own = given.member(name)?;
                    path.push(Step::Member(name.clone()));
                    let found =
                        self.clash_of_types(&slot.value_type, &own.value_type, path, depth + 1);
                    path.pop();
                    found
                });
            }
            _ => false,
        };
        if !differs {
            return None;
        }
        let (expected, found) = (wanted.to_string(), format!("`{given}`"));
        let advice = if kinds.0 == kinds.1 {
            Some(Advice::Around("map(", ", item => …)"))
        } else {
            advice_for_kind(kinds.0, &super::unknown(Some(kinds.1)))
        };
        Some(Misfit { path: path.clone(), reason: Reason::Kind { expected, found, advice } })
    }
}
