//! What is declared and never used.
//!
//! A name counts as used wherever it stands, also where it means a variable of a loop: better silent than wrong.

use std::collections::HashSet;

use hangar_diag::Code;

use super::{Found, Scene, below, body, is_decorated, property};
use crate::codes;
use crate::syntax::ast::{
    Expression, Import, ImportAll, Item, Name, Object, ObjectItem, Resource, Statement,
};
use crate::syntax::{Dialect, Node, NodeKind};

pub(super) fn look(file: &Scene<'_>, found: &mut Found) {
    let used = used(file.root);
    let mut tell = |code: Code, name: Option<Name<'_>>, what: &str, hint: &str| {
        if let Some(name) = name.filter(|it| !used.contains(it.text())) {
            found.tell(code, name.span(), format!("{what} `{}` is never used", name.text()), hint);
        }
    };
    for statement in &file.statements {
        match statement {
            Statement::Param(param) => {
                tell(
                    codes::NO_UNUSED_PARAMS,
                    param.name(),
                    "the parameter",
                    "remove it, or use it",
                );
            }
            Statement::Var(var) if !is_decorated(*statement, "export") => {
                tell(codes::NO_UNUSED_VARS, var.name(), "the variable", "remove it, or use it");
            }
            Statement::TypeAlias(alias) if !is_decorated(*statement, "export") => {
                tell(codes::NO_UNUSED_TYPES, alias.name(), "the type", "remove it, or use it");
            }
            Statement::Import(import) => {
                for name in imported(*import) {
                    tell(codes::NO_UNUSED_IMPORTS, Some(name), "the import", "remove it");
                }
            }
            Statement::Resource(resource) if resource.is_existing() && !is_parent(*resource) => {
                let hint = "remove it: it is read from AWS but never used";
                tell(codes::NO_UNUSED_EXISTING, resource.name(), "the existing resource", hint);
            }
            _ => {}
        }
    }
    if file.dialect == Dialect::Template {
        depends_on(file, found);
    }
}

/// All names that are used as a value, a function or a type.
fn used(root: Node<'_>) -> HashSet<&str> {
    let mut used = HashSet::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match node.kind() {
            // These are declared.
            NodeKind::LambdaVariables => continue,
            NodeKind::Variable => {
                used.insert(node.text());
            }
            NodeKind::Call | NodeKind::TypeName => {
                used.extend(node.child(NodeKind::Name).map(Node::text));
            }
            _ => {}
        }
        open.extend(node.children());
    }
    used
}

fn imported(import: Import<'_>) -> Vec<Name<'_>> {
    let all = import.all().and_then(ImportAll::alias);
    all.into_iter()
        .chain(import.items().filter_map(|it| it.alias().or_else(|| it.name())))
        .collect()
}

/// Whether other resources are written in it.
fn is_parent(resource: Resource<'_>) -> bool {
    let items = body(resource.value()).into_iter().flat_map(Object::items);
    items.into_iter().any(|it| matches!(it, ObjectItem::Resource(_)))
}

/// What `dependsOn` names that the rest of the body names, too: every name of a resource there is waited for.
fn depends_on(file: &Scene<'_>, found: &mut Found) {
    let mut single = HashSet::new();
    for statement in &file.statements {
        let value = match statement {
            Statement::Resource(it) if !it.is_existing() => it.value(),
            Statement::Module(it) => it.value(),
            _ => continue,
        };
        // Of a loop, the body may name one and wait for all.
        if !matches!(value, Some(Expression::Loop(_))) {
            single.extend(statement.name().map(Name::text));
        }
    }
    let bodies = below(file.root).filter_map(|node| match Statement::cast(node)? {
        Statement::Resource(it) => body(it.value()),
        Statement::Module(it) => body(it.value()),
        _ => None,
    });
    for body in bodies {
        let Some(list) = property(body, "dependsOn") else { continue };
        let Some(Expression::Array(items)) = list.value() else { continue };
        let mut named = HashSet::new();
        let others = body.items().filter_map(|it| match it {
            ObjectItem::Property(it) if it.span() != list.span() => Some(it.node()),
            ObjectItem::Spread(it) => Some(it.node()),
            // What is nested depends on its parent, not the other way round.
            ObjectItem::Property(_) | ObjectItem::Resource(_) => None,
        });
        for other in others {
            named.extend(used(other));
        }
        for item in items.items() {
            let Item::Value(Expression::Variable(item)) = item else { continue };
            let name = item.name();
            if single.contains(name) && named.contains(name) {
                let message = format!("`{name}` is already a dependency: the body references it");
                let code = codes::NO_UNNECESSARY_DEPENDS_ON;
                found.tell(code, item.span(), message, "remove it from `dependsOn`");
            }
        }
    }
}
