//! The parser behind `read`: recursive, but never deeper than `MAX_DEPTH`.

use hangar_diag::{Code, Diagnostic, Span};
use serde_json::{Map, Number, Value};

use super::{Inner, MAX_DEPTH, Member, Place};
use crate::{codes, number};

/// Reads the one value that makes up `text`.
pub(super) fn document(text: &str) -> Result<(Value, Place), Diagnostic> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut parser = Parser { text, at: start };
    parser.skip_space();
    let read = parser.value(0)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(read),
        Some(_) => Err(parser.trailing()),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Invariant: on a character boundary, at most the length of the text.
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<(Value, Place), Diagnostic> {
        let start = self.at;
        let (value, inner) = match self.peek() {
            Some('{') => self.object(depth)?,
            Some('[') => self.array(depth)?,
            Some('"') => (Value::String(self.string()?), Inner::Scalar),
            Some('-' | '0'..='9' | '+' | '.') => (Value::Number(self.number()?), Inner::Scalar),
            Some('a'..='z' | 'A'..='Z') => (self.word()?, Inner::Scalar),
            _ => return Err(self.unexpected("a value")),
        };
        Ok((value, Place { span: Span::new(start, self.at), inner }))
    }

    fn object(&mut self, depth: usize) -> Result<(Value, Inner), Diagnostic> {
        self.enter(depth)?;
        let mut map = Map::new();
        let mut members: Vec<Member> = Vec::new();
        self.skip_space();
        if self.eat('}') {
            return Ok((Value::Object(map), Inner::Object(members)));
        }
        loop {
            if self.peek() != Some('"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key_start = self.at;
            let key = self.string()?;
            let key_span = Span::new(key_start, self.at);
            if map.contains_key(&key) {
                return Err(duplicate(&key, key_span, &members));
            }
            self.skip_space();
            if !self.eat(':') {
                return Err(self.unexpected("`:` after the key"));
            }
            self.skip_space();
            let (value, place) = self.value(depth + 1)?;
            members.push(Member { key: key.as_str().into(), key_span, place });
            map.insert(key, value);
            self.skip_space();
            if self.eat('}') {
                members.sort_unstable_by(|a, b| a.key.cmp(&b.key));
                return Ok((Value::Object(map), Inner::Object(members)));
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `}`"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<(Value, Inner), Diagnostic> {
        self.enter(depth)?;
        let mut values = Vec::new();
        let mut places = Vec::new();
        self.skip_space();
        if self.eat(']') {
            return Ok((Value::Array(values), Inner::Array(places)));
        }
        loop {
            let (value, place) = self.value(depth + 1)?;
            values.push(value);
            places.push(place);
            self.skip_space();
            if self.eat(']') {
                return Ok((Value::Array(values), Inner::Array(places)));
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `]`"));
            }
            self.skip_space();
        }
    }

    /// Steps over the opening bracket, unless that goes too deep.
    fn enter(&mut self, depth: usize) -> Result<(), Diagnostic> {
        if depth >= MAX_DEPTH {
            let message = format!("the text is nested more than {MAX_DEPTH} levels deep");
            return Err(Diagnostic::error(codes::JSON_TOO_DEEP, message)
                .at(Span::byte(self.at), "this level is too deep"));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self) -> Result<Value, Diagnostic> {
        let start = self.at;
        let word = self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match word {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            _ => {
                let word = shortened(word);
                let lower = word.to_ascii_lowercase();
                let span = Span::new(start, self.at);
                let error = syntax(codes::JSON_SYNTAX, &format!("`{word}`"), "a value", span);
                Err(match lower.as_str() {
                    "true" | "false" | "null" => error.hint(format!("write `{lower}`")),
                    "none" | "nil" | "undefined" => error.hint("write `null`"),
                    _ => error.hint("put text in double quotes"),
                })
            }
        }
    }

    fn number(&mut self) -> Result<Number, Diagnostic> {
        let start = self.at;
        let text = self.run(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        number::parse(text).ok_or_else(|| {
            let message = format!("`{}` is not a JSON number", shortened(text));
            Diagnostic::error(codes::JSON_BAD_NUMBER, message)
                .at(Span::new(start, start + text.len()), "not a number")
                .hint("write digits without a leading zero or `+`, such as `0.5` or `-1e9`")
        })
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let plain = self.run(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
            string.push_str(plain);
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some('\\') => string.push(self.escape()?),
                Some(control) => return Err(self.control_character(control)),
                None => {
                    let message = "the text ends inside a string, expected `\"`";
                    return Err(Diagnostic::error(codes::JSON_ENDS_EARLY, message)
                        .at(Span::new(start, self.at), "the string starts here"));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.peek() else {
            return Err(self.unexpected("an escape after `\\`"));
        };
        self.at += letter.len_utf8();
        Ok(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode_escape(start),
            _ => {
                let message = format!("`\\{}` is not a JSON escape", letter.escape_default());
                return Err(Diagnostic::error(codes::JSON_BAD_ESCAPE, message)
                    .at(Span::new(start, self.at), "not an escape")
                    .hint("write `\\\\` for a backslash"));
            }
        })
    }

    /// Reads what follows `\u`, and the second half when it is the first half of a pair.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Diagnostic> {
        let first = self.four_digits(start)?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let after_first = self.at;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            let second = self.four_digits(after_first)?;
            if (0xdc00..0xe000).contains(&second) {
                let both = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        let message = format!("`\\u{first:04x}` is half of a surrogate pair");
        Err(Diagnostic::error(codes::JSON_LONE_SURROGATE, message)
            .at(Span::new(start, after_first), "the other half is missing")
            .hint("write the character itself, or both halves as `\\ud83d\\ude00`"))
    }

    fn four_digits(&mut self, start: usize) -> Result<u32, Diagnostic> {
        let digits = self.rest().get(..4).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(code) = code else {
            let message = "`\\u` is not followed by four hexadecimal digits";
            return Err(Diagnostic::error(codes::JSON_BAD_ESCAPE, message)
                .at(Span::new(start, start + 2), "expected four digits after this"));
        };
        self.at += 4;
        Ok(code)
    }

    fn control_character(&self, control: char) -> Diagnostic {
        let (name, escape) = match control {
            '\n' => ("a line break".to_owned(), "\\n".to_owned()),
            '\r' => ("a carriage return".to_owned(), "\\r".to_owned()),
            '\t' => ("a tab".to_owned(), "\\t".to_owned()),
            other => {
                let code = u32::from(other);
                (format!("the control character U+{code:04X}"), format!("\\u{code:04x}"))
            }
        };
        Diagnostic::error(codes::JSON_CONTROL_CHARACTER, format!("a string contains {name}"))
            .at(Span::byte(self.at), "must be escaped")
            .hint(format!("close the string before it, or write `{escape}`"))
    }

    fn trailing(&self) -> Diagnostic {
        let found = self.found();
        Diagnostic::error(codes::JSON_TRAILING_TEXT, format!("found {found} after the value"))
            .at(self.here(), "the JSON value ends before this")
            .hint("a JSON file contains one value; write several as an array in `[` and `]`")
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let Some(next) = self.peek() else {
            return syntax(codes::JSON_ENDS_EARLY, "the end of the text", expected, self.here());
        };
        let error = syntax(codes::JSON_SYNTAX, &self.found(), expected, self.here());
        let after_comma = self.text[..self.at].trim_end().ends_with(',');
        match next {
            '}' | ']' if after_comma => error.hint("remove the comma before it"),
            '\'' => error.hint("JSON strings use double quotes"),
            '/' | '#' => error.hint("JSON has no comments; remove it"),
            _ => error,
        }
    }

    /// The next character in words.
    fn found(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_owned(),
            Some('`') => "a backtick".to_owned(),
            Some(c) if c.is_control() => format!("U+{:04X}", u32::from(c)),
            Some(c) => format!("`{c}`"),
        }
    }

    /// The span of the next character, empty at the end.
    fn here(&self) -> Span {
        Span::new(self.at, self.at + self.peek().map_or(0, char::len_utf8))
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        self.run(|byte| b" \t\n\r".contains(&byte));
    }
}

impl<'a> Parser<'a> {
    /// Steps over the bytes that `belongs` accepts, which must not tell the bytes of one
    /// character apart.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }
}

fn duplicate(key: &str, span: Span, members: &[Member]) -> Diagnostic {
    let message = format!("the key `{}` appears twice", shortened(key));
    let error = Diagnostic::error(codes::JSON_DUPLICATE_KEY, message).at(span, "second occurrence");
    let first = members.iter().find(|member| &*member.key == key);
    let error = match first {
        Some(first) => error.at(first.key_span, "first occurrence"),
        None => error,
    };
    error.hint("remove one of them")
}

fn syntax(code: Code, found: &str, expected: &str, span: Span) -> Diagnostic {
    Diagnostic::error(code, format!("found {found}, expected {expected}"))
        .at(span, format!("expected {expected}"))
}

/// Enough of a long text to recognise it by.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(LONGEST).collect();
    if chars.next().is_some() { format!("{start}…") } else { start }
}
