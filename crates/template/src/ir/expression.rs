//! Expressions: what has a value, and its place.

use std::sync::Arc;

use hangar_diag::Span;

use super::{LoopNames, Name};
use crate::functions::Function;
use crate::value::Value;

/// Something that has a value, and its place.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExpressionKind {
    Constant(Value),
    /// A string with holes.
    Text(Vec<Piece>),
    Object(Vec<Entry>),
    Array(Vec<Item>),
    Parameter(usize),
    Variable(usize),
    Resource(usize),
    /// A module, or all of a loop.
    Module(usize),
    /// A variable of another file, which is a constant.
    Imported(Imported),
    /// A variable of a loop or a lambda, by its level: 0 is the outermost.
    Local(usize),
    Member(Box<Member>),
    Index(Box<Index>),
    NonNull(Box<Expression>),
    /// `any(value)`: what the text tells of its type does not count.
    Any(Box<Expression>),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Binary(Box<Binary>),
    Ternary(Box<Ternary>),
    Call(Box<Call>),
    /// A call of a function that a template declares.
    CallUser(Box<CallUser>),
    /// A call that only Azure answers: `vault.getSecret('a')`, `listKeys(…)`.
    Method(Box<Method>),
    /// Only as an argument of a call.
    Lambda(Box<Lambda>),
    Loop(Box<Loop>),
    /// `readEnvironmentVariable(name, default)`; only in a parameters file.
    Environment(Box<Environment>),
    /// It was reported; nothing that holds one is ever evaluated.
    Faulty,
}

#[derive(Debug)]
pub(crate) enum Piece {
    Text(Arc<str>),
    Hole(Expression),
}

#[derive(Debug)]
pub(crate) enum Entry {
    Member { key: Key, value: Expression },
    Spread(Expression),
}

#[derive(Debug)]
pub(crate) enum Key {
    Fixed(Name),
    Computed(Expression),
}

impl Key {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Fixed(name) => name.span,
            Self::Computed(expression) => expression.span,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Item {
    Value(Expression),
    Spread(Expression),
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) base: Expression,
    pub(crate) name: Name,
    /// `.?`: null where it is missing.
    pub(crate) safe: bool,
}

#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) base: Expression,
    pub(crate) at: Expression,
    /// `[?`: null where it is missing.
    pub(crate) safe: bool,
    /// `[^`: counted from the end, from one.
    pub(crate) from_end: bool,
}

#[derive(Debug)]
pub(crate) struct Binary {
    pub(crate) operator: Operator,
    pub(crate) left: Expression,
    pub(crate) right: Expression,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Coalesce,
    Equal,
    NotEqual,
    EqualIgnoringCase,
    NotEqualIgnoringCase,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Operator {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Coalesce => "??",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::EqualIgnoringCase => "=~",
            Self::NotEqualIgnoringCase => "!~",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Ternary {
    pub(crate) condition: Expression,
    pub(crate) then: Expression,
    pub(crate) otherwise: Expression,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) function: &'static Function,
    pub(crate) arguments: Vec<Expression>,
    /// The extension it is called on, whose account and region it sees.
    pub(crate) extension: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct CallUser {
    pub(crate) function: Imported,
    pub(crate) arguments: Vec<Expression>,
}

/// A declaration of a file, which may be another one: a variable or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Imported {
    /// The file, by its place in [`Units::list`](super::Units).
    pub(crate) unit: usize,
    /// The declaration, by its place in the list of its kind.
    pub(crate) index: usize,
}

#[derive(Debug)]
pub(crate) struct Method {
    /// The resource that it is called on, one that Hangar cannot deploy; nothing for a plain function.
    pub(crate) base: Option<Expression>,
    pub(crate) name: Name,
    pub(crate) arguments: Vec<Expression>,
}

#[derive(Debug)]
pub(crate) struct Lambda {
    /// The level of its first variable.
    pub(crate) level: usize,
    /// Its variables as they are written.
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) body: Expression,
}

#[derive(Debug)]
pub(crate) struct Loop {
    /// The level of the item; the index, which is always bound, is the next.
    pub(crate) level: usize,
    pub(crate) names: LoopNames,
    pub(crate) list: Expression,
    pub(crate) body: Expression,
}

#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) name: Expression,
    pub(crate) default: Option<Expression>,
}

impl Expression {
    pub(crate) const fn new(kind: ExpressionKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Calls `visit` with each expression right inside of this one.
    pub(crate) fn for_each_part<'a>(&'a self, mut visit: impl FnMut(&'a Self)) {
        match &self.kind {
            ExpressionKind::Constant(_)
            | ExpressionKind::Parameter(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Resource(_)
            | ExpressionKind::Module(_)
            | ExpressionKind::Imported(_)
            | ExpressionKind::Local(_)
            | ExpressionKind::Faulty => {}
            ExpressionKind::Text(pieces) => {
                for piece in pieces {
                    if let Piece::Hole(hole) = piece {
                        visit(hole);
                    }
                }
            }
            ExpressionKind::Object(entries) => {
                for entry in entries {
                    match entry {
                        Entry::Member { key, value } => {
                            if let Key::Computed(key) = key {
                                visit(key);
                            }
                            visit(value);
                        }
                        Entry::Spread(value) => visit(value),
                    }
                }
            }
            ExpressionKind::Array(items) => {
                for item in items {
                    let (Item::Value(value) | Item::Spread(value)) = item;
                    visit(value);
                }
            }
            ExpressionKind::Member(member) => visit(&member.base),
            ExpressionKind::Index(index) => {
                visit(&index.base);
                visit(&index.at);
            }
            ExpressionKind::NonNull(inner)
            | ExpressionKind::Any(inner)
            | ExpressionKind::Not(inner)
            | ExpressionKind::Negate(inner) => visit(inner),
            ExpressionKind::Binary(binary) => {
                visit(&binary.left);
                visit(&binary.right);
            }
            ExpressionKind::Ternary(ternary) => {
                visit(&ternary.condition);
                visit(&ternary.then);
                visit(&ternary.otherwise);
            }
            ExpressionKind::Call(call) => call.arguments.iter().for_each(visit),
            ExpressionKind::CallUser(call) => call.arguments.iter().for_each(visit),
            ExpressionKind::Method(method) => {
                method.base.iter().for_each(&mut visit);
                method.arguments.iter().for_each(visit);
            }
            ExpressionKind::Lambda(lambda) => visit(&lambda.body),
            ExpressionKind::Loop(repeat) => {
                visit(&repeat.list);
                visit(&repeat.body);
            }
            ExpressionKind::Environment(environment) => {
                visit(&environment.name);
                environment.default.iter().for_each(visit);
            }
        }
    }
}
