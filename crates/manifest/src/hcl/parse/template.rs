//! Texts with computed parts, in quotes and bare.

use hangar_diag::Span;

use super::super::error::{HclError, Reason};
use super::super::expression::{Expression, Kind, Literal, Part, TemplateFor, TemplateIf};
use super::{Parsed, Parser};

/// Where a template ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Quote,
}

/// What ended a row of parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    Else,
    EndIf,
    EndFor,
}

/// A template that is being read.
struct Row {
    end: End,
    /// Whether blanks are taken off what follows, as behind `~}`.
    trims: bool,
}

impl Parser<'_> {
    /// A bare template up to the end of the text.
    pub(super) fn whole_template(&mut self) -> Parsed {
        self.template(End::Text, 0)
    }

    /// A text in quotes; the first of them is there.
    pub(super) fn quoted(&mut self) -> Result<Kind, HclError> {
        let start = self.scan.at();
        self.scan.bump();
        self.template(End::Quote, start).map(|template| template.kind)
    }

    fn template(&mut self, end: End, start: usize) -> Parsed {
        let mut row = Row { end, trims: false };
        let (parts, stop) = self.deeper(|parser| parser.parts(&mut row))?;
        if stop != Stop::End {
            let word = match stop {
                Stop::Else => "else",
                Stop::EndIf => "endif",
                _ => "endfor",
            };
            let message = format!("`%{{{word}}}` has no matching start");
            return Err(HclError { reason: Reason::Syntax(message), span: self.scan.since(start) });
        }
        let parts = match only_value(parts) {
            Ok(value) => return Ok(value),
            Err(parts) => parts,
        };
        let kind = match parts.as_slice() {
            [] => Kind::Literal(Literal::Text(String::new())),
            [Part::Text(text)] => Kind::Literal(Literal::Text(text.clone())),
            _ => Kind::Template(parts),
        };
        Ok(Expression { kind, span: self.scan.since(start) })
    }

    /// Parts up to the end of the template or of the `%{…}` around them.
    fn parts(&mut self, row: &mut Row) -> Result<(Vec<Part>, Stop), HclError> {
        let mut parts = Vec::new();
        loop {
            let mut text = self.literal(row.end)?;
            let is_written = !text.is_empty();
            if std::mem::take(&mut row.trims) {
                trim_start(&mut text, row.end);
            }
            let start = self.scan.at();
            let is_value = self.scan.take("${");
            let is_directive = !is_value && self.scan.take("%{");
            if (is_value || is_directive) && self.scan.take("~") {
                trim_end(&mut text, row.end);
            }
            if is_written {
                parts.push(Part::Text(text));
            }
            if is_value {
                let value = self.enclosed(false, Self::expression)?;
                self.close(row)?;
                parts.push(Part::Value(value));
            } else if is_directive {
                match self.directive(row, start)? {
                    Ok(part) => parts.push(part),
                    Err(stop) => return Ok((parts, stop)),
                }
            } else if row.end == End::Text || self.scan.take("\"") {
                return Ok((parts, Stop::End));
            } else {
                return Err(self.scan.wrong("expected `\"` to close the string"));
            }
        }
    }

    /// Behind `%{`: a part, or what ends the parts around.
    fn directive(&mut self, row: &mut Row, start: usize) -> Result<Result<Part, Stop>, HclError> {
        self.enclosed(false, |parser| parser.scan.skip_blank())?;
        for (word, stop) in [("else", Stop::Else), ("endif", Stop::EndIf), ("endfor", Stop::EndFor)]
        {
            if self.word(word) {
                self.close(row)?;
                return Ok(Err(stop));
            }
        }
        if self.word("if") {
            let condition = self.enclosed(false, Self::expression)?;
            self.close(row)?;
            let (then, stop) = self.deeper(|parser| parser.parts(row))?;
            let (otherwise, stop) = match stop {
                Stop::Else => self.deeper(|parser| parser.parts(row))?,
                stop => (Vec::new(), stop),
            };
            self.ended(stop, Stop::EndIf, start, "`%{if}` has no `%{endif}`")?;
            return Ok(Ok(Part::If(TemplateIf { condition, then, otherwise })));
        }
        if self.word("for") {
            let (key, value, collection) = self.enclosed(false, Self::for_head)?;
            self.close(row)?;
            let (body, stop) = self.deeper(|parser| parser.parts(row))?;
            self.ended(stop, Stop::EndFor, start, "`%{for}` has no `%{endfor}`")?;
            return Ok(Ok(Part::For(TemplateFor { key, value, collection, body })));
        }
        Err(self.scan.wrong("expected `if`, `else`, `endif`, `for` or `endfor` after `%{`"))
    }

    fn ended(&self, stop: Stop, wanted: Stop, start: usize, or: &str) -> Result<(), HclError> {
        if stop == wanted {
            return Ok(());
        }
        let span = Span::new(start, (start + 2).min(self.scan.at()));
        Err(HclError { reason: Reason::Syntax(or.to_owned()), span })
    }

    /// The end of `${…}` or `%{…}`.
    fn close(&mut self, row: &mut Row) -> Result<(), HclError> {
        self.enclosed(false, |parser| {
            parser.scan.skip_blank()?;
            row.trims = parser.scan.take("~");
            parser.scan.expect("}", "to close `${` or `%{`")
        })
    }

    /// Text up to the next computed part or the end.
    fn literal(&mut self, end: End) -> Result<String, HclError> {
        let mut text = String::new();
        loop {
            let rest = self.scan.rest();
            let Some(next) = rest.chars().next() else { return Ok(text) };
            match next {
                '$' | '%' if rest[1..].starts_with('{') => return Ok(text),
                '$' | '%' if rest[1..].starts_with(next) && rest[2..].starts_with('{') => {
                    text.push(next);
                    text.push('{');
                    self.scan.take(&rest[..3]);
                }
                '"' if end == End::Quote => return Ok(text),
                '\n' if end == End::Quote => {
                    return Err(self.scan.wrong(
                        "a quoted string must end on its line; write `\\n` for a line break",
                    ));
                }
                '\\' if end == End::Quote => self.escape(&mut text)?,
                _ => {
                    text.push(next);
                    self.scan.bump();
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), HclError> {
        let rest = self.scan.rest();
        let kind = rest[1..].chars().next();
        let of_hex = |digits: usize| {
            let hex = rest.get(2..2 + digits)?;
            let code = u32::from_str_radix(hex, 16).ok();
            let code = code.filter(|_| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            Some((char::from_u32(code)?, 2 + digits))
        };
        let read = match kind {
            Some('n') => Some(('\n', 2)),
            Some('r') => Some(('\r', 2)),
            Some('t') => Some(('\t', 2)),
            Some('"') => Some(('"', 2)),
            Some('\\') => Some(('\\', 2)),
            Some('u') => of_hex(4),
            Some('U') => of_hex(8),
            _ => None,
        };
        let Some((character, length)) = read else {
            let message =
                "expected one of `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, `\\uNNNN`, `\\UNNNNNNNN`";
            return Err(self.scan.wrong(message));
        };
        text.push(character);
        self.scan.take(&rest[..length]);
        Ok(())
    }
}

/// The value of a template that is nothing else.
fn only_value(parts: Vec<Part>) -> Result<Expression, Vec<Part>> {
    match <[Part; 1]>::try_from(parts) {
        Ok([Part::Value(value)]) => Ok(value),
        Ok(other) => Err(other.into()),
        Err(parts) => Err(parts),
    }
}

/// Terraform takes blanks off the next line only, of a bare template; in quotes a text is one line.
fn trim_start(text: &mut String, end: End) {
    let line = match end {
        End::Text => text.find('\n').map_or(text.len(), |at| at + 1),
        End::Quote => text.len(),
    };
    let blank = line - text[..line].trim_start().len();
    text.drain(..blank);
}

/// The same of the last line.
fn trim_end(text: &mut String, end: End) {
    let line = match end {
        End::Text => {
            let before = text.strip_suffix('\n').unwrap_or(text);
            before.rfind('\n').map_or(0, |at| at + 1)
        }
        End::Quote => 0,
    };
    let kept = text[line..].trim_end().len();
    text.truncate(line + kept);
}
