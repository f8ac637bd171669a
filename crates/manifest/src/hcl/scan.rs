//! The characters of an expression: blanks, comments, names and numbers, each with its place.

use hangar_diag::Span;
use serde_json::Number;

use super::decimal::Decimal;
use super::error::{HclError, Reason};

/// Where the parser is in its text.
pub(super) struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// Whether the end of a line ends what is read, as between the members of an object.
    pub(super) lines_count: bool,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, lines_count: false }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes one character, whatever it is.
    pub(super) fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// Takes the text, if it is what follows.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            self.at += wanted.len();
        }
        is_there
    }

    pub(super) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// Passes over what means nothing here.
    pub(super) fn skip_blank(&mut self) -> Result<(), HclError> {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\n') if !self.lines_count => self.at += 1,
                Some('#') => self.skip_line(),
                Some('/') if self.rest().starts_with("//") => self.skip_line(),
                Some('/') if self.rest().starts_with("/*") => match self.rest().find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return Err(self.wrong("the comment is not closed by `*/`")),
                },
                _ => return Ok(()),
            }
        }
    }

    /// The end of the line is left: it may count.
    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Takes a name, if one follows.
    pub(super) fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// Takes the digits that follow.
    pub(super) fn digits(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes a number without a sign; the first digit is there.
    pub(super) fn number(&mut self) -> Result<Number, HclError> {
        let start = self.at;
        self.digits();
        let followed_by_digit =
            |rest: &str, at: usize| rest.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        if self.rest().starts_with('.') && followed_by_digit(self.rest(), 1) {
            self.at += 1;
            self.digits();
        }
        if self.rest().starts_with(['e', 'E']) {
            let signed = self.rest()[1..].starts_with(['+', '-']);
            if followed_by_digit(self.rest(), if signed { 2 } else { 1 }) {
                self.at += if signed { 2 } else { 1 };
                self.digits();
            }
        }
        let number = Decimal::parse(&self.text[start..self.at]).map(|it| it.to_number());
        number.ok_or_else(|| HclError { reason: Reason::NumberTooLong, span: self.since(start) })
    }

    /// Takes the text, which must follow.
    pub(super) fn expect(&mut self, wanted: &str, why: &str) -> Result<(), HclError> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(self.wrong(&format!("expected `{wanted}` {why}")))
    }

    /// What is wrong with what follows.
    pub(super) fn wrong(&self, message: &str) -> HclError {
        let end = self.at + self.peek().map_or(0, char::len_utf8);
        let message = match self.peek() {
            Some(_) => message.to_owned(),
            None => format!("{message}, but the text ends"),
        };
        HclError { reason: Reason::Syntax(message), span: Span::new(self.at, end) }
    }
}
