//! `type name = …`: types by names, and those that would hold themselves for ever.

use std::collections::BTreeMap;

use super::Lowering;
use super::cycle::components;
use super::decorator::Target;
use crate::codes;
use crate::ir::TypeDeclaration;
use crate::syntax::ast::{self, Statement};
use crate::types::{Slot, Type};

impl<'t> Lowering<'t> {
    /// A place for a type, so that others may name it before it is lowered.
    pub(super) fn type_outline(&mut self, view: ast::TypeAlias<'t>) -> usize {
        let name = Self::name(view.name());
        self.types.push(TypeDeclaration { name, slot: Slot::plain(Type::Any), exported: false });
        self.types.len() - 1
    }

    pub(super) fn type_declaration(&mut self, index: usize, view: ast::TypeAlias<'t>) {
        let (value_type, _) = self.type_or_any(view.type_expression());
        let decorators: Vec<_> = Statement::TypeAlias(view).decorators().collect();
        let (slot, exported) = self.slot(decorators, Target::Type, value_type);
        self.types[index].slot = slot;
        self.types[index].exported = exported;
    }

    /// Types that hold themselves, and need to: no value is ever of one.
    pub(super) fn check_type_circles(&mut self) {
        let own = self.around.units.len();
        let mut needs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, declared) in self.types.iter().enumerate() {
            let mut found = Vec::new();
            if self.is_derived(index) {
                needs.insert(index, found);
                continue;
            }
            required(&declared.slot.value_type, true, own, &mut found);
            needs.insert(index, found);
        }
        for component in components(&needs) {
            let is_circle =
                component.len() > 1 || component.first().is_some_and(|it| needs[it].contains(it));
            if !is_circle {
                continue;
            }
            for index in &component {
                let name = self.types[*index].name.clone();
                let hint = "make the recursive property nullable (`?`) or an array (`[]`)";
                let (code, message) = if component.len() == 1 {
                    (codes::TYPE_HOLDS_ITSELF, "the type requires itself".to_owned())
                } else {
                    let names: Vec<String> = component
                        .iter()
                        .map(|it| format!("`{}`", self.types[*it].name.text))
                        .collect();
                    let message = format!("the types require each other: {}", names.join(", "));
                    (codes::TYPE_CIRCLE, message)
                };
                self.error(code, name.span, message).hints.push(hint.to_owned());
            }
            // Nothing looks into what is endless.
            for index in component {
                self.types[index].slot.value_type = Type::Any;
            }
        }
    }
}

/// The types of this file that every value of a type holds.
fn required(value_type: &Type, is_whole: bool, own: usize, found: &mut Vec<usize>) {
    match value_type {
        Type::Declared(reference) if reference.unit == own => found.push(reference.index),
        Type::Part(part) => required(&part.base, is_whole, own, found),
        Type::NonNull(inner) => required(inner, is_whole, own, found),
        // Null, or an empty list, ends it.
        Type::Nullable(inner) if is_whole => required(inner, is_whole, own, found),
        Type::Union(members) => {
            for member in members {
                required(member, is_whole, own, found);
            }
        }
        Type::Discriminated(it) => required(&it.union, is_whole, own, found),
        Type::Tuple(items) => {
            for item in items {
                required(&item.value_type, false, own, found);
            }
        }
        Type::Object(object) => {
            for (_, member) in &object.members {
                required(&member.value_type, false, own, found);
            }
        }
        _ => {}
    }
}
