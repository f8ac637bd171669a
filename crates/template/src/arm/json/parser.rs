//! Reading JSON; comments are allowed, as they are in templates.

use std::collections::HashSet;

use hangar_diag::Span;

use super::{Fault, Json, Kind, MAX_DEPTH, Member};

/// Reads a document.
pub(crate) fn parse(text: &str) -> Result<Json, Fault> {
    read(text, LastComma::Refused)
}

/// The same where a comma may stand behind the last member or item, as in Bicep's configuration.
pub(crate) fn parse_loosely(text: &str) -> Result<Json, Fault> {
    read(text, LastComma::Allowed)
}

/// What becomes of a comma behind the last member or item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastComma {
    Refused,
    Allowed,
}

fn read(text: &str, last_comma: LastComma) -> Result<Json, Fault> {
    let mut reader = Reader { text, at: 0, depth: 0, last_comma };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let value = reader.value()?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.fault("unexpected text after the JSON value"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    last_comma: LastComma,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        Fault { span: Span::new(self.at, end), message: message.into() }
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = &rest[spaces..];
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                0
            };
            self.at += spaces + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_space();
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    /// Whether behind a comma nothing follows but the end.
    fn ends(&mut self, close: char) -> bool {
        self.last_comma == LastComma::Allowed && self.eat(close)
    }

    fn value(&mut self) -> Result<Json, Fault> {
        self.skip_space();
        if self.depth >= MAX_DEPTH {
            return Err(self.fault(format!("this is nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let start = self.at;
        let kind = match self.rest().chars().next() {
            None => return Err(self.fault("expected a value here")),
            Some('{') => self.object()?,
            Some('[') => self.array()?,
            Some('"') => {
                let (text, plain) = self.string()?;
                Kind::Text { text, plain }
            }
            Some(_) => self.word()?,
        };
        self.depth -= 1;
        Ok(Json { kind, span: Span::new(start, self.at) })
    }

    fn object(&mut self) -> Result<Kind, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        let mut names = HashSet::new();
        if self.eat('}') {
            return Ok(Kind::Object(members));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if !self.rest().starts_with('"') {
                return Err(self.fault("expected the name of a property in double quotes here"));
            }
            let (name, _) = self.string()?;
            let name_span = Span::new(start, self.at);
            if !names.insert(name.clone()) {
                let message = format!("the property `{name}` is declared more than once");
                return Err(Fault { span: name_span, message });
            }
            if !self.eat(':') {
                return Err(self.fault("expected `:` here"));
            }
            let value = self.value()?;
            members.push(Member { name, name_span, value });
            if self.eat('}') {
                return Ok(Kind::Object(members));
            }
            if !self.eat(',') {
                return Err(self.fault("expected `,` or `}` here"));
            }
            if self.ends('}') {
                return Ok(Kind::Object(members));
            }
        }
    }

    fn array(&mut self) -> Result<Kind, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        if self.eat(']') {
            return Ok(Kind::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.eat(']') {
                return Ok(Kind::Array(items));
            }
            if !self.eat(',') {
                return Err(self.fault("expected `,` or `]` here"));
            }
            if self.ends(']') {
                return Ok(Kind::Array(items));
            }
        }
    }

    fn word(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        let is_part = |it: char| it.is_ascii_alphanumeric() || "+-._".contains(it);
        let end = self.rest().find(|it| !is_part(it)).unwrap_or(self.rest().len());
        let word =
            self.rest()[..end.max(self.rest().chars().next().map_or(0, char::len_utf8))].to_owned();
        self.at += word.len();
        let kind = match word.as_str() {
            "null" => Some(Kind::Null),
            "true" => Some(Kind::Bool(true)),
            "false" => Some(Kind::Bool(false)),
            number if number.starts_with(|it: char| it == '-' || it.is_ascii_digit()) => {
                let is_number = serde_json::from_str::<serde_json::Number>(number).is_ok();
                is_number.then(|| Kind::Number(number.to_owned()))
            }
            _ => None,
        };
        kind.ok_or_else(|| {
            let is_number = word.starts_with(|it: char| it == '-' || it.is_ascii_digit());
            let what = if is_number { "number" } else { "value" };
            Fault {
                span: Span::new(start, self.at),
                message: format!("`{word}` is not a valid {what}"),
            }
        })
    }

    /// A text, and whether it is written without escapes.
    fn string(&mut self) -> Result<(String, bool), Fault> {
        let start = self.at;
        self.at += 1;
        let mut said = String::new();
        let mut plain = true;
        loop {
            let Some(stop) = self.rest().find(['"', '\\']) else {
                return Err(Fault {
                    span: Span::new(start, self.text.len()),
                    message: "the string is not closed: `\"` is missing".to_owned(),
                });
            };
            said.push_str(&self.rest()[..stop]);
            self.at += stop;
            if self.rest().starts_with('"') {
                self.at += 1;
                return Ok((said, plain));
            }
            plain = false;
            said.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let kind = self.rest().chars().nth(1);
        let simple = match kind {
            Some(it @ ('"' | '\\' | '/')) => Some(it),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            _ => None,
        };
        if let Some(character) = simple {
            self.at += 2;
            return Ok(character);
        }
        let unit = |at: usize| {
            let digits = self.rest().get(at..at + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        let decoded = unit(0).and_then(|first| match unit(6) {
            Some(second) if (0xd800..0xdc00).contains(&first) => {
                char::decode_utf16([first, second]).next()?.ok().map(|it| (it, 12))
            }
            _ => char::from_u32(u32::from(first)).map(|it| (it, 6)),
        });
        let Some((character, length)) = decoded else {
            let shown: String = self.rest().chars().take(2).collect();
            return Err(self.fault(format!("`{shown}` is not an escape sequence")));
        };
        self.at += length;
        Ok(character)
    }
}
