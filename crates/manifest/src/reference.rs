//! A reference to a value that something else deployed, as it stands in a manifest: `${cfn:Storage/Bucket#Arn}`.
//!
//! [`find`] finds them in a text, [`Reference::parse`] reads one. A known scheme right after `${` makes a
//! reference; every other `${…}` and `$(…)` is somebody else's and stays as it is.

mod filter;
mod find;
mod source;
mod tfstate;

use std::fmt;

#[cfg(test)]
pub(crate) use filter::base64;
pub use filter::{Filter, FilterError};
pub(crate) use filter::{noun, text_of};
pub use find::{Found, Occurrence, find, might_hold};
pub use source::{CloudFormation, Place, Source, StackPath, Terraform, TerraformPart, Ucp};

/// One reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Where the value comes from.
    pub source: Source,
    /// What is made of it, in order.
    pub filters: Vec<Filter>,
    /// What stands for it where there is none.
    pub otherwise: Otherwise,
}

/// What stands for a value that does not exist. It is never taken where the value could not be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Otherwise {
    /// Nothing does: it is an error.
    #[default]
    Refuse,
    /// This text (`?default=…`).
    Text(String),
    /// Nothing at all: null for a whole value, no text in a longer one (`?optional`).
    Nothing,
}

/// Why a text that begins like a reference is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct ReferenceError {
    /// What is wrong with it.
    pub what: String,
    /// How it should be.
    pub hint: String,
}

impl ReferenceError {
    fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl Reference {
    /// Reads a reference from `${` to `}`, or from `ref+tfstate://` to its end.
    ///
    /// ```
    /// use hangar_manifest::reference::{Filter, Reference, Source};
    ///
    /// let reference = Reference::parse("${cfn:Prod-App/Nested/Db#Endpoint.Port|int}")?;
    /// let Source::CloudFormation(cfn) = &reference.source else { panic!("a stack's") };
    /// assert_eq!((cfn.stack.to_string(), cfn.name.as_str()), ("Prod-App/Nested".to_owned(), "Db"));
    /// assert_eq!(reference.filters, [Filter::Int]);
    /// # Ok::<(), hangar_manifest::reference::ReferenceError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        if text.starts_with(tfstate::PREFIX) {
            let source = tfstate::read(text)?;
            return Ok(Self { source, filters: Vec::new(), otherwise: Otherwise::Refuse });
        }
        let inner = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
        let inner = inner.ok_or_else(|| {
            ReferenceError::new(
                "it is not closed",
                "add the closing `}`, or write `$${` for a literal `${`",
            )
        })?;
        let (scheme, rest) = inner.split_once(':').unwrap_or((inner, ""));
        let (rest, mut filters) = filter::take(rest);
        let (body, query) = match rest.split_once('?') {
            Some((body, query)) => (body, Some(query)),
            None => (rest, None),
        };
        let (body, before) = filter::take_of(scheme, body)?;
        filters.splice(0..0, before);
        let (place, otherwise) = parameters(query.unwrap_or_default())?;
        let source = Source::read(scheme, body, place)?;
        Ok(Self { source, filters, otherwise })
    }
}

impl fmt::Display for Otherwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse => Ok(()),
            Self::Text(text) => write!(f, "?default={text}"),
            Self::Nothing => f.write_str("?optional"),
        }
    }
}

/// What stands behind the `?`.
fn parameters(query: &str) -> Result<(Place, Otherwise), ReferenceError> {
    const KNOWN: &str = "`account`, `region`, `role`, `default` and `optional`";
    let (mut place, mut otherwise) = (Place::default(), Otherwise::Refuse);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decoded(value)?;
        let is_twice = match name {
            "account" => place.account.replace(value).is_some(),
            "region" => place.region.replace(value).is_some(),
            "role" => place.role.replace(value).is_some(),
            "default" => {
                std::mem::replace(&mut otherwise, Otherwise::Text(value)) != Otherwise::Refuse
            }
            "optional" => {
                std::mem::replace(&mut otherwise, Otherwise::Nothing) != Otherwise::Refuse
            }
            _ => {
                let what = format!("`{name}` is not a parameter of a reference");
                return Err(ReferenceError::new(what, format!("the parameters are {KNOWN}")));
            }
        };
        if is_twice {
            let what = format!("`{name}` repeats an earlier parameter or conflicts with it");
            return Err(ReferenceError::new(what, "remove one of them"));
        }
    }
    place.check()?;
    Ok((place, otherwise))
}

/// A text with its `%XX` decoded: what stands for a sign that has a meaning in a reference.
fn decoded(text: &str) -> Result<String, ReferenceError> {
    let wrong = || {
        let what =
            format!("`{text}` contains a `%` that is not followed by two hexadecimal digits");
        ReferenceError::new(what, "write `%25` for a percent sign")
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(wrong()) };
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| wrong())?);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests;
