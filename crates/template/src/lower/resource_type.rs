//! The string that names a resource's type: `AWS.EC2/VPC@default`, `ireland:AWS.S3/Bucket@default`.

use hangar_diag::Span;
use hangar_ids::TypeName;

use super::Lowering;
use super::symbols::Symbol;
use crate::codes;
use crate::ir::{Extension, Name, What};
use crate::recipe::{RECIPE_TYPE, RECIPE_VERSION};
use crate::syntax::ast;

/// What a resource is as far as the text of its type tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Aws,
    Recipe,
    /// Of another extension: what can be read of it is not known.
    Foreign,
}

impl Family {
    pub(super) fn of(text: &str) -> Self {
        let plain = text.split_once(':').filter(|(_, rest)| !rest.starts_with(':'));
        let plain = plain.map_or(text, |(_, rest)| rest);
        let is_aws = plain.get(..4).is_some_and(|start| {
            start.eq_ignore_ascii_case("aws.") || start.eq_ignore_ascii_case("aws:")
        });
        let name = plain.split_once('@').map_or(plain, |(name, _)| name);
        if is_aws {
            Self::Aws
        } else if name.eq_ignore_ascii_case(RECIPE_TYPE) {
            Self::Recipe
        } else {
            Self::Foreign
        }
    }
}

impl<'t> Lowering<'t> {
    pub(super) fn resource_type(&mut self, view: ast::Resource<'t>, parent: Option<usize>) -> What {
        let Some(string) = view.resource_type() else { return What::Faulty };
        let span = string.span();
        let Some(text) = string.literal() else {
            let message = "the type of a resource cannot be computed";
            let hint = "write the type as in `'AWS.EC2/VPC@default'`; to choose between types, use two \
                       resources with conditions";
            self.error(codes::COMPUTED_RESOURCE_TYPE, span, message).hints.push(hint.to_owned());
            return What::Faulty;
        };
        let family = Family::of(&text);
        let in_foreign =
            parent.is_some_and(|parent| self.outlines[parent].family == Family::Foreign);
        if in_foreign && family == Family::Foreign {
            return What::Foreign { written: Name { text: text.into(), span } };
        }
        if text.contains("::") {
            return self.bad_type(span, &text, "write the type in the form `AWS.EC2/VPC@default`");
        }
        let (prefix, rest) = match text.split_once(':') {
            Some((prefix, rest)) => (Some(prefix), rest),
            None => (None, text.as_str()),
        };
        let Some((name, version)) = rest.split_once('@') else {
            let hint = match family {
                Family::Aws => format!("write `{text}@default`"),
                Family::Recipe => format!("write `{text}@{RECIPE_VERSION}`"),
                Family::Foreign => "add a version, as in `AWS.EC2/VPC@default`".to_owned(),
            };
            return self.bad_type(span, &text, &hint);
        };
        let well_formed = name.contains('/')
            && name.split('/').all(|part| !part.is_empty() && part.bytes().all(is_type_byte))
            && !version.is_empty()
            && version.bytes().all(is_type_byte);
        if !well_formed {
            return self.bad_type(span, &text, "write the type in the form `AWS.EC2/VPC@default`");
        }
        match family {
            Family::Foreign => return self.foreign(prefix, text.as_str(), span),
            Family::Recipe if version != RECIPE_VERSION => {
                return self.bad_type(span, &text, &format!("write `{name}@{RECIPE_VERSION}`"));
            }
            Family::Recipe => return self.recipe(prefix, span),
            Family::Aws => {}
        }
        if version != "default" {
            return self.bad_type(span, &text, &format!("write `{name}@default`"));
        }
        let Ok(type_name) = TypeName::parse(name) else {
            return self.bad_type(span, &text, "write the type in the form `AWS.EC2/VPC@default`");
        };
        match self.extension_of(prefix, span) {
            Some(extension) => What::Aws { type_name, extension },
            None => What::Faulty,
        }
    }

    fn bad_type(&mut self, span: Span, text: &str, hint: &str) -> What {
        let message = format!("`{text}` is not a valid resource type");
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

    /// A recipe: its type says that it is ours, so that nothing need be declared; what is named before a colon is.
    fn recipe(&mut self, prefix: Option<&str>, span: Span) -> What {
        let Some(prefix) = prefix else { return What::Recipe };
        match self.symbols.get(prefix) {
            Some(Symbol::Extension(index))
                if self.extensions[*index].extension == Extension::Hangar =>
            {
                What::Recipe
            }
            Some(Symbol::Reported) => What::Faulty,
            _ => {
                let message = format!("no extension `hangar` with the name `{prefix}` is declared");
                let hint = format!("remove `{prefix}:`");
                self.error(codes::NO_AWS_EXTENSION, span, message).hints.push(hint);
                What::Faulty
            }
        }
    }

    fn no_such_prefix(&mut self, prefix: &str, span: Span) {
        let message = format!("no extension with the name `{prefix}` is declared");
        let hint = format!(
            "write `extension aws as {prefix}` at the top of the file, or remove `{prefix}:`"
        );
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
                let message = "the type can belong to several extensions";
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
