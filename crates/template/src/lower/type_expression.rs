//! Types that are declared: the simple ones, literals, unions of them, lists and `?`.

use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use super::expression::Here;
use super::symbols::Symbol;
use crate::codes;
use crate::ir::ExpressionKind;
use crate::near::near;
use crate::syntax::ast::{self, TypeExpression};
use crate::types::{Slot, Type};
use crate::value::{Data, Kind, Value};

const SIMPLE: [(&str, Kind); 5] = [
    ("string", Kind::String),
    ("int", Kind::Int),
    ("bool", Kind::Bool),
    ("array", Kind::Array),
    ("object", Kind::Object),
];

impl<'t> Lowering<'t> {
    /// The type of a declaration and its text; `any` where it is missing, which was reported.
    pub(super) fn type_or_any(&mut self, view: Option<TypeExpression<'t>>) -> (Type, Arc<str>) {
        match view {
            Some(view) => (self.declared_type(view), self.text_at(view.span())),
            None => (Type::Any, "any".into()),
        }
    }

    pub(super) fn declared_type(&mut self, view: TypeExpression<'t>) -> Type {
        if self.depth >= crate::ir::MAX_DEPTH {
            self.error(codes::TOO_DEEP, view.span(), "nested too deep");
            return Type::Any;
        }
        self.depth += 1;
        let lowered = self.type_kind(view);
        self.depth -= 1;
        lowered
    }

    fn type_kind(&mut self, view: TypeExpression<'t>) -> Type {
        match view {
            TypeExpression::TypeName(name) => self.type_name(name),
            TypeExpression::TypeLiteral(literal) => self.type_literal(literal),
            TypeExpression::TypeParenthesized(inner) => self.inner_type(inner.base()),
            TypeExpression::TypeArray(list) => {
                Type::List(Box::new(Slot::plain(self.inner_type(list.base()))))
            }
            TypeExpression::TypeNullable(inner) => {
                Type::Nullable(Box::new(self.inner_type(inner.base())))
            }
            TypeExpression::TypeUnion(union) => {
                let members: Vec<_> = union.members().map(|it| self.declared_type(it)).collect();
                union_of(members)
            }
            _ => {
                self.not_supported(view.span(), "this kind of type is");
                Type::Any
            }
        }
    }

    fn inner_type(&mut self, view: Option<TypeExpression<'t>>) -> Type {
        view.map_or(Type::Any, |view| self.declared_type(view))
    }

    fn type_name(&mut self, view: ast::TypeName<'t>) -> Type {
        let Some(name) = view.name() else { return Type::Any };
        let text = name.text();
        if let Some((_, kind)) = SIMPLE.iter().find(|(name, _)| *name == text) {
            return Type::Kind(*kind);
        }
        // A declared type: its declaration was reported.
        if self.find(text) == Some(Symbol::Reported) {
            return Type::Any;
        }
        let names = SIMPLE.map(|(name, _)| name);
        let near = near(text, names);
        let message = format!("`{text}` is not a type");
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the types are `{}`", names.join("`, `")),
        };
        self.error(codes::UNKNOWN_TYPE, name.span(), message).hints.push(hint);
        Type::Any
    }

    fn type_literal(&mut self, view: ast::TypeLiteral<'t>) -> Type {
        let Some(value) = view.value() else { return Type::Any };
        let negative = view.node().text().starts_with('-');
        let span: Span = view.span();
        let lowered = match value {
            ast::Expression::Literal(literal) if negative => match literal.value() {
                Some(ast::LiteralValue::Number(number)) => {
                    Some(Value::int(0_i64.wrapping_sub_unsigned(number)))
                }
                _ => None,
            },
            _ => match self.expression(value, Here::Value).kind {
                ExpressionKind::Constant(value) => Some(value),
                ExpressionKind::Faulty => return Type::Any,
                _ => None,
            },
        };
        match lowered {
            Some(value) if matches!(value.data, Data::Null) => Type::Kind(Kind::Null),
            Some(value) => Type::Literal(value),
            None => {
                self.error(codes::NOT_CONSTANT, span, "a type is made of constants only");
                Type::Any
            }
        }
    }
}

/// `'a' | 'b' | null` is a nullable type.
fn union_of(members: Vec<Type>) -> Type {
    let is_null = |member: &Type| *member == Type::Kind(Kind::Null);
    let is_nullable = members.iter().any(is_null);
    if members.contains(&Type::Any) {
        return Type::Any;
    }
    let union = Type::Union(members.into_iter().filter(|member| !is_null(member)).collect());
    if is_nullable { Type::Nullable(Box::new(union)) } else { union }
}
