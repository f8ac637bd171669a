//! The grammar of transforms, from text to tree. Anything unknown is `None`.

use super::tree::{Argument, Expression, Function, Operator, Step};
use crate::number;

/// The operators, a longer one before its own beginning, with how tightly they bind.
const OPERATORS: &[(&str, Operator, u8)] = &[
    ("or", Operator::Or, 25),
    ("and", Operator::And, 30),
    ("=", Operator::Equal, 40),
    ("!=", Operator::Unequal, 40),
    ("<=", Operator::LessOrEqual, 40),
    (">=", Operator::GreaterOrEqual, 40),
    ("<", Operator::Less, 40),
    (">", Operator::Greater, 40),
    ("in", Operator::In, 40),
    ("&", Operator::Concatenate, 50),
    ("+", Operator::Add, 50),
    ("-", Operator::Subtract, 50),
    ("*", Operator::Multiply, 60),
];

/// How tightly `? :` binds.
const CHOICE: u8 = 20;

/// The operands an expression may have, which also limits how deep reading and evaluating go.
const MAX_OPERANDS: usize = 200;

/// Reads the alternatives that make up a whole text.
pub(super) fn alternatives(text: &str) -> Option<Vec<Expression>> {
    let mut parser = Parser { text, at: 0, operands: 0 };
    let mut alternatives = Vec::new();
    loop {
        alternatives.push(parser.expression(0)?);
        parser.skip_space();
        if parser.rest().is_empty() {
            return Some(alternatives);
        }
        if !parser.eat_word("$OR") {
            return None;
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Invariant: on a character boundary, at most the length of the text.
    at: usize,
    operands: usize,
}

impl<'a> Parser<'a> {
    /// Reads an expression whose operators all bind more tightly than `least`.
    fn expression(&mut self, least: u8) -> Option<Expression> {
        let mut left = self.operand()?;
        loop {
            left = self.steps_into(left)?;
            self.skip_space();
            if CHOICE > least && self.eat("?") {
                let yes = self.expression(0)?;
                self.expect(":")?;
                let no = self.expression(0)?;
                left = Expression::Choice(Box::new([left, yes, no]));
                continue;
            }
            let Some((operator, power)) = self.operator(least) else {
                return Some(left);
            };
            let right = self.expression(power)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    /// Steps over the next operator, if it binds more tightly than `least`.
    fn operator(&mut self, least: u8) -> Option<(Operator, u8)> {
        let found = OPERATORS.iter().find(|(sign, _, _)| self.rest().starts_with(sign));
        let &(sign, operator, power) = found?;
        if power <= least {
            return None;
        }
        let is_word = sign.starts_with(|c: char| c.is_ascii_alphabetic());
        let taken = if is_word { self.eat_word(sign) } else { self.eat(sign) };
        taken.then_some((operator, power))
    }

    /// Reads `.name`, `[n]` and `['name']` behind an operand.
    fn steps_into(&mut self, mut inner: Expression) -> Option<Expression> {
        loop {
            self.skip_space();
            if self.eat(".") {
                self.spend()?;
                let name = self.name()?.to_owned();
                inner = match inner {
                    Expression::Path(mut names) => {
                        names.push(name);
                        Expression::Path(names)
                    }
                    other => Expression::Member(Box::new(other), name),
                };
            } else if self.eat("[") {
                self.spend()?;
                self.skip_space();
                if let Some('\'' | '"') = self.peek() {
                    // A filter that is a text holds for every element, unless it is empty.
                    if self.string()?.is_empty() {
                        return None;
                    }
                } else {
                    let negative = self.eat("-");
                    let digits = self.run(|c| c.is_ascii_digit());
                    let index: i64 = digits.parse().ok()?;
                    let index = if negative { -index } else { index };
                    inner = Expression::Element(Box::new(inner), index);
                }
                self.expect("]")?;
            } else {
                return Some(inner);
            }
        }
    }

    fn operand(&mut self) -> Option<Expression> {
        self.spend()?;
        self.skip_space();
        match self.peek()? {
            '\'' | '"' => Some(Expression::Text(self.string()?)),
            '0'..='9' => self.number(),
            '-' => {
                self.at += 1;
                let operand = self.operand()?;
                Some(Expression::Negative(Box::new(self.steps_into(operand)?)))
            }
            '(' => self.block(),
            '[' => {
                self.at += 1;
                self.items("]", Self::plain_expression).map(Expression::List)
            }
            '{' => {
                self.at += 1;
                self.items("}", Self::member).map(Expression::Object)
            }
            '$' => {
                self.at += 1;
                let name = self.name()?;
                self.skip_space();
                if self.eat("(") { self.call(name) } else { Some(variable(name)?) }
            }
            _ => Some(match self.name()? {
                "null" => Expression::Null,
                "true" => Expression::Bool(true),
                "false" => Expression::Bool(false),
                name => Expression::Path(vec![name.to_owned()]),
            }),
        }
    }

    fn plain_expression(&mut self) -> Option<Expression> {
        self.expression(0)
    }

    fn member(&mut self) -> Option<(String, Expression)> {
        self.skip_space();
        let key = self.string()?;
        self.expect(":")?;
        Some((key, self.expression(0)?))
    }

    fn call(&mut self, name: &str) -> Option<Expression> {
        let (function, least, most) = Function::named(name)?;
        let mut place = 0;
        let arguments = self.items(")", |parser| {
            place += 1;
            parser.skip_space();
            if place == 2 && function.takes_regex() && parser.eat("/") {
                return parser.regex().map(Argument::Regex);
            }
            parser.expression(0).map(Argument::Value)
        })?;
        (least..=most).contains(&arguments.len()).then_some(Expression::Call(function, arguments))
    }

    /// Reads what stands between parentheses, with a `;` after each step but, perhaps, the last.
    fn block(&mut self) -> Option<Expression> {
        self.expect("(")?;
        let mut steps = Vec::new();
        while !self.eat(")") {
            let start = self.at;
            let name = self.binding();
            if name.is_none() {
                self.at = start;
            }
            steps.push(Step { name, value: self.expression(0)? });
            self.skip_space();
            if !self.eat(";") {
                self.expect(")")?;
                break;
            }
            self.skip_space();
        }
        match steps.len() {
            0 => None,
            _ => Some(Expression::Block(steps)),
        }
    }

    /// Reads `$name :=`.
    fn binding(&mut self) -> Option<String> {
        self.expect("$")?;
        let name = self.name()?.to_owned();
        self.expect(":=")?;
        Some(name)
    }

    /// Reads items with commas between them, up to `end`.
    fn items<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(end) {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            self.skip_space();
            if self.eat(end) {
                return Some(items);
            }
            self.expect(",")?;
        }
    }

    fn number(&mut self) -> Option<Expression> {
        let text = self.run(|c| c.is_ascii_digit() || c == '.');
        number::parse(text).map(Expression::Number)
    }

    /// Reads a text in single or double quotes, with the escapes of JSON.
    fn string(&mut self) -> Option<String> {
        let quote = self.next()?;
        if quote != '"' && quote != '\'' {
            return None;
        }
        let mut text = String::new();
        loop {
            match self.next()? {
                '\\' => text.push(match self.next()? {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let digits = self.run(|c| c.is_ascii_hexdigit());
                        // Digits beyond the fourth are text again.
                        self.at -= digits.len().saturating_sub(4);
                        let digits = digits.get(..4)?;
                        char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                    }
                    c @ ('"' | '\'' | '\\' | '/') => c,
                    _ => return None,
                }),
                c if c == quote => return Some(text),
                c => text.push(c),
            }
        }
    }

    /// Reads a regular expression after its first slash, and its flags.
    fn regex(&mut self) -> Option<String> {
        let mut source = String::new();
        let mut in_class = false;
        loop {
            let c = self.next()?;
            match c {
                '/' if !in_class => break,
                '[' => in_class = true,
                ']' => in_class = false,
                _ => {}
            }
            source.push(c);
            if c == '\\' {
                source.push(self.next()?);
            }
        }
        let flags = self.run(|c| c == 'i' || c == 'm');
        Some(if flags.is_empty() { source } else { format!("(?{flags}){source}") })
    }

    /// Counts an operand, up to the limit.
    fn spend(&mut self) -> Option<()> {
        self.operands += 1;
        (self.operands <= MAX_OPERANDS).then_some(())
    }

    fn name(&mut self) -> Option<&'a str> {
        self.skip_space();
        let name = self.run(is_name);
        let begins = name.starts_with(|c: char| !c.is_ascii_digit());
        begins.then_some(name)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn skip_space(&mut self) {
        self.run(|c| c.is_ascii_whitespace());
    }

    fn expect(&mut self, wanted: &str) -> Option<()> {
        self.skip_space();
        self.eat(wanted).then_some(())
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// Steps over a word that is not the beginning of a longer name.
    fn eat_word(&mut self, word: &str) -> bool {
        let longer = self.rest().strip_prefix(word).is_none_or(|rest| rest.starts_with(is_name));
        !longer && self.eat(word)
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `$OR` is no variable, wherever it stands.
fn variable(name: &str) -> Option<Expression> {
    (name != "OR").then(|| Expression::Variable(name.to_owned()))
}
