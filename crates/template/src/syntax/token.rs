//! What the lexer makes: tokens, and the trivia that stand before each of them.

use std::fmt;

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are named for what `describe` prints")]
pub enum TokenKind {
    /// A name or a keyword: keywords are names in a certain place.
    Identifier,
    /// Decimal digits.
    Number,
    /// A string on one line without `${`.
    String,
    /// A string in triple quotes without a hole.
    MultilineString,
    /// From the opening quote up to and with the first `${`.
    StringLeft,
    /// From the `}` of a hole up to and with the next `${`.
    StringMiddle,
    /// From the `}` of the last hole to the closing quote; empty where the quote is missing.
    StringRight,
    /// One or more line breaks that touch each other.
    NewLine,
    /// The end of the text; it owns the trivia before it.
    EndOfFile,
    /// A character, or a text, that begins no token.
    Unknown,
    At,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftSquare,
    RightSquare,
    Comma,
    Dot,
    Ellipsis,
    Question,
    DoubleQuestion,
    Colon,
    DoubleColon,
    Assign,
    Arrow,
    Equal,
    NotEqual,
    EqualIgnoringCase,
    NotEqualIgnoringCase,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    Caret,
    Pipe,
    DoublePipe,
    DoubleAmpersand,
}

impl TokenKind {
    /// How the kind is spelled in a message.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Identifier => "a name",
            Self::Number => "a number",
            Self::String | Self::MultilineString | Self::StringLeft => "a string",
            Self::StringMiddle | Self::StringRight | Self::RightBrace => "`}`",
            Self::NewLine => "a new line",
            Self::EndOfFile => "the end of the file",
            Self::Unknown => "an unknown character",
            Self::At => "`@`",
            Self::LeftBrace => "`{`",
            Self::LeftParen => "`(`",
            Self::RightParen => "`)`",
            Self::LeftSquare => "`[`",
            Self::RightSquare => "`]`",
            Self::Comma => "`,`",
            Self::Dot => "`.`",
            Self::Ellipsis => "`...`",
            Self::Question => "`?`",
            Self::DoubleQuestion => "`??`",
            Self::Colon => "`:`",
            Self::DoubleColon => "`::`",
            Self::Assign => "`=`",
            Self::Arrow => "`=>`",
            Self::Equal => "`==`",
            Self::NotEqual => "`!=`",
            Self::EqualIgnoringCase => "`=~`",
            Self::NotEqualIgnoringCase => "`!~`",
            Self::Less => "`<`",
            Self::LessOrEqual => "`<=`",
            Self::Greater => "`>`",
            Self::GreaterOrEqual => "`>=`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Star => "`*`",
            Self::Slash => "`/`",
            Self::Percent => "`%`",
            Self::Bang => "`!`",
            Self::Caret => "`^`",
            Self::Pipe => "`|`",
            Self::DoublePipe => "`||`",
            Self::DoubleAmpersand => "`&&`",
        }
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// A token: its kind, its bytes, and where its trivia begin in the list of all trivia.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// The first of its trivia; they end where those of the next token begin.
    pub(crate) trivia: u32,
}

/// What stands between tokens and means nothing to the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriviaKind {
    /// Spaces and tabs, and a byte order mark at the beginning.
    Whitespace,
    /// `// …`, without its line break.
    LineComment,
    /// `/* … */`.
    BlockComment,
    /// `#disable-next-line …`, `#disable-diagnostics …` or `#restore-diagnostics …`.
    Directive,
}

/// One piece of trivia.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trivia {
    /// What it is.
    pub kind: TriviaKind,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}
