//! `resourceInput<'AWS.SQS/Queue@default'>`: the types of AWS's resources, if the caller passed a source of them.

use std::ops::Range;
use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use crate::codes;
use crate::ir::{Bounds, HeldTo, Name, Remarks, TypeDeclaration};
use crate::resource_types::{
    ResourceForm, ResourceNode, ResourceSide, ResourceType, ResourceTypeLookup,
};
use crate::syntax::ast::{self, TypeExpression};
use crate::types::{ObjectType, Reference, Slot, Type};

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
    /// `resourceInput<'type@version'>` where a type is declared with it: only its parts can be.
    pub(super) fn type_of_whole_resource(&mut self, view: ast::TypeParameterized<'t>) -> Type {
        let reported = self.found.len();
        let whole = self.type_parameterized(view);
        if self.found.len() == reported {
            let written = self.text_at(view.span());
            let message = format!("`{written}` is the type of a whole resource");
            let hint = format!("write the type of a part, as in `{written}.properties`");
            self.error(codes::WHOLE_RESOURCE_TYPE, view.span(), message).hints.push(hint);
        }
        whole
    }

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
        let arguments: Vec<_> = view.arguments().collect();
        if let [_, more, ..] = arguments.as_slice() {
            let function = name.map_or("resourceInput", ast::Name::text);
            let message = format!("`{function}` expects 1 argument, found {}", arguments.len());
            let hint = format!("write `{function}<'AWS.SQS/Queue@default'>`");
            self.error(codes::ARGUMENT_COUNT, more.span(), message).hints.push(hint);
            return Type::Any;
        }
        let written = match arguments.first() {
            Some(TypeExpression::TypeLiteral(literal)) => match literal.value() {
                Some(ast::Expression::String(string)) => {
                    string.literal().map(|text| (text, string.span()))
                }
                _ => None,
            },
            _ => None,
        };
        match written {
            Some((written, span)) if is_resource_type(&written) => {
                self.derived_type(&written, side, span, text)
            }
            Some((written, span)) => {
                let message = format!("`{written}` is not a valid resource type");
                let hint = "write the type and its version, as in `'AWS.SQS/Queue@default'`";
                self.error(codes::BAD_RESOURCE_TYPE, span, message).hints.push(hint.to_owned());
                Type::Any
            }
            None => {
                // Without an argument, its absence was reported.
                if let Some(argument) = arguments.first() {
                    let message = "the argument must be a string literal with a resource type";
                    let hint = "write the type and its version, as in `'AWS.SQS/Queue@default'`";
                    self.error(codes::NOT_CONSTANT, argument.span(), message)
                        .hints
                        .push(hint.to_owned());
                }
                Type::Any
            }
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

/// Whether a text has the form `Vendor.Service/Type@version`.
fn is_resource_type(text: &str) -> bool {
    let text = text.split_once(':').map_or(text, |(_, text)| text);
    text.split_once('@').is_some_and(|(name, version)| {
        let mut parts = name.split('/');
        !version.is_empty() && name.contains('/') && parts.all(|part| !part.is_empty())
    })
}

fn slot(node: &ResourceNode, reference: &dyn Fn(usize) -> Type) -> Slot {
    let value_type = match &node.form {
        ResourceForm::Any => Type::Any,
        ResourceForm::Kind(kind) => Type::Kind(*kind),
        ResourceForm::OneOf(values) => {
            Type::Union(values.iter().map(|value| Type::Literal(value.clone())).collect())
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
        text_rules: node.text_rules.clone().map(HeldTo),
    };
    Slot { value_type, secure: false, bounds, remarks: Remarks::default() }
}
