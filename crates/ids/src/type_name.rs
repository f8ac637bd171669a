//! A resource type's name in its two spellings: `AWS.EC2/VPC` (ours) and `AWS::EC2::VPC`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use hangar_diag::{Diagnostic, Span};

use crate::{codes, place};

/// The name of a resource type: a vendor, a service, a type, and types nested in it.
///
/// Both spellings are read and printed. Names compare ASCII-case-insensitively and keep the
/// spelling they were read with.
///
/// ```
/// use hangar_ids::TypeName;
///
/// let name: TypeName = "AWS::EC2::VPC".parse()?;
/// assert_eq!(name.ucp(), "AWS.EC2/VPC");
/// assert_eq!(name, TypeName::parse("aws.ec2/vpc")?);
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Debug, Clone)]
pub struct TypeName {
    // Invariant: three parts or more, each of one or more ASCII letters and digits.
    parts: Vec<String>,
}

impl TypeName {
    /// Reads a type name in either spelling.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let spelling = Spelling::of(text);
        let parts = split(text, spelling)?;
        if parts.len() < 3 {
            return Err(too_few(text));
        }
        if parts.len() > 3 && parts.last().is_some_and(|last| last == "MODULE") {
            return Err(module(text));
        }
        Ok(Self { parts })
    }

    /// The name as ids and templates spell it: `AWS.EC2/VPC`.
    pub fn ucp(&self) -> String {
        format!("{}.{}/{}", self.parts[0], self.parts[1], self.parts[2..].join("/"))
    }

    /// The name as `CloudFormation` and Cloud Control spell it: `AWS::EC2::VPC`.
    pub fn cloud_formation(&self) -> String {
        self.parts.join("::")
    }

    /// The provider of the type, as an id has it after `/providers/`: `AWS.EC2`.
    pub fn provider(&self) -> String {
        format!("{}.{}", self.parts[0], self.parts[1])
    }

    /// The vendor: `AWS`.
    pub fn vendor(&self) -> &str {
        &self.parts[0]
    }

    /// The service: `EC2`.
    pub fn service(&self) -> &str {
        &self.parts[1]
    }

    fn folded(&self) -> impl Iterator<Item = u8> {
        // No part holds a zero byte, so it ends a part before any other byte does.
        self.parts.iter().flat_map(|part| {
            part.bytes().map(|byte| byte.to_ascii_lowercase()).chain(std::iter::once(0))
        })
    }
}

impl FromStr for TypeName {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Self::parse(text)
    }
}

/// Prints our spelling.
impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ucp())
    }
}

impl PartialEq for TypeName {
    fn eq(&self, other: &Self) -> bool {
        self.folded().eq(other.folded())
    }
}

impl Eq for TypeName {}

impl Hash for TypeName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for byte in self.folded() {
            state.write_u8(byte);
        }
    }
}

impl PartialOrd for TypeName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TypeName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.folded().cmp(other.folded())
    }
}

/// Which separators a text uses.
#[derive(Clone, Copy)]
enum Spelling {
    /// `.` once, then `/`.
    Ucp,
    /// `::` everywhere.
    CloudFormation,
}

impl Spelling {
    fn of(text: &str) -> Self {
        if text.contains("::") { Self::CloudFormation } else { Self::Ucp }
    }

    fn separator(self, part: usize) -> &'static str {
        match (self, part) {
            (Self::CloudFormation, _) => "::",
            (Self::Ucp, 0) => ".",
            (Self::Ucp, _) => "/",
        }
    }
}

fn split(text: &str, spelling: Spelling) -> Result<Vec<String>, Diagnostic> {
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let separator = spelling.separator(parts.len());
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        if !after.is_empty() && !after.starts_with(separator) {
            return Err(wrong_character(text, at + end, separator));
        }
        if part.is_empty() {
            return Err(empty_part(text, at));
        }
        parts.push(part.to_owned());
        if after.is_empty() {
            return Ok(parts);
        }
        at += end + separator.len();
    }
}

const SPELLINGS: &str = "write a type as `AWS.EC2/VPC` or `AWS::EC2::VPC`";

fn wrong_character(text: &str, at: usize, separator: &str) -> Diagnostic {
    if text[at..].eq_ignore_ascii_case(":reference") {
        return Diagnostic::error(
            codes::NOT_A_RESOURCE_TYPE,
            format!("`{text}` is the type of references, not a resource type"),
        )
        .at(Span::new(at, text.len()), "not part of a type name")
        .hint("remove `:reference`");
    }
    let span = text[at..].chars().next().map_or(Span::new(at, at), |c| place::character(at, c));
    Diagnostic::error(codes::TYPE_NAME_CHARACTER, format!("`{text}` is not a type name"))
        .at(span, format!("expected a letter, a digit or `{separator}`"))
        .hint(SPELLINGS)
}

fn empty_part(text: &str, at: usize) -> Diagnostic {
    Diagnostic::error(codes::TYPE_NAME_PARTS, format!("`{text}` is not a type name"))
        .at(Span::new(at, at), "a part is missing here")
        .hint(SPELLINGS)
}

fn too_few(text: &str) -> Diagnostic {
    Diagnostic::error(
        codes::TYPE_NAME_PARTS,
        format!("`{text}` does not have the three parts vendor, service and type"),
    )
    .at(Span::new(text.len(), text.len()), "a part is missing here")
    .hint(SPELLINGS)
}

fn module(text: &str) -> Diagnostic {
    let start = text.len() - "MODULE".len();
    Diagnostic::error(
        codes::NOT_A_RESOURCE_TYPE,
        format!("`{text}` is a CloudFormation module, not a resource type"),
    )
    .at(Span::new(start, text.len()), "marks a module")
    .hint("use the resource types that the module contains")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_read_and_print() {
        for (ucp, cloud_formation) in [
            ("AWS.EC2/VPC", "AWS::EC2::VPC"),
            ("AWS.X/A/B", "AWS::X::A::B"),
            ("AMZN.SDC/Deployment", "AMZN::SDC::Deployment"),
            ("Alexa.ASK/Skill", "Alexa::ASK::Skill"),
            ("aws.s3/bucket", "aws::s3::bucket"),
        ] {
            for text in [ucp, cloud_formation] {
                let name = TypeName::parse(text).expect(text);
                assert_eq!(name.ucp(), ucp);
                assert_eq!(name.to_string(), ucp);
                assert_eq!(name.cloud_formation(), cloud_formation);
            }
        }
        let name = TypeName::parse("AWS::X::A::B").unwrap();
        assert_eq!((name.vendor(), name.service()), ("AWS", "X"));
        assert_eq!(name.provider(), "AWS.X");
    }

    #[test]
    fn case_does_not_tell_names_apart_and_parts_do() {
        let parse = |text| TypeName::parse(text).unwrap();
        assert_eq!(parse("AWS.EC2/VPC"), parse("aws::ec2::vpc"));
        assert_eq!(parse("AWS.EC2/VPC").cmp(&parse("aws.ec2/vpc")), Ordering::Equal);
        assert_ne!(parse("AWS.EC2/V/PC"), parse("AWS.EC2/VPC"));
        assert!(parse("AWS.EC2/V/PC") < parse("AWS.EC2/VPC"));
    }

    #[test]
    fn what_is_not_a_type_name_is_refused_at_its_byte() {
        for (text, code, start, end) in [
            ("", codes::TYPE_NAME_PARTS, 0, 0),
            ("AWS", codes::TYPE_NAME_PARTS, 3, 3),
            ("AWS.EC2", codes::TYPE_NAME_PARTS, 7, 7),
            ("AWS.EC2/", codes::TYPE_NAME_PARTS, 8, 8),
            (".EC2/VPC", codes::TYPE_NAME_PARTS, 0, 0),
            ("AWS::EC2", codes::TYPE_NAME_PARTS, 8, 8),
            ("AWS::::VPC", codes::TYPE_NAME_PARTS, 5, 5),
            ("Custom::Thing", codes::TYPE_NAME_PARTS, 13, 13),
            ("AWS.EC2.VPC", codes::TYPE_NAME_CHARACTER, 7, 8),
            ("AWS/EC2/VPC", codes::TYPE_NAME_CHARACTER, 3, 4),
            ("AWS.EC2/VPC.module", codes::TYPE_NAME_CHARACTER, 11, 12),
            ("AWS::EC2/VPC", codes::TYPE_NAME_CHARACTER, 8, 9),
            ("AWS.ec2/security-group", codes::TYPE_NAME_CHARACTER, 16, 17),
            ("AWS::EC2::É", codes::TYPE_NAME_CHARACTER, 10, 12),
            ("AWS.EC2/VPC:reference", codes::NOT_A_RESOURCE_TYPE, 11, 21),
            ("My::S3::Bucket::MODULE", codes::NOT_A_RESOURCE_TYPE, 16, 22),
        ] {
            let diagnostic = TypeName::parse(text).expect_err(text);
            assert_eq!(
                (diagnostic.code, diagnostic.span()),
                (code, Some(Span { start, end })),
                "{text}"
            );
        }
    }
}
