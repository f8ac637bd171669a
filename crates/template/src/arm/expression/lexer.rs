//! The tokens of an expression.

use hangar_diag::Span;

use super::Fault;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    Number(String),
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    Comma,
    Dot,
    End,
}

/// The tokens of a text with their places, which count from `start`; the last is the end.
pub(super) fn tokens(text: &str, start: usize) -> Result<Vec<(Token, Span)>, Fault> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let from = lexer.at;
        let token = lexer.token().map_err(|message| Fault {
            span: Span::new(start + from, start + lexer.at.max(from)),
            message,
        })?;
        let is_end = token == Token::End;
        tokens.push((token, Span::new(start + from, start + lexer.at)));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let end = self.rest().find(|it| !wanted(it)).unwrap_or(self.rest().len());
        let taken = self.rest()[..end].to_owned();
        self.at += end;
        taken
    }

    fn token(&mut self) -> Result<Token, String> {
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        let single = match first {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            '[' => Some(Token::OpenSquare),
            ']' => Some(Token::CloseSquare),
            ',' => Some(Token::Comma),
            '.' => Some(Token::Dot),
            _ => None,
        };
        if let Some(token) = single {
            self.at += 1;
            return Ok(token);
        }
        match first {
            '\'' => self.string(),
            '-' | '+' | '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' | '$' | '#' => {
                Ok(Token::Name(self.take(|it| it.is_ascii_alphanumeric() || "_$#:".contains(it))))
            }
            other => {
                self.at += other.len_utf8();
                Err(format!("unexpected character `{other}` in the expression"))
            }
        }
    }

    fn string(&mut self) -> Result<Token, String> {
        self.at += 1;
        let mut said = String::new();
        loop {
            let Some(quote) = self.rest().find('\'') else {
                self.at = self.text.len();
                return Err("the string is not closed: `'` is missing".to_owned());
            };
            said.push_str(&self.rest()[..quote]);
            self.at += quote + 1;
            if !self.rest().starts_with('\'') {
                return Ok(Token::Text(said));
            }
            said.push('\'');
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Token, String> {
        let mut number = self.take(|it| it == '-' || it == '+');
        let digits = self.take(|it| it.is_ascii_digit());
        let is_number = number.len() <= 1 && !digits.is_empty();
        number.push_str(&digits);
        let fraction = self
            .rest()
            .strip_prefix('.')
            .is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
        if fraction {
            self.at += 1;
            number.push('.');
            number.push_str(&self.take(|it| it.is_ascii_digit()));
        }
        if is_number {
            Ok(Token::Number(number))
        } else {
            Err(format!("`{number}` is not a number"))
        }
    }
}
