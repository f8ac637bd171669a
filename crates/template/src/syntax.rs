//! From text to a tree and back: lexer, lossless tree, parser, and typed views of the tree.
//!
//! Data flows one way: `lexer` cuts the text into tokens, `parser` builds a `tree` of them, `ast`
//! reads it. Parsing never fails: what is wrong is an [`Error`](NodeKind::Error) node and a
//! diagnostic, and the next statement is read as if nothing had happened.

pub mod ast;
mod kind;
mod lexer;
mod parser;
mod slips;
mod token;
mod tree;

use hangar_diag::Diagnostic;

pub use kind::NodeKind;
pub(crate) use slips::{Mended, parse_mended};
pub use token::{Token, TokenKind, Trivia, TriviaKind};
pub use tree::{Element, Node, NodeId, SyntaxToken, TokenId, Tree};

/// Which of the two languages a file is written in; its extension tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `.bicep`: what is to be deployed.
    Template,
    /// `.bicepparam`: values for the parameters of a template.
    Parameters,
}

/// What became of a text.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// Every byte of it, in its place.
    pub tree: Tree,
    /// What is wrong with it, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// The texts of all tokens of a text, without line breaks and what means nothing.
pub(crate) fn token_texts(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |token: &Token| token.kind != TokenKind::NewLine;
    let tokens = lexer::lex(text).tokens.into_iter().filter(is_word);
    tokens.filter_map(|token| text.get(token.start as usize..token.end as usize))
}

/// The tree of any text, with its mistakes.
pub fn parse(text: &str, dialect: Dialect) -> Parsed {
    let lexed = lexer::lex(text);
    let (tree, mut diagnostics) = parser::parse(text, lexed, dialect);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| (span.start, span.end)));
    diagnostics.dedup_by(|a, b| a.code == b.code && a.span() == b.span());
    Parsed { tree, diagnostics }
}
