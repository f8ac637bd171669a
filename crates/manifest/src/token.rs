//! Tokens of the AWS CDK and of CDKTF that were never resolved, in all the forms that programs leave them in.
//!
//! A token's number is an index into a table that is gone with the program that made it: nothing here resolves
//! one, and everything here is so strict that no shell script, Helm template or random text is taken for one.

use std::ops::Range;

mod base64;
mod number;
mod text;

#[cfg(test)]
mod tests;

/// A token as it was found in the text of a scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawToken {
    /// Its bytes in the text; of one in base64 the whole word that holds it.
    pub range: Range<usize>,
    /// How it is written.
    pub form: Form,
    /// Whose it is.
    pub family: Family,
    /// What it calls itself: `TOKEN.28`, `AWS.Region.13`; of a number its index.
    pub name: String,
}

/// How a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// `${Token[TOKEN.1]}`.
    Text,
    /// `#{Token[TOKEN.1]}`, the one item of a list.
    List,
    /// `&{TfToken[TOKEN.1]}`, the one key of a map.
    Map,
    /// `-1.888154589708771e+289`, by itself or printed into a text.
    Number,
    /// `${token[token.1]}`: letters were made small or large.
    LowerCased,
    /// `%24%7BToken%5BTOKEN.1%5D%7D`, or with the escapes of JSON.
    Escaped,
    /// `JHtUb2tlbltUT0tFTi4xXX0=`.
    Base64,
    /// `${Token[TOKEN.1`: the end was cut off.
    Cut,
}

/// Whose tokens they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// The AWS CDK.
    AwsCdk,
    /// CDKTF, and CDK Terrain after it.
    Cdktf,
}

impl Family {
    /// The name that people know it by.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwsCdk => "the AWS CDK",
            Self::Cdktf => "CDKTF",
        }
    }

    const fn reference(self) -> &'static str {
        match self {
            Self::AwsCdk => "${cfn:Stack/LogicalId#Attribute}",
            Self::Cdktf => "${tf:stack/address#attribute}",
        }
    }
}

/// Every token in the text of one scalar, in order.
///
/// ```
/// let found = hangar_manifest::token::find("https://${Token[TOKEN.20]}/x");
/// assert_eq!((found[0].range.clone(), &*found[0].name), (8..26, "TOKEN.20"));
/// ```
pub fn find(text: &str) -> Vec<RawToken> {
    // The shortest one is `${Token[A.1]}`.
    if text.len() < 13 {
        return Vec::new();
    }
    let mut found = text::find(text);
    number::find(text, &mut found);
    base64::find(text, &mut found);
    found.sort_by_key(|token| (token.range.start, token.range.end));
    found
}

impl RawToken {
    /// One sentence: what it is, why the YAML alone cannot resolve it, and what to do.
    pub fn explanation(&self) -> String {
        let (family, reference) = (self.family.as_str(), self.family.reference());
        let name = &self.name;
        let gone = "only the program that created it knows its value";
        let what = match self.form {
            Form::Text => {
                format!("this is the token `{name}` of {family}, which was never resolved; {gone}")
            }
            Form::List => format!(
                "this is the list token `{name}` of {family}, which was never resolved; {gone}"
            ),
            Form::Map => format!(
                "this is the map token `{name}` of {family}, which was never resolved; {gone}"
            ),
            Form::Number => format!(
                "this number encodes token {name} of {family}, which was never resolved; {gone}"
            ),
            Form::LowerCased => format!(
                "this is the token `{name}` of {family}, but its letter case was changed, so it cannot be resolved any more"
            ),
            Form::Escaped => format!(
                "this is the token `{name}` of {family}, but it was escaped, so it cannot be resolved any more"
            ),
            Form::Base64 => format!(
                "this is the base64 encoding of the token `{name}` of {family}, not of its value; it cannot be resolved any more"
            ),
            Form::Cut => format!(
                "this is a token of {family}, but its end was cut off, so it cannot be resolved any more"
            ),
        };
        let cure = match self.form {
            Form::Text | Form::List | Form::Map | Form::Number => {
                format!("write a reference in the app instead, such as `{reference}`")
            }
            _ => format!(
                "leave the string unchanged in the app, and write a reference, such as `{reference}`"
            ),
        };
        format!("{what}: {cure}")
    }
}
