//! Writing JSON: two spaces a level, one member a line.

use std::fmt;

use super::{Json, Kind};

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, 0)?;
        f.write_str("\n")
    }
}

fn write(f: &mut fmt::Formatter<'_>, json: &Json, level: usize) -> fmt::Result {
    match &json.kind {
        Kind::Null => f.write_str("null"),
        Kind::Bool(value) => write!(f, "{value}"),
        Kind::Number(number) => f.write_str(number),
        Kind::Text { text, .. } => quoted(f, text),
        Kind::Array(items) if items.is_empty() => f.write_str("[]"),
        Kind::Object(members) if members.is_empty() => f.write_str("{}"),
        Kind::Array(items) => {
            f.write_str("[")?;
            for (at, item) in items.iter().enumerate() {
                line(f, at, level + 1)?;
                write(f, item, level + 1)?;
            }
            write!(f, "\n{:width$}]", "", width = level * 2)
        }
        Kind::Object(members) => {
            f.write_str("{")?;
            for (at, member) in members.iter().enumerate() {
                line(f, at, level + 1)?;
                quoted(f, &member.name)?;
                f.write_str(": ")?;
                write(f, &member.value, level + 1)?;
            }
            write!(f, "\n{:width$}}}", "", width = level * 2)
        }
    }
}

fn line(f: &mut fmt::Formatter<'_>, at: usize, level: usize) -> fmt::Result {
    write!(f, "{}\n{:width$}", if at > 0 { "," } else { "" }, "", width = level * 2)
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            other if u32::from(other) < 0x20 => write!(f, "\\u{:04x}", u32::from(other))?,
            other => write!(f, "{other}")?,
        }
    }
    f.write_str("\"")
}
