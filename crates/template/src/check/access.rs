//! Members and indices of what is written out.

use hangar_diag::{Diagnostic, Span};

use super::{Check, unknown};
use crate::codes;
use crate::ir::{ExpressionKind, Index, Member};
use crate::near::near;
use crate::types::{Type, describe};
use crate::value::{Data, Kind, Value};

impl<'a> Check<'a> {
    pub(super) fn member(&mut self, member: &'a Member) -> Value {
        if let Some(declared) = self.type_of_output(member) {
            return self.of_type(declared);
        }
        // What can be read of these was looked at when they were bound.
        if matches!(member.base.kind, ExpressionKind::Resource(_) | ExpressionKind::Module(_)) {
            return unknown(None);
        }
        if let Some(shape) = self.declared_member(member) {
            return shape;
        }
        let base = self.shape(&member.base);
        let name = &member.name;
        match &base.data {
            Data::Object(members) => {
                if let Some(shape) = members.get(&name.text) {
                    return shape.clone();
                }
                if !member.safe {
                    self.no_such_member(members.keys().map(AsRef::as_ref), member);
                }
            }
            _ => match base.kind() {
                None | Some(Kind::Object | Kind::Null) => {}
                Some(Kind::Array) if self.is_quoted(member) => {
                    let message = "the index of an array must be an `int`".to_owned();
                    let hint = format!(
                        "write `[0]`, or `first(filter(…, item => item.name == '{}'))`",
                        name.text
                    );
                    self.tell(codes::LIST_INDEX, name.span, message).hints.push(hint);
                }
                Some(_) if self.is_quoted(member) => {
                    let found = describe(&base);
                    let message = format!("only arrays and objects can be indexed, found {found}");
                    let hint = self.hint_without_parts(member.base.span, name.span);
                    self.tell(codes::NOT_INDEXED, member.base.span, message).hints.push(hint);
                }
                Some(_) => {
                    let found = describe(&base);
                    let message = format!(
                        "cannot read the property `{}` of {found}: only objects have properties",
                        name.text
                    );
                    let hint = match base.kind() {
                        Some(Kind::Array) => {
                            let list = self.written(member.base.span);
                            format!(
                                "write `{list}[0].{0}`, or `map({list}, item => item.{0})`",
                                name.text
                            )
                        }
                        _ => format!("remove `.{}`", name.text),
                    };
                    self.tell(codes::NO_PROPERTIES, name.span, message).hints.push(hint);
                }
            },
        }
        unknown(None)
    }

    /// A member of a value whose type is declared as an object.
    fn declared_member(&mut self, member: &'a Member) -> Option<Value> {
        let declared = self.type_of(&member.base)?;
        let Type::Object(object) = self.table.resolve(declared)? else { return None };
        let may_be_null = member.safe || self.table.is_nullable(declared);
        let slot = object.member(&member.name.text).or(object.others.as_ref());
        let is_missing = slot.is_none() && object.sealed && !member.safe;
        if slot.is_none() && !is_missing {
            return None;
        }
        // What is wrong with the base is reported, too.
        self.shape(&member.base);
        if is_missing {
            self.no_such_member(object.members.iter().map(|(name, _)| &**name), member);
        }
        let slot = slot.filter(|_| !may_be_null);
        Some(slot.map_or_else(|| unknown(None), |slot| self.of_type(&slot.value_type)))
    }

    /// `module.outputs.name`: what the output is declared as.
    pub(super) fn type_of_output(&self, member: &Member) -> Option<&'a Type> {
        let ExpressionKind::Member(outputs) = &member.base.kind else { return None };
        let module = match &outputs.base.kind {
            ExpressionKind::Module(module) => *module,
            ExpressionKind::Index(index) => match index.base.kind {
                ExpressionKind::Module(module) => module,
                _ => return None,
            },
            _ => return None,
        };
        let declared = self.unit.modules.get(module)?;
        // One that may be left out may be null.
        if &*outputs.name.text != "outputs" || outputs.safe || member.safe {
            return None;
        }
        let unit = self.units.get(declared.unit)?;
        let output = unit.outputs.iter().find(|it| it.name.text == member.name.text)?;
        Some(&output.value_type)
    }

    /// Whether it is written as `a['b']`.
    fn is_quoted(&self, member: &Member) -> bool {
        let text = self.unit.sources.text(&self.unit.file).unwrap_or_default();
        text.get(member.name.span.start..).is_some_and(|rest| rest.starts_with('\''))
    }

    fn no_such_member<'n>(&mut self, names: impl Iterator<Item = &'n str>, member: &Member) {
        let names: Vec<&str> = names.collect();
        let name = &member.name;
        let message = format!("the property `{}` does not exist on the object", name.text);
        let diagnostic = match near(&name.text, names.iter().copied()) {
            Some(near) => Diagnostic::error(codes::NO_SUCH_PROPERTY_NEAR, message)
                .hint(format!("did you mean `{near}`?")),
            None if names.is_empty() => Diagnostic::error(codes::EMPTY_OBJECT, message)
                .hint(format!("add `{0}: …` to the object, or remove `.{0}`", name.text)),
            None => {
                let more = if names.len() > 12 { ", …" } else { "" };
                let shown: Vec<_> = names.iter().take(12).map(|it| format!("`{it}`")).collect();
                Diagnostic::error(codes::NO_SUCH_PROPERTY, message)
                    .hint(format!("available properties: {}{more}", shown.join(", ")))
            }
        };
        self.found.push(diagnostic.at(name.span, ""));
    }

    fn hint_without_parts(&self, base: Span, at: Span) -> String {
        format!("remove `[{}]` after `{}`", self.written(at), self.written(base))
    }

    pub(super) fn index(&mut self, index: &'a Index) -> Value {
        let base = self.shape(&index.base);
        let at = self.shape(&index.at);
        match (base.kind(), at.kind()) {
            (Some(Kind::Array), Some(kind)) if kind != Kind::Int => {
                let message = "the index of an array must be an `int`".to_owned();
                let hint = match at.kind() {
                    Some(Kind::String) => self.hint_for_kind(Kind::Int, &at, index.at.span),
                    _ => Some("write the index as a number, starting at 0".to_owned()),
                };
                self.tell(codes::LIST_INDEX, index.at.span, message).hints.extend(hint);
            }
            (Some(Kind::Object), Some(kind)) if kind != Kind::String => {
                let message =
                    "the index of an object must be a `string`, the name of a property".to_owned();
                let hint = self.hint_for_kind(Kind::String, &at, index.at.span);
                self.tell(codes::OBJECT_INDEX, index.at.span, message).hints.extend(hint);
            }
            (Some(Kind::Bool | Kind::Int | Kind::String), _) => {
                let message =
                    format!("only arrays and objects can be indexed, found {}", describe(&base));
                let hint = self.hint_without_parts(index.base.span, index.at.span);
                self.tell(codes::NOT_INDEXED, index.base.span, message).hints.push(hint);
            }
            _ => {}
        }
        match (&base.data, &at.data) {
            (Data::Array(items), Data::Int(number)) if !index.from_end => {
                let item = usize::try_from(*number).ok().and_then(|it| items.get(it));
                item.cloned().unwrap_or_else(|| unknown(None))
            }
            _ if index.safe => unknown(None),
            _ => match self.item_type(index) {
                Some(declared) => self.of_type(declared),
                None => unknown(None),
            },
        }
    }
}
