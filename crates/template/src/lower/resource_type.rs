//! The string that names a resource's type: `AWS.EC2/VPC@default`, `ireland:AWS.S3/Bucket@default`.

use hangar_diag::Span;
use hangar_ids::TypeName;

use super::Lowering;
use super::symbols::Symbol;
use crate::codes;
use crate::ir::{Extension, Name, What};
use crate::syntax::ast;

/// Whether the text of a type speaks of AWS.
pub(super) fn is_aws(text: &str) -> bool {
    let plain = text.split_once(':').filter(|(_, rest)| !rest.starts_with(':'));
    let plain = plain.map_or(text, |(_, rest)| rest);
    plain.get(..4).is_some_and(|start| {
        start.eq_ignore_ascii_case("aws.") || start.eq_ignore_ascii_case("aws:")
    })
}

impl<'t> Lowering<'t> {
    pub(super) fn resource_type(&mut self, view: ast::Resource<'t>, parent: Option<usize>) -> What {
        let Some(string) = view.resource_type() else { return What::Faulty };
        let span = string.span();
        let Some(text) = string.literal() else {
            let message = "the type of a resource cannot be computed";
            self.error(codes::COMPUTED_RESOURCE_TYPE, span, message);
            return What::Faulty;
        };
        let in_foreign = parent.is_some_and(|parent| !self.outlines[parent].is_aws);
        if in_foreign && !is_aws(&text) {
            return What::Foreign { written: Name { text: text.into(), span } };
        }
        if text.contains("::") {
            return self.bad_type(span, &text, "write it as in `AWS.EC2/VPC@default`");
        }
        let (prefix, rest) = match text.split_once(':') {
            Some((prefix, rest)) => (Some(prefix), rest),
            None => (None, text.as_str()),
        };
        let Some((name, version)) = rest.split_once('@') else {
            let hint = if is_aws(&text) {
                format!("write `{text}@default`")
            } else {
                "write a version after it, as in `AWS.EC2/VPC@default`".to_owned()
            };
            return self.bad_type(span, &text, &hint);
        };
        let well_formed = name.contains('/')
            && name.split('/').all(|part| !part.is_empty() && part.bytes().all(is_type_byte))
            && !version.is_empty()
            && version.bytes().all(is_type_byte);
        if !well_formed {
            return self.bad_type(span, &text, "write it as in `AWS.EC2/VPC@default`");
        }
        if !is_aws(name) {
            return self.foreign(prefix, text.as_str(), span);
        }
        if version != "default" {
            return self.bad_type(span, &text, &format!("write `{name}@default`"));
        }
        let Ok(type_name) = TypeName::parse(name) else {
            return self.bad_type(span, &text, "write it as in `AWS.EC2/VPC@default`");
        };
        match self.extension_of(prefix, span) {
            Some(extension) => What::Aws { type_name, extension },
            None => What::Faulty,
        }
    }

    fn bad_type(&mut self, span: Span, text: &str, hint: &str) -> What {
        let message = format!("`{text}` is not the type of a resource");
        self.error(codes::BAD_RESOURCE_TYPE, span, message).hints.push(hint.to_owned());
        What::Faulty
    }

    fn foreign(&mut self, prefix: Option<&str>, text: &str, span: Span) -> What {
        if let Some(prefix) = prefix
            && !matches!(self.find(prefix), Some(Symbol::Extension(_) | Symbol::Reported))
            && !matches!(prefix, "az" | "sys")
        {
            self.no_such_prefix(prefix, span);
            return What::Faulty;
        }
        What::Foreign { written: Name { text: text.into(), span } }
    }

    fn no_such_prefix(&mut self, prefix: &str, span: Span) {
        let message = format!("no extension is declared by the name `{prefix}`");
        let hint = format!("write `extension aws as {prefix}` at the top, or remove `{prefix}:`");
        self.error(codes::NO_AWS_EXTENSION, span, message).hints.push(hint);
    }

    /// The extension that an AWS type belongs to: the one before the colon, the one that is called `aws`, or
    /// the only one there is.
    fn extension_of(&mut self, prefix: Option<&str>, span: Span) -> Option<usize> {
        let is_aws = |it: &usize| self.extensions[*it].extension == Extension::Aws;
        if let Some(prefix) = prefix {
            return match self.symbols.get(prefix) {
                Some(Symbol::Extension(index)) if is_aws(index) => Some(*index),
                Some(Symbol::Reported) => None,
                _ => {
                    self.no_such_prefix(prefix, span);
                    None
                }
            };
        }
        let all: Vec<usize> = (0..self.extensions.len()).filter(is_aws).collect();
        let default = all.iter().find(|it| &*self.extensions[**it].name.text == "aws");
        match (default, all.as_slice()) {
            (Some(index), _) | (None, [index]) => Some(*index),
            (None, []) => {
                let message = "an AWS resource needs the extension `aws`";
                let hint = "write `extension aws` at the top of the file";
                self.error(codes::NO_AWS_EXTENSION, span, message).hints.push(hint.to_owned());
                None
            }
            (None, several) => {
                let names: Vec<_> =
                    several.iter().map(|it| self.extensions[*it].name.text.to_string()).collect();
                let message = "it is not clear which extension the type belongs to";
                let hint = format!(
                    "write one of `{}` and a colon before the type, or add `extension aws`",
                    names.join("`, `")
                );
                self.error(codes::NO_AWS_EXTENSION, span, message).hints.push(hint);
                None
            }
        }
    }
}

const fn is_type_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}
