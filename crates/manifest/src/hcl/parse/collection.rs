//! Lists, objects, and both made by `for`.

use super::super::error::HclError;
use super::super::expression::{Expression, For, Kind, Literal};
use super::super::scan::Scan;
use super::Parser;

impl Parser<'_> {
    /// `[…]`; the bracket is there.
    pub(super) fn list(&mut self) -> Result<Kind, HclError> {
        self.scan.bump();
        self.enclosed(false, |parser| {
            if parser.for_follows() {
                return parser.for_expression("]");
            }
            let mut elements = Vec::new();
            loop {
                parser.scan.skip_blank()?;
                if parser.scan.take("]") {
                    return Ok(Kind::List(elements));
                }
                elements.push(parser.expression()?);
                parser.scan.skip_blank()?;
                if !parser.scan.take(",") && !parser.scan.rest().starts_with(']') {
                    return Err(parser.scan.wrong("expected `,` or `]` after an element"));
                }
            }
        })
    }

    /// `{…}`; the brace is there.
    pub(super) fn object(&mut self) -> Result<Kind, HclError> {
        self.scan.bump();
        if self.for_follows() {
            return self.enclosed(false, |parser| parser.for_expression("}"));
        }
        self.enclosed(true, |parser| {
            let mut members = Vec::new();
            loop {
                parser.skip_lines()?;
                if parser.scan.take("}") {
                    return Ok(Kind::Object(members));
                }
                let key = parser.key()?;
                parser.scan.skip_blank()?;
                if parser.scan.rest().starts_with("==")
                    || !(parser.scan.take("=") || parser.scan.take(":"))
                {
                    return Err(parser.scan.wrong("expected `=` or `:` after a key"));
                }
                members.push((key, parser.expression()?));
                parser.scan.skip_blank()?;
                if !parser.scan.take(",") && !parser.scan.rest().starts_with(['}', '\n']) {
                    return Err(parser
                        .scan
                        .wrong("expected `,`, a new line or `}` after a member"));
                }
            }
        })
    }

    fn skip_lines(&mut self) -> Result<(), HclError> {
        self.scan.skip_blank()?;
        while self.scan.take("\n") {
            self.scan.skip_blank()?;
        }
        Ok(())
    }

    /// A bare name is a text; what is to be computed stands in parentheses or quotes.
    fn key(&mut self) -> Result<Expression, HclError> {
        self.scan.skip_blank()?;
        let is_computed = self.scan.peek() == Some('(');
        let key = self.expression()?;
        let kind = match key.kind {
            kind if is_computed => kind,
            Kind::Variable(name) => Kind::Literal(Literal::Text(name)),
            Kind::Literal(Literal::Null) => Kind::Literal(Literal::Text("null".to_owned())),
            Kind::Literal(Literal::Bool(is_true)) => {
                Kind::Literal(Literal::Text(is_true.to_string()))
            }
            kind => kind,
        };
        Ok(Expression { kind, span: key.span })
    }

    /// Whether the word `for` follows.
    fn for_follows(&self) -> bool {
        let mut ahead = Scan::new(self.scan.rest());
        ahead.skip_blank().is_ok() && ahead.name() == Some("for")
    }

    fn for_expression(&mut self, close: &'static str) -> Result<Kind, HclError> {
        self.scan.skip_blank()?;
        self.scan.name();
        let (key, value, collection) = self.for_head()?;
        self.scan.skip_blank()?;
        self.scan.expect(":", "after the collection of `for`")?;
        let first = self.expression()?;
        self.scan.skip_blank()?;
        let (name, element) = if close == "}" {
            self.scan.expect("=>", "between the key and the value of a member")?;
            (Some(first), self.expression()?)
        } else {
            (None, first)
        };
        self.scan.skip_blank()?;
        let groups = name.is_some() && self.scan.take("...");
        self.scan.skip_blank()?;
        let condition = if self.word("if") { Some(self.expression()?) } else { None };
        self.scan.skip_blank()?;
        self.scan.expect(close, "to close the `for`")?;
        let all = For { key, value, collection, name, element, groups, condition };
        Ok(Kind::For(Box::new(all)))
    }

    /// `k, v in c`, of an expression and of a template.
    pub(super) fn for_head(&mut self) -> Result<(Option<String>, String, Expression), HclError> {
        let first = self.variable()?;
        self.scan.skip_blank()?;
        let (key, value) =
            if self.scan.take(",") { (Some(first), self.variable()?) } else { (None, first) };
        self.scan.skip_blank()?;
        if !self.word("in") {
            return Err(self.scan.wrong("expected `in` after the names of `for`"));
        }
        Ok((key, value, self.expression()?))
    }

    fn variable(&mut self) -> Result<String, HclError> {
        self.scan.skip_blank()?;
        let name = self.scan.name().map(str::to_owned);
        name.ok_or_else(|| self.scan.wrong("expected a name after `for`"))
    }

    /// Takes a word, if it is the one that follows.
    pub(super) fn word(&mut self, wanted: &str) -> bool {
        let mut ahead = Scan::new(self.scan.rest());
        ahead.name() == Some(wanted) && self.scan.take(wanted)
    }
}
