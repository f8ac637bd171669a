//! The tree of an expression. Its depth is bounded by the parser; chains are flat.

use hangar_diag::Span;
use serde_json::Number;

/// A part of a text that has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// What it is.
    pub kind: Kind,
    /// Where it stands in the text.
    pub span: Span,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A value as it is written.
    Literal(Literal),
    /// A text with parts that are computed.
    Template(Vec<Part>),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `{a = b}`; a bare name as key is a literal.
    Object(Vec<(Expression, Expression)>),
    /// `[for …]` and `{for …}`.
    For(Box<For>),
    /// `-a` and `!a`.
    Unary(Sign, Box<Expression>),
    /// `a + b - c`: operators of one rank, from left to right.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
    /// `a ? b : c`.
    Choice(Box<[Expression; 3]>),
    /// A bare name: the first part of a reference, or what a `for` names.
    Variable(String),
    /// `f(a, b...)`.
    Call(Call),
    /// What follows a value: `.name`, `[key]`, `[*]`.
    Traverse(Box<Expression>, Vec<Step>),
}

/// A value as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number in plain decimal notation.
    Number(Number),
    /// A text without computed parts.
    Text(String),
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// `${…}`.
    Value(Expression),
    /// `%{if …}`.
    If(TemplateIf),
    /// `%{for …}`.
    For(TemplateFor),
}

/// `%{if a}…%{else}…%{endif}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateIf {
    /// What is asked.
    pub condition: Expression,
    /// What stands there where it holds.
    pub then: Vec<Part>,
    /// What stands there where it does not.
    pub otherwise: Vec<Part>,
}

/// `%{for a, b in c}…%{endfor}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFor {
    /// The name of the key, where one is given.
    pub key: Option<String>,
    /// The name of the value.
    pub value: String,
    /// What is gone through.
    pub collection: Expression,
    /// What is written for each.
    pub body: Vec<Part>,
}

/// `[for k, v in c : e if x]` or `{for k, v in c : a => b... if x}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct For {
    /// The name of the key, where one is given.
    pub key: Option<String>,
    /// The name of the value.
    pub value: String,
    /// What is gone through.
    pub collection: Expression,
    /// The key of each member, of an object.
    pub name: Option<Expression>,
    /// Each element or member.
    pub element: Expression,
    /// Whether members of one key become a list.
    pub groups: bool,
    /// Which are taken, where not all are.
    pub condition: Option<Expression>,
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function, with the names before it: `provider::aws::arn_parse`.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// What it is given.
    pub arguments: Vec<Expression>,
    /// Whether the last argument is a list of arguments: `f(a...)`.
    pub expands: bool,
}

/// What leads from a value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which part.
    pub kind: StepKind,
    /// Where it stands in the text.
    pub span: Span,
}

/// Which part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// `.name`.
    Name(String),
    /// `[key]`, and the `.0` of old versions.
    Index(Expression),
    /// `[*]` or `.*`, with the steps that are taken from each element.
    Splat(Vec<Step>),
}

/// What stands before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `-`.
    Minus,
    /// `!`.
    Not,
}

/// What stands between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the operator of its name")]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

impl Operator {
    /// Every operator with how it is written, longer ones first.
    pub(super) const ALL: [(&'static str, Self); 13] = [
        ("||", Self::Or),
        ("&&", Self::And),
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
        ("+", Self::Plus),
        ("-", Self::Minus),
        ("*", Self::Times),
        ("/", Self::Divide),
        ("%", Self::Modulo),
    ];

    /// How it is written.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, operator)| *operator == self).map_or("", |(text, _)| text)
    }

    /// Those of a higher rank are computed first.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal | Self::NotEqual => 3,
            Self::LessOrEqual | Self::GreaterOrEqual | Self::Less | Self::Greater => 4,
            Self::Plus | Self::Minus => 5,
            Self::Times | Self::Divide | Self::Modulo => 6,
        }
    }
}
