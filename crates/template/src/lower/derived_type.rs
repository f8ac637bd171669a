//! `resourceInput<'AWS.SQS/Queue@default'>`: the types of AWS's resources, if the caller passed a source of them.

use std::ops::Range;
use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use crate::codes;
use crate::ir::{Bounds, Name, Remarks, TypeDeclaration};
use crate::resource_types::{
    ResourceForm, ResourceNode, ResourceSide, ResourceType, ResourceTypeLookup,
};
use crate::syntax::ast::{self, TypeExpression};
use crate::types::{ObjectType, Reference, Slot, Type};
use crate::value::Value;

/// A type that a file has derived from a resource's already.
#[derive(Debug)]
pub(super) struct DerivedType {
    written: Arc<str>,
    side: ResourceSide,
    value_type: Type,
    /// Which types of the file were added for it.
    declared: Range<usize>,
}

impl<'t> Lowering<'t> {
    /// `resourceInput<'type@version'>`, of `AWS` or another extension.
    pub(super) fn type_parameterized(&mut self, view: ast::TypeParameterized<'t>) -> Type {
        let name = match view.base() {
            Some(TypeExpression::TypeName(name)) => name.name(),
            Some(TypeExpression::TypeMember(member)) => member.name(),
            _ => None,
        };
        let side = match name.map(ast::Name::text) {
            Some("resourceInput" | "resourceDerivedType") => ResourceSide::Input,
            Some("resourceOutput") => ResourceSide::Output,
            _ => {
                let span = name.map_or(view.span(), ast::Name::span);
                self.not_supported(
                    span,
                    "types with arguments, except `resourceInput` and `resourceOutput`, are",
                    "write the type without `<…>`, or declare it with `type`",
                );
                return Type::Any;
            }
        };
        let text = self.text_at(view.span());
        let written = match view.arguments().next() {
            Some(TypeExpression::TypeLiteral(literal)) => match literal.value() {
                Some(ast::Expression::String(string)) => {
                    string.literal().map(|text| (text, string.span()))
                }
                _ => None,
            },
            _ => None,
        };
        match written {
            Some((written, span)) => self.derived_type(&written, side, span, text),
            None => Type::Foreign(text),
        }
    }

    fn derived_type(
        &mut self,
        written: &str,
        side: ResourceSide,
        span: Span,
        text: Arc<str>,
    ) -> Type {
        let is_same = |it: &&DerivedType| it.side == side && *it.written == *written;
        if let Some(known) = self.derived.iter().find(is_same) {
            return known.value_type.clone();
        }
        let first = self.types.len();
        let value_type = match self.around.types.find(written, side) {
            // Types of Azure are not known.
            None => Type::Foreign(text),
            Some(ResourceTypeLookup::Found(found)) => self.declare_derived(&found, &text, span),
            Some(ResourceTypeLookup::Missing { near }) => {
                let message = format!("the resource type `{written}` does not exist");
                let hint = match near {
                    Some(near) => format!("did you mean `{near}@default`?"),
                    None => "run `hangar schema list` for the list of types".to_owned(),
                };
                self.error(codes::UNKNOWN_RESOURCE_TYPE, span, message).hints.push(hint);
                Type::Any
            }
        };
        let declared = first..self.types.len();
        let known = value_type.clone();
        self.derived.push(DerivedType { written: written.into(), side, value_type, declared });
        known
    }

    /// Whether a type of the file is one of a resource: what AWS describes needs no check.
    pub(super) fn is_derived(&self, index: usize) -> bool {
        self.derived.iter().any(|it| it.declared.contains(&index))
    }

    /// Adds the types of a graph to those of the file, so that they may hold themselves; nothing can name them.
    fn declare_derived(&mut self, found: &ResourceType, text: &Arc<str>, span: Span) -> Type {
        let (unit, first) = (self.around.units.len(), self.types.len());
        let reference = |node: usize| {
            let name = found.nodes.get(node).map_or_else(|| "any".into(), |it| it.name.clone());
            Type::Declared(Reference { unit, index: first + node, name })
        };
        for node in &found.nodes {
            let name = Name { text: node.name.clone(), span };
            let slot = slot(node, &reference);
            self.types.push(TypeDeclaration { name, slot, exported: false });
        }
        if found.nodes.is_empty() {
            return Type::Any;
        }
        Type::Declared(Reference { unit, index: first, name: text.clone() })
    }
}

fn slot(node: &ResourceNode, reference: &dyn Fn(usize) -> Type) -> Slot {
    let value_type = match &node.form {
        ResourceForm::Any => Type::Any,
        ResourceForm::Kind(kind) => Type::Kind(*kind),
        ResourceForm::Texts(texts) => {
            Type::Union(texts.iter().map(|text| Type::Literal(Value::string(&**text))).collect())
        }
        ResourceForm::List(item) => Type::List(Box::new(Slot::plain(reference(*item)))),
        ResourceForm::Object { members, others, is_closed } => {
            let members = members.iter().map(|member| {
                let own = reference(member.node);
                let own = if member.is_required { own } else { Type::Nullable(Box::new(own)) };
                (member.name.clone(), Slot::plain(own))
            });
            Type::Object(Box::new(ObjectType {
                members: members.collect(),
                others: others.map(|node| Slot::plain(reference(node))),
                sealed: *is_closed,
            }))
        }
    };
    let bounds = Bounds {
        allowed: None,
        min_length: node.min_length,
        max_length: node.max_length,
        min_value: node.min_value,
        max_value: node.max_value,
    };
    Slot { value_type, secure: false, bounds, remarks: Remarks::default() }
}
