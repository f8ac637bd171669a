//! Statements: what they declare, and from what.

use super::part::{decorators, expression_after, name, string, type_expression};
use super::view::{one_of, views};
use super::{Decorator, Expression, Name, Object, String, TypeExpression};
use crate::syntax::{Node, NodeKind, TokenKind, Tree};

views! {
    /// A whole file.
    File;
    /// `targetScope = value`.
    TargetScope;
    /// `metadata name = value`.
    Metadata;
    /// `param name type = default`.
    Param;
    /// `param name = value`.
    ParamAssignment;
    /// `var name type = value`.
    Var;
    /// `type name = type`.
    TypeAlias;
    /// `func name(…) type => value`.
    Func;
    /// One parameter of a function.
    FuncParam;
    /// `resource name 'type' existing = body`.
    Resource;
    /// `module name 'path' = body`.
    Module;
    /// `output name type = value`.
    Output;
    /// `extension name with {} as alias`.
    Extension;
    /// `extensionConfig name with {}`.
    ExtensionConfig;
    /// `import … from 'path'`.
    Import;
    /// `name as alias` of an import.
    ImportItem;
    /// `* as name` of an import.
    ImportAll;
    /// `assert name = condition`.
    Assert;
    /// `test name 'path' = body`.
    Test;
    /// `using 'path'`.
    Using;
    /// `extends 'path'`.
    Extends;
    /// Decorators before nothing.
    LooseDecorators;
}

one_of! {
    /// Any statement.
    Statement: TargetScope Metadata Param ParamAssignment Var TypeAlias Func Resource Module Output
        Extension ExtensionConfig Import Assert Test Using Extends LooseDecorators
}

impl<'t> File<'t> {
    /// The file that a tree holds.
    pub fn of(tree: &'t Tree) -> Self {
        Self(tree.root())
    }

    /// Its statements in the order of the text.
    pub fn statements(self) -> impl Iterator<Item = Statement<'t>> {
        self.node().children().filter_map(Statement::cast)
    }
}

impl<'t> Statement<'t> {
    /// The name that it declares, if it declares one.
    pub fn name(self) -> Option<Name<'t>> {
        match self {
            Self::Extension(extension) => extension.alias().or_else(|| extension.name()),
            Self::TargetScope(_)
            | Self::Import(_)
            | Self::Using(_)
            | Self::Extends(_)
            | Self::LooseDecorators(_) => None,
            _ => name(self.node()),
        }
    }

    /// The decorators before it.
    pub fn decorators(self) -> impl Iterator<Item = Decorator<'t>> {
        decorators(self.node())
    }
}

/// Statements with a name: `name` reads it.
macro_rules! named {
    ($($view:ident)+) => {$(
        impl<'t> $view<'t> {
            /// Its name.
            pub fn name(self) -> Option<Name<'t>> {
                name(self.node())
            }
        }
    )+};
}
named! { Metadata Param ParamAssignment Var TypeAlias Func FuncParam Resource Module Output
Extension ExtensionConfig ImportItem Assert Test }

/// Statements with a value after `=`, or after `=>`.
macro_rules! valued {
    ($($view:ident after $token:ident;)+) => {$(
        impl<'t> $view<'t> {
            /// Its value; of a resource or module its body, which may be a loop or a condition.
            pub fn value(self) -> Option<Expression<'t>> {
                expression_after(self.node(), TokenKind::$token)
            }
        }
    )+};
}
valued! {
    TargetScope after Assign;
    Metadata after Assign;
    Param after Assign;
    ParamAssignment after Assign;
    Var after Assign;
    Func after Arrow;
    Resource after Assign;
    Module after Assign;
    Output after Assign;
    Assert after Assign;
    Test after Assign;
}

/// Statements with a type.
macro_rules! typed {
    ($($view:ident)+) => {$(
        impl<'t> $view<'t> {
            /// Its type.
            pub fn type_expression(self) -> Option<TypeExpression<'t>> {
                type_expression(self.node())
            }
        }
    )+};
}
typed! { Param Var TypeAlias Func FuncParam Output }

impl<'t> Func<'t> {
    /// Its parameters.
    pub fn params(self) -> impl Iterator<Item = FuncParam<'t>> {
        let list = self.node().child(NodeKind::FuncParams);
        list.into_iter().flat_map(Node::children).filter_map(FuncParam::cast)
    }
}

impl<'t> Resource<'t> {
    /// The string that names its type and version.
    pub fn resource_type(self) -> Option<String<'t>> {
        string(self.node())
    }

    /// Whether it is read and never written.
    pub fn is_existing(self) -> bool {
        self.node().tokens().skip(1).any(|token| token.text() == "existing")
    }
}

impl<'t> Extension<'t> {
    /// What it is, where it is given by a string.
    pub fn specification(self) -> Option<String<'t>> {
        string(self.node())
    }

    /// The name after `as`.
    pub fn alias(self) -> Option<Name<'t>> {
        name(self.node().child(NodeKind::AsClause)?)
    }
}

/// Statements with `with {…}`.
macro_rules! configured {
    ($($view:ident)+) => {$(
        impl<'t> $view<'t> {
            /// The object after `with`.
            pub fn configuration(self) -> Option<Object<'t>> {
                let clause = self.node().child(NodeKind::WithClause)?;
                clause.children().find_map(Object::cast)
            }
        }
    )+};
}
configured! { Extension ExtensionConfig Using }

/// Statements that name a file.
macro_rules! pathed {
    ($($view:ident)+) => {$(
        impl<'t> $view<'t> {
            /// The path of the file.
            pub fn path(self) -> Option<String<'t>> {
                string(self.node())
            }
        }
    )+};
}
pathed! { Module Test Using Extends }

impl<'t> Import<'t> {
    /// The path of the file.
    pub fn path(self) -> Option<String<'t>> {
        string(self.node().child(NodeKind::FromClause)?)
    }

    /// What is imported by name.
    pub fn items(self) -> impl Iterator<Item = ImportItem<'t>> {
        let list = self.node().child(NodeKind::ImportList);
        list.into_iter().flat_map(Node::children).filter_map(ImportItem::cast)
    }

    /// The name for everything in the file.
    pub fn all(self) -> Option<ImportAll<'t>> {
        self.node().children().find_map(ImportAll::cast)
    }
}

impl<'t> ImportItem<'t> {
    /// The name after `as`.
    pub fn alias(self) -> Option<Name<'t>> {
        name(self.node().child(NodeKind::AsClause)?)
    }
}

impl<'t> ImportAll<'t> {
    /// The name after `as`.
    pub fn alias(self) -> Option<Name<'t>> {
        name(self.node().child(NodeKind::AsClause)?)
    }
}
