//! Expressions as the compiler spells them: operators are functions, strings with holes are `format`.

use hangar_diag::Span;

use super::bind::{Asked, Local, Symbol};
use super::{MAX_EXPRESSIONS, Printer};
use crate::arm::expression::{Expression, MAX_DEPTH};
use crate::codes;
use crate::syntax::TokenKind;
use crate::syntax::ast::{self, LiteralValue, ObjectItem, PropertyKey, StringPart};

impl<'t> Printer<'t, '_, '_> {
    /// Begins an expression, unless there are too many or too deep ones.
    pub(super) fn enter(&mut self, span: Span) -> bool {
        self.expressions += 1;
        self.depth += 1;
        let message = if self.expressions == MAX_EXPRESSIONS {
            Some((
                codes::TOO_MUCH,
                "the compiled template is too large, because variables are copied to every place that uses \
                them".to_owned(),
            ))
        } else if self.depth > MAX_DEPTH {
            Some((codes::TOO_DEEP, format!("this is nested more than {MAX_DEPTH} levels deep")))
        } else {
            None
        };
        let goes_on = message.is_none() && self.expressions < MAX_EXPRESSIONS;
        if let Some((code, message)) = message {
            self.error(code, span, message);
        }
        if !goes_on {
            self.leave();
        }
        goes_on
    }

    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn expression(&mut self, view: ast::Expression<'t>) -> Expression {
        if !self.enter(view.span()) {
            return Expression::call("null", vec![]);
        }
        let expression = self.expression_kind(view);
        self.leave();
        expression
    }

    pub(super) fn optional(&mut self, view: Option<ast::Expression<'t>>) -> Expression {
        match view {
            Some(view) => self.expression(view),
            // Its absence was reported.
            None => Expression::call("null", vec![]),
        }
    }

    fn expression_kind(&mut self, view: ast::Expression<'t>) -> Expression {
        match view {
            ast::Expression::Literal(view) => match view.value() {
                Some(LiteralValue::Number(number)) => integer(i128::from(number)),
                Some(LiteralValue::Bool(true)) => Expression::call("true", vec![]),
                Some(LiteralValue::Bool(false)) => Expression::call("false", vec![]),
                _ => Expression::call("null", vec![]),
            },
            ast::Expression::String(view) => self.string(view),
            ast::Expression::Object(view) => self.object(view),
            ast::Expression::Array(view) => self.array(view),
            ast::Expression::Parenthesized(view) => self.optional(view.inner()),
            ast::Expression::Unary(view) => self.unary(view),
            ast::Expression::Binary(view) => self.binary(view),
            ast::Expression::Ternary(view) => {
                let parts = [view.condition(), view.then(), view.otherwise()];
                Expression::call("if", parts.map(|it| self.optional(it)).into())
            }
            ast::Expression::Lambda(view) => self.lambda(view),
            ast::Expression::Loop(view) => self.loop_as_map(view),
            ast::Expression::Call(view) => self.call(view),
            ast::Expression::MethodCall(view) => self.method_call(view),
            ast::Expression::Variable(_)
            | ast::Expression::Member(_)
            | ast::Expression::Index(_)
            | ast::Expression::NestedResource(_)
            | ast::Expression::NonNull(_) => self.access(view),
            ast::Expression::Condition(view) => {
                self.faulty(codes::NOT_SUPPORTED, view.span(), "a condition is not allowed here")
            }
        }
    }

    pub(super) fn string(&mut self, view: ast::String<'t>) -> Expression {
        if let Some(text) = view.literal() {
            return Expression::text(text);
        }
        let mut pattern = String::new();
        let mut holes = Vec::new();
        for part in view.parts() {
            match part {
                StringPart::Text(text) => {
                    pattern.push_str(&text.replace('{', "{{").replace('}', "}}"));
                }
                StringPart::Hole(hole) => {
                    pattern.extend(["{", &holes.len().to_string(), "}"]);
                    holes.push(self.expression(hole));
                }
            }
        }
        holes.insert(0, Expression::text(pattern));
        Expression::call("format", holes)
    }

    fn object(&mut self, view: ast::Object<'t>) -> Expression {
        let mut parts = Vec::new();
        let mut members = Vec::new();
        let mut has_spread = false;
        for item in view.items() {
            match item {
                ObjectItem::Property(property) => {
                    let (Some(key), value) = (property.key(), property.value()) else { continue };
                    members.push(match key {
                        PropertyKey::Name(name) => Expression::text(name.text()),
                        PropertyKey::String(string) => self.string(string),
                    });
                    members.push(self.optional(value));
                }
                ObjectItem::Spread(spread) => {
                    has_spread = true;
                    if !members.is_empty() {
                        parts.push(Expression::call("createObject", std::mem::take(&mut members)));
                    }
                    parts.push(self.optional(spread.value()));
                }
                ObjectItem::Resource(_) => {}
            }
        }
        if !has_spread {
            return Expression::call("createObject", members);
        }
        if !members.is_empty() {
            parts.push(Expression::call("createObject", members));
        }
        Expression::call("shallowMerge", vec![Expression::call("createArray", parts)])
    }

    fn array(&mut self, view: ast::Array<'t>) -> Expression {
        let mut parts = Vec::new();
        let mut items = Vec::new();
        let mut has_spread = false;
        for item in view.items() {
            match item {
                ast::Item::Value(value) => items.push(self.expression(value)),
                ast::Item::Spread(spread) => {
                    has_spread = true;
                    if !items.is_empty() {
                        parts.push(Expression::call("createArray", std::mem::take(&mut items)));
                    }
                    parts.push(self.optional(spread.value()));
                }
            }
        }
        if !has_spread {
            return Expression::call("createArray", items);
        }
        if !items.is_empty() {
            parts.push(Expression::call("createArray", items));
        }
        Expression::call("flatten", vec![Expression::call("createArray", parts)])
    }

    fn unary(&mut self, view: ast::Unary<'t>) -> Expression {
        let is_minus = view.operator().is_some_and(|token| token.kind() == TokenKind::Minus);
        if is_minus
            && let Some(ast::Expression::Literal(literal)) = view.operand()
            && let Some(LiteralValue::Number(number)) = literal.value()
        {
            return integer(-i128::from(number));
        }
        let operand = self.optional(view.operand());
        if is_minus {
            Expression::call("sub", vec![Expression::number(0), operand])
        } else {
            Expression::call("not", vec![operand])
        }
    }

    fn binary(&mut self, view: ast::Binary<'t>) -> Expression {
        let both = vec![self.optional(view.left()), self.optional(view.right())];
        let lower = |both: Vec<Expression>| {
            both.into_iter().map(|it| Expression::call("toLower", vec![it])).collect()
        };
        let not = |inner| Expression::call("not", vec![inner]);
        let Some(operator) = view.operator() else { return Expression::call("null", vec![]) };
        match operator.kind() {
            TokenKind::DoublePipe => Expression::call("or", both),
            TokenKind::DoubleAmpersand => Expression::call("and", both),
            TokenKind::DoubleQuestion => Expression::call("coalesce", both),
            TokenKind::Equal => Expression::call("equals", both),
            TokenKind::NotEqual => not(Expression::call("equals", both)),
            TokenKind::EqualIgnoringCase => Expression::call("equals", lower(both)),
            TokenKind::NotEqualIgnoringCase => not(Expression::call("equals", lower(both))),
            TokenKind::Less => Expression::call("less", both),
            TokenKind::LessOrEqual => Expression::call("lessOrEquals", both),
            TokenKind::Greater => Expression::call("greater", both),
            TokenKind::GreaterOrEqual => Expression::call("greaterOrEquals", both),
            TokenKind::Plus => Expression::call("add", both),
            TokenKind::Minus => Expression::call("sub", both),
            TokenKind::Star => Expression::call("mul", both),
            TokenKind::Slash => Expression::call("div", both),
            TokenKind::Percent => Expression::call("mod", both),
            _ => Expression::call("null", vec![]),
        }
    }

    fn lambda(&mut self, view: ast::Lambda<'t>) -> Expression {
        let before = self.locals.len();
        let mut arguments = Vec::new();
        for variable in view.variables() {
            let name = variable.text();
            arguments.push(Expression::text(name));
            self.locals.push((name, Local::Lambda(name.to_owned())));
        }
        let body = self.optional(view.body());
        self.locals.truncate(before);
        arguments.push(body);
        Expression::call("lambda", arguments)
    }

    /// A loop where no `copy` can stand.
    fn loop_as_map(&mut self, view: ast::Loop<'t>) -> Expression {
        let list = self.optional(view.list());
        let before = self.locals.len();
        let mut arguments = Vec::new();
        for name in [view.item(), view.index()].into_iter().flatten() {
            arguments.push(Expression::text(name.text()));
            self.locals.push((name.text(), Local::Lambda(name.text().to_owned())));
        }
        let body = self.optional(view.body());
        self.locals.truncate(before);
        arguments.push(body);
        Expression::call("map", vec![list, Expression::call("lambda", arguments)])
    }

    /// What a name of the file is; nothing where a local one hides it.
    pub(super) fn symbol_of(&self, name: &str) -> Option<Symbol> {
        if self.locals.iter().any(|(local, _)| *local == name) {
            return None;
        }
        let nested = self.bound.nested(name, self.owner).map(Symbol::Resource);
        nested.or_else(|| self.bound.symbols.get(name).copied())
    }

    /// Whether a variable is written out where it is used, for it reads what only the deployment tells.
    pub(super) fn is_inlined(&mut self, index: usize) -> bool {
        self.ask(index);
        matches!(self.bound.asked[index], Asked::Known { is_inlined: true, .. })
    }

    /// What a variable reads of resources becomes what its reader reads.
    pub(super) fn note_variable(&mut self, index: usize) {
        self.ask(index);
        if let Asked::Known { reads, .. } = &self.bound.asked[index]
            && self.is_noting
        {
            self.read.extend(reads.iter().cloned());
        }
    }

    fn ask(&mut self, index: usize) {
        if !matches!(self.bound.asked[index], Asked::NotYet) {
            return;
        }
        self.bound.asked[index] = Asked::Now;
        let view = self.bound.variables[index];
        let read = std::mem::take(&mut self.read);
        let was = (self.is_runtime, self.is_trial, self.is_noting);
        (self.is_runtime, self.is_trial, self.is_noting) = (false, true, true);
        self.outside(None, vec![], |it| it.optional(view.value()));
        let is_inlined = self.is_runtime;
        (self.is_runtime, self.is_trial, self.is_noting) = was;
        let reads = std::mem::replace(&mut self.read, read);
        self.bound.asked[index] = Asked::Known { is_inlined, reads };
    }

    /// A variable that is written out.
    pub(super) fn inlined<T>(
        &mut self,
        index: usize,
        print: impl FnOnce(&mut Self, ast::Expression<'t>) -> T,
    ) -> Option<T> {
        let value = self.bound.variables[index].value()?;
        Some(self.outside(None, vec![], |it| print(it, value)))
    }

    /// Prints what stands elsewhere in the file, with the names that are known there.
    pub(super) fn outside<T>(
        &mut self,
        owner: Option<usize>,
        locals: Vec<(&'t str, Local)>,
        print: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let around = (std::mem::replace(&mut self.locals, locals), self.owner);
        self.owner = owner;
        let printed = print(self);
        (self.locals, self.owner) = around;
        printed
    }
}

/// Expressions have numbers of 32 bits; larger ones are read from a text.
fn integer(number: i128) -> Expression {
    if i32::try_from(number).is_ok() {
        return Expression::number(number);
    }
    Expression::call("json", vec![Expression::text(number.to_string())])
}
