//! Types: what is declared with `type`, and the types of parameters, outputs and functions.

use super::Printer;
use super::bind::Symbol;
use super::decorator;
use super::union::{inner, sorted};
use crate::arm::json::Json;
use crate::codes;
use crate::resource_types::{ResourceSide, ResourceStep, ResourceTypeLookup, ResourceTypeSource};
use crate::syntax::ast::{self, PropertyKey, Statement, TypeExpression};
use crate::value::Kind;

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

    pub(super) fn type_json(&mut self, view: TypeExpression<'t>) -> Json {
        if !self.enter(view.span()) {
            return Json::object();
        }
        let json = self.type_kind(view);
        self.leave();
        json
    }

    /// Adds the base type that only the default of a parameter shows; reports an error if nothing does.
    fn with_base_type(&mut self, derived: Json, view: TypeExpression<'t>) -> Json {
        if derived.get("type").is_some() {
            return derived;
        }
        let Some(kind) = self.default_kind else {
            let written = view.node().text().trim();
            let message =
                format!("the type `{written}` is not known: Hangar does not contain Azure's types");
            let error = self.error(codes::NOT_SUPPORTED, view.span(), message);
            error.hints.push("write another type, such as `object`".to_owned());
            return derived;
        };
        derived.with("type", Json::text(kind))
    }

    fn type_kind(&mut self, view: TypeExpression<'t>) -> Json {
        if let Some(derived) = derived_type(view, self.build.sources.resource_types()) {
            return self.with_base_type(derived, view);
        }
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

    pub(super) fn type_name(&mut self, view: ast::TypeName<'t>) -> Json {
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

    pub(super) fn object_type(&mut self, view: ast::TypeObject<'t>) -> Json {
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
}

/// A part of a resource's type: `resourceInput<'Microsoft.Web/sites@2024-04-01'>.tags`.
///
/// AWS's types are known if the caller passed a source of them, Azure's are not. The source of the type is written as Bicep does; its base type only where Azure's
/// contract for resources fixes it.
fn derived_type(view: TypeExpression<'_>, types: &ResourceTypeSource) -> Option<Json> {
    let mut path = Vec::new();
    let mut steps = Vec::new();
    let mut view = view;
    let (function, written) = loop {
        view = match view {
            TypeExpression::TypeMember(member) => {
                let name = member.name()?.text();
                path.push(format!("properties/{}", escaped(name)));
                steps.push(Some(ResourceStep::Member(name)));
                member.base()?
            }
            TypeExpression::TypeOtherMembers(other) => {
                path.push("additionalProperties".to_owned());
                steps.push(Some(ResourceStep::OtherMembers));
                other.base()?
            }
            TypeExpression::TypeItems(items) => {
                path.push("items".to_owned());
                steps.push(Some(ResourceStep::Items));
                items.base()?
            }
            TypeExpression::TypeItem(item) => {
                path.push(format!("prefixItems/{}", item.index()?.node().text()));
                // No type of AWS has tuples.
                steps.push(None);
                item.base()?
            }
            TypeExpression::TypeParenthesized(view) => view.base()?,
            TypeExpression::TypeNonNull(view) => view.base()?,
            TypeExpression::TypeParameterized(view) => {
                let function = view.node().text().split('<').next()?.trim().to_owned();
                let Some(TypeExpression::TypeLiteral(literal)) = view.arguments().next() else {
                    return None;
                };
                let Some(ast::Expression::String(string)) = literal.value() else { return None };
                break (function, string.literal()?);
            }
            _ => return None,
        };
    };
    let is_output = match function.rsplit('.').next() {
        Some("resourceInput") => false,
        Some("resourceOutput") => true,
        _ => return None,
    };
    path.reverse();
    steps.reverse();
    let side = if is_output { ResourceSide::Output } else { ResourceSide::Input };
    if let Some(ResourceTypeLookup::Found(found)) = types.find(&written, side) {
        let steps: Option<Vec<ResourceStep<'_>>> = steps.into_iter().collect();
        let part = steps.and_then(|steps| found.part(steps));
        // Where values may be of several kinds, as policies, an object is the usual one.
        let kind = part.map(|part| part.form.kind().map_or("object", kind_name));
        return Some(with_source(written, &path, is_output, kind));
    }
    let kind = match path.as_slice() {
        [] => Some("object"),
        [only] => only.strip_prefix("properties/").and_then(contract_type),
        _ => None,
    };
    Some(with_source(written, &path, is_output, kind))
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "bool",
        Kind::Int => "int",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

/// A base type with the part of a resource's type that it stands for.
fn with_source(written: String, path: &[String], is_output: bool, kind: Option<&str>) -> Json {
    let source = if path.is_empty() { written } else { format!("{written}#{}", path.join("/")) };
    let mut origin = Json::object().with("source", Json::text(source));
    if is_output {
        origin.set("output", Json::bool(true));
    }
    let metadata = Json::object().with(DERIVED, origin);
    kind.map_or_else(Json::object, of_type).with("metadata", metadata)
}

/// The member of `metadata` that names the resource whose type is meant.
const DERIVED: &str = "__bicep_resource_derived_type!";

/// The types that every resource of Azure gives to these properties.
fn contract_type(name: &str) -> Option<&'static str> {
    match name {
        "id" | "name" | "type" | "apiVersion" | "location" | "kind" | "managedBy" | "etag" => {
            Some("string")
        }
        "tags" | "properties" | "identity" | "sku" | "plan" | "extendedLocation" => Some("object"),
        "zones" => Some("array"),
        _ => None,
    }
}

/// The base type of a literal, which is that of the parameter whose default it is.
pub(super) fn literal_kind(view: ast::Expression<'_>) -> Option<&'static str> {
    match view {
        ast::Expression::Array(_) => Some("array"),
        ast::Expression::Object(_) => Some("object"),
        ast::Expression::String(_) => Some("string"),
        ast::Expression::Literal(literal) => match literal.value()? {
            ast::LiteralValue::Bool(_) => Some("bool"),
            ast::LiteralValue::Number(_) => Some("int"),
            ast::LiteralValue::Null => None,
        },
        _ => None,
    }
}

/// Whether a type is a part of a resource's type, nullable or not.
pub(super) fn is_derived(view: TypeExpression<'_>) -> bool {
    match view {
        TypeExpression::TypeNullable(view) => view.base().is_some_and(is_derived),
        other => derived_type(other, &ResourceTypeSource::default()).is_some(),
    }
}

pub(super) fn of_type(name: &str) -> Json {
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
