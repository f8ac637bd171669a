//! Unions: of literals, which are a list of allowed values, and of objects that one of their members tells apart.

use super::Printer;
use super::bind::Symbol;
use super::types::of_type;
use crate::arm::expression::literal;
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::syntax::ast::{self, LiteralValue, PropertyKey, TypeExpression};

impl<'t> Printer<'t, '_, '_> {
    pub(super) fn union(&mut self, view: TypeExpression<'t>) -> Json {
        let Some(mut values) = self.literals(view) else {
            let message = "a union must consist of literals, unless it has a `@discriminator()`";
            self.error(codes::NOT_SUPPORTED, view.span(), message);
            return Json::object();
        };
        let is_nullable = values.iter().any(|(_, it)| matches!(it.kind, Kind::Null));
        values.retain(|(_, it)| !matches!(it.kind, Kind::Null));
        let mut kinds: Vec<&str> = values.iter().map(|(_, it)| kind_of(it)).collect();
        kinds.dedup();
        let mut json = match kinds.as_slice() {
            [kind] => of_type(kind),
            _ => Json::object(),
        };
        json.set("allowedValues", sorted(values));
        if is_nullable {
            json.set("nullable", Json::bool(true));
        }
        json
    }

    /// The values of a union of literals, each with how it is spelled; nothing where one is no literal.
    pub(super) fn literals(&mut self, view: TypeExpression<'t>) -> Option<Vec<(String, Json)>> {
        if !self.enter(view.span()) {
            return None;
        }
        let values = self.literal_values(view);
        self.leave();
        values
    }

    fn literal_values(&mut self, view: TypeExpression<'t>) -> Option<Vec<(String, Json)>> {
        match view {
            TypeExpression::TypeUnion(union) => {
                let mut all: Vec<(String, Json)> = Vec::new();
                for member in union.members() {
                    for (text, value) in self.literals(member)? {
                        if all.iter().all(|(known, _)| *known != text) {
                            all.push((text, value));
                        }
                    }
                }
                Some(all)
            }
            TypeExpression::TypeParenthesized(view) => self.literals(view.base()?),
            // `'x' | 'y'?`: the `?` of the last member makes the union nullable.
            TypeExpression::TypeNullable(view) => {
                let mut values = self.literals(view.base()?)?;
                values.push(("null".to_owned(), Json::NULL));
                Some(values)
            }
            TypeExpression::TypeName(name) => {
                match *self.bound.symbols.get(name.name()?.text())? {
                    Symbol::Type(index) => {
                        let declared = self.bound.types[index].type_expression()?;
                        self.literals(declared)
                    }
                    Symbol::Imported(index) => {
                        let import = self.bound.imports[index];
                        self.in_file(import.file, |it| {
                            let Symbol::Type(index) = *it.bound.symbols.get(import.original)?
                            else {
                                return None;
                            };
                            let declared = it.bound.types[index].type_expression()?;
                            it.literals(declared)
                        })
                    }
                    _ => None,
                }
            }
            TypeExpression::TypeLiteral(view) => {
                let json = literal_type(view)?;
                Some(vec![(spelled(&json), json)])
            }
            TypeExpression::TypeTuple(view) => {
                let mut items = Vec::new();
                for item in view.items() {
                    items.push(self.only(item.type_expression()?)?);
                }
                let json = Json::array(items);
                Some(vec![(spelled(&json), json)])
            }
            TypeExpression::TypeObject(view) => {
                let mut json = Json::object();
                for property in view.properties() {
                    let name = match property.key()? {
                        PropertyKey::Name(name) => name.text().to_owned(),
                        PropertyKey::String(string) => string.literal()?,
                    };
                    let value = self.only(property.type_expression()?)?;
                    json.set(name, value);
                }
                Some(vec![(spelled(&json), json)])
            }
            _ => None,
        }
    }

    /// The value of a type that has only one.
    fn only(&mut self, view: TypeExpression<'t>) -> Option<Json> {
        let mut values = self.literals(view)?;
        (values.len() == 1).then(|| values.remove(0).1)
    }

    /// A union whose members are told apart by a property.
    pub(super) fn discriminated(&mut self, view: TypeExpression<'t>, property: &str) -> Json {
        let nullable = match view {
            TypeExpression::TypeNullable(_) => Some(true),
            TypeExpression::TypeNonNull(_) => Some(false),
            _ => None,
        };
        let whole = inner(view);
        if !matches!(whole, TypeExpression::TypeUnion(_)) {
            return self.type_json(view);
        }
        let mut mapping = Json::object();
        self.variants(whole, property, &mut mapping);
        let discriminator =
            Json::object().with("propertyName", Json::text(property)).with("mapping", mapping);
        let mut json = of_type("object").with("discriminator", discriminator);
        if let Some(nullable) = nullable {
            json.set("nullable", Json::bool(nullable));
        }
        json
    }

    fn variants(&mut self, view: TypeExpression<'t>, property: &str, mapping: &mut Json) {
        if !self.enter(view.span()) {
            return;
        }
        match inner(view) {
            TypeExpression::TypeUnion(union) => {
                for member in union.members() {
                    self.variants(member, property, mapping);
                }
            }
            TypeExpression::TypeName(name) => self.named_variants(name, property, mapping),
            TypeExpression::TypeObject(object) => {
                let json = self.object_type(object);
                self.variant(object, property, json, mapping);
            }
            other => {
                let message = format!("only object types can have the discriminator `{property}`");
                self.error(codes::NOT_SUPPORTED, other.span(), message);
            }
        }
        self.leave();
    }

    /// The variants of a type that is declared, which may be in another file.
    fn named_variants(&mut self, name: ast::TypeName<'t>, property: &str, mapping: &mut Json) {
        let Some(text) = name.name().map(ast::Name::text) else { return };
        let (file, text) = match self.bound.symbols.get(text) {
            Some(Symbol::Imported(index)) => {
                let import = self.bound.imports[*index];
                (import.file, import.original)
            }
            _ => (self.current, text),
        };
        if self.compiled.contains_key(&file) {
            let message =
                "a type that is imported from ARM JSON cannot be a member of this union yet";
            self.error(codes::NOT_SUPPORTED, name.span(), message);
            return;
        }
        let whole = self.type_name(name);
        self.in_file(file, |it| {
            let Some(Symbol::Type(index)) = it.bound.symbols.get(text) else { return };
            match it.bound.types[*index].type_expression().map(inner) {
                Some(TypeExpression::TypeObject(object)) => {
                    it.variant(object, property, whole, mapping);
                }
                Some(other) => it.variants(other, property, mapping),
                None => {}
            }
        });
    }

    fn variant(
        &mut self,
        object: ast::TypeObject<'t>,
        property: &str,
        json: Json,
        mapping: &mut Json,
    ) {
        let mut own = object.properties().filter(|it| match it.key() {
            Some(PropertyKey::Name(name)) => name.text() == property,
            Some(PropertyKey::String(string)) => string.literal().as_deref() == Some(property),
            None => false,
        });
        let value = own.next().and_then(ast::TypeProperty::type_expression);
        let value = value.and_then(|it| self.only(it));
        if let Some(value) = value.as_ref().and_then(Json::as_text) {
            mapping.set(value, json);
        } else {
            let message = format!(
                "each object type must have a string literal for the discriminator `{property}`"
            );
            self.error(codes::NOT_SUPPORTED, object.span(), message);
        }
    }
}

/// A type without its parentheses and without what says that it may be null.
pub(super) fn inner(view: TypeExpression<'_>) -> TypeExpression<'_> {
    let mut inner = view;
    loop {
        let base = match inner {
            TypeExpression::TypeParenthesized(view) => view.base(),
            TypeExpression::TypeNullable(view) => view.base(),
            TypeExpression::TypeNonNull(view) => view.base(),
            _ => None,
        };
        match base {
            Some(base) => inner = base,
            None => return inner,
        }
    }
}

fn literal_type(view: ast::TypeLiteral<'_>) -> Option<Json> {
    let text = view.node().text();
    let sign = text.chars().next().filter(|it| matches!(it, '-' | '!'));
    match view.value()? {
        ast::Expression::String(string) => Some(Json::text(literal(&string.literal()?))),
        ast::Expression::Literal(value) => Some(match value.value()? {
            LiteralValue::Number(number) if sign == Some('-') => Json::number(format!("-{number}")),
            LiteralValue::Number(number) => Json::number(number),
            LiteralValue::Bool(value) => Json::bool(value != (sign == Some('!'))),
            LiteralValue::Null => Json::NULL,
        }),
        _ => None,
    }
}

fn kind_of(value: &Json) -> &'static str {
    match value.kind {
        Kind::Null => "null",
        Kind::Bool(_) => "bool",
        Kind::Number(_) => "int",
        Kind::Text { .. } => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
    }
}

/// How a literal is spelled in a type: the values of a union stand in this order.
fn spelled(value: &Json) -> String {
    match &value.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(number) => number.clone(),
        Kind::Text { text, .. } => format!("'{text}'"),
        Kind::Array(items) => {
            let items: Vec<_> = items.iter().map(spelled).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|it| format!("{}: {}", it.name, spelled(&it.value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

pub(super) fn sorted(mut values: Vec<(String, Json)>) -> Json {
    values.sort_by(|(a, _), (b, _)| a.cmp(b));
    Json::array(values.into_iter().map(|(_, value)| value).collect())
}
