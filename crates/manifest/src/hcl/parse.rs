//! The grammar of expressions, by recursive descent with bounded depth.
//!
//! `collection` reads lists, objects and `for`; `template` the texts with computed parts.

mod collection;
mod template;

use hangar_diag::Span;

use super::error::{HclError, Reason};
use super::expression::{Call, Expression, Kind, Literal, Operator, Sign, Step, StepKind};
use super::scan::Scan;

/// Levels of brackets, calls, templates and signs inside of each other.
pub(super) const DEEPEST: usize = 100;

/// A longer text is no expression that somebody wrote.
const LONGEST: usize = 1 << 20;

pub(super) type Parsed = Result<Expression, HclError>;

pub(super) fn expression(text: &str) -> Parsed {
    let mut parser = Parser::new(text)?;
    let tree = parser.expression()?;
    parser.scan.skip_blank()?;
    if parser.scan.rest().is_empty() {
        return Ok(tree);
    }
    Err(parser.scan.wrong("unexpected text after the expression"))
}

pub(super) fn template(text: &str) -> Parsed {
    Parser::new(text)?.whole_template()
}

struct Parser<'t> {
    scan: Scan<'t>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, HclError> {
        if text.len() > LONGEST {
            let reason = Reason::TooLong { bytes: text.len(), most: LONGEST };
            return Err(HclError { reason, span: Span::new(0, text.len()) });
        }
        Ok(Self { scan: Scan::new(text), depth: 0 })
    }

    /// Reads what is one level deeper.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, HclError>,
    ) -> Result<T, HclError> {
        if self.depth == DEEPEST {
            let at = self.scan.at();
            return Err(HclError { reason: Reason::TooDeep, span: Span::new(at, at) });
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads what is inside of brackets, where lines mean what is told.
    fn enclosed<T>(
        &mut self,
        lines_count: bool,
        read: impl FnOnce(&mut Self) -> Result<T, HclError>,
    ) -> Result<T, HclError> {
        let before = std::mem::replace(&mut self.scan.lines_count, lines_count);
        let result = read(self);
        self.scan.lines_count = before;
        result
    }

    fn expression(&mut self) -> Parsed {
        self.deeper(Self::choice)
    }

    fn choice(&mut self) -> Parsed {
        let condition = self.chain(1)?;
        self.scan.skip_blank()?;
        if !self.scan.take("?") {
            return Ok(condition);
        }
        let start = condition.span.start;
        let chosen = self.expression()?;
        self.scan.skip_blank()?;
        self.scan.expect(":", "between the two results of a conditional")?;
        let other = self.expression()?;
        let span = Span::new(start, other.span.end);
        Ok(Expression { kind: Kind::Choice(Box::new([condition, chosen, other])), span })
    }

    /// Operators of at least this rank; those of one rank make one flat chain.
    fn chain(&mut self, least: u8) -> Parsed {
        let mut left = self.signed()?;
        let mut rank_of_left = None;
        loop {
            self.scan.skip_blank()?;
            let Some((text, operator)) = self.operator() else { return Ok(left) };
            let rank = operator.rank();
            if rank < least {
                return Ok(left);
            }
            self.scan.take(text);
            let right = self.chain(rank + 1)?;
            let span = Span::new(left.span.start, right.span.end);
            if rank_of_left == Some(rank)
                && let Kind::Chain(_, operands) = &mut left.kind
            {
                operands.push((operator, right));
                left.span = span;
                continue;
            }
            rank_of_left = Some(rank);
            left = Expression { kind: Kind::Chain(Box::new(left), vec![(operator, right)]), span };
        }
    }

    fn operator(&self) -> Option<(&'static str, Operator)> {
        let rest = self.scan.rest();
        // `=>` of an object's `for`, and `%{` of a template, are no operators.
        Operator::ALL.into_iter().find(|(text, _)| rest.starts_with(text))
    }

    fn signed(&mut self) -> Parsed {
        self.scan.skip_blank()?;
        let start = self.scan.at();
        let sign = match self.scan.peek() {
            Some('-') => Sign::Minus,
            Some('!') => Sign::Not,
            _ => return self.traversed(),
        };
        self.scan.bump();
        let operand = self.deeper(Self::signed)?;
        let span = Span::new(start, operand.span.end);
        Ok(Expression { kind: Kind::Unary(sign, Box::new(operand)), span })
    }

    /// A value and what follows it.
    fn traversed(&mut self) -> Parsed {
        let value = self.primary()?;
        let steps = self.steps()?;
        match steps.last() {
            None => Ok(value),
            Some(last) => {
                let span = Span::new(value.span.start, last.span.end);
                Ok(Expression { kind: Kind::Traverse(Box::new(value), steps), span })
            }
        }
    }

    fn steps(&mut self) -> Result<Vec<Step>, HclError> {
        let mut steps = Vec::new();
        loop {
            self.scan.skip_blank()?;
            let start = self.scan.at();
            let rest = self.scan.rest();
            let kind = if rest.starts_with("...") {
                return Ok(steps);
            } else if self.scan.take(".") {
                self.step_by_dot()?
            } else if self.scan.take("[") {
                self.step_by_bracket()?
            } else {
                return Ok(steps);
            };
            steps.push(Step { kind, span: self.scan.since(start) });
        }
    }

    fn step_by_dot(&mut self) -> Result<StepKind, HclError> {
        self.scan.skip_blank()?;
        if self.scan.take("*") {
            return self.names_of_each().map(StepKind::Splat);
        }
        self.name_or_index()
    }

    /// `.name`, or the `.0` of old versions.
    fn name_or_index(&mut self) -> Result<StepKind, HclError> {
        let start = self.scan.at();
        if let Some(name) = self.scan.name() {
            return Ok(StepKind::Name(name.to_owned()));
        }
        let digits = self.scan.digits();
        let Ok(index) = digits.parse::<u64>() else {
            return Err(self.scan.wrong("expected a name after `.`"));
        };
        let kind = Kind::Literal(Literal::Number(index.into()));
        Ok(StepKind::Index(Expression { kind, span: self.scan.since(start) }))
    }

    /// Behind `.*` only names belong to each element; a bracket is for the list of all.
    fn names_of_each(&mut self) -> Result<Vec<Step>, HclError> {
        let mut steps = Vec::new();
        loop {
            self.scan.skip_blank()?;
            let start = self.scan.at();
            if self.scan.rest().starts_with("...") || !self.scan.take(".") {
                return Ok(steps);
            }
            self.scan.skip_blank()?;
            let kind = self.name_or_index()?;
            steps.push(Step { kind, span: self.scan.since(start) });
        }
    }

    fn step_by_bracket(&mut self) -> Result<StepKind, HclError> {
        let key = self.enclosed(false, |parser| {
            parser.scan.skip_blank()?;
            let before = parser.scan.at();
            if parser.scan.take("*") {
                parser.scan.skip_blank()?;
                if parser.scan.take("]") {
                    return Ok(None);
                }
                let span = parser.scan.since(before);
                return Err(HclError { reason: Reason::Syntax("expected `[*]`".to_owned()), span });
            }
            let key = parser.expression()?;
            parser.scan.skip_blank()?;
            parser.scan.expect("]", "after a key")?;
            Ok(Some(key))
        })?;
        match key {
            Some(key) => Ok(StepKind::Index(key)),
            None => self.deeper(Self::steps).map(StepKind::Splat),
        }
    }

    fn primary(&mut self) -> Parsed {
        let start = self.scan.at();
        let kind = match self.scan.peek() {
            Some('(') => {
                self.scan.bump();
                return self.enclosed(false, |parser| {
                    let mut inner = parser.expression()?;
                    parser.scan.skip_blank()?;
                    parser.scan.expect(")", "to close `(`")?;
                    inner.span = parser.scan.since(start);
                    Ok(inner)
                });
            }
            Some('[') => self.list()?,
            Some('{') => self.object()?,
            Some('"') => self.quoted()?,
            Some('0'..='9') => Kind::Literal(Literal::Number(self.scan.number()?)),
            Some('<') if self.scan.rest().starts_with("<<") => {
                let span = Span::new(start, start + 2);
                return Err(HclError { reason: Reason::Heredoc, span });
            }
            Some(_) => match self.scan.name() {
                Some(name) => self.named(name, start)?,
                None => return Err(self.scan.wrong("expected a value")),
            },
            None => return Err(self.scan.wrong("expected a value")),
        };
        Ok(Expression { kind, span: self.scan.since(start) })
    }

    /// A word: a literal, a call, or the beginning of a reference.
    fn named(&mut self, first: &str, start: usize) -> Result<Kind, HclError> {
        let mut name = first.to_owned();
        while self.scan.take("::") {
            let Some(next) = self.scan.name() else {
                return Err(self.scan.wrong("expected the name of a function after `::`"));
            };
            name.push_str("::");
            name.push_str(next);
        }
        let name_span = self.scan.since(start);
        let is_called = {
            let mut ahead = Scan::new(self.scan.rest());
            ahead.lines_count = self.scan.lines_count;
            ahead.skip_blank().is_ok() && ahead.rest().starts_with('(')
        };
        if is_called {
            self.scan.skip_blank()?;
            self.scan.bump();
            return self.enclosed(false, Self::arguments).map(|(arguments, expands)| {
                Kind::Call(Call { name, name_span, arguments, expands })
            });
        }
        if name.contains("::") {
            return Err(self.scan.wrong("expected `(` after the name of a function"));
        }
        Ok(match name.as_str() {
            "null" => Kind::Literal(Literal::Null),
            "true" => Kind::Literal(Literal::Bool(true)),
            "false" => Kind::Literal(Literal::Bool(false)),
            _ => Kind::Variable(name),
        })
    }

    /// Everything up to the closing parenthesis, and whether the last is a list of arguments.
    fn arguments(&mut self) -> Result<(Vec<Expression>, bool), HclError> {
        let mut arguments = Vec::new();
        loop {
            self.scan.skip_blank()?;
            if self.scan.take(")") {
                return Ok((arguments, false));
            }
            arguments.push(self.expression()?);
            self.scan.skip_blank()?;
            if self.scan.take("...") {
                self.scan.skip_blank()?;
                self.scan.take(",");
                self.scan.skip_blank()?;
                self.scan.expect(")", "after the last argument")?;
                return Ok((arguments, true));
            }
            if !self.scan.take(",") && !self.scan.rest().starts_with(')') {
                return Err(self.scan.wrong("expected `,` or `)` after an argument"));
            }
        }
    }
}
