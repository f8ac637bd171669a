//! Objects: fixed and computed keys, spreads, and no key twice.

use std::collections::HashMap;

use hangar_diag::Span;

use super::Lowering;
use super::expression::Here;
use crate::codes;
use crate::ir::{Entry, Expression, ExpressionKind, Key, Name};
use crate::syntax::ast::{self, ObjectItem, PropertyKey};

impl<'t> Lowering<'t> {
    pub(super) fn object(&mut self, view: ast::Object<'t>) -> Expression {
        for item in view.items() {
            if let ObjectItem::Resource(nested) = item {
                let span = nested.name().map_or(nested.span(), ast::Name::span);
                let message =
                    "a resource can only be nested directly in the body of another resource";
                let hint =
                    "move it to the top level of the file, or directly into the body of a resource";
                self.error(codes::UNKNOWN_MEMBER, span, message).hints.push(hint.to_owned());
            }
        }
        self.object_without_resources(view)
    }

    /// The object that the body of a resource is, without those that are nested in it.
    pub(super) fn object_without_resources(&mut self, view: ast::Object<'t>) -> Expression {
        let mut entries = Vec::new();
        for item in view.items() {
            match item {
                ObjectItem::Property(property) => {
                    let value = self.expression_or_faulty(
                        property.value(),
                        self.in_object(),
                        property.span(),
                    );
                    // Its absence was reported; any property can be meant.
                    let Some(key) = property.key() else {
                        let any = Expression::new(ExpressionKind::Faulty, property.span());
                        entries.push(Entry::Spread(any));
                        continue;
                    };
                    entries.push(Entry::Member { key: self.key(key), value });
                }
                ObjectItem::Spread(spread) => {
                    let value =
                        self.expression_or_faulty(spread.value(), Here::Value, spread.span());
                    entries.push(Entry::Spread(value));
                }
                ObjectItem::Resource(_) => {}
            }
        }
        let keys = entries.iter().filter_map(|entry| match entry {
            Entry::Member { key: Key::Fixed(name), .. } => Some((name.text.as_ref(), name.span)),
            _ => None,
        });
        for (name, span) in repeated(keys) {
            let message = format!("the property `{name}` is declared more than once");
            self.error(codes::DUPLICATE_PROPERTY, span, message).hints.push(ONE_OF_THEM.to_owned());
        }
        Expression::new(ExpressionKind::Object(entries), view.span())
    }

    fn key(&mut self, key: PropertyKey<'t>) -> Key {
        match key {
            PropertyKey::Name(name) => {
                Key::Fixed(Name { text: name.text().into(), span: name.span() })
            }
            PropertyKey::String(string) => match string.literal() {
                Some(text) => Key::Fixed(Name { text: text.into(), span: string.span() }),
                None => Key::Computed(self.string(string)),
            },
        }
    }
}

/// What to do about a name that is written twice.
pub(super) const ONE_OF_THEM: &str = "keep one of them";

/// Those of the keys that are there more than once.
pub(super) fn repeated<'a>(keys: impl Iterator<Item = (&'a str, Span)>) -> Vec<(String, Span)> {
    let mut places: HashMap<&str, Vec<Span>> = HashMap::new();
    for (name, span) in keys {
        places.entry(name).or_default().push(span);
    }
    let twice = places.into_iter().filter(|(_, spans)| spans.len() > 1);
    twice.flat_map(|(name, spans)| spans.into_iter().map(|span| (name.to_owned(), span))).collect()
}
