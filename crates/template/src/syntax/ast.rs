//! Typed views of the tree: what a statement, an expression or a type is made of.
//!
//! A view is a handle to a node and costs nothing. Its parts are optional: the tree of a broken
//! text has the same views with fewer parts.

mod directive;
mod expression;
mod part;
mod statement;
mod string;
mod type_expression;
mod view;

pub use directive::{Directive, DirectiveKind, directives};
pub use expression::{
    Array, Binary, Call, Condition, Expression, Index, Item, Lambda, Literal, LiteralValue, Loop,
    Member, MethodCall, NestedResource, NonNull, Object, ObjectItem, Parenthesized, Property,
    Spread, Ternary, Unary, Variable,
};
pub use part::{Decorator, Name, PropertyKey};
pub use statement::{
    Assert, Extends, Extension, ExtensionConfig, File, Func, FuncParam, Import, ImportAll,
    ImportItem, LooseDecorators, Metadata, Module, Output, Param, ParamAssignment, Resource,
    Statement, TargetScope, Test, TypeAlias, Using, Var,
};
pub use string::{String, StringPart};
pub use type_expression::{
    TypeArray, TypeExpression, TypeItem, TypeItems, TypeLiteral, TypeMember, TypeName, TypeNonNull,
    TypeNullable, TypeObject, TypeOtherMembers, TypeOtherProperties, TypeParameterized,
    TypeParenthesized, TypeProperty, TypeResource, TypeTuple, TypeTupleItem, TypeUnion,
};
