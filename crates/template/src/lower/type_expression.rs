//! Types as they are written: simple ones, literals, unions, lists, tuples, objects, and parts of declared ones.

use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use super::decorator::Target;
use super::discriminator::WrittenUnion;
use super::expression::Here;
use super::object::{ONE_OF_THEM, repeated};
use super::symbols::Symbol;
use crate::codes;
use crate::ir::{ExpressionKind, Imported};
use crate::near::near;
use crate::syntax::ast::{self, PropertyKey, TypeExpression};
use crate::types::{Discriminated, ObjectType, Part, PartStep, Reference, Slot, Type};
use crate::value::{Data, Kind, Value};

const SIMPLE: [(&str, Type); 6] = [
    ("string", Type::Kind(Kind::String)),
    ("int", Type::Kind(Kind::Int)),
    ("bool", Type::Kind(Kind::Bool)),
    ("array", Type::Kind(Kind::Array)),
    ("object", Type::Kind(Kind::Object)),
    ("any", Type::Any),
];

impl<'t> Lowering<'t> {
    /// The type of a declaration and its text; `any` where it is missing, which was reported.
    pub(super) fn type_or_any(&mut self, view: Option<TypeExpression<'t>>) -> (Type, Arc<str>) {
        match view {
            Some(view) => (self.declared_type(view), self.text_at(view.span())),
            None => (Type::Any, "any".into()),
        }
    }

    /// A type with what its decorators add, and whether it is exported.
    pub(super) fn slot(
        &mut self,
        decorators: Vec<ast::Decorator<'t>>,
        target: Target,
        value_type: Type,
    ) -> (Slot, bool) {
        let said = self.said(decorators, target, Some(&value_type));
        let value_type = decorated(value_type, said.remarks.sealed, said.discriminator);
        let (secure, bounds, remarks) = (said.secure, said.bounds, said.remarks);
        (Slot { value_type, secure, bounds, remarks }, said.exported)
    }

    pub(super) fn declared_type(&mut self, view: TypeExpression<'t>) -> Type {
        if self.depth >= crate::ir::MAX_DEPTH {
            self.error(codes::TOO_DEEP, view.span(), "the type is nested too deeply");
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
            TypeExpression::TypeNonNull(inner) => {
                Type::NonNull(Box::new(self.inner_type(inner.base())))
            }
            TypeExpression::TypeUnion(union) => {
                let written: Vec<_> =
                    union.members().map(|it| (self.declared_type(it), it.span())).collect();
                let mut members: Vec<_> = written.iter().map(|(it, _)| it.clone()).collect();
                let span = union.node().span();
                self.unions.push(WrittenUnion { members: written, span });
                // `'x' | 'y'?`: the `?` of the last member makes the union nullable.
                let Some(Type::Nullable(last)) =
                    members.pop_if(|it| matches!(it, Type::Nullable(_)))
                else {
                    return union_of(members);
                };
                members.push(*last);
                Type::Nullable(Box::new(union_of(members)))
            }
            TypeExpression::TypeObject(view) => self.object_type(view),
            TypeExpression::TypeTuple(view) => {
                let items = view.items().map(|item| {
                    let value_type = self.inner_type(item.type_expression());
                    self.slot(item.decorators().collect(), Target::Member, value_type).0
                });
                Type::Tuple(items.collect())
            }
            TypeExpression::TypeMember(view) => self.type_member(view),
            TypeExpression::TypeOtherMembers(view) => {
                let base = self.inner_type(view.base());
                self.part_of(base, PartStep::OtherMembers, view.span())
            }
            TypeExpression::TypeItems(view) => {
                let base = self.inner_type(view.base());
                self.part_of(base, PartStep::Items, view.span())
            }
            TypeExpression::TypeItem(view) => self.type_item(view),
            TypeExpression::TypeParameterized(view) => self.type_of_whole_resource(view),
            TypeExpression::TypeResource(view) => {
                let hint = "declare the type of the value that you read from it, as in `param vpcId string`";
                self.not_supported(view.span(), "this kind of type is", hint);
                Type::Any
            }
        }
    }

    fn inner_type(&mut self, view: Option<TypeExpression<'t>>) -> Type {
        view.map_or(Type::Any, |view| self.declared_type(view))
    }

    fn object_type(&mut self, view: ast::TypeObject<'t>) -> Type {
        let mut object = ObjectType::default();
        let mut keys = Vec::new();
        for property in view.properties() {
            let value_type = self.inner_type(property.type_expression());
            let decorators = property.decorators().collect();
            let (slot, _) = self.slot(decorators, Target::Member, value_type);
            let (name, span): (Arc<str>, Span) = match property.key() {
                Some(PropertyKey::Name(name)) => (name.text().into(), name.span()),
                Some(PropertyKey::String(string)) => {
                    let Some(text) = string.literal() else {
                        let message = "the name of a property in a type cannot be computed";
                        let hint = "write the name, or `*:` for all names";
                        self.error(codes::COMPUTED_TYPE_PROPERTY, string.span(), message)
                            .hints
                            .push(hint.to_owned());
                        continue;
                    };
                    (text.into(), string.span())
                }
                None => continue,
            };
            keys.push((name.clone(), span));
            object.members.push((name, slot));
        }
        for (name, span) in repeated(keys.iter().map(|(name, span)| (&**name, *span))) {
            let message = format!("the property `{name}` is declared more than once");
            self.error(codes::DUPLICATE_PROPERTY, span, message).hints.push(ONE_OF_THEM.to_owned());
        }
        object.others = view.other_properties().map(|others| {
            let value_type = self.inner_type(others.type_expression());
            self.slot(others.decorators().collect(), Target::Member, value_type).0
        });
        Type::Object(Box::new(object))
    }

    fn type_name(&mut self, view: ast::TypeName<'t>) -> Type {
        let Some(name) = view.name() else { return Type::Any };
        match self.symbols.get(name.text()).copied() {
            // Its declaration was reported.
            Some(Symbol::Reported) => Type::Any,
            // A declared type goes before a simple one of its name; `sys.` leads to that.
            Some(Symbol::Type(index)) => {
                let reference = Imported { unit: self.around.units.len(), index };
                self.reference(reference)
            }
            Some(Symbol::ImportedType(imported)) => self.reference(imported),
            other => match simple(name.text()) {
                Some(found) => found,
                None if other.is_some() => {
                    let message = format!("`{}` is a value, not a type", name.text());
                    let hint = "write a type, such as `string`, `int` or a type that is declared with `type`";
                    self.error(codes::VALUE_AS_TYPE, name.span(), message)
                        .hints
                        .push(hint.to_owned());
                    Type::Any
                }
                None => self.no_such_type(name),
            },
        }
    }

    fn reference(&self, imported: Imported) -> Type {
        let Imported { unit, index } = imported;
        let declared = match self.around.units.get(unit) {
            Some(unit) => unit.types.get(index),
            None => self.types.get(index),
        };
        let name = declared.map(|it| it.name.text.clone()).unwrap_or_default();
        Type::Declared(Reference { unit, index, name })
    }

    fn no_such_type(&mut self, name: ast::Name<'t>) -> Type {
        let declared = self.types.iter().map(|it| it.name.text.to_string());
        let names: Vec<String> =
            SIMPLE.iter().map(|(name, _)| (*name).to_owned()).chain(declared).collect();
        let near = near(name.text(), names.iter().map(String::as_str)).map(str::to_owned);
        let message = format!("the type `{}` does not exist", name.text());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "available types: `string`, `int`, `bool`, `array`, `object` and types that are \
                    declared with `type`"
                    .to_owned()
            }
        };
        self.error(codes::UNKNOWN_TYPE, name.span(), message).hints.push(hint);
        Type::Any
    }

    /// `T.name`, `file.T` or `sys.string`.
    fn type_member(&mut self, view: ast::TypeMember<'t>) -> Type {
        let Some(name) = view.name() else { return Type::Any };
        if let Some(TypeExpression::TypeName(base)) = view.base()
            && let Some(base) = base.name()
        {
            match self.symbols.get(base.text()).copied() {
                Some(Symbol::Namespace(unit)) => {
                    return match self.imported(unit, name.text(), name.span()) {
                        Symbol::ImportedType(imported) => self.reference(imported),
                        Symbol::Reported => Type::Any,
                        _ => {
                            let message = format!("`{}` is a value, not a type", name.text());
                            let hint = "use a type that the file exports";
                            self.error(codes::VALUE_AS_TYPE, name.span(), message)
                                .hints
                                .push(hint.to_owned());
                            Type::Any
                        }
                    };
                }
                None if base.text() == "sys" => {
                    return simple(name.text()).unwrap_or_else(|| self.no_such_type(name));
                }
                _ => {}
            }
        }
        let base = match view.base() {
            Some(TypeExpression::TypeParameterized(whole)) => self.type_parameterized(whole),
            base => self.inner_type(base),
        };
        self.part_of(base, PartStep::Member(name.text().into()), name.span())
    }

    fn type_item(&mut self, view: ast::TypeItem<'t>) -> Type {
        let base = self.inner_type(view.base());
        let Some(index) = view.index() else { return Type::Any };
        let at = match self.expression(index, Here::Value).kind {
            ExpressionKind::Constant(Value { data: Data::Int(index), .. }) => {
                usize::try_from(index).ok()
            }
            ExpressionKind::Faulty => return Type::Any,
            _ => None,
        };
        let Some(at) = at else {
            let message = "the index of a tuple type must be a number literal";
            let hint = "write the index, starting at 0, as in `pair[0]`";
            self.error(codes::NO_SUCH_ITEM, index.span(), message).hints.push(hint.to_owned());
            return Type::Any;
        };
        self.part_of(base, PartStep::Item(at), index.span())
    }

    /// A part of a type; whether there is one is looked at once all types are lowered.
    fn part_of(&mut self, base: Type, step: PartStep, span: Span) -> Type {
        if base == Type::Any {
            return Type::Any;
        }
        if let Type::Foreign(text) = &base {
            return Type::Foreign(format!("{text}…").into());
        }
        let part = Part { base, step };
        self.parts.push((part.clone(), span));
        Type::Part(Box::new(part))
    }

    /// Parts of types that there are not.
    pub(super) fn check_type_parts(&mut self) {
        for (part, span) in std::mem::take(&mut self.parts) {
            let table = self.table();
            let resolved = table.resolve(&part.base);
            let is_open = matches!(resolved, None | Some(Type::Any | Type::Foreign(_)));
            if is_open || table.part(&part).is_some() {
                continue;
            }
            let base = &part.base;
            let (code, message, hint) = match (&part.step, resolved) {
                (PartStep::Member(name), Some(Type::Object(object))) => {
                    let names = object.members.iter().map(|(name, _)| &**name);
                    let near = near(name, names).map(|near| format!("did you mean `{near}`?"));
                    let code = match near {
                        Some(_) => codes::NO_SUCH_PROPERTY_NEAR,
                        None => codes::NO_SUCH_PROPERTY,
                    };
                    let names: Vec<_> =
                        object.members.iter().map(|(name, _)| format!("`{name}`")).collect();
                    let hint = near.unwrap_or_else(|| match names.len() {
                        0 => format!("add `{name}: string` to the type"),
                        _ => format!("available properties: {}", names.join(", ")),
                    });
                    (
                        code,
                        format!("the property `{name}` does not exist on the type `{base}`"),
                        Some(hint),
                    )
                }
                (PartStep::Member(name), _) => {
                    let message = format!(
                        "cannot read the property `{name}` of the type `{base}`: it is \
                                          not an object type"
                    );
                    (codes::NO_PROPERTIES, message, Some(format!("write only `{base}`")))
                }
                (PartStep::OtherMembers, _) => {
                    let message =
                        format!("the type `{base}` does not declare `*:` for other properties");
                    let hint =
                        "write one of its properties, as in `.name`, or add `*: string` to it";
                    (codes::NO_OTHER_PROPERTIES, message, Some(hint.to_owned()))
                }
                (PartStep::Item(index), _) => {
                    let message = format!("the item {index} does not exist on the type `{base}`");
                    let hint = match resolved {
                        Some(Type::Tuple(items)) => {
                            format!("the tuple has length {}, counted from 0", items.len())
                        }
                        _ => "only a tuple type, such as `[string, int]`, has numbered items"
                            .to_owned(),
                    };
                    (codes::NO_SUCH_ITEM, message, Some(hint))
                }
                (PartStep::Items, _) => {
                    let message = format!("`{base}` is not an array type");
                    let hint = "only an array type, such as `string[]`, has `[*]`";
                    (codes::NO_ITEMS, message, Some(hint.to_owned()))
                }
            };
            self.error(code, span, message).hints.extend(hint);
        }
    }

    fn type_literal(&mut self, view: ast::TypeLiteral<'t>) -> Type {
        let Some(value) = view.value() else { return Type::Any };
        let text = view.node().text();
        let (negative, inverted) = (text.starts_with('-'), text.starts_with('!'));
        let span: Span = view.span();
        let lowered = match value {
            ast::Expression::Literal(literal) if negative || inverted => match literal.value() {
                Some(ast::LiteralValue::Number(number)) if negative => {
                    Some(Value::int(0_i64.wrapping_sub_unsigned(number)))
                }
                Some(ast::LiteralValue::Bool(truth)) if inverted => Some(Value::bool(!truth)),
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
                let hint = "write a literal, such as `'small'` or `3`";
                self.error(codes::NOT_CONSTANT, span, "a type can only contain constants")
                    .hints
                    .push(hint.to_owned());
                Type::Any
            }
        }
    }
}

/// A type that needs no declaration.
fn simple(name: &str) -> Option<Type> {
    SIMPLE.iter().find(|(it, _)| *it == name).map(|(_, found)| found.clone())
}

/// A type with `@sealed()` and `@discriminator()`.
pub(super) fn decorated(value_type: Type, sealed: bool, by: Option<Arc<str>>) -> Type {
    match (value_type, by) {
        (Type::Object(mut object), _) if sealed => {
            object.sealed = true;
            Type::Object(object)
        }
        (Type::Nullable(inner), by @ Some(_)) => {
            Type::Nullable(Box::new(decorated(*inner, sealed, by)))
        }
        (union, Some(by)) => Type::Discriminated(Box::new(Discriminated { by, union })),
        (other, None) => other,
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
