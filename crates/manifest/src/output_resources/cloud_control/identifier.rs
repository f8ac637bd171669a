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

/// By which a resource tells itself.
const OWN: [&str; 4] = ["arn", "id", "name", "identifier"];

impl Part<'_> {
    /// The attribute that holds it: of the same name; then those by which a resource tells its own ARN, id or
    /// name; at last, for an identifier of one part, one that can hardly be another.
    fn find<'a>(&self, subject: &Subject<'_, 'a>) -> Option<(Cow<'a, str>, Confidence)> {
        let read = |name: &str| subject.text(&[name]).filter(|text| self.fits(name, text));
        let same = names::attribute(self.property);
        if let Some(text) = read(&same) {
            let is_odd = same == "id" && is_joined(&text) && !text.starts_with("arn:");
            return Some((text, if is_odd { Confidence::Likely } else { Confidence::High }));
        }
        let property = self.property.to_ascii_lowercase();
        let ending = OWN.into_iter().find(|ending| property.ends_with(ending));
        let rest = property.strip_prefix(&self.kind.to_ascii_lowercase());
        // `VpcId` of a `VPC` is its id, and the only ARN that identifies a thing is its own.
        let is_own = rest == ending || (self.is_whole && ending == Some("arn"));
        if let Some(text) = ending.filter(|_| is_own).and_then(read) {
            return Some((text, Confidence::High));
        }
        let hardly_another: &[&str] = match ending {
            Some("id") if self.is_whole => &["id"],
            Some("name") if self.is_whole => &["name", "id"],
            Some("identifier") if self.is_whole => &["identifier", "id"],
            _ => &[],
        };
        hardly_another.iter().find_map(|name| read(name)).map(|text| (text, Confidence::Likely))
    }

    /// Whether a text can be what the property is: an ARN where one is asked for, and of Terraform's `id` not one
    /// that joins several things, unless that is all that is asked for.
    fn fits(&self, attribute: &str, text: &str) -> bool {
        if self.property.to_ascii_lowercase().ends_with("arn") {
            return text.starts_with("arn:");
        }
        let is_all = self.property == "Id" && self.is_whole;
        attribute != "id" || is_all || !is_joined(text)
    }
}

fn is_joined(id: &str) -> bool {
    id.contains(['/', '|', ',', ':'])
}
