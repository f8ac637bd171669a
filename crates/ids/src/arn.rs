//! Amazon Resource Names: six parts, and what the last of them is made of.
//!
//! `convert` makes the resource id of an ARN, `role` reads one of a role.

mod convert;
mod role;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use hangar_diag::{Diagnostic, Span};

use crate::{codes, place};

pub use role::ArnRole;

/// `arn:partition:service:region:account:resource`; region and account may be empty.
///
/// ```
/// use hangar_ids::{Arn, ArnShape};
///
/// let arn: Arn = "arn:aws:iam::123456789012:role/team/svc".parse()?;
/// assert_eq!((arn.service(), arn.region()), ("iam", ""));
/// assert_eq!(arn.parts().shape, ArnShape::TypeSlashName);
/// assert_eq!(arn.parts().resource_type, Some("role"));
/// assert_eq!(arn.parts().name, "team/svc");
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arn {
    // Invariant: the text has five colons or more; `colons` are the first five, rising.
    text: String,
    colons: [usize; 5],
}

/// What an ARN's resource is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArnResource<'a> {
    /// How type and name are put together.
    pub shape: ArnShape,
    /// The type, where the ARN has one.
    pub resource_type: Option<&'a str>,
    /// The name: everything after the type.
    pub name: &'a str,
}

/// How an ARN's resource puts type and name together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArnShape {
    /// `role/team/svc`
    TypeSlashName,
    /// `function:f:1`
    TypeColonName,
    /// `/restapis/x`, as API Gateway and a few others write it.
    LeadingSlash,
    /// `bucket`: nothing separates a type.
    NameOnly,
}

impl Arn {
    /// Reads an ARN of any partition.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        if !text.starts_with("arn:") {
            return Err(not_an_arn(text));
        }
        let Some(colons) = first_colons(text) else { return Err(too_few_parts(text)) };
        if let Some((at, c)) = text.char_indices().find(|(_, c)| c.is_control()) {
            return Err(control(at, c));
        }
        let arn = Self { text: text.to_owned(), colons };
        arn.check_partition()?;
        arn.check_service()?;
        arn.check_scope(Part::Region)?;
        arn.check_scope(Part::Account)?;
        if arn.resource().is_empty() {
            return Err(empty_resource(arn.span(Part::Resource)));
        }
        Ok(arn)
    }

    /// The partition: `aws`, `aws-cn`, `aws-us-gov`, …
    pub fn partition(&self) -> &str {
        self.part(Part::Partition)
    }

    /// The service: `ec2`.
    pub fn service(&self) -> &str {
        self.part(Part::Service)
    }

    /// The region; empty for what is global.
    pub fn region(&self) -> &str {
        self.part(Part::Region)
    }

    /// The account as written: digits, `aws`, a mask, or empty.
    pub fn account(&self) -> &str {
        self.part(Part::Account)
    }

    /// The resource as written.
    pub fn resource(&self) -> &str {
        self.part(Part::Resource)
    }

    /// The whole ARN.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The resource's type and name.
    ///
    /// One leading slash is dropped, and for `logs` the `:*` that older providers put
    /// after a log group. The type ends at the first `/` or `:`; the rest is the name.
    pub fn parts(&self) -> ArnResource<'_> {
        let mut resource = self.resource();
        if self.service().eq_ignore_ascii_case("logs") {
            resource = resource.strip_suffix(":*").unwrap_or(resource);
        }
        let (rest, has_leading_slash) = match resource.strip_prefix('/') {
            Some(rest) => (rest, true),
            None => (resource, false),
        };
        let Some(end) = rest.find(['/', ':']) else {
            let shape = if has_leading_slash { ArnShape::LeadingSlash } else { ArnShape::NameOnly };
            return ArnResource { shape, resource_type: None, name: rest };
        };
        let shape = match rest.as_bytes()[end] {
            _ if has_leading_slash => ArnShape::LeadingSlash,
            b'/' => ArnShape::TypeSlashName,
            _ => ArnShape::TypeColonName,
        };
        ArnResource { shape, resource_type: Some(&rest[..end]), name: &rest[end + 1..] }
    }

    fn part(&self, part: Part) -> &str {
        let Span { start, end } = self.span(part);
        &self.text[start..end]
    }

    fn span(&self, part: Part) -> Span {
        let index = part as usize;
        let end = self.colons.get(index + 1).copied().unwrap_or(self.text.len());
        Span::new(self.colons[index] + 1, end)
    }

    fn check_partition(&self) -> Result<(), Diagnostic> {
        let partition = self.partition();
        let rest = partition.strip_prefix("aws");
        let is_known = rest.is_some_and(|rest| {
            rest.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        });
        if is_known {
            return Ok(());
        }
        let message = format!("`{partition}` is not an AWS partition");
        Err(Diagnostic::error(codes::ARN_PARTITION, message)
            .at(self.span(Part::Partition), "not a partition")
            .hint("write `aws` or another partition, such as `aws-cn` or `aws-us-gov`"))
    }

    fn check_service(&self) -> Result<(), Diagnostic> {
        let service = self.service();
        let is_named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if !service.is_empty() && service.chars().all(is_named) {
            return Ok(());
        }
        Err(Diagnostic::error(
            codes::ARN_SERVICE,
            format!("`{service}` is not a valid service name"),
        )
        .at(self.span(Part::Service), "not a service name")
        .hint("write the name of the service, such as `ec2`"))
    }

    /// Accounts are masked in many ways, so only what no one would mask with is refused.
    fn check_scope(&self, part: Part) -> Result<(), Diagnostic> {
        let text = self.part(part);
        let is_allowed = |c: char| c.is_ascii_graphic() && !matches!(c, '/' | '?' | '#' | '%');
        let is_relative = matches!(text, "." | "..") || text.eq_ignore_ascii_case("providers");
        let wrong = text.char_indices().find(|(_, c)| !is_allowed(*c));
        let Span { start, .. } = self.span(part);
        let span = match wrong {
            Some((at, c)) => place::character(start + at, c),
            None if is_relative => self.span(part),
            None => return Ok(()),
        };
        Err(Diagnostic::error(codes::ARN_SCOPE, format!("`{text}` is not {}", part.noun()))
            .at(span, "not allowed here")
            .hint("copy this part from AWS, or leave it empty if the ARN has none"))
    }
}

impl FromStr for Arn {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Self::parse(text)
    }
}

impl fmt::Display for Arn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A part of an ARN; its number is that of the colon before it.
#[derive(Clone, Copy)]
enum Part {
    Partition = 0,
    Service = 1,
    Region = 2,
    Account = 3,
    Resource = 4,
}

impl Part {
    fn noun(self) -> &'static str {
        match self {
            Self::Partition => "a partition",
            Self::Service => "a service",
            Self::Region => "a region",
            Self::Account => "an account",
            Self::Resource => "a resource",
        }
    }
}

fn first_colons(text: &str) -> Option<[usize; 5]> {
    let mut found = text.match_indices(':').map(|(at, _)| at);
    Some([found.next()?, found.next()?, found.next()?, found.next()?, found.next()?])
}

const FORM: &str = "write `arn:partition:service:region:account:resource`";

fn not_an_arn(text: &str) -> Diagnostic {
    // The first byte at which the text and `arn:` part ways.
    let at = text.bytes().zip(*b"arn:").take_while(|(found, wanted)| found == wanted).count();
    let span = text[at..].chars().next().map_or(Span::new(at, at), |c| place::character(at, c));
    Diagnostic::error(codes::NOT_AN_ARN, format!("`{text}` does not start with `arn:`"))
        .at(span, "expected `arn:`")
        .hint(FORM)
}

fn too_few_parts(text: &str) -> Diagnostic {
    let found = text.matches(':').count() + 1;
    Diagnostic::error(
        codes::ARN_PARTS,
        format!("the ARN `{text}` has {found} parts, but must have 6"),
    )
    .at(Span::new(text.len(), text.len()), "the other parts are missing here")
    .hint(FORM)
}

fn empty_resource(span: Span) -> Diagnostic {
    Diagnostic::error(codes::ARN_RESOURCE, "the ARN has no resource")
        .at(span, "a resource is missing here")
        .hint(FORM)
}

fn control(at: usize, c: char) -> Diagnostic {
    let code = u32::from(c);
    let message = format!("the ARN contains the control character U+{code:04X}");
    Diagnostic::error(codes::CONTROL_CHARACTER, message)
        .at(place::character(at, c), "a control character")
        .hint("remove it: an ARN cannot contain control characters")
}
