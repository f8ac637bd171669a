//! `@discriminator()`: unions of objects that one member tells apart.

use hangar_diag::Span;

use super::Lowering;
use crate::codes;
use crate::types::Type;

impl Lowering<'_> {
    /// Whether the members of a union can be told apart. Declared types that come later in the text are not known
    /// yet; what is wrong with those is told where a value is held against them.
    pub(super) fn check_discriminator(&mut self, union: &Type, by: &str, span: Span) {
        let table = self.table();
        let mut members = Vec::new();
        let mut open = vec![union];
        while let Some(at) = open.pop() {
            match table.resolve(at) {
                Some(Type::Union(inner)) if members.len() < 1_000 => {
                    open.extend(inner.iter().rev());
                }
                Some(Type::Discriminated(it)) => open.push(&it.union),
                Some(Type::Any | Type::Foreign(_)) | None => return,
                Some(Type::Object(object)) => members.push(&**object),
                Some(_) => {
                    let message = "`@discriminator` goes before a union of objects";
                    let hint =
                        "write object types between `|`, as in `{ kind: 'a' } | { kind: 'b' }`";
                    self.error(codes::DISCRIMINATOR_TYPE, span, message)
                        .hints
                        .push(hint.to_owned());
                    return;
                }
            }
        }
        let mut literals = Vec::new();
        for member in members {
            let said = member.member(by).and_then(|it| table.resolve(&it.value_type));
            match said {
                Some(Type::Literal(value)) if literals.contains(&value) => {
                    let message = format!("two of the objects have the same `{by}`, {value:?}");
                    let hint = format!("give each of them another `{by}`");
                    self.error(codes::SAME_DISCRIMINATOR, span, message).hints.push(hint);
                    return;
                }
                Some(Type::Literal(value)) => literals.push(value),
                Some(Type::Any) => return,
                _ => {
                    let message = format!("one of the objects does not say its `{by}`");
                    let hint = format!("give each of them a literal, as in `{by}: 'a'`");
                    self.error(codes::NO_DISCRIMINATOR, span, message).hints.push(hint);
                    return;
                }
            }
        }
    }
}
