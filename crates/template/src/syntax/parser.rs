//! A recursive-descent parser that never fails: what it cannot read it keeps, reports and passes.
//!
//! A rule returns `Err(Fault)` at the first token it cannot use. [`Parser::recover`] is the one
//! place that catches it: it reports the fault, passes over tokens to the next sensible place, and
//! leaves all of it in an error node. Where a rule finds nothing at all, the rules after it in the
//! same statement keep quiet: one mistake, one message.

#![allow(
    clippy::unnecessary_wraps,
    reason = "all rules have one shape, also those that recover from everything themselves"
)]

mod bodies;
mod collections;
mod expressions;
mod files;
mod hint;
mod lists;
mod postfix;
mod statements;
mod strings;
mod types;

use hangar_diag::{Code, Diagnostic, Span};

use super::lexer::Lexed;
use super::token::{Token, TokenKind};
use super::tree::{Builder, Mark};
use super::{Dialect, NodeKind, Tree};
use crate::codes;

/// How deep expressions, bodies and types may stand in each other, and how long a chain may be.
/// Whoever walks the tree may recurse: this bounds the stack of all of them.
const MAX_DEPTH: usize = 200;

pub(crate) fn parse(text: &str, lexed: Lexed, dialect: Dialect) -> (Tree, Vec<Diagnostic>) {
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        depth: 0,
        open_strings: 0,
        dialect,
        builder: Builder::default(),
        diagnostics: lexed.diagnostics,
    };
    parser.file();
    let tree = parser.builder.into_tree(text, parser.tokens, lexed.trivia);
    (tree, parser.diagnostics)
}

/// Why a rule stopped.
struct Fault {
    code: Code,
    span: Span,
    message: String,
    /// What to do next; where there is none, it is computed from the code and the place.
    hint: Option<String>,
}

type Rule = Result<(), Fault>;

/// Whether a fault is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Loud,
    /// What came before is missing already, and was reported.
    Quiet,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Strings whose hole is being read: their next piece is never passed over.
    open_strings: usize,
    dialect: Dialect,
    builder: Builder,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn current(&self) -> Token {
        self.ahead(0)
    }

    /// The token `distance` further on; the last one is the end of the file.
    fn ahead(&self, distance: usize) -> Token {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.current().kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_any(&self, kinds: &[TokenKind]) -> bool {
        kinds.contains(&self.kind())
    }

    fn at_line_end(&self) -> bool {
        matches!(self.kind(), TokenKind::NewLine | TokenKind::EndOfFile)
    }

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn at_keyword(&self, keyword: &str) -> bool {
        self.is_keyword(0, keyword)
    }

    fn is_keyword(&self, distance: usize, keyword: &str) -> bool {
        let token = self.ahead(distance);
        token.kind == TokenKind::Identifier && self.text_of(token) == keyword
    }

    /// The first token past any new lines, by its distance.
    fn past_new_lines(&self) -> usize {
        let mut distance = 0;
        while self.ahead(distance).kind == TokenKind::NewLine {
            distance += 1;
        }
        distance
    }

    /// Takes the current token into the tree. The end of the file is only taken by the file.
    fn bump(&mut self) {
        if !self.at(TokenKind::EndOfFile) {
            self.builder.token(self.at);
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let there = self.at(kind);
        if there {
            self.bump();
        }
        there
    }

    fn eat_new_lines(&mut self) {
        while self.eat(TokenKind::NewLine) {}
    }

    fn mark(&self) -> Mark {
        self.builder.mark()
    }

    fn finish(&mut self, kind: NodeKind, mark: Mark) {
        let here = self.current().start;
        self.builder.finish(kind, mark, &self.tokens, here);
    }

    fn expect(&mut self, kind: TokenKind) -> Rule {
        if self.eat(kind) {
            return Ok(());
        }
        let fault = self.fault(codes::EXPECTED_TOKEN, format!("expected {kind} here"));
        fault.map_err(|fault| Fault { hint: self.hint_for_token(kind), ..fault })
    }

    fn expect_keyword(&mut self, keyword: &str) -> Rule {
        if self.at_keyword(keyword) {
            self.bump();
            return Ok(());
        }
        let message = format!("expected the keyword `{keyword}` here");
        let fault = self.fault(codes::EXPECTED_KEYWORD, message);
        fault.map_err(|fault| Fault { hint: self.hint_for_keyword(keyword), ..fault })
    }

    /// A fault on the current token; where the line ends, on the place before its end.
    fn fault(&self, code: Code, message: impl Into<String>) -> Rule {
        let token = self.current();
        let end = if token.kind == TokenKind::NewLine { token.start } else { token.end };
        self.fault_at(code, span(token.start, end), message)
    }

    /// A fault right before the current token.
    fn fault_before(&self, code: Code, message: impl Into<String>) -> Rule {
        let start = self.current().start;
        self.fault_at(code, span(start, start), message)
    }

    #[allow(clippy::unused_self, reason = "reads as its two neighbours")]
    fn fault_at(&self, code: Code, span: Span, message: impl Into<String>) -> Rule {
        Err(Fault { code, span, message: message.into(), hint: None })
    }

    fn report(&mut self, fault: Fault) {
        let Fault { code, span, message, hint } = fault;
        let hint = hint.or_else(|| self.hint_for(code, span));
        let mut diagnostic = Diagnostic::error(code, message).at(span, "");
        diagnostic.hints.extend(hint);
        self.diagnostics.push(diagnostic);
    }

    /// Runs a rule; where it stops, reports why and passes over tokens up to one of `stops`, the
    /// end of the line, or the next piece of the string whose hole this is.
    ///
    /// Returns the voice of what follows: quiet where nothing was found.
    fn recover(
        &mut self,
        voice: Voice,
        stops: &[TokenKind],
        rule: impl FnOnce(&mut Self) -> Rule,
    ) -> Voice {
        let mark = self.mark();
        let (first, depth, open_strings) = (self.at, self.depth, self.open_strings);
        if let Err(fault) = rule(self) {
            self.depth = depth;
            self.open_strings = open_strings;
            if voice == Voice::Loud {
                self.report(fault);
            }
            self.pass_over(stops);
            self.finish(NodeKind::Error, mark);
        }
        let length = match self.at.checked_sub(1) {
            Some(last) if self.at > first => self.tokens[last].end - self.tokens[first].start,
            _ => 0,
        };
        if length > 0 { Voice::Loud } else { Voice::Quiet }
    }

    fn pass_over(&mut self, stops: &[TokenKind]) {
        let mut inner_strings = 0_usize;
        loop {
            match self.kind() {
                TokenKind::EndOfFile | TokenKind::NewLine => return,
                TokenKind::StringLeft => inner_strings += 1,
                TokenKind::StringRight if inner_strings > 0 => inner_strings -= 1,
                TokenKind::StringMiddle | TokenKind::StringRight
                    if inner_strings == 0 && self.open_strings > 0 =>
                {
                    return;
                }
                kind if inner_strings == 0 && stops.contains(&kind) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Runs a rule one level deeper.
    fn deeper(&mut self, rule: impl FnOnce(&mut Self) -> Rule) -> Rule {
        self.check_depth(1)?;
        self.depth += 1;
        let outcome = rule(self);
        self.depth -= 1;
        outcome
    }

    /// Refuses to go `levels` deeper than the limit.
    fn check_depth(&self, levels: usize) -> Rule {
        if self.depth + levels <= MAX_DEPTH {
            return Ok(());
        }
        self.fault(codes::TOO_DEEP, format!("this is nested more than {MAX_DEPTH} levels deep"))
    }
}

fn span(start: u32, end: u32) -> Span {
    Span::new(start as usize, end as usize)
}
