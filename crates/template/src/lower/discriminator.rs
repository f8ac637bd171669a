//! Unions: their members are literals of one kind, or objects that `@discriminator()` tells apart.
//!
//! Types may be declared later in the text, so unions are noted when they are lowered and checked when all types are known.

use std::collections::HashMap;
use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use crate::codes;
use crate::syntax::ast::{self, TypeExpression};
use crate::syntax::{Node, NodeKind, Tree};
use crate::types::{Table, Type};
use crate::value::{Data, Kind, Value};

/// How many types are looked into for one union.
const MOST_TYPES: usize = 1_000;

/// A union as it is written.
pub(super) struct WrittenUnion {
    /// Each member with its place.
    pub(super) members: Vec<(Type, Span)>,
    pub(super) span: Span,
}

/// A type behind `@discriminator()`.
pub(super) struct DiscriminatedType {
    pub(super) value_type: Type,
    /// The place of the decorator.
    pub(super) span: Span,
    /// The member that it names.
    pub(super) by: Arc<str>,
}

/// What the text around a union allows in it.
pub(super) enum Around {
    /// `@discriminator()` with the member that it names: objects.
    Discriminator(Arc<str>),
    /// A list, whose items may be of several kinds.
    List,
}

/// The unions right behind `@discriminator()` and those that a list is of, by their places.
pub(super) fn unions_with_more(tree: &Tree) -> HashMap<Span, Around> {
    let mut found = HashMap::new();
    if !tree.text().contains('|') {
        return found;
    }
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        open.extend(node.children());
        if node.kind() == NodeKind::TypeArray {
            if let Some(union) = union_below(node) {
                found.insert(union, Around::List);
            }
            continue;
        }
        let mut decorators = node.children().filter_map(ast::Decorator::cast);
        let Some(by) = decorators.find_map(discriminator) else { continue };
        if let Some(union) = union_below(node) {
            found.insert(union, Around::Discriminator(by));
        }
    }
    found
}

/// The name in `@discriminator('name')`.
fn discriminator(decorator: ast::Decorator<'_>) -> Option<Arc<str>> {
    let (name, mut arguments) = match decorator.expression()? {
        ast::Expression::Call(call) => (call.name()?, call.arguments().collect::<Vec<_>>()),
        ast::Expression::MethodCall(call) => (call.name()?, call.arguments().collect()),
        _ => return None,
    };
    match arguments.pop()? {
        ast::Expression::String(text) if name.text() == "discriminator" => {
            text.literal().map(Arc::from)
        }
        _ => None,
    }
}

/// The union that a declaration has for its type, through parentheses and `?`.
fn union_below(node: Node<'_>) -> Option<Span> {
    let mut at = node.children().find_map(TypeExpression::cast)?;
    loop {
        at = match at {
            TypeExpression::TypeUnion(union) => return Some(union.node().span()),
            TypeExpression::TypeNullable(inner) => inner.base()?,
            TypeExpression::TypeNonNull(inner) => inner.base()?,
            TypeExpression::TypeParenthesized(inner) => inner.base()?,
            _ => return None,
        };
    }
}

/// A mistake in a union, where it is, and what to do next.
struct Mistake {
    code: hangar_diag::Code,
    span: Span,
    message: String,
    hint: String,
}

impl Lowering<'_> {
    /// Checks the types behind `@discriminator()` that are not written as unions there, once all types are known.
    pub(super) fn check_discriminators(&mut self) {
        for DiscriminatedType { value_type, span, by } in std::mem::take(&mut self.discriminated) {
            match self.table().resolve(&value_type) {
                Some(Type::Discriminated(inner)) if inner.by != by => {
                    let message = format!(
                        "`{value_type}` has the discriminator `{}`, but the decorator names `{by}`",
                        inner.by
                    );
                    let hint = format!("write `@discriminator('{}')`", inner.by);
                    self.error(codes::OTHER_DISCRIMINATOR, span, message).hints.push(hint);
                }
                Some(
                    Type::Object(_)
                    | Type::Kind(_)
                    | Type::List(_)
                    | Type::Tuple(_)
                    | Type::Literal(_),
                ) => {
                    let message = "`@discriminator` can only be used on a union of object types";
                    let hint = "write object types separated by `|`, as in `{ kind: 'a' } | { kind: 'b' }`";
                    self.error(codes::DISCRIMINATOR_TYPE, span, message)
                        .hints
                        .push(hint.to_owned());
                }
                _ => {}
            }
        }
    }

    /// Checks all unions, once all types are known.
    pub(super) fn check_unions(&mut self) {
        for union in std::mem::take(&mut self.unions) {
            let table = self.table();
            let mistakes = match self.unions_with_more.get(&union.span) {
                Some(Around::Discriminator(by)) => mistakes_of_objects(table, &union, by),
                Some(Around::List) => mistakes_of_literals(table, &union, Kinds::Several),
                None => mistakes_of_literals(table, &union, Kinds::One),
            };
            for Mistake { code, span, message, hint } in mistakes {
                self.error(code, span, message).hints.push(hint);
            }
        }
    }
}

/// Of how many kinds the literals of a union may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    One,
    Several,
}

/// Members that are no literals, or literals of too many kinds.
fn mistakes_of_literals(table: Table<'_>, union: &WrittenUnion, allowed: Kinds) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut is_open = false;
    for (member, span) in &union.members {
        let mut left = MOST_TYPES;
        match literal_kind(table, member, &mut left) {
            Literal::Of(kind) if kinds.contains(&kind) => {}
            Literal::Of(kind) => kinds.push(kind),
            Literal::Null => {}
            Literal::Open => is_open = true,
            Literal::No => {
                let is_object = table.kind(member) == Some(Kind::Object);
                let hint = if is_object {
                    "write `@discriminator('kind')` before the declaration, and give each object its own `kind`"
                } else {
                    "write literals, as in `'small' | 'large'`; write `string?` for a type that allows null"
                };
                mistakes.push(Mistake {
                    code: codes::UNION_MEMBER,
                    span: *span,
                    message: format!(
                        "a union must consist of literals, and `{member}` is not a literal"
                    ),
                    hint: hint.to_owned(),
                });
            }
        }
    }
    if mistakes.is_empty() && !is_open && kinds.len() > 1 && allowed == Kinds::One {
        let names: Vec<String> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
        mistakes.push(Mistake {
            code: codes::UNION_KINDS,
            span: union.span,
            message: format!(
                "the members of a union must have the same type, found {}",
                names.join(", ")
            ),
            hint: hint_for_kinds(union),
        });
    }
    mistakes
}

/// What to write in place of the literals of another kind: texts, for every literal can be one.
fn hint_for_kinds(union: &WrittenUnion) -> String {
    let texts = union.members.iter().map(|(member, _)| match member {
        Type::Literal(value) => match &value.data {
            Data::String(_) => Some(member.to_string()),
            Data::Int(number) => Some(format!("'{number}'")),
            Data::Bool(truth) => Some(format!("'{truth}'")),
            _ => None,
        },
        _ => None,
    });
    match texts.collect::<Option<Vec<_>>>() {
        Some(texts) if texts.len() <= 6 => format!("write `{}`", texts.join(" | ")),
        _ => "keep only members of one type".to_owned(),
    }
}

/// Whether a type has one value only, or a few.
enum Literal {
    /// Values of a kind.
    Of(Kind),
    Null,
    /// It is not known, or was reported.
    Open,
    No,
}

fn literal_kind(table: Table<'_>, value_type: &Type, left: &mut usize) -> Literal {
    let Some(rest) = left.checked_sub(1) else { return Literal::Open };
    *left = rest;
    match table.resolve(value_type) {
        None | Some(Type::Any | Type::Foreign(_) | Type::Discriminated(_)) => Literal::Open,
        Some(Type::Kind(Kind::Null)) => Literal::Null,
        Some(Type::Literal(value)) => match value.kind() {
            Some(Kind::Null) => Literal::Null,
            Some(kind) => Literal::Of(kind),
            None => Literal::Open,
        },
        Some(Type::Union(members)) => {
            let mut found = Literal::Null;
            for member in members {
                match literal_kind(table, member, left) {
                    Literal::No => return Literal::No,
                    Literal::Null => {}
                    Literal::Open => return Literal::Open,
                    Literal::Of(kind) => match found {
                        // Several kinds were reported where the union is declared.
                        Literal::Of(other) if other != kind => return Literal::Open,
                        _ => found = Literal::Of(kind),
                    },
                }
            }
            found
        }
        Some(Type::Tuple(items)) => {
            all_literals(table, items.iter().map(|it| &it.value_type), Kind::Array, left)
        }
        Some(Type::Object(object)) if object.others.is_none() => {
            let members = object.members.iter().map(|(_, it)| &it.value_type);
            all_literals(table, members, Kind::Object, left)
        }
        Some(_) => Literal::No,
    }
}

fn all_literals<'a>(
    table: Table<'_>,
    mut parts: impl Iterator<Item = &'a Type>,
    kind: Kind,
    left: &mut usize,
) -> Literal {
    let mut found = Literal::Of(kind);
    for part in &mut parts {
        match literal_kind(table, part, left) {
            Literal::No => return Literal::No,
            Literal::Open => found = Literal::Open,
            Literal::Of(_) | Literal::Null => {}
        }
    }
    found
}

/// Members that `@discriminator()` cannot tell apart.
fn mistakes_of_objects(table: Table<'_>, union: &WrittenUnion, by: &Arc<str>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut seen: Vec<&Value> = Vec::new();
    for (member, span) in &union.members {
        let mistake =
            |code, message: String, hint: String| Mistake { code, span: *span, message, hint };
        let objects = match table.resolve(member) {
            None | Some(Type::Any | Type::Foreign(_) | Type::Kind(Kind::Null)) => continue,
            Some(Type::Discriminated(it)) if it.by != *by => {
                let message = format!(
                    "`{member}` has the discriminator `{}`, but this union has `{by}`",
                    it.by
                );
                let hint = format!("write `@discriminator('{}')` here too", it.by);
                mistakes.push(mistake(codes::OTHER_DISCRIMINATOR, message, hint));
                continue;
            }
            Some(resolved) => objects_of(table, resolved),
        };
        let Some(objects) = objects else {
            let message = format!(
                "`@discriminator` requires object types, and `{member}` is not an object type"
            );
            let hint =
                format!("write an object type, as in `{{ {by}: 'a' }}`, or remove the member");
            mistakes.push(mistake(codes::DISCRIMINATOR_TYPE, message, hint));
            continue;
        };
        for object in objects {
            let Type::Object(object) = object else { continue };
            let said = object.member(by).filter(|it| !table.is_nullable(&it.value_type));
            match said.and_then(|it| table.resolve(&it.value_type)) {
                Some(Type::Any) => {}
                Some(Type::Literal(value)) if matches!(value.data, Data::String(_)) => {
                    if seen.contains(&value) {
                        let message =
                            format!("two of the object types have the same `{by}`, {value:?}");
                        let hint = format!("write another `{by}` here");
                        mistakes.push(mistake(codes::SAME_DISCRIMINATOR, message, hint));
                        break;
                    }
                    seen.push(value);
                }
                found => {
                    let message = match found {
                        Some(found) => {
                            format!(
                                "the discriminator `{by}` must be a string literal, found `{found}`"
                            )
                        }
                        None => format!("the object type lacks the discriminator `{by}`"),
                    };
                    let hint =
                        format!("write a string that no other object type has, as in `{by}: 'a'`");
                    mistakes.push(mistake(codes::NO_DISCRIMINATOR, message, hint));
                    break;
                }
            }
        }
    }
    mistakes
}

/// The objects that a member stands for; nothing where it is no object.
fn objects_of<'a>(table: Table<'a>, resolved: &'a Type) -> Option<Vec<&'a Type>> {
    let mut found = Vec::new();
    let mut open = vec![resolved];
    let mut left = MOST_TYPES;
    while let Some(at) = open.pop() {
        left = left.checked_sub(1)?;
        match table.resolve(at) {
            Some(Type::Union(members)) => open.extend(members.iter().rev()),
            Some(Type::Discriminated(it)) => open.push(&it.union),
            Some(object @ Type::Object(_)) => found.push(object),
            Some(Type::Any | Type::Foreign(_)) | None => {}
            Some(_) => return None,
        }
    }
    Some(found)
}
