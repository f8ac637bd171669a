//! The identifier of a resource, made of the attributes that Terraform has of it.

use std::borrow::Cow;

use hangar_ids::Identifier;

use super::super::subject::Subject;
use super::Confidence;
use super::names;
use super::tables::{Origin, Row};

/// The identifier and how sure it is; none where a part is not known, or must not be shown.
pub(super) fn of_attributes(
    row: &Row,
    subject: &Subject<'_, '_>,
) -> Option<(Identifier, Confidence)> {
    if let Origin::Rule(rule) = row.origin {
        let parts: Option<Vec<String>> =
            rule.split('|').map(|part| filled(part, subject)).collect();
        return Some((Identifier::from_parts(&parts?).ok()?, Confidence::High));
    }
    let properties: Vec<&str> = row.identifier.split(',').collect();
    let kind = row.cloud_formation.rsplit("::").next().unwrap_or_default();
    let mut confidence =
        if row.origin == Origin::Known { Confidence::High } else { Confidence::Likely };
    let mut parts = Vec::with_capacity(properties.len());
    for property in &properties {
        let is_whole = properties.len() == 1;
        let (part, sure) = Part { property, kind, is_whole }.find(subject)?;
        confidence = confidence.min(sure);
        parts.push(part);
    }
    Some((Identifier::from_parts(&parts).ok()?, confidence))
}

/// A rule's part with the attributes in its braces.
fn filled(part: &str, subject: &Subject<'_, '_>) -> Option<String> {
    let mut text = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        text.push_str(before);
        text.push_str(&subject.text(&[name])?);
        rest = after;
    }
    Some(text + rest)
}

/// A property of the primary identifier of a type.
struct Part<'p> {
    property: &'p str,
    /// The last part of the type's name.
    kind: &'p str,
    /// Whether it is all of the identifier.
    is_whole: bool,
}

impl Part<'_> {
    /// The attribute that holds it: of the same name; then those by which a resource tells its own ARN, id or
    /// name; at last, for an identifier of one part, one that can hardly be another.
    fn find<'a>(&self, subject: &Subject<'_, 'a>) -> Option<(Cow<'a, str>, Confidence)> {
        let own = |name: &str| subject.text(&[name]).filter(|text| self.fits(name, text));
        if let Some(text) = own(&names::attribute(self.property)) {
            return Some((text, Confidence::High));
        }
        let rest = self.own_rest();
        let mut sure = match rest {
            Some("arn") => vec!["arn"],
            Some("id") => vec!["id"],
            Some("name") => vec!["name"],
            Some("identifier") => vec!["identifier"],
            _ => vec![],
        };
        let ending = ["arn", "id", "name", "identifier"]
            .into_iter()
            .find(|ending| self.property.to_ascii_lowercase().ends_with(ending));
        if self.is_whole && ending == Some("arn") {
            sure.push("arn");
        }
        if let Some(text) = sure.into_iter().find_map(own) {
            return Some((text, Confidence::High));
        }
        let hardly_another: &[&str] = match ending {
            Some("id") if self.is_whole => &["id"],
            Some("name") if self.is_whole => &["name", "id"],
            Some("identifier") if self.is_whole => &["identifier", "id"],
            _ => &[],
        };
        hardly_another.iter().find_map(|name| own(name)).map(|text| (text, Confidence::Likely))
    }

    /// What follows the type's own name in the property's: `id` of `VpcId` for a `VPC`.
    fn own_rest(&self) -> Option<&'static str> {
        let (property, kind) = (self.property.to_ascii_lowercase(), self.kind.to_ascii_lowercase());
        let rest = property.strip_prefix(&kind)?;
        ["arn", "id", "name", "identifier"].into_iter().find(|known| *known == rest)
    }

    /// Whether a text can be what the property is: an ARN where one is asked for, and of Terraform's `id` not one
    /// that joins several things.
    fn fits(&self, attribute: &str, text: &str) -> bool {
        let wants_arn = self.property.to_ascii_lowercase().ends_with("arn");
        if wants_arn {
            return text.starts_with("arn:");
        }
        let is_joined = text.contains(['/', '|', ',', ':']) && !text.starts_with("arn:");
        let is_own_id = attribute == "id" && self.property != "Id";
        !((is_own_id || (attribute == "id" && !self.is_whole))
            && (is_joined || text.starts_with("arn:")))
    }
}
