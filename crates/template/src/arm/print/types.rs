//! Types: what is declared with `type`, and the types of parameters, outputs and functions.

use super::Printer;
use super::bind::Symbol;
use super::decorator;
use crate::arm::expression::literal;
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::syntax::ast::{self, LiteralValue, PropertyKey, Statement, TypeExpression};

const BUILT_IN: [&str; 5] = ["string", "int", "bool", "object", "array"];

impl<'t> Printer<'t, '_, '_> {
    pub(super) fn definitions(&mut self) -> Json {
        let mut definitions = Json::object();
        for view in self.bound.types.clone() {
            let Some(name) = view.name() else { continue };
            let decorators: Vec<_> = Statement::TypeAlias(view).decorators().collect();
            let json = self.typed(view.type_expression(), &decorators);
            definitions.set(name.text(), json);
        }
        definitions
    }

    pub(super) fn functions(&mut self) -> Json {
        let mut members = Json::object();
        for view in self.bound.functions.clone() {
            if let (Some(name), Some(json)) = (view.name(), self.function_json(view)) {
                members.set(name.text(), json);
            }
        }
        members
    }

    pub(super) fn function_json(&mut self, view: ast::Func<'t>) -> Option<Json> {
        let body = view.value()?;
        self.is_in_function = true;
        let mut parameters = Vec::new();
        for parameter in view.params() {
            let Some(name) = parameter.name() else { continue };
            let mut json = self.typed(parameter.type_expression(), &[]);
            json.set("name", Json::text(name.text()));
            parameters.push(json);
            self.parameter_local(name.text());
        }
        let mut output = self.typed(view.type_expression(), &[]);
        let value = self.value(body);
        output.set("value", value);
        self.locals.clear();
        self.is_in_function = false;
        let mut json =
            Json::object().with("parameters", Json::array(parameters)).with("output", output);
        let decorators: Vec<_> = Statement::Func(view).decorators().collect();
        self.decorate(&mut json, &decorators);
        Some(json)
    }

    /// A type with its decorators.
    pub(super) fn typed(
        &mut self,
        view: Option<TypeExpression<'t>>,
        decorators: &[ast::Decorator<'t>],
    ) -> Json {
        let Some(view) = view else { return Json::object() };
        let discriminator = decorators
            .iter()
            .find(|it| decorator::name(**it) == Some("discriminator"))
            .and_then(|it| decorator::argument(*it));
        let discriminator = match discriminator {
            Some(ast::Expression::String(string)) => string.literal(),
            _ => None,
        };
        let mut json = match discriminator {
            Some(property) => self.discriminated(view, &property),
            None => self.type_json(view),
        };
        self.decorate(&mut json, decorators);
        json
    }

    fn type_json(&mut self, view: TypeExpression<'t>) -> Json {
        if !self.enter(view.span()) {
            return Json::object();
        }
        let json = self.type_kind(view);
        self.leave();
        json
    }

    fn type_kind(&mut self, view: TypeExpression<'t>) -> Json {
        match view {
            TypeExpression::TypeName(name) => self.type_name(name),
            TypeExpression::TypeParenthesized(view) => self.base_json(view.base()),
            TypeExpression::TypeNullable(view) => {
                self.base_json(view.base()).with("nullable", Json::bool(true))
            }
            TypeExpression::TypeNonNull(view) => {
                self.base_json(view.base()).with("nullable", Json::bool(false))
            }
            TypeExpression::TypeArray(view) => self.array_type(view),
            TypeExpression::TypeObject(view) => self.object_type(view),
            TypeExpression::TypeTuple(view) => {
                let items = view.items().map(|it| {
                    self.typed(it.type_expression(), &it.decorators().collect::<Vec<_>>())
                });
                let items = items.collect();
                of_type("array")
                    .with("prefixItems", Json::array(items))
                    .with("items", Json::bool(false))
            }
            TypeExpression::TypeLiteral(_) | TypeExpression::TypeUnion(_) => self.union(view),
            TypeExpression::TypeMember(member) => {
                // `sys.bool` where `bool` is declared.
                if let Some(TypeExpression::TypeName(base)) = member.base()
                    && base.name().is_some_and(|it| {
                        it.text() == "sys" && !self.bound.symbols.contains_key("sys")
                    })
                {
                    return member.name().map_or_else(Json::object, |it| built_in(it.text()));
                }
                let name = member.name().map_or("", ast::Name::text);
                if let Some(TypeExpression::TypeName(base)) = member.base()
                    && let Some(Symbol::Namespace(file)) =
                        base.name().and_then(|it| self.bound.symbols.get(it.text()))
                {
                    return self.imported_type(*file, name, member.span());
                }
                self.part(member.base(), &format!("/properties/{}", escaped(name)))
            }
            TypeExpression::TypeOtherMembers(view) => {
                self.part(view.base(), "/additionalProperties")
            }
            TypeExpression::TypeItems(view) => self.part(view.base(), "/items"),
            TypeExpression::TypeItem(view) => {
                let at = view.index().map_or("0", |it| it.node().text());
                self.part(view.base(), &format!("/prefixItems/{at}"))
            }
            TypeExpression::TypeParameterized(_) => of_type("object"),
            TypeExpression::TypeResource(_) => of_type("string"),
        }
    }

    fn base_json(&mut self, base: Option<TypeExpression<'t>>) -> Json {
        base.map_or_else(Json::object, |base| self.type_json(base))
    }

    fn type_name(&mut self, view: ast::TypeName<'t>) -> Json {
        let Some(name) = view.name() else { return Json::object() };
        match self.bound.symbols.get(name.text()) {
            Some(Symbol::Type(_)) => {
                let name = self.own_type(name.text());
                reference(&name)
            }
            Some(Symbol::Imported(index)) => {
                let import = self.bound.imports[*index];
                self.imported_type(import.file, import.original, name.span())
            }
            _ if BUILT_IN.contains(&name.text()) || name.text() == "any" => built_in(name.text()),
            _ => {
                let message = format!("the type `{}` is not declared", name.text());
                self.error(codes::UNDECLARED, name.span(), message);
                Json::object()
            }
        }
    }

    /// A part of a type that is declared.
    fn part(&mut self, base: Option<TypeExpression<'t>>, path: &str) -> Json {
        let base = self.base_json(base);
        let whole = base.get("$ref").and_then(Json::as_text);
        whole.map_or_else(Json::object, |whole| {
            Json::object().with("$ref", Json::text(format!("{whole}{path}")))
        })
    }

    fn array_type(&mut self, view: ast::TypeArray<'t>) -> Json {
        let Some(base) = view.base() else { return of_type("array") };
        if let TypeExpression::TypeUnion(_) = inner(base)
            && let Some(values) = self.literals(base)
        {
            return of_type("array").with("allowedValues", sorted(values));
        }
        let items = self.type_json(base);
        of_type("array").with("items", items)
    }

    fn object_type(&mut self, view: ast::TypeObject<'t>) -> Json {
        let mut properties = Json::object();
        for property in view.properties() {
            let name = match property.key() {
                Some(PropertyKey::Name(name)) => name.text().to_owned(),
                Some(PropertyKey::String(string)) => string.literal().unwrap_or_default(),
                None => continue,
            };
            let json =
                self.typed(property.type_expression(), &property.decorators().collect::<Vec<_>>());
            properties.set(name, json);
        }
        let mut json = of_type("object").with("properties", properties);
        if let Some(others) = view.other_properties() {
            let others =
                self.typed(others.type_expression(), &others.decorators().collect::<Vec<_>>());
            json.set("additionalProperties", others);
        }
        json
    }

    fn union(&mut self, view: TypeExpression<'t>) -> Json {
        let Some(mut values) = self.literals(view) else {
            let message = "a union can only be one of literals, unless it has a `@discriminator()`";
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
    fn literals(&mut self, view: TypeExpression<'t>) -> Option<Vec<(String, Json)>> {
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
    fn discriminated(&mut self, view: TypeExpression<'t>, property: &str) -> Json {
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
            TypeExpression::TypeName(name) => {
                let symbol = name.name().and_then(|it| self.bound.symbols.get(it.text()));
                let declared = match symbol {
                    Some(Symbol::Type(index)) => self.bound.types[*index].type_expression(),
                    _ => None,
                };
                match declared.map(inner) {
                    Some(TypeExpression::TypeObject(object)) => {
                        let json = self.type_name(name);
                        self.variant(object, property, json, mapping);
                    }
                    Some(other) => self.variants(other, property, mapping),
                    None => {
                        self.type_name(name);
                    }
                }
            }
            TypeExpression::TypeObject(object) => {
                let json = self.object_type(object);
                self.variant(object, property, json, mapping);
            }
            other => {
                let message = format!("only objects can be told apart by `{property}`");
                self.error(codes::NOT_SUPPORTED, other.span(), message);
            }
        }
        self.leave();
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
            let message = format!("an object without a literal `{property}` cannot be told apart");
            self.error(codes::NOT_SUPPORTED, object.span(), message);
        }
    }
}

fn of_type(name: &str) -> Json {
    Json::object().with("type", Json::text(name))
}

fn built_in(name: &str) -> Json {
    if name == "any" { Json::object() } else { of_type(name) }
}

pub(super) fn reference(name: &str) -> Json {
    Json::object().with("$ref", Json::text(format!("#/definitions/{}", escaped(name))))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A type without its parentheses and without what says that it may be null.
fn inner(view: TypeExpression<'_>) -> TypeExpression<'_> {
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

fn sorted(mut values: Vec<(String, Json)>) -> Json {
    values.sort_by(|(a, _), (b, _)| a.cmp(b));
    Json::array(values.into_iter().map(|(_, value)| value).collect())
}
