//! Takes the text of an address apart.

use hangar_diag::{Diagnostic, Span};

use super::{InstanceKey, ModuleCall, ModulePath, ResourceMode, TerraformAddress};
use crate::codes;

pub(super) fn address(text: &str) -> Result<TerraformAddress, Diagnostic> {
    let mut cursor = Cursor { text, at: 0 };
    let module = cursor.modules()?;
    let mode = if cursor.take_word("data") { ResourceMode::Data } else { ResourceMode::Managed };
    let resource_type = cursor.name("a resource type")?;
    cursor.expect('.')?;
    let name = cursor.name("the name of a resource")?;
    let key = match cursor.key()? {
        None if cursor.rest().starts_with('.') => Some(cursor.legacy_index()?),
        key => key,
    };
    cursor.end()?;
    Ok(TerraformAddress { module, mode, resource_type, name, key })
}

pub(super) fn module_path(text: &str) -> Result<ModulePath, Diagnostic> {
    let mut cursor = Cursor { text, at: 0 };
    let path = cursor.modules()?;
    cursor.end()?;
    Ok(path)
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Calls with a dot between two and, where more follows, one after the last.
    fn modules(&mut self) -> Result<ModulePath, Diagnostic> {
        let mut calls = Vec::new();
        while self.take_word("module") {
            let name = self.name("the name of a module")?;
            calls.push(ModuleCall { name, key: self.key()? });
            if self.rest().is_empty() {
                break;
            }
            self.expect('.')?;
        }
        Ok(ModulePath(calls))
    }

    /// Takes a word with the dot after it.
    fn take_word(&mut self, word: &str) -> bool {
        let taken = self.rest().strip_prefix(word).is_some_and(|rest| rest.starts_with('.'));
        if taken {
            self.at += word.len() + 1;
        }
        taken
    }

    fn name(&mut self, what: &str) -> Result<String, Diagnostic> {
        let rest = self.rest();
        let is_end = |c: char| {
            matches!(c, '.' | '[' | ']' | '"' | '/') || c.is_whitespace() || c.is_control()
        };
        let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        if name.is_empty() {
            return Err(self.wrong(format!("{what} is missing")));
        }
        self.at += name.len();
        Ok(name.to_owned())
    }

    fn expect(&mut self, wanted: char) -> Result<(), Diagnostic> {
        if !self.rest().starts_with(wanted) {
            return Err(self.wrong(format!("`{wanted}` is missing")));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn end(&self) -> Result<(), Diagnostic> {
        if self.rest().is_empty() {
            return Ok(());
        }
        Err(self.wrong("unexpected text after the address"))
    }

    fn key(&mut self) -> Result<Option<InstanceKey>, Diagnostic> {
        if !self.rest().starts_with('[') {
            return Ok(None);
        }
        self.at += 1;
        let key = if self.rest().starts_with('"') {
            self.at += 1;
            InstanceKey::Text(self.quoted()?)
        } else {
            InstanceKey::Index(self.number()?)
        };
        self.expect(']')?;
        Ok(Some(key))
    }

    fn legacy_index(&mut self) -> Result<InstanceKey, Diagnostic> {
        self.expect('.')?;
        Ok(InstanceKey::Index(self.number()?))
    }

    fn number(&mut self) -> Result<u64, Diagnostic> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..end].parse().map_err(|_| self.wrong("a number is missing"))?;
        self.at += end;
        Ok(number)
    }

    /// What stands between quotes; the first of them is taken.
    fn quoted(&mut self) -> Result<String, Diagnostic> {
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                return Err(self.wrong("the quote is not closed"));
            };
            let (read, length) = match c {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '$' | '%' if rest[1..].starts_with(c) && rest[2..].starts_with('{') => (c, 2),
                '\\' => escape(rest).ok_or_else(|| self.wrong("not an escape sequence"))?,
                _ => (c, c.len_utf8()),
            };
            text.push(read);
            self.at += length;
        }
    }

    fn wrong(&self, label: impl Into<String>) -> Diagnostic {
        let end = self.rest().chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        let message = format!("`{}` is not a Terraform resource address", self.text);
        Diagnostic::error(codes::TERRAFORM_ADDRESS, message)
            .at(Span::new(self.at, end), label)
            .hint("write it as `terraform state list` prints it, such as `module.net.aws_subnet.a[0]`")
    }
}

/// The character of an escape, and how many bytes it has.
fn escape(text: &str) -> Option<(char, usize)> {
    let kind = *text.as_bytes().get(1)?;
    let of_hex = |digits: usize| {
        let hex = text.get(2..2 + digits)?;
        let is_hex = hex.bytes().all(|b| b.is_ascii_hexdigit());
        let code = u32::from_str_radix(hex, 16).ok().filter(|_| is_hex)?;
        Some((char::from_u32(code)?, 2 + digits))
    };
    match kind {
        b'n' => Some(('\n', 2)),
        b'r' => Some(('\r', 2)),
        b't' => Some(('\t', 2)),
        b'"' => Some(('"', 2)),
        b'\\' => Some(('\\', 2)),
        b'u' => of_hex(4),
        b'U' => of_hex(8),
        _ => None,
    }
}
