//! The key of an instance: a number of `count`, a text of `for_each`.

use std::fmt::{self, Write as _};

/// Which instance of a block; it prints with its brackets.
///
/// ```
/// use hangar_ids::InstanceKey;
///
/// assert_eq!(InstanceKey::Text("a\"b".to_owned()).to_string(), r#"["a\"b"]"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstanceKey {
    /// Of a block with `count`.
    Index(u64),
    /// Of a block with `for_each`.
    Text(String),
}

impl fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Text(text) => quoted(f, text),
        }
    }
}

/// The text as Terraform's language quotes it: `${` and `%{` would begin a template.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("[\"")?;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '"' | '\\' => write!(f, "\\{c}")?,
            '$' | '%' if rest.peek() == Some(&'{') => write!(f, "{c}{c}")?,
            _ if c == ' ' || !(c.is_control() || c.is_whitespace()) => f.write_char(c)?,
            _ if u32::from(c) < 0x1_0000 => write!(f, "\\u{:04x}", u32::from(c))?,
            _ => write!(f, "\\U{:08x}", u32::from(c))?,
        }
    }
    f.write_str("\"]")
}
