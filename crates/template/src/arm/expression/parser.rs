//! From the tokens of an expression to its tree.

use std::vec::IntoIter;

use hangar_diag::Span;

use super::lexer::{Token, tokens};
use super::{Expression, Fault, Kind, MAX_DEPTH};

/// Parses what stands between the brackets; `start` is where that begins in its string.
pub(crate) fn parse(text: &str, start: usize) -> Result<Expression, Fault> {
    let mut parser = Parser { tokens: tokens(text, start)?.into_iter(), depth: 0 };
    let expression = parser.expression()?;
    match parser.next() {
        (Token::End, _) => Ok(expression),
        (_, span) => {
            Err(Fault { span, message: "unexpected text after the expression".to_owned() })
        }
    }
}

struct Parser {
    tokens: IntoIter<(Token, Span)>,
    depth: usize,
}

impl Parser {
    fn next(&mut self) -> (Token, Span) {
        self.tokens.next().unwrap_or((Token::End, Span::new(0, 0)))
    }

    fn peek(&self) -> &Token {
        self.tokens.as_slice().first().map_or(&Token::End, |(token, _)| token)
    }

    fn expression(&mut self) -> Result<Expression, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.next().1;
            return Err(Fault {
                span,
                message: format!("this is nested more than {MAX_DEPTH} levels deep"),
            });
        }
        let first = self.first()?;
        let whole = self.accesses(first)?;
        self.depth -= 1;
        Ok(whole)
    }

    fn first(&mut self) -> Result<Expression, Fault> {
        let (token, span) = self.next();
        match token {
            Token::Text(text) => Ok(Expression { kind: Kind::Text(text), span }),
            Token::Number(number) => Ok(Expression { kind: Kind::Number(number), span }),
            Token::Name(name) => self.call(name, span),
            _ => Err(Fault { span, message: "expected an expression here".to_owned() }),
        }
    }

    /// `name(…)` or `namespace.name(…)`.
    fn call(&mut self, mut name: String, from: Span) -> Result<Expression, Fault> {
        if *self.peek() == Token::Dot {
            self.next();
            match self.next() {
                (Token::Name(member), _) => name = format!("{name}.{member}"),
                (_, span) => {
                    let message = format!("expected the name of a function after `{name}.`");
                    return Err(Fault { span, message });
                }
            }
        }
        match self.next() {
            (Token::Open, _) => {}
            (_, span) => {
                let message = format!("expected `(` after the function name `{name}`");
                return Err(Fault { span, message });
            }
        }
        let mut arguments = Vec::new();
        if *self.peek() == Token::Close {
            let end = self.next().1.end;
            return Ok(Expression {
                kind: Kind::Call { name, arguments },
                span: Span::new(from.start, end),
            });
        }
        loop {
            arguments.push(self.expression()?);
            match self.next() {
                (Token::Comma, _) => {}
                (Token::Close, span) => {
                    let span = Span::new(from.start, span.end);
                    return Ok(Expression { kind: Kind::Call { name, arguments }, span });
                }
                (_, span) => {
                    let message = format!("expected `,` or `)` here, in the arguments of `{name}`");
                    return Err(Fault { span, message });
                }
            }
        }
    }

    /// `.name` and `[index]`, as many as there are.
    fn accesses(&mut self, mut base: Expression) -> Result<Expression, Fault> {
        for _ in 0..MAX_DEPTH {
            let start = base.span.start;
            match self.peek() {
                Token::Dot => {
                    self.next();
                    let (token, span) = self.next();
                    let (Token::Name(name) | Token::Number(name)) = token else {
                        let message = "expected the name of a property here".to_owned();
                        return Err(Fault { span, message });
                    };
                    let kind = Kind::Member { base: Box::new(base), name };
                    base = Expression { kind, span: Span::new(start, span.end) };
                }
                Token::OpenSquare => {
                    self.next();
                    let at = Box::new(self.expression()?);
                    let (token, span) = self.next();
                    if token != Token::CloseSquare {
                        return Err(Fault { span, message: "expected `]` here".to_owned() });
                    }
                    let kind = Kind::Index { base: Box::new(base), at };
                    base = Expression { kind, span: Span::new(start, span.end) };
                }
                _ => return Ok(base),
            }
        }
        Err(Fault {
            span: base.span,
            message: format!("more than {MAX_DEPTH} property accesses in a row"),
        })
    }
}
