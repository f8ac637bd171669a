//! Decorators: which go before what, and what they say.

mod table;

use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use super::discriminator::DiscriminatedType;
use super::expression::Here;
use super::name::NAMESPACES;
use super::object::{ONE_OF_THEM, repeated};
use crate::codes;
use crate::functions;
use crate::ir::{Bounds, Entry, Expression, ExpressionKind, Item, Key, Remarks};
use crate::near::near;
use crate::syntax::NodeKind;
use crate::syntax::ast::{self, Statement};
use crate::types::{Type, advice_for_kind};
use crate::value::{Data, Kind, Members, Value};
pub(super) use table::Target;
use table::{ALL, Decorator};

/// What the decorators of a declaration say.
#[derive(Default)]
pub(super) struct Decorators {
    pub(super) remarks: Remarks,
    pub(super) exported: bool,
    pub(super) secure: bool,
    /// What `@discriminator()` names.
    pub(super) discriminator: Option<Arc<str>>,
    pub(super) bounds: Bounds,
    pub(super) batch: Option<(i64, Span)>,
    pub(super) or_null: Option<Span>,
}

impl<'t> Lowering<'t> {
    pub(super) fn no_decorators(&mut self, statement: Statement<'t>) {
        for decorator in statement.decorators() {
            let message = "a decorator is not allowed here";
            let hint = "remove it, or move it before a parameter, variable, resource or output";
            self.error(codes::NO_DECORATORS, decorator.span(), message).hints.push(hint.to_owned());
        }
    }

    pub(super) fn decorators_of_variable(&mut self, statement: Statement<'t>) -> Decorators {
        self.decorators(statement, Target::Variable, None)
    }

    pub(super) fn metadata_decorators(&mut self, statement: Statement<'t>) {
        self.decorators(statement, Target::Metadata, None);
    }

    pub(super) fn decorators_of_output(
        &mut self,
        statement: Statement<'t>,
        value_type: &Type,
    ) -> Decorators {
        self.decorators(statement, Target::Output, Some(value_type))
    }

    pub(super) fn decorators(
        &mut self,
        statement: Statement<'t>,
        target: Target,
        value_type: Option<&Type>,
    ) -> Decorators {
        self.said(statement.decorators().collect(), target, value_type)
    }

    /// What decorators say.
    pub(super) fn said(
        &mut self,
        decorators: Vec<ast::Decorator<'t>>,
        target: Target,
        value_type: Option<&Type>,
    ) -> Decorators {
        let mut said = Decorators::default();
        let mut seen = Vec::new();
        for view in decorators {
            let Some((decorator, arguments)) = self.decorator(view, target, value_type) else {
                continue;
            };
            // The node holds the new lines after it.
            let end = view.expression().map_or(view.span(), ast::Expression::span).end;
            let span = Span::new(view.span().start, end);
            seen.push((decorator.name, span));
            self.check_type(decorator, value_type, span);
            self.say(&mut said, decorator.name, &arguments, span);
            if let (Some(value_type), "discriminator", Some(by)) =
                (value_type, decorator.name, &said.discriminator)
            {
                let (value_type, by) = (value_type.clone(), by.clone());
                self.discriminated.push(DiscriminatedType { value_type, span, by });
            }
        }
        self.check_ranges(&said.bounds, &seen);
        for (name, span) in repeated(seen.into_iter()) {
            let message = format!("`@{name}` is used more than once here");
            self.error(codes::DUPLICATE_DECORATOR, span, message)
                .hints
                .push(ONE_OF_THEM.to_owned());
        }
        said
    }

    /// Which decorator it is, and its arguments as values.
    fn decorator(
        &mut self,
        view: ast::Decorator<'t>,
        target: Target,
        value_type: Option<&Type>,
    ) -> Option<(&'static Decorator, Vec<(Value, Span)>)> {
        let expression = view.expression()?;
        let (name, arguments) = match expression {
            ast::Expression::Call(call) => (call.name()?, call.arguments().collect::<Vec<_>>()),
            ast::Expression::MethodCall(call) if is_namespace(call.base()) => {
                (call.name()?, call.arguments().collect())
            }
            other => {
                self.not_called(other);
                return None;
            }
        };
        let Some(decorator) = ALL.iter().find(|it| it.name == name.text()) else {
            self.no_such_decorator(name);
            return None;
        };
        let (what, code) = target.describe();
        if !decorator.targets.contains(&target) {
            let message = format!("`@{}` cannot be used on {what}", decorator.name);
            let hint = format!("remove it; it can be used on {}", decorator.goes_before());
            self.error(code, name.span(), message).hints.push(hint);
            return None;
        }
        if !decorator.is_supported {
            let hint = instead_of(decorator.name)
                .unwrap_or("remove it: Hangar waits for each resource and retries automatically");
            self.not_supported(name.span(), &format!("`@{}` is", decorator.name), hint);
            return None;
        }
        let count = decorator.count;
        let signature = decorator.signature();
        let takes = (count, Some(count));
        self.check_count(decorator.name, expression.node(), arguments.len(), takes, &signature);
        if arguments.len() != count {
            return None;
        }
        let values = arguments.iter().map(|it| self.decorator_argument(decorator, *it));
        let values: Vec<(Value, Span)> = values.collect::<Option<_>>()?;
        if let ("allowed", Some(wanted), [(Value { data: Data::Array(items), .. }, _)], [list]) =
            (decorator.name, value_type, values.as_slice(), arguments.as_slice())
        {
            self.check_allowed(wanted, items, *list);
        }
        Some((decorator, values))
    }

    /// Values that are listed and that the parameter can never have.
    fn check_allowed(&mut self, wanted: &Type, items: &[Value], list: ast::Expression<'t>) {
        let ast::Expression::Array(list) = list else { return };
        for (item, view) in items.iter().zip(list.items()) {
            let table = self.table();
            // A list of allowed values before a list says what its items may be.
            let of_items = match table.resolve(wanted) {
                Some(Type::List(slot)) => table.check(&slot.value_type, item).is_ok(),
                Some(Type::Kind(Kind::Array)) => true,
                _ => false,
            };
            if of_items || table.check(wanted, item).is_ok() {
                continue;
            }
            let found = crate::types::describe(item);
            let message =
                format!("`@allowed` contains {found}, but the type of the parameter is `{wanted}`");
            let span = match view {
                ast::Item::Value(value) => value.span(),
                ast::Item::Spread(spread) => spread.span(),
            };
            let kind = self.table().kind(wanted);
            let written = self.text_at(span);
            let advice = kind.and_then(|kind| advice_for_kind(kind, item));
            let hint = advice.map(|advice| advice.hint(&written));
            self.error(codes::ALLOWED_TYPE, span, message).hints.extend(hint);
        }
    }

    /// A decorator without parentheses.
    fn not_called(&mut self, view: ast::Expression<'t>) {
        let span = view.span();
        let ast::Expression::Variable(variable) = view else {
            if view.node().child(NodeKind::Error).is_none() {
                let message = "a decorator must be a call, as in `@secure()`";
                let hint = "write its name and parentheses after the `@`";
                self.error(codes::DECORATOR_NOT_CALLED, span, message).hints.push(hint.to_owned());
            }
            return;
        };
        let name = variable.name();
        if ALL.iter().any(|it| it.name == name) || functions::find(None, name).is_some() {
            let message = format!("the decorator `{name}` has no parentheses");
            let decorator = ALL.iter().find(|it| it.name == name);
            let hint = match decorator {
                Some(decorator) => format!("write `@{}`", decorator.signature()),
                None => format!("remove it: the function `{name}` is not a decorator"),
            };
            self.error(codes::NOT_A_VALUE, span, message).hints.push(hint);
        } else if self.find(name).is_some() || NAMESPACES.contains(&name) {
            let message = format!("`{name}` is not a decorator");
            let hint = "write a decorator, as in `@description('…')`, or remove the line";
            self.error(codes::DECORATOR_NOT_CALLED, span, message).hints.push(hint.to_owned());
        } else {
            let near = near(name, ALL.iter().map(|it| it.name));
            self.undeclared_near(name, span, near);
        }
    }

    fn decorator_argument(
        &mut self,
        decorator: &Decorator,
        view: ast::Expression<'t>,
    ) -> Option<(Value, Span)> {
        let reported = self.found.len();
        let lowered = self.expression(view, Here::Value);
        let Some(value) = constant(&lowered) else {
            if self.found.len() == reported {
                let message = format!("the argument of `@{}` must be a constant", decorator.name);
                let span = not_constant(&lowered).unwrap_or(view.span());
                let example = match decorator.takes {
                    Some(Kind::Int) => "`3`",
                    Some(Kind::Array) if span == view.span() => "`['small', 'large']`",
                    Some(Kind::Object) => "`{ owner: 'team-a' }`",
                    _ => "`'text'`",
                };
                let hint =
                    format!("replace `{}` with a literal, such as {example}", self.text_at(span));
                self.error(codes::NOT_CONSTANT, span, message).hints.push(hint);
            }
            return None;
        };
        if decorator.takes.is_some_and(|kind| value.kind() != Some(kind)) {
            let wanted = decorator.takes.map_or("", Kind::as_str);
            let found = crate::types::describe(&value);
            let message = format!(
                "the argument of `@{}`: expected `{wanted}`, found {found}",
                decorator.name
            );
            let written = self.text_at(view.span());
            let advice = decorator.takes.and_then(|kind| advice_for_kind(kind, &value));
            let hint = advice.map(|advice| advice.hint(&written));
            self.error(codes::WRONG_ARGUMENT, view.span(), message).hints.extend(hint);
            return None;
        }
        Some((value, view.span()))
    }

    fn no_such_decorator(&mut self, name: ast::Name<'t>) {
        let (text, span) = (name.text(), name.span());
        if functions::find(None, text).is_some() {
            let message = format!("the function `{text}` is not a decorator");
            let hint = "write a decorator, as in `@description('…')`, or remove the line";
            self.error(codes::NOT_A_DECORATOR, span, message).hints.push(hint.to_owned());
            return;
        }
        let near = near(text, ALL.iter().map(|it| it.name));
        self.undeclared_near(text, span, near);
    }

    fn check_type(&mut self, decorator: &Decorator, value_type: Option<&Type>, span: Span) {
        let Some(value_type) = value_type else { return };
        let Some(kind) = self.table().kind(value_type) else { return };
        if !decorator.goes_with.is_empty() && !decorator.goes_with.contains(&kind) {
            let kinds: Vec<_> = decorator.goes_with.iter().map(|it| it.as_str()).collect();
            let message = format!(
                "`@{}` can only be used on `{}`, but the type here is `{value_type}`",
                decorator.name,
                kinds.join("` and `")
            );
            let hint = format!(
                "remove `@{}`, or declare the type as `{}`",
                decorator.name,
                kinds.first().copied().unwrap_or_default()
            );
            self.error(codes::DECORATOR_TYPE, span, message).hints.push(hint);
        }
    }

    /// Minima above their maxima, which no value satisfies.
    fn check_ranges(&mut self, bounds: &Bounds, seen: &[(&'static str, Span)]) {
        let ranges = [
            ("minLength", bounds.min_length, "maxLength", bounds.max_length),
            ("minValue", bounds.min_value, "maxValue", bounds.max_value),
        ];
        for (low, least, high, most) in ranges {
            let (Some(least), Some(most)) = (least, most) else { continue };
            let place = seen.iter().find(|(name, _)| *name == low);
            let Some((_, span)) = place.filter(|_| least > most) else { continue };
            let message =
                format!("`@{low}({least})` is greater than `@{high}({most})`: no value fits");
            let hint = format!("write `@{low}({most})` and `@{high}({least})`, or remove one");
            self.error(codes::EMPTY_RANGE, *span, message).hints.push(hint);
        }
    }

    /// An expression that is written out, without names and calls. `what` starts the message about another one.
    pub(super) fn constant_expression(
        &mut self,
        view: ast::Expression<'t>,
        what: &str,
    ) -> Expression {
        let reported = self.found.len();
        let lowered = self.expression(view, Here::Value);
        if self.found.len() > reported || constant(&lowered).is_some() {
            return lowered;
        }
        let span = not_constant(&lowered).unwrap_or(view.span());
        let hint = format!("replace `{}` with a literal, such as `'text'`", self.text_at(span));
        self.faulty_with(codes::NOT_CONSTANT, span, format!("{what} must be a constant"), hint)
    }

    fn say(&mut self, said: &mut Decorators, name: &str, arguments: &[(Value, Span)], span: Span) {
        let at = arguments.first().map_or(span, |(_, at)| *at);
        let first = arguments.first().map(|(it, _)| &it.data);
        match (name, first) {
            ("description", Some(Data::String(text))) => {
                said.remarks.description = Some(text.clone());
            }
            ("metadata", Some(_)) => {
                said.remarks.metadata = arguments.first().map(|(it, _)| it.clone());
            }
            ("export", _) => said.exported = true,
            ("sealed", _) => said.remarks.sealed = true,
            ("discriminator", Some(Data::String(text))) => {
                said.discriminator = Some(text.clone());
            }
            ("secure", _) => said.secure = true,
            ("allowed", Some(Data::Array(items))) => {
                if items.is_empty() {
                    let hint =
                        "write the values, as in `@allowed(['small', 'large'])`, or remove it";
                    let message = "`@allowed` has no values";
                    self.error(codes::NOTHING_ALLOWED, at, message).hints.push(hint.to_owned());
                    return;
                }
                said.bounds.allowed = Some(items.to_vec());
            }
            ("minLength" | "maxLength", Some(Data::Int(number))) => {
                if *number < 0 {
                    let hint = "write `0` or more".to_owned();
                    self.error(codes::NEGATIVE_LENGTH, at, "a length cannot be less than 0")
                        .hints
                        .push(hint);
                }
                let bounds = &mut said.bounds;
                let bound = if name == "minLength" {
                    &mut bounds.min_length
                } else {
                    &mut bounds.max_length
                };
                *bound = Some(*number);
            }
            ("minValue", Some(Data::Int(number))) => said.bounds.min_value = Some(*number),
            ("maxValue", Some(Data::Int(number))) => said.bounds.max_value = Some(*number),
            ("batchSize", Some(Data::Int(number))) => said.batch = Some((*number, span)),
            ("nullIfNotFound", _) => said.or_null = Some(span),
            _ => {}
        }
    }
}

/// How to do without a decorator that Hangar does not support.
fn instead_of(decorator: &str) -> Option<&'static str> {
    Some(match decorator {
        "onlyIfNotExists" => "declare the resource as `existing`, or create it with a condition",
        "retryOn" => "remove it: Hangar retries throttled calls and temporary failures",
        "waitUntil" => "remove it: Hangar waits until AWS reports that the resource is ready",
        "validate" => "use `@allowed`, `@minLength`, `@maxLength`, `@minValue` or `@maxValue`",
        _ => return None,
    })
}

fn is_namespace(base: Option<ast::Expression<'_>>) -> bool {
    matches!(base, Some(ast::Expression::Variable(it)) if NAMESPACES.contains(&it.name()))
}

/// The innermost part of an expression that is not written out.
fn not_constant(expression: &Expression) -> Option<Span> {
    let values: Vec<&Expression> = match &expression.kind {
        ExpressionKind::Constant(_) => return None,
        ExpressionKind::Array(items) => items
            .iter()
            .map(|item| match item {
                Item::Value(value) | Item::Spread(value) => value,
            })
            .collect(),
        ExpressionKind::Object(entries) => entries
            .iter()
            .map(|entry| match entry {
                Entry::Member { value, .. } | Entry::Spread(value) => value,
            })
            .collect(),
        _ => return Some(expression.span),
    };
    values.into_iter().find_map(not_constant)
}

/// The value of an expression that is written out, without names and calls.
pub(super) fn constant(expression: &Expression) -> Option<Value> {
    Some(match &expression.kind {
        ExpressionKind::Constant(value) => value.clone(),
        ExpressionKind::Array(items) => {
            let items = items.iter().map(|item| match item {
                Item::Value(value) => constant(value),
                Item::Spread(_) => None,
            });
            Value::array(items.collect::<Option<_>>()?)
        }
        ExpressionKind::Object(entries) => {
            let members = entries.iter().map(|entry| match entry {
                Entry::Member { key: Key::Fixed(name), value } => {
                    Some((name.text.clone(), constant(value)?))
                }
                _ => None,
            });
            Value::object(members.collect::<Option<Members>>()?)
        }
        _ => return None,
    })
}
