//! The kinds of nodes, and which of them are statements, expressions and types.

/// What a node of the tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// The whole text: statements and new lines.
    File,
    /// What could not be read: tokens that were passed over, or nothing where something is missing.
    Error,

    /// `targetScope = 'resourceGroup'`.
    TargetScope,
    /// `metadata name = value`.
    Metadata,
    /// `param name type = default`.
    Param,
    /// `param name = value` in a parameters file.
    ParamAssignment,
    /// `var name type = value`.
    Var,
    /// `type name = type`.
    TypeAlias,
    /// `func name(a string) string => value`.
    Func,
    /// `resource name 'type' existing = body`.
    Resource,
    /// `module name 'path' = body`.
    Module,
    /// `output name type = value`.
    Output,
    /// `extension name with {} as alias`, and its older spellings.
    Extension,
    /// `extensionConfig name with {}` in a parameters file.
    ExtensionConfig,
    /// `import {} from 'path'` and `import * as name from 'path'`.
    Import,
    /// `assert name = condition`.
    Assert,
    /// `test name 'path' = body`.
    Test,
    /// `using 'path'` in a parameters file.
    Using,
    /// `extends 'path'` in a parameters file.
    Extends,
    /// Decorators that no statement follows.
    LooseDecorators,

    /// `@name(…)` and the new lines after it.
    Decorator,
    /// The name that a declaration gives.
    Name,
    /// `with {}`.
    WithClause,
    /// `as name`.
    AsClause,
    /// `from 'path'`.
    FromClause,
    /// `{ a, b as c }` of an import.
    ImportList,
    /// One of them.
    ImportItem,
    /// `* as name` of an import.
    ImportAll,
    /// The parameters of a function in their parentheses.
    FuncParams,
    /// One of them: `name type`.
    FuncParam,

    /// `[for x in y: body]`.
    Loop,
    /// `(item, index)` of a loop.
    LoopVariables,
    /// `if (condition) body`.
    Condition,

    /// A number, `true`, `false` or `null`.
    Literal,
    /// A string, with its holes.
    String,
    /// `{ … }`.
    Object,
    /// `key: value`.
    Property,
    /// `...value`.
    Spread,
    /// `[ … ]`.
    Array,
    /// A name that is used.
    Variable,
    /// `name(…)`.
    Call,
    /// `base.name(…)`.
    MethodCall,
    /// `base.name` and `base.?name`.
    Member,
    /// `base[index]`, `base[?index]`, `base[^index]`.
    Index,
    /// `base::name`.
    NestedResource,
    /// `base!`.
    NonNull,
    /// `(…)`.
    Parenthesized,
    /// `!a` and `-a`.
    Unary,
    /// `a + b`.
    Binary,
    /// `a ? b : c`.
    Ternary,
    /// `x => body` and `(x, y) => body`.
    Lambda,
    /// The variables of a lambda.
    LambdaVariables,

    /// A name that is used as a type.
    TypeName,
    /// A literal that is used as a type, with its sign.
    TypeLiteral,
    /// `{ … }` as a type.
    TypeObject,
    /// `key: type`.
    TypeProperty,
    /// `*: type`.
    TypeOtherProperties,
    /// `[ … ]` as a type.
    TypeTuple,
    /// An item of a tuple with its decorators.
    TypeTupleItem,
    /// `(…)` as a type.
    TypeParenthesized,
    /// `a | b`.
    TypeUnion,
    /// `a[]`.
    TypeArray,
    /// `a?`.
    TypeNullable,
    /// `a!`.
    TypeNonNull,
    /// `a.name`.
    TypeMember,
    /// `a.*`.
    TypeOtherMembers,
    /// `a[0]`.
    TypeItem,
    /// `a[*]`.
    TypeItems,
    /// `name<…>`.
    TypeParameterized,
    /// `resource 'type'` as a type.
    TypeResource,
}

impl NodeKind {
    /// Whether it stands alone in a file; a resource may also stand in a body.
    pub const fn is_statement(self) -> bool {
        matches!(
            self,
            Self::TargetScope
                | Self::Metadata
                | Self::Param
                | Self::ParamAssignment
                | Self::Var
                | Self::TypeAlias
                | Self::Func
                | Self::Resource
                | Self::Module
                | Self::Output
                | Self::Extension
                | Self::ExtensionConfig
                | Self::Import
                | Self::Assert
                | Self::Test
                | Self::Using
                | Self::Extends
                | Self::LooseDecorators
        )
    }

    /// Whether it has a value; loops and conditions, which are bodies, included.
    pub const fn is_expression(self) -> bool {
        matches!(
            self,
            Self::Loop
                | Self::Condition
                | Self::Literal
                | Self::String
                | Self::Object
                | Self::Array
                | Self::Variable
                | Self::Call
                | Self::MethodCall
                | Self::Member
                | Self::Index
                | Self::NestedResource
                | Self::NonNull
                | Self::Parenthesized
                | Self::Unary
                | Self::Binary
                | Self::Ternary
                | Self::Lambda
        )
    }

    /// Whether it is a type expression.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::TypeName
                | Self::TypeLiteral
                | Self::TypeObject
                | Self::TypeTuple
                | Self::TypeParenthesized
                | Self::TypeUnion
                | Self::TypeArray
                | Self::TypeNullable
                | Self::TypeNonNull
                | Self::TypeMember
                | Self::TypeOtherMembers
                | Self::TypeItem
                | Self::TypeItems
                | Self::TypeParameterized
                | Self::TypeResource
        )
    }
}
