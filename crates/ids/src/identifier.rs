//! Cloud Control's primary identifier, as AWS returned it.
//!
//! `read` holds the forms in which a person may type one.

mod read;
#[cfg(test)]
mod tests;

use std::fmt;

use hangar_diag::{Diagnostic, Span};

use crate::codes;
pub use read::{IdentifierSet, NamedIdentifier};

/// The identifier of an AWS resource: case-sensitive, 1 to 1024 characters, no NUL.
///
/// The parts of a composite one are joined with `|`; AWS has no way to escape a `|` inside a part.
///
/// ```
/// use hangar_ids::Identifier;
///
/// let stage = Identifier::from_parts(&["a1b2", "prod"])?;
/// assert_eq!(stage.as_str(), "a1b2|prod");
/// assert_eq!(stage.parts(2)?, ["a1b2", "prod"]);
/// assert!(stage.parts(3).is_err());
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identifier(String);

impl Identifier {
    /// Takes an identifier as AWS returned it.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        if text.is_empty() {
            return Err(Diagnostic::error(codes::IDENTIFIER_EMPTY, "the identifier is empty")
                .at(Span::new(0, 0), "the identifier is empty here")
                .hint("write the identifier that AWS shows for the resource"));
        }
        if let Some(at) = text.find('\0') {
            return Err(Diagnostic::error(
                codes::IDENTIFIER_NUL,
                "the identifier contains a NUL character",
            )
            .at(Span::byte(at), "NUL")
            .hint("remove the NUL character: identifiers cannot contain it"));
        }
        if let Some((at, _)) = text.char_indices().nth(MAX_CHARACTERS) {
            let message = format!("the identifier is longer than {MAX_CHARACTERS} characters");
            return Err(Diagnostic::error(codes::IDENTIFIER_TOO_LONG, message)
                .at(Span::new(at, text.len()), "too long from here")
                .hint("write the primary identifier, not a document that contains it"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Joins the values of the schema's identifier parts, in the schema's order.
    ///
    /// A diagnostic names the part in its message and has no place.
    pub fn from_parts<S: AsRef<str>>(parts: &[S]) -> Result<Self, Diagnostic> {
        for (index, part) in parts.iter().map(AsRef::as_ref).enumerate() {
            if part.is_empty() {
                let message = format!("part {} of the identifier is empty", index + 1);
                return Err(Diagnostic::error(codes::IDENTIFIER_EMPTY, message)
                    .hint("write a value for every part"));
            }
            if parts.len() > 1 && part.contains(SEPARATOR) {
                let message =
                    format!("part {} of the identifier, `{part}`, contains `|`", index + 1);
                return Err(Diagnostic::error(codes::IDENTIFIER_BAR, message)
                    .hint("AWS separates the parts with `|` and cannot escape one inside a part"));
            }
        }
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        // The caller has the parts and not the joined text, so a place in that means nothing.
        Self::parse(&parts.join("|")).map_err(|mut refused| {
            refused.labels.clear();
            refused
        })
    }

    /// Splits the identifier into the number of parts that the schema has; a single part is the
    /// whole text, whatever it holds.
    pub fn parts(&self, count: usize) -> Result<Vec<&str>, Diagnostic> {
        if count == 1 {
            return Ok(vec![&self.0]);
        }
        let parts: Vec<&str> = self.0.split(SEPARATOR).collect();
        if parts.len() == count {
            return Ok(parts);
        }
        let found = parts.len();
        let noun = if found == 1 { "part" } else { "parts" };
        let message =
            format!("the identifier `{self}` has {found} {noun}, but the schema has {count}");
        Err(Diagnostic::error(codes::IDENTIFIER_PARTS, message)
            .at(Span::new(0, self.0.len()), format!("{found} {noun}"))
            .hint(format!("write {count} parts joined with `|`")))
    }

    /// Whether both can name one resource: each part is the same, or is an ARN on one side and the end of this ARN on
    /// the other. A create of an ECS service returns `SERVICE-ARN|CLUSTER-ARN`, and a list `SERVICE-ARN|CLUSTER-NAME`.
    ///
    /// ```
    /// # use hangar_ids::Identifier;
    /// let cluster = "arn:aws:ecs:eu-west-1:123456789012:cluster/web";
    /// let of = |text: &str| Identifier::parse(text).unwrap();
    /// assert!(of(&format!("svc|{cluster}")).can_be(&of("svc|web")));
    /// assert!(!of(&format!("svc|{cluster}")).can_be(&of("svc|other")));
    /// assert!(!of("svc|web").can_be(&of("svc")));
    /// ```
    pub fn can_be(&self, other: &Self) -> bool {
        let (own, others) = (self.0.split(SEPARATOR), other.0.split(SEPARATOR));
        own.clone().count() == others.clone().count()
            && own.zip(others).all(|(a, b)| a == b || is_end_of_arn(a, b) || is_end_of_arn(b, a))
    }

    /// Whether AWS may spell the identifier in more than one way: it has an ARN, or several parts.
    pub fn has_other_spellings(&self) -> bool {
        self.0.contains(SEPARATOR) || self.0.starts_with(ARN)
    }

    /// The identifier as AWS spells it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const SEPARATOR: char = '|';

const ARN: &str = "arn:";

/// Whether a name that is no ARN itself is the end of an ARN.
fn is_end_of_arn(name: &str, arn: &str) -> bool {
    arn.starts_with(ARN)
        && !name.starts_with(ARN)
        && arn.strip_suffix(name).is_some_and(|rest| rest.ends_with(['/', ':']))
}

/// The limit of the Cloud Control API's `Identifier`.
const MAX_CHARACTERS: usize = 1024;
