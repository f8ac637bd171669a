//! Calls: operators, names and lambdas are functions in templates; all others are those of the language.

use hangar_diag::Span;

use super::Reader;
use super::copy::Local;
use super::expression::Spot;
use crate::arm::expression as written;
use crate::codes;
use crate::functions::{self, Function};
use crate::ir::{
    Binary, Call, CallUser, Entry, Expression, ExpressionKind, Imported, Index, Item, Key, Lambda,
    Name, Operator, Ternary,
};
use crate::near::near;
use crate::value::Value;

pub(super) fn binary(
    operator: Operator,
    left: Expression,
    right: Expression,
    span: Span,
) -> Expression {
    let binary = Binary { operator, left, right };
    Expression::new(ExpressionKind::Binary(Box::new(binary)), span)
}

fn operator(name: &str) -> Option<Operator> {
    Some(match name {
        "equals" => Operator::Equal,
        "less" => Operator::Less,
        "lessorequals" => Operator::LessOrEqual,
        "greater" => Operator::Greater,
        "greaterorequals" => Operator::GreaterOrEqual,
        "add" => Operator::Add,
        "sub" => Operator::Subtract,
        "mul" => Operator::Multiply,
        "div" => Operator::Divide,
        "mod" => Operator::Modulo,
        _ => return None,
    })
}

impl Reader<'_, '_, '_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        let lower = name.to_ascii_lowercase();
        match (lower.as_str(), arguments) {
            ("parameters", [name]) => self.named(name, spot, span, Self::parameter),
            ("variables", [name]) => self.named(name, spot, span, Self::variable),
            ("lambdavariables", [name]) => self.named(name, spot, span, Self::lambda_variable),
            ("copyindex", _) => self.copy_index(arguments, spot, span),
            ("reference" | "references", [_, ..]) => self.reference(&lower, arguments, spot, span),
            ("true", []) => Self::constant(Value::bool(true), span),
            ("false", []) => Self::constant(Value::bool(false), span),
            ("null", []) => Self::constant(Value::NULL, span),
            ("not", [inner]) => self.not(inner, spot, span),
            ("and", [_, _, ..]) => self.chain(Operator::And, arguments, spot, span),
            ("or", [_, _, ..]) => self.chain(Operator::Or, arguments, spot, span),
            ("coalesce", [_, _, ..]) => self.chain(Operator::Coalesce, arguments, spot, span),
            ("if", [condition, then, otherwise]) => {
                let ternary = Ternary {
                    condition: self.expression(condition, spot),
                    then: self.expression(then, spot),
                    otherwise: self.expression(otherwise, spot),
                };
                Expression::new(ExpressionKind::Ternary(Box::new(ternary)), span)
            }
            ("createarray", _) => {
                let items = arguments.iter().map(|it| Item::Value(self.expression(it, spot)));
                Expression::new(ExpressionKind::Array(items.collect()), span)
            }
            ("createobject", _) if arguments.len().is_multiple_of(2) => {
                self.object(arguments, spot, span)
            }
            ("tryget", [_, _, ..]) => self.try_get(arguments, spot, span),
            ("indexfromend" | "tryindexfromend", [base, at]) => {
                let (base, at) = (self.expression(base, spot), self.expression(at, spot));
                let index = Index { base, at, safe: lower.starts_with("try"), from_end: true };
                Expression::new(ExpressionKind::Index(Box::new(index)), span)
            }
            ("lambda", [_, ..]) => self.lambda(arguments, spot, span),
            ("format", [_, _, ..]) => match self.format(arguments, spot) {
                Some(pieces) => Expression::new(ExpressionKind::Text(pieces), span),
                None => self.function(name, arguments, spot, span),
            },
            (_, [left, right]) if operator(&lower).is_some() => {
                let operator = operator(&lower).unwrap_or(Operator::Equal);
                let left = self.expression(left, spot);
                let right = self.expression(right, spot);
                binary(operator, left, right, span)
            }
            _ => self.function(name, arguments, spot, span),
        }
    }

    /// A call whose argument is a name that is written.
    fn named(
        &mut self,
        name: &written::Expression,
        spot: &Spot,
        span: Span,
        find: fn(&mut Self, &str, Span) -> Expression,
    ) -> Expression {
        if let written::Kind::Text(text) = &name.kind {
            return find(self, text, span);
        }
        let message = "a computed name is not supported: write the name as a string";
        self.faulty(spot.at(name.span), message)
    }

    fn parameter(&mut self, name: &str, span: Span) -> Expression {
        let local = self.locals.iter().rev().find_map(|local| match local {
            Local::Parameter { name: own, level } if own.eq_ignore_ascii_case(name) => Some(*level),
            _ => None,
        });
        if let Some(level) = local {
            return Expression::new(ExpressionKind::Local(level), span);
        }
        let found = self.parameters.get(&name.to_ascii_lowercase()).copied();
        match found.filter(|_| !self.in_function) {
            Some(index) => Expression::new(ExpressionKind::Parameter(index), span),
            None => self.undeclared("parameter", name, span),
        }
    }

    fn variable(&mut self, name: &str, span: Span) -> Expression {
        match self.variables.get(&name.to_ascii_lowercase()) {
            Some(index) => Expression::new(ExpressionKind::Variable(*index), span),
            None => self.undeclared("variable", name, span),
        }
    }

    fn lambda_variable(&mut self, name: &str, span: Span) -> Expression {
        let level = self.locals.iter().rev().find_map(|local| match local {
            Local::Lambda { name: own, level } if own.eq_ignore_ascii_case(name) => Some(*level),
            _ => None,
        });
        match level {
            Some(level) => Expression::new(ExpressionKind::Local(level), span),
            None => self.undeclared("lambda variable", name, span),
        }
    }

    fn undeclared(&mut self, what: &str, name: &str, span: Span) -> Expression {
        let names: Vec<String> = match what {
            "parameter" => self.unit.parameters.iter().map(|it| it.name.text.to_string()).collect(),
            "variable" => self.variables.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let near = near(name, names.iter().map(String::as_str)).map(str::to_owned);
        let message = format!("the {what} `{name}` is not declared");
        let error = self.error(codes::UNDECLARED, span, message);
        error.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
        Expression::new(ExpressionKind::Faulty, span)
    }

    /// `not(equals(a, b))` is `a != b`.
    fn not(&mut self, inner: &written::Expression, spot: &Spot, span: Span) -> Expression {
        let inner = self.expression(inner, spot);
        Expression::new(ExpressionKind::Not(Box::new(inner)), span)
    }

    fn chain(
        &mut self,
        operator: Operator,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        let mut values = arguments.iter().map(|it| self.expression(it, spot));
        let first = values.next();
        let rest: Vec<_> = values.collect();
        let Some(first) = first else { return Expression::new(ExpressionKind::Faulty, span) };
        rest.into_iter().fold(first, |left, right| binary(operator, left, right, span))
    }

    fn object(&mut self, arguments: &[written::Expression], spot: &Spot, span: Span) -> Expression {
        let (pairs, _) = arguments.as_chunks::<2>();
        let mut entries = Vec::with_capacity(pairs.len());
        for [key, value] in pairs {
            let key = match &key.kind {
                written::Kind::Text(text) => {
                    Key::Fixed(Name { text: text.as_str().into(), span: spot.at(key.span) })
                }
                _ => Key::Computed(self.expression(key, spot)),
            };
            let value = self.expression(value, spot);
            entries.push(Entry::Member { key, value });
        }
        Expression::new(ExpressionKind::Object(entries), span)
    }

    /// `tryGet(base, 'a', 'b')`: the first is tried, the others are read of what it gives.
    fn try_get(
        &mut self,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        let mut value = self.expression(&arguments[0], spot);
        for (at, key) in arguments[1..].iter().enumerate() {
            if let Some(from_end) = from_end(key) {
                let at = self.expression(from_end, spot);
                let index = Index { base: value, at, safe: false, from_end: true };
                value = Expression::new(ExpressionKind::Index(Box::new(index)), span);
                continue;
            }
            let key = self.expression(key, spot);
            value = Self::indexed(value, key, at == 0, span);
        }
        value
    }

    fn lambda(&mut self, arguments: &[written::Expression], spot: &Spot, span: Span) -> Expression {
        let Some((body, variables)) = arguments.split_last() else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        let level = self.level;
        let before = self.locals.len();
        let mut names = Vec::new();
        for variable in variables {
            let written::Kind::Text(name) = &variable.kind else {
                return self.faulty(
                    spot.at(variable.span),
                    "the name of a lambda variable must be a string",
                );
            };
            self.locals.push(Local::Lambda { name: name.clone(), level: self.level });
            self.level += 1;
            names.push(name.as_str().into());
        }
        let body = self.expression(body, spot);
        self.locals.truncate(before);
        self.level = level;
        Expression::new(ExpressionKind::Lambda(Box::new(Lambda { level, names, body })), span)
    }

    fn function(
        &mut self,
        name: &str,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        if let Some(index) = self.functions.get(&name.to_ascii_lowercase()).copied() {
            let arguments = arguments.iter().map(|it| self.expression(it, spot)).collect();
            let function = Imported { unit: self.own, index };
            let call = CallUser { function, arguments };
            return Expression::new(ExpressionKind::CallUser(Box::new(call)), span);
        }
        if name.len() > 4 && name.to_ascii_lowercase().starts_with("list") {
            return self.list_function(name, arguments, spot, span);
        }
        if let Some(id) = self.id_in_template(name, arguments, spot, span) {
            return id;
        }
        let (function, extension) = match name.split_once('.') {
            Some((namespace, plain)) => {
                let extension = self.extensions.get(&namespace.to_ascii_lowercase()).copied();
                let known = extension.map(|it| self.unit.extensions[it].extension.as_str());
                let namespace = known.unwrap_or(namespace);
                (find(Some(namespace), plain), extension.filter(|_| namespace == "aws"))
            }
            None => (find(None, name), None),
        };
        let Some(function) = function else {
            let near = near(name, functions::names()).map(str::to_owned);
            let message = format!("the function `{name}` does not exist");
            let error = self.error(codes::UNDECLARED, span, message);
            error.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
            return Expression::new(ExpressionKind::Faulty, span);
        };
        if matches!(function.name, "utcNow" | "newGuid") && !self.in_default {
            let message =
                format!("`{}` can only be used in the default of a parameter", function.name);
            self.error(codes::ONLY_IN_DEFAULT, span, message);
        }
        let count = arguments.len();
        if count < function.least || function.most.is_some_and(|most| count > most) {
            let message =
                format!("unexpected number of arguments for `{}`: {count}", function.name);
            let hint = format!("call it as `{}`", function.signature());
            self.error(codes::ARGUMENT_COUNT, span, message).hints.push(hint);
        }
        let arguments = arguments.iter().map(|it| self.expression(it, spot)).collect();
        let call = Call { function, arguments, extension };
        Expression::new(ExpressionKind::Call(Box::new(call)), span)
    }
}

/// Functions are found whatever their case.
fn find(namespace: Option<&str>, name: &str) -> Option<&'static Function> {
    functions::find(namespace, name).or_else(|| {
        let known = functions::names().find(|it| it.eq_ignore_ascii_case(name))?;
        functions::find(namespace, known)
    })
}

/// `createObject('value', 1, 'fromEnd', true())`: an index that counts from the end.
fn from_end(key: &written::Expression) -> Option<&written::Expression> {
    let written::Kind::Call { name, arguments } = &key.kind else { return None };
    let [first, at, second, _] = arguments.as_slice() else { return None };
    let is = |it: &written::Expression, text: &str| matches!(&it.kind, written::Kind::Text(own) if own == text);
    (name == "createObject" && is(first, "value") && is(second, "fromEnd")).then_some(at)
}
