//! What a template says, without its text: declarations and expressions with their names resolved.
//!
//! A front end lowers its tree to this; `evaluate` knows nothing else. Every name is an index here, so a
//! unit is owned, has no lifetimes and is shared between threads. Expressions are never deeper than
//! [`MAX_DEPTH`], so whoever walks them may recurse.

use std::fmt;
use std::sync::Arc;

use hangar_diag::Span;
use hangar_ids::TypeName;

use crate::functions::Function;
use crate::silence::Silence;
use crate::source::{Place, Sources};
use crate::types::Type;
use crate::value::Value;

/// How deep expressions stand in each other.
pub(crate) const MAX_DEPTH: usize = 250;

/// One file.
pub(crate) struct Unit {
    pub(crate) file: Arc<str>,
    /// What its functions may read.
    pub(crate) sources: Sources,
    pub(crate) parameters: Vec<ParameterDeclaration>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) resources: Vec<ResourceDeclaration>,
    pub(crate) outputs: Vec<OutputDeclaration>,
    pub(crate) extensions: Vec<ExtensionDeclaration>,
    /// All that has a value, what is needed by others first: whoever goes along never recurses far.
    pub(crate) sequence: Vec<Declared>,
    /// What the file asks not to be told.
    pub(crate) silence: Silence,
}

impl Unit {
    pub(crate) fn place(&self, span: Span) -> Place {
        Place { file: self.file.clone(), span }
    }

    /// Every expression of it but the defaults of parameters.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let variables = self.variables.iter().map(|it| &it.value);
        let resources = self.resources.iter().flat_map(ResourceDeclaration::expressions);
        variables.chain(resources).chain(self.outputs.iter().map(|it| &it.value))
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit").field("file", &self.file).finish_non_exhaustive()
    }
}

/// A declaration that others may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    Parameter(usize),
    Variable(usize),
    Resource(usize),
}

/// A name that is declared.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct ParameterDeclaration {
    pub(crate) name: Name,
    pub(crate) value_type: Type,
    /// The type as it is written.
    pub(crate) type_text: Arc<str>,
    pub(crate) default: Option<Expression>,
    pub(crate) secure: bool,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) bounds: Bounds,
}

/// What decorators ask of a value.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bounds {
    pub(crate) allowed: Option<Vec<Value>>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_value: Option<i64>,
    pub(crate) max_value: Option<i64>,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) value_type: Option<Type>,
    pub(crate) value: Expression,
    /// Whether a resource is read on the way to its value.
    pub(crate) reaches_resource: bool,
}

#[derive(Debug)]
pub(crate) struct OutputDeclaration {
    pub(crate) name: Name,
    pub(crate) value_type: Type,
    pub(crate) type_text: Arc<str>,
    pub(crate) secure: bool,
    pub(crate) bounds: Bounds,
    pub(crate) value: Expression,
}

#[derive(Debug)]
pub(crate) struct ExtensionDeclaration {
    pub(crate) name: Name,
    pub(crate) extension: Extension,
    pub(crate) configuration: Option<Expression>,
}

/// The extensions that are known without configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extension {
    Aws,
    Kubernetes,
    Radius,
    Hangar,
}

impl Extension {
    pub(crate) const ALL: [Self; 4] = [Self::Aws, Self::Kubernetes, Self::Radius, Self::Hangar];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Kubernetes => "kubernetes",
            Self::Radius => "radius",
            Self::Hangar => "hangar",
        }
    }
}

#[derive(Debug)]
pub(crate) struct ResourceDeclaration {
    pub(crate) name: Name,
    pub(crate) what: What,
    pub(crate) existing: bool,
    /// The resource it is written in.
    pub(crate) parent: Option<usize>,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) condition: Option<Expression>,
    pub(crate) alias: Option<Expression>,
    /// `name`: the primary identifier of an existing one.
    pub(crate) identifier: Option<Expression>,
    pub(crate) properties: Option<Expression>,
    pub(crate) depends_on: Vec<Expression>,
    /// All else that a body of another extension has; looked at for its names only.
    pub(crate) others: Vec<Expression>,
    pub(crate) body: Span,
    pub(crate) batch: Option<usize>,
    pub(crate) or_null: bool,
}

impl ResourceDeclaration {
    /// Every expression of it.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let repeat = self.repeat.as_ref().map(|it| &it.list);
        let known_at_start = repeat.into_iter().chain(&self.condition).chain(&self.alias);
        let body = self.identifier.iter().chain(&self.properties);
        known_at_start.chain(body).chain(&self.depends_on).chain(&self.others)
    }
}

/// What can be read of a resource of AWS.
pub(crate) const READABLE: [&str; 5] = ["id", "name", "type", "alias", "properties"];

/// What can be read of a recipe.
pub(crate) const RECIPE_READABLE: [&str; 4] = ["id", "name", "type", "properties"];

/// The member that `listSecrets()` of a recipe is lowered to; no name in a text is like it.
pub(crate) const SECRETS: &str = "listSecrets()";

/// What a resource is.
#[derive(Debug)]
pub(crate) enum What {
    /// One that can be deployed, by this extension.
    Aws { type_name: TypeName, extension: usize },
    /// A module of Terraform's that Hangar runs; its `name` is kept as its alias.
    Recipe,
    /// One that Hangar reads about and cannot deploy.
    Foreign {
        /// Its type as it is written, with the place.
        written: Name,
    },
    /// Its type is wrong, and was reported.
    Faulty,
}

/// `for (item, index) in list`: the item is the local of level 0, the index that of level 1.
#[derive(Debug)]
pub(crate) struct Repeat {
    pub(crate) list: Expression,
}

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
    /// A variable of a loop or a lambda, by its level: 0 is the outermost.
    Local(usize),
    Member(Box<Member>),
    Index(Box<Index>),
    NonNull(Box<Expression>),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Binary(Box<Binary>),
    Ternary(Box<Ternary>),
    Call(Box<Call>),
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
pub(crate) struct Lambda {
    /// The level of its first variable.
    pub(crate) level: usize,
    pub(crate) variables: usize,
    pub(crate) body: Expression,
}

#[derive(Debug)]
pub(crate) struct Loop {
    /// The level of the item; the index, which is always bound, is the next.
    pub(crate) level: usize,
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
