//! Expressions and their parts.

use super::part::{
    decorators, expression, expression_after, expression_before, expressions, name, names,
    property_key,
};
use super::view::{one_of, views};
use super::{Decorator, Name, PropertyKey, Resource, String};
use crate::syntax::{NodeKind, SyntaxToken, TokenKind};

views! {
    /// A number, `true`, `false` or `null`.
    Literal;
    /// `{ … }`.
    Object;
    /// `key: value`.
    Property;
    /// `...value`.
    Spread;
    /// `[ … ]`.
    Array;
    /// A name that is used.
    Variable;
    /// `name(…)`.
    Call;
    /// `base.name(…)`.
    MethodCall;
    /// `base.name` and `base.?name`.
    Member;
    /// `base[index]` and its likes.
    Index;
    /// `base::name`.
    NestedResource;
    /// `base!`.
    NonNull;
    /// `(…)`.
    Parenthesized;
    /// `!a` and `-a`.
    Unary;
    /// `a + b`.
    Binary;
    /// `a ? b : c`.
    Ternary;
    /// `x => body`.
    Lambda;
    /// `[for item in list: body]`.
    Loop;
    /// `if (condition) body`.
    Condition;
}

one_of! {
    /// Any expression; a loop or a condition stands where a body does.
    Expression: Literal String Object Array Variable Call MethodCall Member Index NestedResource
        NonNull Parenthesized Unary Binary Ternary Lambda Loop Condition
}

one_of! {
    /// What stands in an object.
    ObjectItem: Property Spread Resource
}

/// What a literal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteralValue {
    /// Digits; the sign is an operator before them.
    Number(u64),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

impl Literal<'_> {
    /// Its value.
    pub fn value(self) -> Option<LiteralValue> {
        match self.node().text() {
            "true" => Some(LiteralValue::Bool(true)),
            "false" => Some(LiteralValue::Bool(false)),
            "null" => Some(LiteralValue::Null),
            digits => digits.parse().ok().map(LiteralValue::Number),
        }
    }
}

impl<'t> Object<'t> {
    /// Its items in their order.
    pub fn items(self) -> impl Iterator<Item = ObjectItem<'t>> {
        self.node().children().filter_map(ObjectItem::cast)
    }
}

impl<'t> Property<'t> {
    /// Its key.
    pub fn key(self) -> Option<PropertyKey<'t>> {
        property_key(self.node())
    }

    /// Its value.
    pub fn value(self) -> Option<Expression<'t>> {
        expression_after(self.node(), TokenKind::Colon)
    }

    /// The decorators before it.
    pub fn decorators(self) -> impl Iterator<Item = Decorator<'t>> {
        decorators(self.node())
    }
}

/// An item of an array.
#[derive(Debug, Clone, Copy)]
pub enum Item<'t> {
    /// A value.
    Value(Expression<'t>),
    /// `...value`.
    Spread(Spread<'t>),
}

impl<'t> Array<'t> {
    /// Its items in their order.
    pub fn items(self) -> impl Iterator<Item = Item<'t>> {
        self.node().children().filter_map(|child| {
            Spread::cast(child)
                .map(Item::Spread)
                .or_else(|| Expression::cast(child).map(Item::Value))
        })
    }
}

impl<'t> Spread<'t> {
    /// What is spread.
    pub fn value(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

impl<'t> Variable<'t> {
    /// The name as it is written.
    pub fn name(self) -> &'t str {
        self.node().text()
    }
}

impl<'t> Call<'t> {
    /// The name of the function.
    pub fn name(self) -> Option<Name<'t>> {
        name(self.node())
    }

    /// What it is given.
    pub fn arguments(self) -> impl Iterator<Item = Expression<'t>> {
        expressions(self.node())
    }
}

impl<'t> MethodCall<'t> {
    /// What it is called on: a namespace or a value.
    pub fn base(self) -> Option<Expression<'t>> {
        expression_before(self.node(), TokenKind::Dot)
    }

    /// The name of the function.
    pub fn name(self) -> Option<Name<'t>> {
        name(self.node())
    }

    /// What it is given.
    pub fn arguments(self) -> impl Iterator<Item = Expression<'t>> {
        expressions(self.node()).skip(1)
    }

    /// Whether it is `.?name(…)`.
    pub fn is_safe(self) -> bool {
        self.node().token(TokenKind::Question).is_some()
    }
}

impl<'t> Member<'t> {
    /// What has the property.
    pub fn base(self) -> Option<Expression<'t>> {
        expression_before(self.node(), TokenKind::Dot)
    }

    /// The name of the property.
    pub fn name(self) -> Option<Name<'t>> {
        name(self.node())
    }

    /// Whether it is `.?name`: null where the property is missing.
    pub fn is_safe(self) -> bool {
        self.node().token(TokenKind::Question).is_some()
    }
}

impl<'t> Index<'t> {
    /// What is indexed.
    pub fn base(self) -> Option<Expression<'t>> {
        expression_before(self.node(), TokenKind::LeftSquare)
    }

    /// The index or key.
    pub fn index(self) -> Option<Expression<'t>> {
        expression_after(self.node(), TokenKind::LeftSquare)
    }

    /// Whether it is `[?index]`: null where nothing is there.
    pub fn is_safe(self) -> bool {
        self.node().token(TokenKind::Question).is_some()
    }

    /// Whether it is `[^index]`: counted from the end.
    pub fn is_from_end(self) -> bool {
        self.node().token(TokenKind::Caret).is_some()
    }
}

impl<'t> NestedResource<'t> {
    /// The resource it is nested in.
    pub fn base(self) -> Option<Expression<'t>> {
        expression_before(self.node(), TokenKind::DoubleColon)
    }

    /// Its name.
    pub fn name(self) -> Option<Name<'t>> {
        name(self.node())
    }
}

impl<'t> NonNull<'t> {
    /// What is not null.
    pub fn base(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

impl<'t> Parenthesized<'t> {
    /// What is inside.
    pub fn inner(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

impl<'t> Unary<'t> {
    /// `!` or `-`.
    pub fn operator(self) -> Option<SyntaxToken<'t>> {
        self.node().tokens().next()
    }

    /// What it is applied to.
    pub fn operand(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

impl<'t> Binary<'t> {
    /// What stands left of the operator.
    pub fn left(self) -> Option<Expression<'t>> {
        expression(self.node())
    }

    /// The operator.
    pub fn operator(self) -> Option<SyntaxToken<'t>> {
        self.node().tokens().next()
    }

    /// What stands right of the operator.
    pub fn right(self) -> Option<Expression<'t>> {
        expressions(self.node()).nth(1)
    }
}

impl<'t> Ternary<'t> {
    /// What is asked.
    pub fn condition(self) -> Option<Expression<'t>> {
        expression_before(self.node(), TokenKind::Question)
    }

    /// The value where it is true.
    pub fn then(self) -> Option<Expression<'t>> {
        let end =
            self.node().token(TokenKind::Colon).map_or(usize::MAX, |colon| colon.span().start);
        expression_after(self.node(), TokenKind::Question).filter(|then| then.span().end <= end)
    }

    /// The value where it is false.
    pub fn otherwise(self) -> Option<Expression<'t>> {
        expression_after(self.node(), TokenKind::Colon)
    }
}

impl<'t> Lambda<'t> {
    /// The names of its variables, as nodes: `Name` alone, `Variable` in parentheses.
    pub fn variables(self) -> impl Iterator<Item = crate::syntax::Node<'t>> {
        let list = self.node().child(NodeKind::LambdaVariables).unwrap_or(self.node());
        let wanted = match list.kind() {
            NodeKind::LambdaVariables => NodeKind::Variable,
            _ => NodeKind::Name,
        };
        list.children().filter(move |child| child.kind() == wanted)
    }

    /// What it computes.
    pub fn body(self) -> Option<Expression<'t>> {
        expression_after(self.node(), TokenKind::Arrow)
    }
}

impl<'t> Loop<'t> {
    /// The variable of the item.
    pub fn item(self) -> Option<Name<'t>> {
        match self.node().child(NodeKind::LoopVariables) {
            Some(pair) => name(pair),
            None => name(self.node()),
        }
    }

    /// The variable of the index.
    pub fn index(self) -> Option<Name<'t>> {
        names(self.node().child(NodeKind::LoopVariables)?).nth(1)
    }

    /// What it goes over.
    pub fn list(self) -> Option<Expression<'t>> {
        expression_before(self.node(), TokenKind::Colon)
    }

    /// What each item becomes.
    pub fn body(self) -> Option<Expression<'t>> {
        expression_after(self.node(), TokenKind::Colon)
    }
}

impl<'t> Condition<'t> {
    /// What is asked, in its parentheses.
    pub fn condition(self) -> Option<Parenthesized<'t>> {
        self.node().children().find_map(Parenthesized::cast)
    }

    /// What is there if it is true.
    pub fn body(self) -> Option<Object<'t>> {
        self.node().children().find_map(Object::cast)
    }
}
